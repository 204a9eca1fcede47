import { chownSync, closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `work` while nobody else, in this process or another, runs under the same file.
 *
 * The lock is SQLite's, because Node has no other file lock that the system frees together with its holder: a process that
 * is killed leaves nothing to clean up. SQLite's own waiting would stop the event loop, so the waiting is done here.
 */
export const exclusively = async <T>(file: string, work: () => Promise<T>): Promise<T> => {
  createFor(statSync(dirname(file)), file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    while (!acquired(lock)) await sleep(20);
    return await work();
  } finally {
    lock.close();
  }
};

const SQLITE_BUSY = 5;

const acquired = (lock: DatabaseSync): boolean => {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
};

/** A lock that root leaves in somebody's folder must stay usable for that person. */
const createFor = (owner: { uid: number; gid: number }, file: string): void => {
  closeSync(openSync(file, 'a', 0o600));
  if (process.getuid?.() === 0) chownSync(file, owner.uid, owner.gid);
};
