import { describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { startServiceProcess } from '../support/production-service.ts';
import { createDatabase, withSql } from '../support/postgres.ts';

/** A database with this time zone, and its URL with options that replace those of the service. */
const databaseIn = async (zone: string): Promise<string> => {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  await withSql({ databaseUrl: url }, async (sql) => {
    const { rows } = await sql.query(
      `select format('alter database %I set timezone = %L', current_database(), $1::text)`,
      [zone],
    );
    await sql.query(rows[0]?.format);
  });
  return `${url}?options=${encodeURIComponent('-c geqo=on')}`;
};

describe('the time zone of database sessions', () => {
  it.each<[what: string, start: (databaseUrl: string) => Promise<unknown>]>([
    ['a migration', (databaseUrl) => migrate(databaseUrl)],
    ['the start of a process', (databaseUrl) => startServiceProcess({ databaseUrl, role: 'api' })],
  ])('stops %s if it is not UTC', async (_what, start) => {
    await expect(start(await databaseIn('Europe/Berlin'))).rejects.toThrow(
      /The time zone of database sessions is Europe\/Berlin, but it must be UTC[^]*ALTER ROLE postgres SET/,
    );
  });

  it.each(['UTC', 'Etc/UTC'])('may be %s', async (zone) => {
    expect(await migrate(await databaseIn(zone))).toEqual([]);
  });
});
