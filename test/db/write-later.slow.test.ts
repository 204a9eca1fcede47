import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { writeLater, type Tx } from '../../src/db/database.ts';
import { aCombination } from '../support/practice.ts';
import { withSql } from '../support/postgres.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { useWiredService } from '../support/wire.ts';

// The last write of a transaction is sent with COMMIT.

const { service, wire } = await useWiredService();

// What the title of an assignment says goes wrong: at once, or at the commit.
await withSql(service, async (client) => {
  for (const sql of [
    `create function sabotage() returns trigger language plpgsql as $$
       begin raise exception 'sabotage' using errcode = right(new.title, 5); end $$`,
    `create trigger at_once before insert on assignment for each row
       when (new.title like 'at once %') execute function sabotage()`,
    `create constraint trigger at_commit after insert on assignment deferrable initially deferred for each row
       when (new.title like 'at commit %') execute function sabotage()`,
  ])
    await client.query(sql);
});

const create = async (team: TestTeam, title: string, headers: Record<string, string> = {}) => {
  const wanted = { member_id: team.owner.member_id, title, ...(await aCombination(service)) };
  return team.client.post('/assignments', wanted, { headers });
};

/** All that a creation writes. */
const traces = async ({ id: tenantId }: TestTeam) => {
  const { assignment, auditEntry, webhookEvent, idempotencyRecord } = service.database.prisma;
  const where = { tenantId };
  return [
    await assignment.count({ where }),
    await auditEntry.count({ where: { ...where, action: 'assignment.created' } }),
    await webhookEvent.count({ where }),
    await idempotencyRecord.count({ where }),
  ];
};

describe('a failure of the last write leaves nothing, and is answered', () => {
  // First, because the proxy sees COMMIT only when a connection prepares it.
  it.each([{}, { 'Idempotency-Key': 'a key' }])('a connection that is cut in COMMIT (%o)', async (headers) => {
    const team = await aTeam(service);
    const cut = wire.cutAt('COMMIT');
    const answer = await create(team, 'Price talk', headers);
    await cut;
    expect(answer).toBeProblem('unavailable');
    // Nobody knows whether it arrived.
    expect([
      [0, 0, 0, 0],
      [1, 1, 1, Object.keys(headers).length],
    ]).toContainEqual(await traces(team));
  });

  it.each(
    [
      ['a conflict with another transaction', '40001', 'unavailable'],
      ['two transactions that wait for each other', '40P01', 'unavailable'],
      ['a lock that others hold', '55P03', 'unavailable'],
      ['its time limit', '57014', 'unavailable'],
      ['a server that ends', '57P01', 'unavailable'],
      ['a reference that is gone', '23503', 'internal'],
      ['any other fault', '22012', 'internal'],
    ].flatMap(([what = '', state = '', code = '']) =>
      ['at once', 'at commit'].map((when) => [what, when, state, code] as const),
    ),
  )('%s, %s', async (_what, when, state, code) => {
    const team = await aTeam(service);
    for (const headers of [{}, { 'Idempotency-Key': 'a key' }] as const) {
      const answer = await create(team, `${when} ${state}`, headers);
      expect(answer).toBeProblem(code === 'internal' ? 'internal' : 'unavailable');
      expect(answer.text).not.toContain('sabotage');
      expect(await traces(team)).toEqual([0, 0, 0, 0]);
    }
    expect((await create(team, 'Price talk', { 'Idempotency-Key': 'a key' })).status).toBe(201);
    expect(await traces(team)).toEqual([1, 1, 1, 1]);
  });
});

it('a statement that follows a write is sent with it, and its failure undoes it', async () => {
  const team = await aTeam(service);
  const key = { tenantId: team.id, memberId: team.owner.member_id };
  const now = new Date();
  const write = (tx: Tx) =>
    writeLater(tx, () =>
      tx.assignment.createMany({ data: { ...key, id: makeId(), title: 'x', createdAt: now, updatedAt: now } }),
    );
  const failing = service.database.transaction(async (tx) => {
    await write(tx);
    await tx.$queryRaw`select 1 / 0`;
  });
  await expect(failing).rejects.toThrow('division by zero');
  const refused = service.database.transaction(async (tx) => {
    await write(tx);
    throw new Error('refused');
  });
  await expect(refused).rejects.toThrow('refused');
  expect(await traces(team)).toEqual([0, 0, 0, 0]);
  await service.database.transaction(write);
  expect(await traces(team)).toEqual([1, 0, 0, 0]);
});

it('a write after the end of its transaction is refused', async () => {
  const kept = await service.database.transaction(async (tx) => ({ tx }));
  const write = writeLater(kept.tx, () => kept.tx.assignment.deleteMany());
  await expect(write).rejects.toThrow('the transaction is over');
});
