import { expect, it } from 'vitest';
import { requireDistributable } from '../../src/db/distribute.ts';
import { useDatabase } from '../support/postgres.ts';

// Only on a machine with Citus can a database be distributed: `npm run test:citus`.

const { url } = await useDatabase();

it('a database without the extension can’t be distributed, and the message says what is to be done', async () => {
  await expect(requireDistributable(url, false)).rejects.toThrow('run CREATE EXTENSION citus');
});

it('a database whose policies hold requests to their team is not distributed', async () => {
  await expect(requireDistributable(url, true)).rejects.toThrow('Set ROW_SECURITY=false');
});
