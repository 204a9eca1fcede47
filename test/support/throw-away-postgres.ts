import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEmbedded } from '../../src/db/embedded.ts';
import { runningPostmaster } from '../../src/db/embedded/cluster.ts';

/** Durability and upkeep are off, because the data is deleted afterwards. */
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '300',
  autovacuum: 'off',
  jit: 'off',
};

export interface ThrowAwayPostgres {
  readonly url: string;
  remove(): Promise<void>;
}

export const startThrowAwayPostgres = async (): Promise<ThrowAwayPostgres> => {
  const folder = throwAwayFolder();
  const { url, release } = await openEmbedded(folder, { settings });
  return {
    url,
    remove: async () => {
      await release();
      await removeServer(folder);
    },
  };
};

/** A data folder that is removed, with any server that runs on it, when this process ends, or at the latest by the next run. */
export const throwAwayFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  guard(folder);
  return folder;
};

/** The folder's name contains the process id, so that a later run can remove the folder if the guard was killed too. */
const PREFIX = 'team-customer-api-test-';

export const removeLeftovers = async (): Promise<void> => {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
    const abandoned = pid !== undefined && !isAlive(Number(pid));
    if (abandoned) await removeServer(join(tmpdir(), name)).catch(() => undefined); // it belongs to another user
  }
};

/** Stops any server on the folder at once, because its data is not needed, and removes the folder. */
export const removeServer = async (folder: string): Promise<void> => {
  for (let tries = 0; tries < 100 && existsSync(folder); tries += 1) {
    const server = runningPostmaster(join(folder, 'postgres', 'data'));
    if (server) process.kill(server.pid, 'SIGQUIT');
    else rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    await sleep(50);
  }
};

let guardsInput: Writable | undefined;

/**
 * A small process that removes the folders after this one has ended, however it ends: its stdin, over which it gets the folders, then
 * closes.
 */
const guard = (folder: string): void => {
  guardsInput ??= startGuard();
  guardsInput.write(`${folder}\n`);
};

const startGuard = (): Writable => {
  const program = join(import.meta.dirname, 'postgres-guard.ts');
  const child = spawn(process.execPath, [program], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child.stdin;
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};
