import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { newId } from '../../src/core/ids.ts';
import { rowsIn } from '../../src/db/database.ts';
import type { Tx } from '../../src/db/database.ts';
import { statement } from '../../src/db/query.ts';
import { isUnavailable } from '../../src/db/unavailable.ts';
import { useDatabase } from '../support/postgres.ts';

const database = await useDatabase();

interface Place {
  pid: number;
  xid: string;
}

const here = statement<Place, []>('select pg_backend_pid() as pid, pg_current_xact_id()::text as xid');

const both = async (tx: Tx) => ({
  ours: await rowsIn(tx, here),
  prismas: await tx.$queryRaw<Place[]>`select pg_backend_pid() as pid, pg_current_xact_id()::text as xid`,
});

describe('a prepared statement in a transaction', () => {
  it('runs like Prisma’s own: on the same connection, in the same transaction, each in its own', async () => {
    const found = await Promise.all([1, 2, 3].map(() => database.transaction(both)));
    for (const { ours, prismas } of found) expect(ours).toEqual(prismas);
    expect(new Set(found.map(({ ours }) => ours[0]?.xid)).size).toBe(3);
  });

  it('is rolled back with it', async () => {
    const insert = statement<object, [id: string]>(
      `insert into person (id, email, created_at, updated_at) values ($1, 'gone@example.com', now(), now())`,
    );
    const failing = database.transaction(async (tx) => {
      await rowsIn(tx, insert, '01990c1e-7a00-7000-8000-000000000001');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await database.prisma.person.count({ where: { email: 'gone@example.com' } })).toBe(0);
  });

  it('never runs after it, when the connection belongs to another request', async () => {
    const kept = await database.transaction(async (tx) => [tx]);
    for (const late of kept) await expect(rowsIn(late, here)).rejects.toThrow('the transaction is over');
  });

  it('never runs after the end of a transaction that took too long, where it would not be rolled back', async () => {
    const insert = statement<object, [id: string]>(
      `insert into person (id, email, created_at, updated_at) values ($1::uuid, $1::uuid || '@example.com', now(), now())`,
    );
    const nap = statement<object, []>('select pg_sleep(0.5)');
    const between: [what: string, pause: (tx: Tx) => Promise<unknown>][] = [
      ['a statement that lasts', (tx) => rowsIn(tx, nap)],
      ['a process that hangs', async () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)],
      ['an action that dawdles', () => promisify(setTimeout)(500)],
    ];
    for (const [what, pause] of between) {
      const failing = database.transaction(
        async (tx) => {
          await rowsIn(tx, insert, newId());
          await pause(tx);
          await rowsIn(tx, insert, newId());
        },
        { timeout: 300 },
      );
      expect(isUnavailable(await failing.catch((error: unknown) => error)), what).toBe(true);
    }
    expect(await database.prisma.person.count()).toBe(0);
  });
});
