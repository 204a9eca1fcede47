import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../run/process.ts';

// node cleanup.ts <folder of the database> <file or folder> …: waits until its standard input closes, which means that
// the sandbox's process has ended. If the database and the files still exist then, the sandbox was killed: this process
// stops the database and deletes everything.

const [database = '', ...places] = process.argv.slice(2);

const pidOf = (file: string): number | undefined => {
  const pid = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : Number.NaN;
  return Number.isInteger(pid) && pid > 1 ? pid : undefined;
};

const cleanUp = async (): Promise<void> => {
  const pid = pidOf(join(database, 'postgres', 'data', 'postmaster.pid'));
  if (pid !== undefined && isAlive(pid)) {
    process.kill(pid, 'SIGQUIT'); // at once: the data is not needed any more
    for (let tries = 0; tries < 200 && isAlive(pid); tries += 1) await sleep(50);
  }
  for (const place of [database, ...places])
    rmSync(place, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.stdin.resume().once('close', () => void cleanUp());
