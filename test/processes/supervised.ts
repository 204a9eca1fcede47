import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { onTestFinished, vi } from 'vitest';
import { z } from 'zod';

const Line = z.record(z.string(), z.unknown());
const program = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

/** Whether a process exists and is no zombie. */
export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** `node src/main.ts` as an operator starts it: a supervisor with both roles. */
export const startSupervised = (environment: Record<string, string>) => {
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], APP_SECRET: 'a secret that only spawned test processes know', ...environment },
  });
  const lines: Record<string, unknown>[] = [];
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  createInterface(child.stdout).on('line', (line) => lines.push(Line.parse(JSON.parse(line))));
  const exited = once(child, 'exit');
  // Its processes share its output, so this resolves when all of them have ended.
  const closed = once(child, 'close');

  const of = (role: string, msg: string) => lines.filter((line) => line['role'] === role && line['msg'] === msg);
  const started = (role: string, times = 1): Promise<Record<string, unknown>> =>
    vi.waitUntil(
      () => {
        if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${stderr}`);
        return of(role, 'started')[times - 1];
      },
      { timeout: 60_000, interval: 20 },
    );
  onTestFinished(() => {
    child.kill('SIGKILL');
    // Its processes should then end by themselves. This kills one that did not, so that none is left behind.
    for (const { pid } of lines)
      if (typeof pid === 'number' && pid !== child.pid && isAlive(pid)) process.kill(pid, 'SIGKILL');
  });

  return {
    child,
    lines,
    stderr: () => stderr,
    of,
    /** Waits until a role's start was logged `count` times. */
    started,
    pidOf: async (role: string, times = 1) => z.number().parse((await started(role, times))['pid']),
    exited,
    closed,
  };
};
