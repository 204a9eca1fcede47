import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/crypto.ts';
import { limits } from '../../src/core/limits.ts';
import { makeAdmission, readKey } from '../../src/modules/keys/admission.ts';
import { addressBudget, keyBudget, spend, teamBudget, usedOf } from '../support/budgets.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { useWiredService } from '../support/wire.ts';
import { untilLockWaits, useConnection } from '../support/postgres.ts';

const perKey = limits.requestsPerKeyPerMinute;

const { service, wire } = await useWiredService();
const client = await useConnection(service.databaseUrl);

const shownBy = (text: string) => readKey([`Bearer ${text}`]);

describe('the text of gate()', () => {
  it('in the database is that of src/modules/keys/gate.sql', async () => {
    const file = join(import.meta.dirname, '..', '..', 'src', 'modules', 'keys', 'gate.sql');
    const installed = async () => {
      const { rows } = await client.query<{ text: string }>(
        `select pg_get_functiondef(oid) as text from pg_proc where proname in ('gate', 'budget_of_address') order by proname`,
      );
      return rows.map(({ text }) => text);
    };
    const before = await installed();
    expect(before).toHaveLength(2);
    await client.query('begin');
    await client.query(await readFile(file, 'utf8'));
    expect(before).toEqual(await installed());
    await client.query('rollback');
  });
});

interface Asked {
  key: number;
  requests: number;
}

/** Calls gate() in the same way as a process. */
const judge = async (
  texts: readonly string[],
  asked: readonly Asked[],
  { addressLimit = 60, mayWait = false } = {},
) => {
  const shown = asked.map(({ key }) => shownBy(texts[key] ?? '') ?? { prefix: '', secret: '' });
  const { rows } = await client.query<{ caller: number; outcome: string; counted: number }>(
    'select * from gate($1, $2, $3, $4, $5, $6, $7)',
    [
      shown.map(({ prefix }) => prefix),
      shown.map(({ secret }) => sha256(secret)),
      asked.map(() => '192.0.2.9'),
      asked.map(({ requests }) => requests),
      perKey,
      addressLimit,
      mayWait,
    ],
  );
  return rows.toSorted((a, b) => a.caller - b.caller);
};

/** The results that the requests would get alone, one after the other. */
const modelled = (teamRoom: number, keyRoom: readonly number[], asked: readonly Asked[]) => {
  const rooms = [...keyRoom];
  let room = teamRoom;
  return asked.map(({ key, requests }) => {
    let counted = 0;
    for (let request = 0; request < requests; request += 1) {
      if (room === 0 || (rooms[key] ?? 0) === 0) continue;
      room -= 1;
      rooms[key] = (rooms[key] ?? 0) - 1;
      counted += 1;
    }
    return counted;
  });
};

describe('requests that are judged in one call', () => {
  it('get the same result as alone, in the order of their arrival', async () => {
    const team = await aTeam(service, { rateLimit: 200 });
    const keys = await Promise.all([1, 2, 3].map(() => team.aKey()));
    const room = fc.integer({ min: 0, max: 6 });
    const some = fc.array(
      fc.record({ key: fc.integer({ min: 0, max: 2 }), requests: fc.integer({ min: 1, max: 4 }) }),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(room, fc.tuple(room, room, room), some, async (teamRoom, keyRoom, asked) => {
        await spend(service, teamBudget(team.id), 200 - teamRoom);
        for (const [index, { id }] of keys.entries())
          await spend(service, keyBudget(id), perKey - (keyRoom[index] ?? 0));
        const rows = await judge(
          keys.map(({ text }) => text),
          asked,
        );
        expect(rows.map(({ counted }) => counted)).toEqual(modelled(teamRoom, keyRoom, asked));
        const counted = rows.reduce((sum, row) => sum + row.counted, 0);
        expect(await usedOf(service, teamBudget(team.id))).toBe(200 - teamRoom + counted);
      }),
      { numRuns: 25 },
    );
  });

  it('of several teams and of callers without a key are each counted in their own budgets', async () => {
    const [one, other] = [await aTeam(service, { rateLimit: 1 }), await aTeam(service, { rateLimit: 9 })];
    const texts = [(await other.aKey()).text, (await one.aKey()).text, 'nothing', (await other.aKey()).text];
    const asked = [0, 1, 2, 3, 1].map((key) => ({ key, requests: 2 }));
    // The budgets have no rows yet.
    const rows = await judge(texts, asked, { addressLimit: 1, mayWait: true });
    expect(rows.map(({ outcome, counted }) => [outcome, counted])).toEqual([
      ['admitted', 2],
      ['admitted', 1],
      ['unauthorized', 1],
      ['admitted', 2],
      ['admitted', 0],
    ]);
    expect(await usedOf(service, addressBudget('192.0.2.9'))).toBe(1);
    expect([await usedOf(service, teamBudget(one.id)), await usedOf(service, teamBudget(other.id))]).toEqual([1, 4]);
  });
});

describe('requests that arrive at the same time', () => {
  it('share one round trip, and each gets the rest after it', async () => {
    const admission = makeAdmission(service.database, 60);
    const team = await aTeam(service, { rateLimit: 500 });
    const texts = await Promise.all([1, 2, 3].map(async () => (await team.aKey()).text));
    // After this the budgets have rows, and the pool has a connection with the prepared statement.
    for (const text of texts) await admission.admit(shownBy(text), '192.0.2.1');
    wire.takeRoundTrips();
    const entries = await Promise.all(
      Array.from({ length: 30 }, (_, index) => admission.admit(shownBy(texts[index % 3] ?? ''), '192.0.2.1')),
    );
    expect(wire.takeRoundTrips()).toEqual([[expect.stringContaining('from gate(')]]);
    const ofSecondKey = entries.filter((_entry, index) => index % 3 === 1);
    expect(ofSecondKey.map(({ budget }) => budget.left)).toEqual(
      Array.from({ length: 10 }, (_, at) => perKey - 2 - at),
    );
    expect(new Set(entries.map(({ outcome }) => outcome))).toEqual(new Set(['admitted']));
  });

  it('with used-up, unknown and fresh keys get the same results as alone', async () => {
    const admission = makeAdmission(service.database, 2);
    const team = await aTeam(service);
    const [spent, fresh] = [await team.aKey(), await team.aKey()];
    await spend(service, keyBudget(spent.id), perKey - 1);
    const outcomes = async (key: string | undefined, count: number) => {
      const entries = await Promise.all(
        Array.from({ length: count }, () =>
          admission.admit(key === undefined ? undefined : shownBy(key), '192.0.2.77'),
        ),
      );
      return entries.map(({ outcome }) => outcome).toSorted();
    };
    expect(await Promise.all([outcomes(spent.text, 3), outcomes(undefined, 3), outcomes(fresh.text, 3)])).toEqual([
      ['admitted', 'limited', 'limited'],
      ['limited', 'unauthorized', 'unauthorized'],
      ['admitted', 'admitted', 'admitted'],
    ]);
    expect(await usedOf(service, teamBudget(team.id))).toBe(4);
  });
});

describe('a team whose budget is locked', () => {
  const lockBudgetOf = async ({ id }: TestTeam) => {
    await client.query('begin');
    await client.query('select from request_budget where subject = $1 for update', [teamBudget(id)]);
  };

  it('waits alone: requests of other teams in the same call are answered meanwhile', async () => {
    const admission = makeAdmission(service.database, 60);
    const [locked, other] = [await aTeam(service), await aTeam(service)];
    const [itsKey, otherKey] = [(await locked.aKey()).text, (await other.aKey()).text];
    const admit = (key: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => admission.admit(shownBy(key), '192.0.2.1')));
    await admit(itsKey, 1);
    let answered = 0;
    await lockBudgetOf(locked);
    const its = [1, 2].map(async (count) => {
      const entries = await admit(itsKey, count);
      answered += entries.length;
      return entries;
    });
    for (let round = 0; round < 5; round += 1) {
      its.push(admit(itsKey, 1));
      expect((await admit(otherKey, 10)).map(({ outcome }) => outcome)).toEqual(Array(10).fill('admitted'));
    }
    expect(answered).toBe(0);
    await client.query('commit');
    expect((await Promise.all(its)).flat().map(({ outcome }) => outcome)).toEqual(Array(8).fill('admitted'));
    expect(await usedOf(service, teamBudget(locked.id))).toBe(9);
  });

  it('uses one connection of the pool while it waits, however many of its requests wait', async () => {
    const admission = makeAdmission(service.database, 60);
    const locked = await aTeam(service);
    const key = shownBy((await locked.aKey()).text);
    await admission.admit(key, '192.0.2.1');
    await lockBudgetOf(locked);
    const its = Promise.all(Array.from({ length: 40 }, () => admission.admit(key, '192.0.2.1')));
    expect(await untilLockWaits(service, { query: '%from gate(%' })).toHaveLength(1);
    await client.query('commit');
    expect((await its).map(({ outcome }) => outcome)).toEqual(Array(40).fill('admitted'));
  });
});
