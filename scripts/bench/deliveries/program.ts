import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const root = join(import.meta.dirname, '..', '..', '..');
const Line = z.looseObject({ msg: z.string() });
type Line = z.output<typeof Line>;

export interface Program {
  readonly child: ChildProcess;
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

/** Starts one of our programs in its own process and waits for its log line `started`. */
export const startProgram = async ({
  command: [program, ...args],
  environment = {},
  unheard = false,
}: Start): Promise<Program> => {
  const child = spawn(process.execPath, [join(root, program), ...args], {
    env: { ...environment },
    stdio: ['ignore', 'pipe', unheard ? 'ignore' : 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  // Kills the child whenever this process ends.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const started = await new Promise<Line>((resolve, reject) => {
    child.once('exit', (code, signal) => reject(new Error(`${program} ended with ${code ?? signal}`)));
    if (!child.stdout) throw new Error(`${program} has no output`);
    createInterface(child.stdout).on('line', (text) => {
      const line = Line.parse(JSON.parse(text));
      if (line.msg === 'started') resolve(line);
    });
  });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    child,
    started,
    isRunning,
    ended: exited,
    async kill(signal) {
      if (isRunning()) child.kill(signal);
      await exited;
    },
  };
};
