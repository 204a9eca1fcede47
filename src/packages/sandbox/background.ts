import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../core/config-error.ts';
import { runningSandboxes, type Announcement } from './announcement.ts';

const pollIntervalMs = 50;

/**
 * Starts a sandbox in a process that continues after this one, and waits until it is ready. `args` are the arguments of
 * a start in the foreground.
 */
export const startInBackground = async (args: readonly string[]): Promise<Announcement> => {
  const [, program = ''] = process.argv;
  const folder = mkdtempSync(join(tmpdir(), 'team-customer-api-start-'));
  const output = join(folder, 'output');
  const file = openSync(output, 'w', 0o600);
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
    detached: true,
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  let hasEnded = false;
  child.once('exit', () => (hasEnded = true)).once('error', () => (hasEnded = true));
  try {
    for (;;) {
      const announcement = runningSandboxes().find(({ pid }) => pid === child.pid);
      if (announcement) return announcement;
      if (hasEnded) throw new ConfigError(`The sandbox did not start.\n${readFileSync(output, 'utf8').trim()}`);
      await sleep(pollIntervalMs);
    }
  } finally {
    child.unref();
    rmSync(folder, { recursive: true, force: true });
  }
};
