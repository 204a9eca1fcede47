import type { Readable } from 'node:stream';
import type { Command } from '@commander-js/extra-typings';
import { migrateDatabase } from '../run/database.ts';
import { openFoundation, type Foundation } from '../run/foundation.ts';
import { readConfig, type Config } from '../config.ts';
import { requireMigrated } from '../db/migrate.ts';
import type { Platform, Actor, Team } from '../platform/team.ts';
import { actIn } from '../platform/team-row.ts';

/** A standard stream to which a command prints. */
interface Output {
  write(text: string): unknown;
  /** The width of the terminal; undefined for a file or a pipe. */
  readonly columns?: number | undefined;
  readonly isTTY?: boolean | undefined;
}

/**
 * The environment variables and standard streams of a command. Node's `process` has them; a test passes its own object.
 */
export interface ProcessContext {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  readonly stdout: Output;
  readonly stderr: Output;
}

/** The services that every command is given. */
interface CommandContext {
  readonly config: Config;
  readonly foundation: Foundation;
  readonly platform: Platform;
  readonly report: (line: string) => void;
}

/** The actor of all commands: their user has access to the database itself. */
export const operator: Actor = { kind: 'operator' };

/** In production, an operator decides when to migrate the database. Elsewhere it is migrated when it is used. */
const bringUpToDate = async ({ config, foundation, report }: CommandContext): Promise<void> => {
  if (config.NODE_ENV === 'production') await requireMigrated(foundation.databaseUrl);
  else await migrateDatabase(foundation.databaseUrl, report);
};

const readable = (value: object): string => (Array.isArray(value) ? table(value) : fields(value));

export type AnswerCommand = ReturnType<typeof answerIn>;

/** Runs a command with the database and prints its result: one JSON document, or a text for people. */
export const answerIn =
  ({ env, stdout, stderr }: ProcessContext) =>
  async <Value extends object>(
    { json }: { json?: true | undefined },
    work: (session: CommandContext) => Promise<Value>,
    render: (value: Value) => string = readable,
  ): Promise<void> => {
    const report = (line: string) => {
      if (!json) stderr.write(`${line}\n`);
    };
    const config = readConfig(env);
    const foundation = await openFoundation(config, { report });
    try {
      const session: CommandContext = { config, foundation, platform: foundation.platform, report };
      await bringUpToDate(session);
      const value = await work(session);
      // The result is printed before anything else can fail, because a new key, for instance, is shown only once.
      stdout.write(`${json ? JSON.stringify(value, null, 2) : render(value)}\n`);
    } finally {
      await foundation.close();
    }
  };

/** Like `answer`, for a command in one team, which an option of the command names. */
export const answerInTeam = <Value extends object>(
  answer: AnswerCommand,
  options: { team: string; json?: true | undefined },
  work: (team: Team, session: CommandContext) => Promise<Value>,
  render?: (value: Value) => string,
): Promise<void> =>
  answer(options, async (session) => work(await actIn(session.platform, operator, options.team), session), render);

/** A command that prints a result. Each has the option `--json`. */
export const answering = <Usage extends string>(group: Command, usage: Usage, summary: string) =>
  group.command(usage).description(summary).option('--json', 'print one JSON document');

/** A command for `answerInTeam`. `which`: the description of the option that names the team. */
export const answeringInTeam = <Usage extends string>(group: Command, usage: Usage, summary: string, which: string) =>
  answering(group, usage, summary).requiredOption('--team <id>', which);

/** The text form of a result. */

const words = (value: unknown): string => {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(words).join(',');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const entriesOf = (value: object): [string, unknown][] =>
  Object.entries(value).flatMap(([key, inner]: [string, unknown]): [string, unknown][] =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? entriesOf(inner).map(([name, text]) => [`${key} ${name}`, text])
      : [[key, inner]],
  );

/** A line for each field. */
export const fields = (value: object): string => {
  const entries = entriesOf(value);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, text]) => `${name.padEnd(width)}  ${words(text)}`).join('\n');
};

/** A line for each row, below a line with the names of the fields. */
export const table = (rows: readonly object[]): string => {
  const [first] = rows;
  if (!first) return 'None.';
  const lines = [Object.keys(first), ...rows.map((row) => Object.values(row).map(words))];
  const widths = Object.keys(first).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
