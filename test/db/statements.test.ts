import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import type { Database, Tx } from '../../src/db/database.ts';
import { query, text, uuid, isoTime } from '../../src/db/query.ts';
import { isUnavailable } from '../../src/db/unavailable.ts';
import { useDatabase, rowsOf, statement } from '../support/postgres.ts';
import { batchedRead } from '../../src/db/batched-read.ts';

const database = await useDatabase();

interface Place {
  pid: number;
  xid: string;
}

const here = statement<Place, []>('select pg_backend_pid() as pid, pg_current_xact_id()::text as xid');

const both = async (tx: Tx) => ({
  ours: await rowsOf(tx, here),
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
      await rowsOf(tx, insert, '01990c1e-7a00-7000-8000-000000000001');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await database.prisma.person.count({ where: { email: 'gone@example.com' } })).toBe(0);
  });

  it('never runs after it, when the connection belongs to another request', async () => {
    const kept = await database.transaction(async (tx) => [tx]);
    for (const late of kept) await expect(rowsOf(late, here)).rejects.toThrow('the transaction is over');
  });

  it('never runs after the end of a transaction that took too long, where it would not be rolled back', async () => {
    const insert = statement<object, [id: string]>(
      `insert into person (id, email, created_at, updated_at) values ($1::uuid, $1::uuid || '@example.com', now(), now())`,
    );
    const nap = statement<object, []>('select pg_sleep(0.5)');
    const between: [what: string, pause: (tx: Tx) => Promise<unknown>][] = [
      ['a statement that lasts', (tx) => rowsOf(tx, nap)],
      ['a process that hangs', async () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)],
      ['an action that dawdles', () => promisify(setTimeout)(500)],
    ];
    for (const [what, pause] of between) {
      const failing = database.transaction(
        async (tx) => {
          await rowsOf(tx, insert, makeId());
          await pause(tx);
          await rowsOf(tx, insert, makeId());
        },
        { timeout: 300 },
      );
      expect(isUnavailable(await failing.catch((error: unknown) => error)), what).toBe(true);
    }
    expect(await database.prisma.person.count()).toBe(0);
  });
});

let sent: unknown[] = [];
const recording: Database = {
  ...database,
  run: (statement, parameters) => {
    sent.push(parameters);
    return database.run(statement, parameters);
  },
};

const person = batchedRead({
  name: 'test.person',
  why: 'a test',
  // Without the condition on the team, which the look-up adds.
  sql: () =>
    `select p.id, p.email, '00000000-0000-7000-8000-000000000001'::uuid as tenant_id from person p where p.id = wanted.id`,
  row: { id: uuid, email: text },
});
const [team, anotherTeam] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002'] as const;

const insertPerson = query({
  name: 'test.insertPerson',
  why: 'a test',
  sql: `insert into person (id, email, created_at, updated_at) values (:id, :email, now(), now())`,
  parameters: { id: uuid, email: text },
  row: {},
});

const aPerson = async () => {
  const id = makeId();
  await database.run(insertPerson, { id, email: `${id}@example.com` });
  return id;
};

describe('a look-up', () => {
  it('shares a statement with those of the same turn, and each finds its own row or none', async () => {
    const [one, two] = [await aPerson(), await aPerson()];
    sent = [];
    const found = await Promise.all([
      person(recording, team, two),
      person(recording, team, makeId()),
      person(recording, anotherTeam, one),
      person(recording, team, one),
      person(recording, team, two),
    ]);
    expect(found.map((row) => row?.email)).toEqual([
      `${two}@example.com`,
      undefined,
      undefined,
      `${one}@example.com`,
      `${two}@example.com`,
    ]);
    expect(sent).toHaveLength(1);
    expect(await person(recording, team, one)).toEqual({ id: one, email: `${one}@example.com` });
    expect(sent).toHaveLength(2);
  });

  it('is one of 64 in a statement at most', async () => {
    const ids = await Promise.all(Array.from({ length: 130 }, aPerson));
    sent = [];
    const found = await Promise.all(ids.map((id) => person(recording, team, id)));
    expect(found.map((row) => row?.id)).toEqual(ids);
    expect(sent).toHaveLength(3);
  });

  it('fails with those that share its statement, and with no other', async () => {
    const id = await aPerson();
    const failing = [person(recording, team, id), person(recording, team, 'no id')];
    for (const { status } of await Promise.allSettled(failing)) expect(status).toBe('rejected');
    expect((await person(recording, team, id))?.id).toBe(id);
  });
});

it.each([
  ['2026-11-20 08:30:00+00', '2026-11-20T08:30:00.000Z'],
  ['2026-11-20 08:30:00.1+00', '2026-11-20T08:30:00.100Z'],
  ['2026-11-20 08:30:00.12+00', '2026-11-20T08:30:00.120Z'],
  ['2026-11-20 08:30:00.123+00', '2026-11-20T08:30:00.123Z'],
  ['2026-11-20 08:30:00.123456+00', '2026-11-20T08:30:00.123Z'],
])('isoTime: %s is %s', (text, iso) => {
  expect(isoTime(text)).toBe(iso);
  expect(new Date(isoTime(text)).toISOString()).toBe(iso);
});
