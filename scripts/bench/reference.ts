// The reference for comparisons: a bare handler on the database as it was at version 05d4298. Handler, statements, tables and the gate stay
// as they were then, so that the ratio shows every gain and loss of the service since. The tables and the gate come from the migrations
// until then, which never change.

import pg from 'pg';
import { ensureDatabase, migrate, readMigrations } from '../../src/db/migrate.ts';
import { applyMigrations } from '../../src/db/schema-engine.ts';
import { seedTeams } from './seed.ts';
import type { Seeded, Sizes } from './seed.ts';

const lastMigration = '20261120000400_app';

export const referenceHandler = 'scripts/bench/bare-handler.ts';

const nameOf = (databaseUrl: string): string =>
  pg.escapeIdentifier(decodeURIComponent(new URL(databaseUrl).pathname.slice(1)));

const runOn = async (databaseUrl: string, ...statements: string[]): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const text of statements) await client.query(text);
  } finally {
    await client.end();
  }
};

interface Wanted {
  adminUrl: string;
  /** URLs of two databases on the same server that do not exist yet. */
  referenceUrl: string;
  serviceUrl: string;
  sizes: Sizes;
}

/** Creates both databases with the same teams: the reference first, then the service's as a copy of it with all later migrations. */
export const seedBoth = async ({ adminUrl, referenceUrl, serviceUrl, sizes }: Wanted): Promise<Seeded> => {
  await ensureDatabase(referenceUrl);
  const all = await readMigrations();
  const migrationDirectories = all.migrationDirectories.filter(({ path }) => path <= lastMigration);
  await applyMigrations(referenceUrl, { ...all, migrationDirectories });
  const seeded = await seedTeams(referenceUrl, sizes);
  await runOn(adminUrl, `create database ${nameOf(serviceUrl)} template ${nameOf(referenceUrl)}`);
  await migrate(serviceUrl);
  await runOn(serviceUrl, 'vacuum analyze');
  return seeded;
};
