import { expect, it, onTestFinished } from 'vitest';
import { findPooler, refusePooler } from '../../src/db/pooler.ts';
import { urlOf } from '../support/throw-away-postgres.ts';
import { useDatabase } from '../support/postgres.ts';
import { openWire } from '../support/wire.ts';

// `pooler.slow.test.ts` has a real pooler.

const { url } = await useDatabase();

it('PostgreSQL itself is not taken for a connection pooler', async () => {
  expect(await findPooler(url)).toBe(false);
  await refusePooler(url);
});

it('nor is a proxy that passes everything on', async () => {
  const wire = await openWire(url);
  onTestFinished(() => wire.close());
  expect(await findPooler(wire.url)).toBe(false);
  await refusePooler(wire.url);
});

it('nor is a database that does not exist: then migrations are missing', async () => {
  expect(await findPooler(urlOf(url, 'a_database_that_does_not_exist'))).toBe(false);
});
