import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const KEEPER = 'team-customer-api keeper';

/** A connection that marks the server as used: no other process of the service stops the server while it is open. */
export interface Keeper {
  /**
   * Whether others use the server. Another keeper counts at once; other clients count only if they do not disconnect
   * within a second.
   */
  othersAreConnected(): Promise<boolean>;
  /** Resolves when the connection has ended, for whatever reason. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export const connectKeeper = async (url: string): Promise<Keeper> => {
  const client = new pg.Client({ connectionString: url, application_name: KEEPER, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {}); // an error without a listener would end the process
  await client.connect();
  return {
    ended: new Promise((resolve) => client.once('end', resolve)),
    othersAreConnected: async () => {
      for (let tries = 0; tries < 40; tries += 1) {
        const { keepers, clients } = await others(client);
        if (keepers > 0) return true;
        if (clients === 0) return false;
        await sleep(25);
      }
      return true;
    },
    close: () => client.end(),
  };
};

const others = async (client: pg.Client): Promise<{ keepers: number; clients: number }> => {
  const { rows } = await client.query<{ keepers: number; clients: number }>(
    `select count(*) filter (where application_name = $1)::int as keepers, count(*)::int as clients
       from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    [KEEPER],
  );
  return rows[0] ?? { keepers: 0, clients: 0 };
};

/**
 * Runs `work` while no other call, in this process or another, runs with the same file.
 *
 * The lock is SQLite's, because Node has no other file lock that the system releases when its process is killed.
 * SQLite's own waiting would block the event loop, so the waiting is done here.
 */
export const exclusively = async <T>(file: string, work: () => Promise<T>): Promise<T> => {
  closeSync(openSync(file, 'a', 0o600)); // SQLite would make it readable for others, who could then lock it
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
