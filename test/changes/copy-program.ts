import { spawn } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { TestService } from '../support/service.ts';
import type { TestTeam } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import { allListed } from '../support/pages.ts';

const project = join(import.meta.dirname, '..', '..');
const program = 'keep-a-copy.mts';

export type Row = Record<string, unknown>;
/** The rows of the lists by their names, such as `cases 0199…`. */
export type Rows = Record<string, Row>;

const Stored = z.array(z.object({ list: z.string(), id: z.string(), json: z.string() }));
const JsonRow = z.record(z.string(), z.unknown());

export interface CopyRun {
  /** The name of its key in the log. */
  readonly keyPrefix: string;
  kill(): void;
  /** How it ended: the exit code is null after a signal. */
  readonly ended: Promise<{ exitCode: number | null; complaints: string }>;
}

/** The program of the documentation for a team. */
export const aCopyProgram = ({ origin }: Pick<TestService, 'origin'>, team: TestTeam) =>
  aCopyProgramAt(origin, async () => (await team.aKey({ scopes: copyScopes })).text);

const copyScopes = ['users:read', 'trainings:read', 'evaluations:read', 'assignments:read', 'cases:read'] as const;

/**
 * The same at any address, in a folder of its own, with the client's package as a customer installs it. Each run gets a
 * key of its own, because many runs are more than one key may do in a minute.
 */
export const aCopyProgramAt = async (baseUrl: string, aKey: () => Promise<string>) => {
  const folder = throwAwayFolder();
  await mkdir(join(folder, 'node_modules'));
  await symlink(join(project, 'dist', 'client'), join(folder, 'node_modules', 'team-customer-api-client'));
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }');
  await cp(join(project, 'src', 'server', 'developers', 'examples', program), join(folder, program));

  const start = async ({ overlapSeconds = 300 } = {}): Promise<CopyRun> => {
    const key = await aKey();
    const child = spawn(process.execPath, [program], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { BASE_URL: baseUrl, API_KEY: key, OVERLAP_SECONDS: String(overlapSeconds) },
    });
    const exited = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
    return {
      keyPrefix: key.split('_')[2] ?? '',
      kill: () => void child.kill('SIGKILL'),
      ended: Promise.all([exited, text(child.stderr)]).then(([exitCode, complaints]) => ({ exitCode, complaints })),
    };
  };

  return {
    start,
    /** Runs it to its end, which must be a success. */
    async run(options?: { overlapSeconds?: number }): Promise<CopyRun> {
      const run = await start(options);
      const { exitCode, complaints } = await run.ended;
      if (exitCode !== 0) throw new Error(complaints);
      return run;
    },
    rows(): Rows {
      const copy = new DatabaseSync(join(folder, 'copy.sqlite'), { readOnly: true });
      const stored = Stored.parse(copy.prepare('select list, id, json from row').all());
      copy.close();
      return Object.fromEntries(stored.map(({ list, id, json }) => [`${list} ${id}`, JsonRow.parse(JSON.parse(json))]));
    },
  };
};

/** The rows that the lists have now, page by page, each training with its evaluation. */
export const listedRows = async (team: TestTeam): Promise<Rows> => {
  const client = await team.aClient();
  const rows: Rows = {};
  const lists = { users: 'users', trainings: 'trainings', assignments: 'assignments', cases: 'cases' };
  for (const [list, path] of Object.entries({ ...lists, deals: 'crm/deals', objections: 'crm/objections' })) {
    const query = list === 'trainings' ? '?limit=200&include=evaluation' : '?limit=200';
    for (const row of await allListed(client, `/${path}${query}`)) rows[`${list} ${String(row['id'])}`] = row;
  }
  return rows;
};

/** The requests that a run has made, by the service's log. */
export const requestsOf = (service: TestService, { keyPrefix }: CopyRun): string[] =>
  service
    .logged()
    .filter((line) => line['key_prefix'] === keyPrefix && typeof line['route'] === 'string')
    .map((line) => String(line['route']));
