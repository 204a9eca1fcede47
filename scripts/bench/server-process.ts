import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { probePort } from '../up/port.ts';

export interface ServerProcess {
  readonly origin: string;
  readonly pid: number;
  /** Whether the server has ended by itself. */
  hasEnded(): boolean;
  stop(): Promise<void>;
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    (response) => response.ok,
    () => false,
  );

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

/** Starts a server in its own process, with the pool size and log level of production, and discards its output. */
export const startServer = async (
  program: string,
  args: readonly string[],
  databaseUrl: string,
): Promise<ServerProcess> => {
  const port = await probePort({ HOST: '127.0.0.1', PORT: 0 });
  const child = spawn(process.execPath, ['--cpu-prof', '--cpu-prof-dir=/tmp/prof', program, ...args], {
    env: { PORT: String(port), DATABASE_URL: databaseUrl, DATABASE_POOL: '10' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const origin = `http://127.0.0.1:${port}`;
  while (!(await answers(`${origin}/readyz`))) {
    if (!isRunning(child)) throw new Error(`${program} ended with ${child.exitCode ?? child.signalCode}`);
    await sleep(50);
  }
  return {
    origin,
    pid: child.pid ?? 0,
    hasEnded: () => !isRunning(child),
    async stop() {
      child.kill('SIGTERM');
      if (isRunning(child)) await once(child, 'exit');
    },
  };
};

const Line = z.looseObject({ msg: z.string() });
type Line = z.output<typeof Line>;

export interface Program {
  readonly child: ChildProcess;
  readonly pid: number;
  /** The log line `started` of the program. */
  readonly started: Line;
  isRunning(): boolean;
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<unknown>;
  /** Resolves when the process has ended. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

interface Start {
  /** Its path in the project, then its arguments. */
  command: readonly [program: string, ...args: string[]];
  environment?: Readonly<Record<string, string>>;
  /** Discards the program's stderr, because its errors are expected. */
  unheard?: boolean;
}

/** Starts a program in its own process and waits for its log line `started`. */
export const startProgram = async ({ command, environment = {}, unheard = false }: Start): Promise<Program> => {
  const child = spawn(process.execPath, command, {
    env: { ...environment },
    stdio: ['ignore', 'pipe', unheard ? 'ignore' : 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  // Kills the child whenever this process ends.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const started = await new Promise<Line>((resolve, reject) => {
    child.once('exit', (code, signal) => reject(new Error(`${command[0]} ended with ${code ?? signal}`)));
    if (!child.stdout) throw new Error(`${command[0]} has no output`);
    createInterface(child.stdout).on('line', (text) => {
      const line = Line.parse(JSON.parse(text));
      if (line.msg === 'started') resolve(line);
    });
  });
  return {
    child,
    pid: child.pid ?? 0,
    started,
    isRunning: () => isRunning(child),
    ended,
    async kill(signal) {
      if (isRunning(child)) child.kill(signal);
      await ended;
    },
  };
};

export const startWorker = (environment: Readonly<Record<string, string>>): Promise<Program> =>
  startProgram({ command: ['src/main.ts', 'worker'], environment });
