import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../src/core/config-error.ts';
import { probePort } from '../up/port.ts';

/** A path in the project, then the arguments. */
type Command = readonly [program: string, ...args: string[]];

type Environment = Readonly<Record<string, string>>;

/** A Node program in its own process, which is killed when this process ends. Disposed with SIGTERM. */
export interface Program extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly pid: number;
  isRunning(): boolean;
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<unknown>;
  /** Resolves when the process has ended. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** The settings without which the service does not start in production, except that of the database. */
export const production: Environment = {
  NODE_ENV: 'production',
  APP_SECRET: 'a secret that only this run of the bench knows',
  PUBLIC_URL: 'https://api.example.com',
};

const isFree = async (port: number): Promise<boolean> => {
  try {
    await probePort({ HOST: '127.0.0.1', PORT: port });
    return true;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error; // else it is taken
    return false;
  }
};

/** A port that no outgoing connection gets from the system before it is used: those have ports above 32,767. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    if (await isFree(port)) return port;
  }
};

/** A free port of four digits, for which the port of the metrics, with a 1 before it, is free as well. */
export const freeInstance = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(2_000, 10_000);
    if ((await isFree(port)) && (await isFree(10_000 + port))) return port;
  }
};

/** Kills a child when this process ends. Resolves when the child has ended. */
export const killAtExit = (child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<unknown> => {
  const kill = () => void child.kill(signal);
  process.once('exit', kill);
  return once(child, 'exit').finally(() => process.off('exit', kill));
};

/** Waits until a child is ready. Throws if it ends before, with what `complaint` returns. */
export const untilReady = async (
  child: ChildProcess,
  isReady: () => Promise<boolean>,
  complaint: () => string | Promise<string>,
): Promise<void> => {
  while (!(await isReady().catch(() => false))) {
    const ending = child.exitCode ?? child.signalCode;
    if (ending !== null) throw new Error(`${child.spawnfile} ended with ${ending}: ${await complaint()}`);
    await sleep(50);
  }
};

const launch = (command: Command, environment: Environment, stdio: StdioOptions, cwd?: string): Program => {
  const child = spawn(process.execPath, command, { env: { ...environment }, stdio, cwd });
  const ended = killAtExit(child);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const kill = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    if (isRunning()) child.kill(signal);
    await ended;
  };
  return { child, pid: child.pid ?? 0, isRunning, ended, kill, [Symbol.asyncDispose]: () => kill('SIGTERM') };
};

const failure = ([program]: Command, { exitCode, signalCode }: ChildProcess): Error =>
  new Error(`${program} ended with ${exitCode ?? signalCode}`);

export interface Server extends Program {
  readonly port: number;
  readonly origin: string;
}

interface ServerOptions {
  /** A free one if not given. */
  port?: number;
  /** The descriptor of a file for its log, which is discarded otherwise. */
  log?: number | 'ignore';
  /** The path that answers 2xx when the server is ready. */
  ready?: string;
  /** Where the project is; by default this one. */
  root?: string | undefined;
}

/** Starts a server with the pool size and log level of production, and waits until it is ready. */
export const startServer = async (
  command: Command,
  environment: Environment,
  { port: given, log = 'ignore', ready = '/readyz', root }: ServerOptions = {},
): Promise<Server> => {
  const port = given ?? (await freePort());
  const ownEnvironment = { ...environment, PORT: String(port), DATABASE_POOL: '10' };
  const program = launch(command, ownEnvironment, ['ignore', log, 'inherit'], root);
  const origin = `http://127.0.0.1:${port}`;
  const isReady = async () => (await fetch(`${origin}${ready}`)).ok;
  await untilReady(program.child, isReady, () => command.join(' '));
  return { ...program, port, origin };
};

/** Starts a program and waits for its log line `started`. */
export const startProgram = async (
  command: Command,
  environment: Environment = {},
  { stderr = 'inherit' }: { stderr?: 'inherit' | 'ignore' } = {},
): Promise<Program> => {
  const program = launch(command, environment, ['ignore', 'pipe', stderr, 'ipc']);
  const { child } = program;
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(failure(command, child)));
    if (!child.stdout) throw new Error(`${command[0]} has no output`);
    createInterface(child.stdout).on('line', (text) => {
      const line: { msg?: string } = JSON.parse(text);
      if (line.msg === 'started') resolve();
    });
  });
  return program;
};

export const startWorker = (environment: Environment): Promise<Program> =>
  startProgram(['src/main.ts', 'worker'], environment);
