import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
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

const execute = async (url: string, sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
};
