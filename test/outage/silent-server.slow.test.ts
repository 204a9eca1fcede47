import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { isUnavailable } from '../../src/db/unavailable.ts';
import { listen } from '../support/listen.ts';
import { rowsOf, statement } from '../support/statement.ts';

const thrownBy = (action: Promise<unknown>): Promise<unknown> =>
  action.then(
    () => undefined,
    (error: unknown) => error,
  );

it('connecting to a server that accepts connections and never answers times out', async () => {
  const silent = createServer(() => {});
  const lost = openDatabase(`postgresql://nobody@127.0.0.1:${await listen(silent)}/none`, { poolSize: 1 });
  const failures = await Promise.all([
    thrownBy(lost.prisma.team.count()),
    thrownBy(rowsOf(lost, statement<object, []>('select 1'))),
  ]);
  expect(failures.map((failure) => isUnavailable(failure))).toEqual([true, true]);
  expect(await lost.acceptsWrites()).toBe(false);
  await lost.close();
  silent.close();
});
