import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { runCli } from '../../src/cli/program.ts';

const program = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');

export interface Ended {
  /** Null: a signal ended the process. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

const Failure = z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string().min(1) }) });

/** The failure of a command with --json: its exit code, and the code and message on stderr. */
export const failureIn = ({ exitCode, stdout, stderr }: Ended) => {
  if (stdout !== '') throw new Error(`It failed and yet printed ${stdout}`);
  return { exitCode, ...Failure.parse(JSON.parse(stderr)).error };
};

type Environment = Record<string, string>;

interface Terminal {
  /** The standard input, as if typed. */
  readonly typed: string;
  /** False: stdout is a file. */
  readonly isOutput: boolean;
  /** False: stdin is a pipe. */
  readonly isInput: boolean;
}

/** Runs a command in this process, on a terminal if one is given. */
const runHere = async (args: readonly string[], env: Environment, terminal?: Terminal): Promise<Ended> => {
  const printed = { stdout: '', stderr: '' };
  const isTTY = terminal?.isOutput ?? false;
  const output = (name: 'stdout' | 'stderr') => ({ isTTY, write: (part: string) => (printed[name] += part) });
  const stdin = Object.assign(Readable.from(terminal ? [terminal.typed] : []), { isTTY: terminal?.isInput ?? false });
  const exitCode = await runCli(args, { env, stdin, stdout: output('stdout'), stderr: output('stderr') });
  return { exitCode, ...printed };
};

/** Starts a command in its own process, which is killed after some minutes at the latest. */
const startProcess = (args: readonly string[], environment: Environment) => {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...environment };
  const child = spawn(process.execPath, [program, ...args], {
    env,
    stdio: 'pipe',
    timeout: 300_000,
    killSignal: 'SIGKILL',
  });
  const exited = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const ended = Promise.all([exited, text(child.stdout), text(child.stderr)]).then(
    ([exitCode, stdout, stderr]): Ended => ({ exitCode, stdout, stderr }),
  );
  return { child, ended };
};

const runProcess = (args: readonly string[], environment: Environment, input = ''): Promise<Ended> => {
  const { child, ended } = startProcess(args, environment);
  child.stdin.on('error', () => {}).end(input);
  return ended;
};

type Start = (args: readonly string[], env: Environment) => Promise<Ended>;

const cliWith = (start: Start, environment: Environment) => {
  const run = (args: readonly string[], more: Environment = {}) => start(args, { ...environment, ...more });
  return {
    run,
    /** Parses the one JSON document that a finished command printed, with exactly this schema. */
    async json<Value>(shape: z.ZodType<Value>, args: readonly string[], more?: Environment): Promise<Value> {
      const { exitCode, stdout, stderr } = await run([...args, '--json'], more);
      if (exitCode !== 0 || stderr !== '') throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stderr}`);
      return shape.parse(JSON.parse(stdout));
    },
    failure: async (args: readonly string[], more?: Environment) => failureIn(await run([...args, '--json'], more)),
  };
};

/**
 * The command line with only this environment. Its commands run in this process, because starting a new one takes
 * seconds.
 */
export const makeCli = (environment: Environment) => ({
  ...cliWith((args, env) => runHere(args, env), environment),
  onTerminal: (args: readonly string[], typed: string, { isOutput = true, isInput = true } = {}) =>
    runHere(args, environment, { typed, isOutput, isInput }),
});

/** The command line as a script uses it: a new process for each command. */
export const makeCliOfProcesses = (environment: Environment) => ({
  ...cliWith((args, env) => runProcess(args, env), environment),
  /** With this text as its standard input. */
  withInput: (args: readonly string[], input: string) => runProcess(args, environment, input),
  /** A command that keeps running; it ends with the test at the latest. */
  start(args: readonly string[]) {
    const started = startProcess(args, environment);
    onTestFinished(() => void started.child.kill('SIGKILL'));
    return started;
  },
});
