import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { openEmbedded } from '../../src/db/embedded.ts';
import { runningPostmaster } from '../../src/db/embedded/cluster.ts';

/** Durability and upkeep are off, because the data is deleted afterwards. */
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '256MB',
  max_connections: '300',
  max_prepared_transactions: '2', // Citus makes them; here a test does
  autovacuum: 'off',
  jit: 'off',
};

/** Linux keeps the files of this folder in memory. */
const memory = '/dev/shm';

/** A run needs a few hundred megabytes. The rest is for other runs and for the tests' processes. */
const enoughMemory = 4 * 1024 ** 3;

/** Containers often have a memory folder of 64 MiB only, or one from which no program may be started. */
const isMemoryUsable = (): boolean => {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === memory);
    if (mount === undefined || mount.includes('noexec')) return false;
    return Math.min(bavail * bsize, process.availableMemory()) >= enoughMemory;
  } catch {
    return false;
  }
};

/**
 * Where the data of a server is. Each copy of the migrated database is about a thousand small files: in memory, making
 * and removing them takes a fifth of the time.
 */
const parentOfServers = (): string => (isMemoryUsable() ? memory : tmpdir());

export interface ThrowAwayPostgres {
  readonly url: string;
  remove(): Promise<void>;
}

export const startThrowAwayPostgres = async (): Promise<ThrowAwayPostgres> => {
  const folder = throwAwayFolder();
  const { url, release } = await openEmbedded(folder, { settings });
  await makeSignInCheap(url);
  return {
    url,
    remove: async () => {
      await release();
      await removeServer(folder);
    },
  };
};

/**
 * Hashes the password again in one round instead of thousands: a run opens thousands of connections, each with a check
 * of the password.
 */
const makeSignInCheap = async (url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set scram_iterations = 1');
    const password = client.escapeLiteral(decodeURIComponent(new URL(url).password));
    await client.query(`alter role current_user password ${password}`);
  } finally {
    await client.end();
  }
};

/**
 * A data folder that is removed, with any server that runs on it, when this process ends, or at the latest by the next
 * run.
 */
export const throwAwayFolder = (): string => {
  const folder = mkdtempSync(join(parentOfServers(), `${PREFIX}${process.pid}-`));
  guard(folder);
  return folder;
};

/** The folder's name contains the process id, so that a later run can remove the folder if the guard was killed too. */
const PREFIX = 'team-customer-api-test-';

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return []; // there is no such folder on this system
  }
};

export const removeLeftovers = async (): Promise<void> => {
  for (const parent of [tmpdir(), memory]) {
    for (const name of namesIn(parent)) {
      const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
      const abandoned = pid !== undefined && !isAlive(Number(pid));
      if (abandoned) await removeServer(join(parent, name)).catch(() => undefined); // it belongs to another user
    }
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
 * A small process that removes the folders after this one has ended, however it ends: its stdin, over which it gets the
 * folders, then closes.
 */
const guard = (folder: string): void => {
  guardsInput ??= startGuard();
  guardsInput.write(`${folder}\n`);
};

const startGuard = (): Writable => {
  const child = spawn(process.execPath, [import.meta.filename], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
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

/** The URL of another database on the same server. */
export const urlOf = (serverUrl: string, database: string): string => {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
};

// This file is also the program of that process. Its stdin closes when the test process ends, even by SIGKILL. Each line
// is a folder.
if (import.meta.main) {
  const folders = (await text(process.stdin)).split('\n').filter((folder) => folder !== '');
  await Promise.all(folders.map(removeServer));
}
