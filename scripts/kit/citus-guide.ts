// The machines of a distributed database, set up as docs/citus.md says: its code blocks are run as they are written there,
// with addresses, ports and passwords of this machine in place of those of the examples.

import { execFile, type ExecFileOptions } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../src/core/config-error.ts';
import { randomText } from '../../src/core/crypto.ts';
import { projectRoot } from '../../src/config.ts';
import type { Machine } from './citus.ts';
import { createCluster, startCluster, type Cluster } from './postgres.ts';

export const guideFile = join(projectRoot, 'docs', 'citus.md');

// The page

export interface Block {
  /** The heading above it. */
  readonly heading: string;
  readonly language: string;
  readonly text: string;
}

export const blocksOf = (page: string): Block[] => {
  const blocks: Block[] = [];
  let heading = '';
  for (const [, found, language = '', text = ''] of page.matchAll(/^#+ ([^\n]+)$|^```(\w*)\n(.*?)^```$/gms)) {
    if (found === undefined) blocks.push({ heading, language, text });
    else heading = found;
  }
  return blocks;
};

/** The parts of the page whose blocks are run here or by `npm run try -- citus`. */
export const headings = {
  settings: 'Settings',
  roles: 'Roles and database',
  nodes: 'Migrate, then add the nodes',
  distribute: 'Distribute',
  add: 'Add a node',
  remove: 'Remove a node',
  backup: 'Back up',
  restore: 'Restore',
} as const;

/** Replaces the ports, passwords and number of shards in the examples of the page. */
interface Values {
  readonly portOf: (number: number) => number;
  readonly passwords: Readonly<Record<'ADMIN' | 'OWNER' | 'REQUEST', string>>;
  readonly shards: number;
}

/** The machine 10.0.0.NUMBER of the page. */
const addressOf = (number: number): string => `127.0.1.${number}`;

export const fillIn = (text: string, { portOf, passwords, shards }: Values): string =>
  text
    .replaceAll(/'10\.0\.0\.(\d+)', 5432/g, (_, number) => `'${addressOf(number)}', ${portOf(Number(number))}`)
    .replaceAll('10.0.0.0/24', '127.0.0.0/8') // connections to 127.0.1.2 come from 127.0.0.1
    .replaceAll(/10\.0\.0\.(\d+)/g, (_, number) => addressOf(number))
    .replaceAll('ADMIN-PASSWORD', passwords.ADMIN)
    .replaceAll('OWNER-PASSWORD', passwords.OWNER)
    .replaceAll('REQUEST-PASSWORD', passwords.REQUEST)
    .replaceAll('shard_count = 32', `shard_count = ${shards}`);

/** Lines of postgresql.conf. */
export const settingsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^(\w+) = '?(.*?)'?$/gm)].map(([, name = '', value = '']): [string, string] => [name, value]),
  );

// The machines

type Settings = Readonly<Record<string, string>>;

export interface GuideMachine extends Machine {
  readonly cluster: Cluster;
  /** Starts its PostgreSQL with the settings of the page, some of which `different` may replace. */
  readonly start: (different?: Settings) => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Runs SQL as the administrator, and returns its rows without headings. */
  readonly psql: (sql: string, database?: string) => Promise<string>;
}

export interface Guide {
  /** The URLs of the owner and of the administrator. */
  readonly databaseUrl: string;
  readonly adminUrl: string;
  /** The blocks below a heading, with the values of this machine. Those of machines that are not prepared yet throw. */
  blocks(heading: string): Block[];
  /** The machine 10.0.0.NUMBER of the page. */
  machine(number: number): GuideMachine;
  /** Makes a machine: its PostgreSQL, roles and database. The settings are those that it has besides the page's. */
  prepare(number: number, settingsOf?: (cluster: Cluster) => Promise<Settings>): Promise<GuideMachine>;
  /** Takes over a machine whose data folder exists already. */
  adopt(number: number, cluster: Cluster): GuideMachine;
  /** Runs a block: SQL in the coordinator's database, other lines in the project's folder with DATABASE_URL. Returns what it prints. */
  run(block: Block | undefined, databaseUrl?: string): Promise<string>;
  /** Puts the values of this machine into a line of the page. */
  fill(text: string): string;
}

const database = 'team_api';

/** As many as two nodes need to be filled evenly. */
export const fewShards = 8;

export const citusIsInstalled = (): boolean => globSync('/usr/lib/postgresql/*/lib/citus.so').length > 0;

export const notInstalled = 'Citus is not installed here: see "Install Citus" in docs/citus.md';

/** Runs a program with an input. Throws with what it wrote if it fails. */
const runProgram = (
  program: string,
  args: readonly string[],
  { input = '', ...options }: ExecFileOptions & { input?: string },
): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { ...options, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`, { cause: error }));
        else resolve(stdout.trim());
      },
    );
    child.stdin?.on('error', () => {}); // it ended before it had read everything: reported above
    child.stdin?.end(input);
  });

/** Stops a PostgreSQL that its stack does not stop, because it was killed and something else started it again. */
const stopLeftOver = async (data: string): Promise<void> => {
  const file = join(data, 'postmaster.pid');
  const read = () => {
    try {
      return Number(readFileSync(file, 'utf8').split('\n')[0]);
    } catch {
      return undefined;
    }
  };
  const pid = read();
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    return; // it was killed, and left its file
  }
  while (read() === pid) await sleep(50);
};

/**
 * Only the line of the page lets others in. The lines that initdb writes for local addresses would let in every program
 * of this machine.
 */
const writeAccess = async ({ data }: Cluster, line: string): Promise<void> => {
  const file = join(data, 'pg_hba.conf');
  const kept = (await readFile(file, 'utf8')).split('\n').filter((each) => !each.includes('127.0.0.1/32'));
  await writeFile(file, `${kept.join('\n')}\n${line}`);
};

interface GuideOptions {
  /** Where the machines have their folders. */
  readonly folder: string;
  readonly shards: number;
}

export const openGuide = async (opened: AsyncDisposableStack, { folder, shards }: GuideOptions): Promise<Guide> => {
  if (!citusIsInstalled()) throw new ConfigError(notInstalled);
  const page = blocksOf(await readFile(guideFile, 'utf8'));
  const machines = new Map<number, GuideMachine>();
  const machine = (number: number): GuideMachine => {
    const found = machines.get(number);
    if (!found) throw new Error(`The machine ${number} is not prepared`);
    return found;
  };
  const values: Values = {
    portOf: (number) => machine(number).port,
    passwords: { ADMIN: randomText(16), OWNER: randomText(16), REQUEST: randomText(16) },
    shards,
  };
  const blocks = (heading: string): Block[] => page.filter((block) => block.heading === heading);
  const filled = (block: Block | undefined): string => fillIn(block?.text ?? '', values);
  const urlOf = (user: string, password: string): string =>
    `postgresql://${user}:${password}@${addressOf(1)}:${machine(1).port}/${database}`;

  const adopt: Guide['adopt'] = (number, cluster) => {
    let running = new AsyncDisposableStack();
    opened.defer(() => stopLeftOver(cluster.data));
    opened.defer(() => running.disposeAsync());
    const [settings] = blocks(headings.settings);
    const made: GuideMachine = {
      host: addressOf(number),
      port: cluster.port,
      isCoordinator: number === 1,
      cluster,
      start: async (different = {}) => {
        running = new AsyncDisposableStack();
        await startCluster(running, cluster, {
          unix_socket_directories: cluster.home,
          ...settingsIn(filled(settings).replaceAll(addressOf(1), addressOf(number))),
          ...different,
        });
      },
      stop: () => running.disposeAsync(),
      psql: (sql, name = database) => {
        const connection = [
          `--host=${cluster.home}`,
          `--port=${cluster.port}`,
          '--username=postgres',
          `--dbname=${name}`,
        ];
        const options = ['--no-psqlrc', '--quiet', '--tuples-only', '--no-align', '--set=ON_ERROR_STOP=1'];
        return runProgram(join(cluster.bin, 'psql'), [...connection, ...options], {
          ...cluster.account,
          cwd: cluster.home,
          input: sql,
        });
      },
    };
    machines.set(number, made);
    return made;
  };

  const prepare: Guide['prepare'] = async (number, settingsOf = async () => ({})) => {
    const own = join(folder, String(number));
    await mkdir(own, { mode: 0o711 });
    const created = await createCluster(own);
    // Through its socket, as `runuser -u postgres -- psql` does.
    const urlOfSocket = (name: string) =>
      `postgresql://postgres@localhost:${created.port}/${name}?host=${encodeURIComponent(created.home)}`;
    const made = adopt(number, { ...created, urlOf: urlOfSocket });
    const [, access] = blocks(headings.settings);
    await writeAccess(created, filled(access));
    await made.start(await settingsOf(made.cluster));
    const [missing, everywhere] = blocks(headings.roles);
    await made.psql(filled(missing), 'postgres');
    await made.psql(filled(everywhere));
    return made;
  };

  const guide: Guide = {
    get databaseUrl() {
      return urlOf('team_api', values.passwords.OWNER);
    },
    get adminUrl() {
      return urlOf('postgres', values.passwords.ADMIN);
    },
    blocks: (heading) => blocks(heading).map((block) => ({ ...block, text: filled(block) })),
    machine,
    prepare,
    adopt,
    fill: (text) => fillIn(text, values),
    run: async (block, databaseUrl = guide.databaseUrl) => {
      if (!block) throw new Error(`${guideFile} has no such block`);
      const { language, text } = block;
      if (language === 'sql') return machine(1).psql(text);
      return runProgram('sh', ['-ec', text], {
        cwd: projectRoot,
        env: { ...process.env, DATABASE_URL: databaseUrl },
      });
    },
  };
  return guide;
};

/** The coordinator and the two nodes of the page. */
export const firstMachines = [1, 2, 3] as const;

/** Makes these machines and distributes an empty database over them, with the blocks of the page in their order. */
export const setUpMachines = async (
  guide: Guide,
  prepare: (number: number) => Promise<unknown> = (number) => guide.prepare(number),
): Promise<void> => {
  for (const number of firstMachines) await prepare(number);
  const [migrate, nodes, health] = guide.blocks(headings.nodes);
  await guide.run(migrate);
  await guide.run(nodes);
  const unreachable = await guide.run(health);
  if (unreachable !== '') throw new Error(`The machines can't connect to each other: ${unreachable}`);
  for (const block of guide.blocks(headings.distribute)) await guide.run(block);
};
