import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import fc from 'fast-check';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { PlainConnections } from '../../src/db/connections.ts';
import { openDatabase, setSavepoint, type Tx } from '../../src/db/database.ts';
import { PrismaClient } from '../../src/db/generated/client.ts';
import { PrismaPool } from '../../src/db/prisma-pool.ts';
import { forTeam } from '../../src/db/row-security.ts';
import type { TransactionConnection } from '../../src/db/transaction-connection.ts';
import { openingSlot, TransactionSlots, type RunningTransaction } from '../../src/db/transaction-slots.ts';
import { isUnavailable, problemOf } from '../../src/db/unavailable.ts';
import { rowsOf, statement, useDatabase, withSql } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { forgetStatements } from '../support/tenant-in-statements.ts';
import { openWire } from '../support/wire.ts';

// Transactions share a few clients of Prisma. What a statement of one must not do: reach another one.

// Statements here leave out the team, so that a row of another transaction would be seen.
afterAll(forgetStatements);

const service = await useTestService();
const plain = await useDatabase();

/** A database of its own, and how many slots it has opened. */
const aDatabase = (url: string, poolSize: number, open = openDatabase) => {
  const database = open(url, { poolSize });
  onTestFinished(() => database.close());
  let opened = 0;
  const begin: unknown = database.prisma.$transaction.bind(database.prisma);
  if (typeof begin !== 'function') throw new Error('Prisma has no transactions');
  Object.assign(database.prisma, {
    $transaction: (...given: unknown[]): unknown => {
      opened += 1;
      return Reflect.apply(begin, undefined, given);
    },
  });
  return { database, slots: () => opened };
};

const aPerson = () => {
  const id = makeId();
  return { id, email: `${id}@example.com`, createdAt: new Date() };
};

const aSession = () => {
  const [id, now] = [makeId(), new Date()];
  return { id, token: id, expiresAt: now, createdAt: now };
};

class Undone extends Error {}

interface Place {
  readonly pid: number;
  readonly xid: string;
  readonly team: string;
}

const placeText = `select pg_backend_pid() as pid, pg_current_xact_id()::text as xid,
  coalesce(current_setting('app.tenant', true), '') as team`;
const place = statement<Place, []>(placeText);
const placeOf = async (tx: Tx): Promise<Place | undefined> => {
  const [[ours], [prismas]] = [await rowsOf(tx, place), await tx.$queryRawUnsafe<Place[]>(placeText)];
  expect(prismas).toEqual(ours);
  return ours;
};

describe('transactions at the same time', () => {
  /** What a transaction has added and not removed. */
  interface Own {
    readonly tx: Tx;
    readonly tenantId: string;
    readonly keys: Set<string>;
  }

  const aRecord = ({ tenantId, keys }: Own) => {
    const [key, now] = [randomUUID(), new Date()];
    keys.add(key);
    return { tenantId, key, fingerprint: Buffer.from(key), answer: Buffer.from('x'), createdAt: now, expiresAt: now };
  };

  const insert = statement<object, [tenantId: string, key: string]>(
    `insert into idempotency_record (tenant_id, key, fingerprint, answer, created_at, expires_at)
      values ($1, $2, 'x', 'x', now(), now())`,
  );

  /** A key of the transaction, or one that nobody has. */
  const aKeyOf = ({ tenantId, keys }: Own) => ({ tenantId_key: { tenantId, key: [...keys][0] ?? 'none' } });

  const steps: Readonly<Record<string, (own: Own) => Promise<void>>> = {
    adds: async (own) => void (await own.tx.idempotencyRecord.create({ data: aRecord(own) })),
    // Too many values for a prepared statement.
    'adds many': async (own) =>
      void (await own.tx.idempotencyRecord.createMany({ data: Array.from({ length: 7 }, () => aRecord(own)) })),
    'adds by a query': async (own) => void (await rowsOf(own.tx, insert, own.tenantId, aRecord(own).key)),
    changes: async ({ tx, keys }) =>
      expect(await tx.idempotencyRecord.updateMany({ data: { answer: Buffer.from('y') } })).toEqual({
        count: keys.size,
      }),
    removes: async (own) => {
      const [key = 'none'] = own.keys;
      await own.tx.idempotencyRecord.deleteMany({ where: { key } });
      own.keys.delete(key);
    },
    'undoes a part': async (own) => {
      const undo = setSavepoint(own.tx);
      await own.tx.idempotencyRecord.create({ data: aRecord({ ...own, keys: new Set() }) });
      await undo();
    },
    // Prisma combines the look-ups of one turn.
    'looks up in one turn': async (own) => {
      const { tx, keys } = own;
      const [one, count, again, none] = await Promise.all([
        tx.idempotencyRecord.findUnique({ where: aKeyOf(own) }),
        tx.idempotencyRecord.count(),
        tx.idempotencyRecord.findUnique({ where: aKeyOf(own) }),
        tx.idempotencyRecord.findUnique({ where: aKeyOf({ ...own, keys: new Set() }) }),
      ]);
      expect([one?.key, count, again?.key, none]).toEqual([[...keys][0], keys.size, [...keys][0], null]);
    },
  };

  it('see their own changes alone, in their own team', async () => {
    const teams = [(await aTeam(service)).id, (await aTeam(service)).id] as const;
    const { database } = aDatabase(service.databaseUrl, 12, (_, options) => service.database.openAnother(options));
    const run = async (tenantId: string, names: readonly string[]): Promise<unknown> =>
      forTeam(tenantId, () =>
        database.transaction(
          async (tx) => {
            const own: Own = { tx, tenantId, keys: new Set() };
            const before = await placeOf(tx);
            expect(before?.team).toBe(tenantId);
            for (const name of names) {
              await steps[name]?.(own);
              const seen = await tx.idempotencyRecord.findMany({ select: { key: true } });
              expect(seen.map(({ key }) => key).toSorted(), name).toEqual([...own.keys].toSorted());
            }
            expect(await placeOf(tx)).toEqual(before);
            throw new Undone();
          },
          { group: tenantId },
        ),
      );
    const aTransaction = fc.record({
      team: fc.constantFrom(...teams),
      names: fc.array(fc.constantFrom(...Object.keys(steps)), { minLength: 2, maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(aTransaction, { minLength: 8, maxLength: 20 }), async (transactions) => {
        const running = transactions.map(({ team, names }) => run(team, names).catch((error: unknown) => error));
        for (const error of await Promise.all(running)) expect(error).toBeInstanceOf(Undone);
      }),
      { numRuns: 6 },
    );
  });

  it('send what they have in one turn over their own connections', async () => {
    const { database } = aDatabase(plain.url, 8);
    const { promise: allBegun, resolve } = Promise.withResolvers<void>();
    let begun = 0;
    const together = async (tx: Tx, group: string): Promise<void> => {
      const { id } = await tx.person.create({ data: aPerson() });
      begun += 1;
      if (begun === 4) resolve();
      await allBegun;
      const [{ xid = '' } = {}] = await tx.$queryRawUnsafe<Partial<Place>[]>(placeText);
      const [found, all, [here]] = await Promise.all([
        tx.person.findUnique({ where: { id } }),
        tx.person.findMany({ select: { id: true } }),
        rowsOf(tx, place),
      ]);
      expect([found?.id, all, here?.xid], group).toEqual([id, [{ id }], xid]);
      throw new Undone();
    };
    for (const error of await Promise.all(
      ['a', 'b', 'c', 'd'].map((group) =>
        database.transaction((tx) => together(tx, group), { group }).catch((reason: unknown) => reason),
      ),
    )) {
      expect(error).toBeInstanceOf(Undone);
    }
  });

  it('have no more slots than may run at once, and use them again and again', async () => {
    const { database, slots } = aDatabase(plain.url, 4);
    const many = Array.from({ length: 60 }, (_, at) =>
      database.transaction((tx) => tx.person.count(), { group: `${at % 7}` }),
    );
    expect(await Promise.all(many)).toHaveLength(60);
    expect(slots()).toBe(3);
    for (let at = 0; at < 20; at += 1) await database.transaction((tx) => tx.person.count());
    expect(slots()).toBe(3);
  });
});

describe('what a transaction leaves for the next one', () => {
  /** Slots, and how many connections Prisma has asked for; transactions for them begin with `begin`. */
  const openSlots = () => {
    const connections = new PlainConnections(plain.url, { poolSize: 3 });
    const begun: TransactionConnection[] = [];
    let opened = 0;
    const connect = async () => {
      opened += 1;
      return openingSlot() ?? connections.connect();
    };
    const pool = new PrismaPool({ query: (one) => connections.query(one), connect });
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
    onTestFinished(async () => {
      await prisma.$disconnect();
      for (const one of begun) one.release();
      await connections.end();
    });
    const begin = async () => {
      const connection = await connections.connect();
      begun.push(connection);
      await connection.query({ text: 'BEGIN' });
      const running: RunningTransaction = { connection };
      const sent = vi.spyOn(connection, 'query');
      return { running, sent: () => sent.mock.calls.map(([{ text }]) => text) };
    };
    return { slots: new TransactionSlots(prisma), prisma, begin, opened: () => opened };
  };

  const calls: Readonly<Record<string, (tx: Tx) => PromiseLike<unknown>>> = {
    'a statement': (tx) => tx.$queryRaw`select 1`,
    'a look-up, which Prisma combines with others': (tx) => tx.person.findUnique({ where: { id: makeId() } }),
    'a call of several statements': (tx) =>
      tx.person.create({ data: { ...aPerson(), sessions: { create: [aSession(), aSession()] } } }),
  };

  it.each(Object.entries(calls))('%s that nobody awaits never reaches the next one', async (_what, call) => {
    const { slots, begin, opened } = openSlots();
    const [first, second] = [await begin(), await begin()];
    let late: Promise<unknown> = Promise.resolve();
    await slots.run(first.running, async (tx) => {
      late = Promise.resolve(call(tx).then(() => 'in its own transaction')).catch(String);
    });
    first.running.connection = undefined;
    await slots.run(second.running, async (tx) => {
      expect(await late).toMatch(/in its own|is over/);
      await tx.person.count();
    });
    expect(second.sent()).toEqual([expect.stringContaining('COUNT')]);
    // Once the call has ended, its slot is free again.
    second.running.connection = undefined;
    const third = await begin();
    await slots.run(third.running, (tx) => tx.person.count());
    expect(opened()).toBe(2);
  });

  it('never reaches the next one: a client, a model, a method or a promise that is awaited only then', async () => {
    const { database, slots } = aDatabase(plain.url, 1);
    const data = aPerson();
    const kept = await database.transaction(async (tx) => {
      await tx.person.count();
      const { person } = tx;
      return { tx, person, create: person.create, promise: person.create({ data }), raw: tx.$executeRaw`select 1` };
    });
    await database.transaction(async (tx) => {
      const before = await placeOf(tx);
      const late = [
        async () => kept.tx.person.create({ data }),
        async () => kept.tx.$executeRaw`select 1`,
        async () => kept.person.create({ data }),
        async () => kept.create({ data }),
        async () => kept.promise,
        async () => kept.promise.finally(() => {}),
        async () => kept.raw,
      ];
      for (const call of late) await expect(call()).rejects.toThrow('the transaction is over');
      expect(await tx.person.count({ where: { id: data.id } })).toBe(0);
      expect(await placeOf(tx)).toEqual(before);
    });
    expect(slots()).toBe(1);
  });

  it('is no slot that Prisma may soon end: it allows a transaction 24 days', async () => {
    const { slots, begin, opened } = openSlots();
    const [first, second, third] = [await begin(), await begin(), await begin()];
    await slots.run(first.running, (tx) => tx.person.count());
    await slots.run(second.running, (tx) => tx.person.count());
    expect(opened()).toBe(1);
    const days = performance.now() + 20 * 86_400_000;
    const now = vi.spyOn(performance, 'now').mockReturnValue(days);
    await slots.run(third.running, (tx) => tx.person.count()).finally(() => now.mockRestore());
    expect(opened()).toBe(2);
  });

  it('is no slot that Prisma has ended, because it disconnected', async () => {
    const { slots, prisma, begin, opened } = openSlots();
    const first = await begin();
    await slots.run(first.running, (tx) => tx.person.count());
    await prisma.$disconnect();
    const second = await begin();
    expect(await slots.run(second.running, (tx) => tx.person.count())).toBeTypeOf('number');
    expect(opened()).toBe(2);
  });
});

describe('a transaction', () => {
  /** Whether nothing is left of it, and the next one has its slot. */
  const leavesNothing = async ({ database, slots }: ReturnType<typeof aDatabase>, ...ids: string[]) => {
    const opened = slots();
    expect(await database.transaction((tx) => tx.person.count({ where: { id: { in: ids } } }))).toBe(0);
    expect(slots()).toBe(opened);
  };

  it('whose statement failed is rolled back, and its connection and its slot are used again', async () => {
    const own = aDatabase(plain.url, 1);
    const data = aPerson();
    let before: Place | undefined;
    const failing = own.database.transaction(async (tx) => {
      before = await placeOf(tx);
      await tx.person.create({ data });
      await tx.person.create({ data });
    });
    await expect(failing).rejects.toMatchObject({ code: 'P2002' });
    await leavesNothing(own, data.id);
    expect((await own.database.transaction(placeOf))?.pid).toBe(before?.pid);
  });

  it('whose failure the action hides is not committed', async () => {
    const own = aDatabase(plain.url, 1);
    const data = aPerson();
    const hiding = own.database.transaction(async (tx) => {
      await tx.person.create({ data });
      await tx.person.create({ data }).catch(() => {});
    });
    await expect(hiding).rejects.toThrow('a failed transaction was to be committed');
    await leavesNothing(own, data.id);
  });

  it('has the calls of several statements in it, without a BEGIN or a COMMIT of Prisma', async () => {
    const wire = await openWire(plain.url);
    onTestFinished(() => wire.close());
    const own = aDatabase(wire.url, 1);
    const [data, other] = [aPerson(), aPerson()];
    const run = (action: (tx: Tx) => Promise<void>) =>
      own.database.transaction(async (tx) => {
        const nested = { ...data, sessions: { create: [aSession(), aSession()] } };
        await tx.person.create({ data: nested, include: { sessions: true } });
        await tx.person.update({ where: { id: data.id }, data: { name: 'x', sessions: { deleteMany: {} } } });
        await tx.person.upsert({
          where: { id: other.id },
          create: { ...other, sessions: { create: aSession() } },
          update: { sessions: { create: aSession() } },
        });
        // More values than a statement may have: Prisma makes two of it.
        const ids = Array.from({ length: 32_800 }, (_, at) => (at === 0 ? data.id : randomUUID()));
        const where = { personId: { in: ids } };
        await tx.session.createMany({ data: [1, 2].map(() => ({ ...aSession(), personId: data.id })) });
        expect(await tx.session.updateMany({ where, data: { userAgent: 'x' } })).toEqual({ count: 2 });
        const [here] = await tx.$queryRaw<{ xids: number; own: boolean }[]>`
          select count(distinct xmin::text)::int as xids, bool_and(xmin = pg_current_xact_id()::xid) as own from session`;
        expect(here).toEqual({ xids: 1, own: true });
        await action(tx);
      });
    const ends = () =>
      wire
        .takeRoundTrips()
        .flat()
        .filter((text) => /^(begin|commit|rollback|savepoint|release)/i.test(text));
    const undone = run(() => Promise.reject(new Undone()));
    await expect(undone).rejects.toBeInstanceOf(Undone);
    expect(ends()).toEqual(['BEGIN', 'ROLLBACK']);
    await leavesNothing(own, data.id, other.id);
    ends();
    // Prisma itself finds that a row is missing, and undoes nothing: the action may go on.
    await run(async (tx) => {
      const missing = { sessions: { update: { where: { id: makeId() }, data: { userAgent: 'y' } } } };
      await expect(tx.person.update({ where: { id: data.id }, data: missing })).rejects.toMatchObject({
        code: 'P2025',
      });
    });
    expect(ends()).toEqual(['BEGIN', 'COMMIT']);
    expect(await plain.prisma.person.deleteMany({ where: { id: { in: [data.id, other.id] } } })).toEqual({ count: 2 });
  });

  it('with RepeatableRead reads all as it was at its first read', async () => {
    const { database } = aDatabase(plain.url, 1);
    const data = aPerson();
    const reading = async (tx: Tx) => {
      const count = await tx.person.count();
      await plain.prisma.person.create({ data });
      expect(await tx.person.count()).toBe(count);
    };
    await database.transaction(reading, { isolationLevel: 'RepeatableRead' });
    expect(await database.transaction((tx) => tx.person.deleteMany({ where: { id: data.id } }))).toEqual({ count: 1 });
  });

  it('whose connection breaks in its middle is unavailable, and the next one has another', async () => {
    const own = aDatabase(plain.url, 1);
    const data = aPerson();
    const broken = own.database.transaction(async (tx) => {
      await tx.person.create({ data });
      const { pid } = (await placeOf(tx)) ?? {};
      await withSql({ databaseUrl: plain.url }, (sql) => sql.query('select pg_terminate_backend($1)', [pid]));
      await tx.person.count();
    });
    expect(isUnavailable(await broken.catch((error: unknown) => error))).toBe(true);
    await leavesNothing(own, data.id);
  });

  it('whose connection breaks at COMMIT is unavailable, and the next one has another', async () => {
    const wire = await openWire(plain.url);
    onTestFinished(() => wire.close());
    const own = aDatabase(wire.url, 1);
    const before = (await own.database.transaction(placeOf))?.pid;
    const cut = wire.cutAt('COMMIT');
    const broken = own.database.transaction((tx) => tx.person.count());
    expect(isUnavailable(await broken.catch((error: unknown) => error))).toBe(true);
    await cut;
    await leavesNothing(own);
    expect((await own.database.transaction(placeOf))?.pid).not.toBe(before);
  });

  it('whose time is over sends nothing more, and is rolled back once its statement has ended', async () => {
    const own = aDatabase(plain.url, 1);
    const [data, never] = [aPerson(), aPerson()];
    const late = Promise.withResolvers<unknown>();
    const failing = own.database.transaction(
      async (tx) => {
        await tx.person.create({ data });
        await tx.$queryRaw`select pg_sleep(0.5)::text`;
        await (async () => tx.person.create({ data: never }))().catch(late.resolve);
      },
      { timeout: 250 },
    );
    const error: unknown = await failing.catch((reason: unknown) => reason);
    expect([isUnavailable(error), String(error)]).toEqual([true, expect.stringContaining('longer than 250 ms')]);
    expect(String(await late.promise)).toContain('the transaction is over');
    await leavesNothing(own, data.id, never.id);
  });

  it('that still runs when the database is closed is rolled back, and closing ends', async () => {
    const database = openDatabase(plain.url, { poolSize: 4 });
    const [data, begun] = [aPerson(), Promise.withResolvers<void>()];
    await database.transaction((tx) => tx.person.count(), { group: 'ended' });
    const hanging = database.transaction(
      async (tx) => {
        await tx.person.create({ data });
        const waiting = rowsOf(tx, statement<object, []>('select pg_sleep(0.3)'));
        begun.resolve();
        await waiting;
      },
      { group: 'hanging' },
    );
    await begun.promise;
    const refused = hanging.catch((error: unknown) => problemOf(error).code);
    await database.close();
    expect(await refused).toBe('unavailable');
    expect(await plain.prisma.person.count({ where: { id: data.id } })).toBe(0);
  });
});
