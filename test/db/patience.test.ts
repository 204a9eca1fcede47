import { expect, it } from 'vitest';
import { Patience } from '../../src/db/patience.ts';
import { isUnavailable } from '../../src/db/unavailable.ts';

it('hands on what comes in time, a value or a failure', async () => {
  const patience = new Patience(60_000);
  await expect(patience.within(Promise.resolve(1))).resolves.toBe(1);
  await expect(patience.within(Promise.reject(new Error('no')))).rejects.toThrow('no');
  patience.end();
});

it('gives up what does not come, as a database that is away', async () => {
  const patience = new Patience(50);
  const given = await patience.within(new Promise(() => {})).catch((error: unknown) => error);
  expect(isUnavailable(given)).toBe(true);
  patience.end();
});
