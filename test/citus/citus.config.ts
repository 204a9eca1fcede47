import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

// npm run test:citus: tests of the API on a distributed database. CITUS_URL leads, as a superuser, to any database of a
// coordinator that has the extension Citus and knows its workers; each of them lets the same user in.

const isGiven = process.env['CITUS_URL'] !== undefined;
if (!isGiven) console.log('Skipped: CITUS_URL is not set. It leads to a PostgreSQL with the extension Citus.');

const folders = [
  'citus',
  'contract',
  'crm',
  'erasure',
  'events',
  'export',
  'idempotency',
  'keys',
  'mail',
  'mcp',
  'me',
  'members',
  'scim',
  'sign-ins',
  'teams',
  'webhooks',
];

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: isGiven ? folders.map((folder) => `test/${folder}/**/*.test.ts`) : [],
    exclude: ['**/*.slow.test.ts'],
    passWithNoTests: true,
    globalSetup: ['test/citus/global-setup.ts'],
    // Each database is one on every machine.
    maxWorkers: 2,
  },
});
