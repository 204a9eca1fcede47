import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/db/migrate.ts';
import { findChromium } from '../e2e/support/chromium.ts';
import { urlOf, removeLeftovers, startThrowAwayPostgres } from './throw-away-postgres.ts';

/** Whether the tests run in CI. */
const readCi = (): boolean => process.env['CI'] !== undefined;

/**
 * Starts one PostgreSQL for the whole run, with one migrated database that every test file copies. With
 * TEST_DATABASE_URL (of a superuser), the run uses that server instead, and leaves the database there.
 */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  await removeLeftovers();
  project.provide('chromium', (await findChromium(readCi())) ?? '');
  const given = process.env['TEST_DATABASE_URL'];
  const postgres = given === undefined ? await startThrowAwayPostgres() : { url: given, remove: async () => {} };
  try {
    const template = 'migrated_template';
    await migrate(urlOf(postgres.url, template));
    project.provide('databaseServer', { adminUrl: urlOf(postgres.url, 'postgres'), template });
  } catch (error) {
    await postgres.remove(); // a failed set-up gets no tear-down
    throw error;
  }
  return () => postgres.remove();
};
