import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { runCli } from '../../src/cli/program.ts';

const program = join(import.meta.dirname, '..', '..', 'src', 'cli.ts');

export interface Ended {
  /** Null: a signal ended the process. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

const Failure = z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string().min(1) }) });

/** How a command failed that was asked for JSON: its exit code, and the code and message on stderr. */
export const failureIn = ({ exitCode, stdout, stderr }: Ended) => {
  if (stdout !== '') throw new Error(`It failed and yet printed ${stdout}`);
  return { exitCode, ...Failure.parse(JSON.parse(stderr)).error };
};

type Environment = Record<string, string>;

/** Runs a command in this process; with `typed`, on a terminal on which somebody types that. */
const runHere = async (args: readonly string[], env: Environment, typed?: string): Promise<Ended> => {
  const printed = { stdout: '', stderr: '' };
  const isTTY = typed !== undefined;
  const output = (name: 'stdout' | 'stderr') => ({ isTTY, write: (part: string) => (printed[name] += part) });
  const stdin = Object.assign(Readable.from(typed === undefined ? [] : [typed]), { isTTY });
  const exitCode = await runCli(args, { env, stdin, stdout: output('stdout'), stderr: output('stderr') });
  return { exitCode, ...printed };
};

const runProcess = async (args: readonly string[], environment: Environment): Promise<Ended> => {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...environment };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [exitCode, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { exitCode, stdout, stderr };
};

type Start = (args: readonly string[], env: Environment) => Promise<Ended>;

const cliWith = (start: Start, environment: Environment) => {
  const run = (args: readonly string[], more: Environment = {}) => start(args, { ...environment, ...more });
  return {
    run,
    /** The one JSON document of a command that is done, in exactly this shape. */
    async json<Value>(shape: z.ZodType<Value>, args: readonly string[], more?: Environment): Promise<Value> {
      const { exitCode, stdout, stderr } = await run([...args, '--json'], more);
      if (exitCode !== 0 || stderr !== '') throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stderr}`);
      return shape.parse(JSON.parse(stdout));
    },
    failure: async (args: readonly string[], more?: Environment) => failureIn(await run([...args, '--json'], more)),
  };
};

/** The command line with nothing but this environment. Its commands run in this process: a new one takes seconds to load them. */
export const makeCli = (environment: Environment) => ({
  ...cliWith((args, env) => runHere(args, env), environment),
  onTerminal: (args: readonly string[], typed: string) => runHere(args, environment, typed),
});

/** The command line as a script uses it: a process of its own for each command. */
export const makeCliOfProcesses = (environment: Environment) => cliWith(runProcess, environment);

export type Cli = ReturnType<typeof cliWith>;
