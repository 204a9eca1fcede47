import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject, vi } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { urlOf } from './database-url.ts';

/** What the global set-up provides: the run's throw-away server and a migrated database to copy. */
export interface DatabaseServer {
  /** The server's own database, for statements like CREATE DATABASE. */
  readonly adminUrl: string;
  readonly template: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    databaseServer: DatabaseServer;
    /** Where the browser is; empty where there is none. */
    chromium: string;
  }
}

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** A migrated database of one's own: make one per test file. */
export const createDatabase = (): Promise<TestDatabase> => createFrom(inject('databaseServer').template);

/** A database with nothing in it, not even our tables. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createFrom('template1');

const createFrom = async (template: string): Promise<TestDatabase> => {
  const { adminUrl } = inject('databaseServer');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await execute(adminUrl, `create database ${name} template ${template}`);
  return {
    url: urlOf(adminUrl, name),
    drop: () => execute(adminUrl, `drop database if exists ${name} with (force)`),
  };
};

const execute = async (databaseUrl: string, sql: string): Promise<void> =>
  withSql({ databaseUrl }, async (client) => void (await client.query(sql)));

/** Runs SQL on a database, past the service: on a connection that is closed afterwards. */
export const withSql = async <T>(
  { databaseUrl }: { databaseUrl: string },
  work: (client: pg.Client) => Promise<T>,
): Promise<T> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** The processes of the database that wait for a lock, once there are so many whose statement is like `query`. */
export const untilLockWaits = (
  { database }: { database: Database },
  { count = 1, query = '%' }: { count?: number; query?: string } = {},
): Promise<number[]> =>
  vi.waitUntil(
    async () => {
      const waiting = await database.prisma.$queryRaw<{ pid: number }[]>`
        select pid from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like ${query}`;
      return waiting.length === count && waiting.map(({ pid }) => pid);
    },
    { timeout: 60_000, interval: 20 },
  );
