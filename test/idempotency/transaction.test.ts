import { describe, expect, it } from 'vitest';
import { fail, Problem, problemCodes } from '../../src/core/problem.ts';
import { afterCommit, type Database } from '../../src/db/database.ts';
import { raise } from '../../src/deliveries/outbox.ts';
import { record } from '../../src/modules/audit/service.ts';
import { answerOnce } from '../../src/modules/idempotency/service.ts';
import { assignmentCreated } from '../../src/modules/assignments/events.ts';
import { lockTeamShared } from '../../src/platform/team-row.ts';
import { aCombination } from '../support/practice.ts';
import type { Answer } from '../support/client.ts';
import { invitationsCounted } from '../support/budgets.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';
import { onEachNode, untilLockWaits, withSql } from '../support/postgres.ts';

const service = await useTestService({ own: true });

const invite = (team: TestTeam, email: string, key = 'a key'): Promise<Answer> =>
  team.client.post('/users', { email }, { headers: { 'Idempotency-Key': key } });

/** All rows that an invitation writes. */
const traces = async (team: TestTeam) => {
  const where = { tenantId: team.id };
  const { prisma } = service.database;
  const mails = (await prisma.mail.findMany({ where, select: { id: true } })).map(({ id }) => id);
  const jobs = await onEachNode(
    service.database,
    async () =>
      prisma.$queryRaw<
        unknown[]
      >`select 1 from graphile_worker._private_jobs where payload ->> 'mailId' = any (${mails})`,
  );
  return {
    members: await prisma.member.count({ where: { ...where, role: { not: 'owner' } } }),
    invitations: await prisma.invitation.count({ where }),
    mails: mails.length,
    jobs: jobs.flat().length,
    events: await prisma.webhookEvent.count({ where }),
    audit: await prisma.auditEntry.count({ where: { ...where, action: 'member.joined' } }),
    counted: await invitationsCounted(service, team),
    kept: await prisma.idempotencyRecord.count({ where }),
  };
};

const nothing = { members: 0, invitations: 0, mails: 0, jobs: 0, events: 0, audit: 0, counted: 0, kept: 0 };
const everythingOnce = { members: 1, invitations: 1, mails: 1, jobs: 1, events: 1, audit: 1, counted: 1, kept: 1 };

/** Runs an action while the team is locked, so that an invitation waits in the middle of its transaction. */
const whileLocked = <T>(team: TestTeam, action: () => Promise<T>): Promise<T> =>
  service.database.transaction(async (tx) => {
    await tx.$executeRaw`select 1 from team where id = ${team.id}::uuid for update`;
    return action();
  });

/** A distributed database refuses triggers without this setting, and a plain one ignores it. */
const sabotaging = (...statements: string[]) =>
  withSql(service, async (client) => {
    for (const sql of ['set citus.enable_unsafe_triggers = on', ...statements]) await client.query(sql);
  });

const standsStill = () => untilLockWaits(service);

describe('while the first call runs', () => {
  it('409 conflict: another one, which is not stored; the first one’s answer is', async () => {
    const team = await aTeam(service);
    const email = anEmail();
    const first = await whileLocked(team, async () => {
      const running = invite(team, email);
      await standsStill();
      for (const other of [email, anEmail()]) {
        const answer = await invite(team, other);
        expect(answer).toBeProblem('conflict', { detail: expect.stringContaining('running') });
        expect(answer.headers.has('idempotent-replayed')).toBe(false);
        expect(answer.headers.get('retry-after')).toBe('1');
      }
      return { running };
    });
    const answer = await first.running;
    expect(answer.status).toBe(201);
    const again = await invite(team, email);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([answer.text, 'true']);
    expect(await traces(team)).toEqual(everythingOnce);
  });

  it('another key and another team are not affected', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const { running } = await whileLocked(team, async () => {
      const running = invite(team, anEmail());
      await standsStill();
      expect((await invite(other, anEmail())).status).toBe(201);
      return { running };
    });
    expect((await running).status).toBe(201);
  });
});

describe('a call that ends before its commit', () => {
  it('its connection cut: 503, no rows of it are left, and the key is free', async () => {
    const team = await aTeam(service);
    const email = anEmail();
    const { running } = await whileLocked(team, async () => {
      const running = invite(team, email);
      for (const { pid, run } of await standsStill())
        await run(async () => service.database.prisma.$queryRaw`select pg_terminate_backend(${pid}::int)`);
      return { running };
    });
    const answer = await running;
    expect(answer).toBeProblem('unavailable');
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(await traces(team)).toEqual(nothing);
    const again = await invite(team, email);
    expect([again.status, again.headers.has('idempotent-replayed')]).toEqual([201, false]);
    expect(await traces(team)).toEqual(everythingOnce);
  });

  it('a repetition whose transaction fails at its end is no replay', async () => {
    const team = await (await aTeam(service)).acting();
    const { platform } = team;
    let replays = 0;
    const repeatable = { key: 'a key', fingerprint: () => Buffer.from('x'), onReplay: () => void (replays += 1) };
    await answerOnce(team, repeatable, async () => ({ done: true }));
    const transaction: Database['transaction'] = async (action, options) => {
      await platform.database.transaction(action, options);
      throw new Error('the connection was lost at the commit');
    };
    const losing = { ...team, platform: { ...platform, database: { ...platform.database, transaction } } };
    await expect(answerOnce(losing, repeatable, async () => ({}))).rejects.toThrow('lost at the commit');
    expect(replays).toBe(0);
    await answerOnce(team, repeatable, async () => ({}));
    expect(replays).toBe(1);
  });

  it.each<[string, string]>([
    [
      'in the action’s middle',
      `create trigger sabotage before insert on mail for each row execute function sabotage()`,
    ],
    [
      'at its last step, the record',
      `create trigger sabotage before insert on idempotency_record for each row execute function sabotage()`,
    ],
    [
      'at the commit of what it did',
      `create constraint trigger sabotage after insert on member deferrable initially deferred for each row execute function sabotage()`,
    ],
    [
      'at the commit of the record',
      `create constraint trigger sabotage after insert on idempotency_record deferrable initially deferred for each row execute function sabotage()`,
    ],
  ])('a failure %s: 500, no rows of it are left, and the key is free', async (_where, trigger) => {
    const team = await aTeam(service);
    const email = anEmail();
    await sabotaging(
      `create or replace function sabotage() returns trigger language plpgsql as $$ begin raise exception 'a secret of the database'; end $$`,
      trigger,
    );
    const table = /on (\w+)/.exec(trigger)?.[1] ?? '';
    try {
      const answer = await invite(team, email);
      expect(answer).toBeProblem('internal');
      expect(answer.text).not.toContain('secret');
      expect(answer.body).not.toHaveProperty('detail');
    } finally {
      await sabotaging(`drop trigger sabotage on ${table}`);
    }
    expect(await traces(team)).toEqual(nothing);
    expect((await invite(team, email)).status).toBe(201);
    expect(await traces(team)).toEqual(everythingOnce);
  });

  it('stores a problem of the action, unless the next call may succeed', async () => {
    const team = await (await aTeam(service)).acting();
    for (const code of problemCodes) {
      const repeatable = { key: code, fingerprint: () => Buffer.from('x'), onReplay: () => {} };
      const done = answerOnce(team, repeatable, () => Promise.reject(new Problem(code)));
      await expect(done).rejects.toMatchObject({ code });
    }
    const records = await service.database.prisma.idempotencyRecord.findMany({ where: { tenantId: team.id } });
    const stored = new Set(records.map(({ key }) => key));
    expect(problemCodes.filter((code) => !stored.has(code)).toSorted()).toEqual([
      'api_disabled',
      'insufficient_scope',
      'internal',
      'rate_limited',
      'unavailable',
      'validation_error',
    ]);
  });

  it('a stored problem leaves only itself', async () => {
    const team = await aTeam(service, { seats: 1 });
    expect(await invite(team, anEmail())).toBeProblem('seat_limit_reached');
    expect(await traces(team)).toEqual({ ...nothing, kept: 1 });
  });

  it('a stored problem rolls back what was done before it', async () => {
    const team = await (await aTeam(service)).acting();
    const repeatable = { key: 'a key', fingerprint: () => Buffer.from('x'), onReplay: () => {} };
    const done = answerOnce(team, repeatable, async ({ tx }) => {
      await tx?.team.update({ where: { id: team.id }, data: { name: 'half done' } });
      fail('seat_limit_reached');
    });
    await expect(done).rejects.toMatchObject({ code: 'seat_limit_reached' });
    expect((await service.database.prisma.team.findUnique({ where: { id: team.id } }))?.name).toBe('A team');
    expect(await service.database.prisma.idempotencyRecord.count({ where: { tenantId: team.id } })).toBe(1);
  });

  it('a stored problem of a look-up is the answer of a repetition, and keeps nothing else from being stored', async () => {
    const { client, owner, id } = await aTeam(service);
    const wanted = { title: 'Price talk', ...(await aCombination(service)) };
    const assign = (member_id: string, key: string) =>
      client.post('/assignments', { ...wanted, member_id }, { headers: { 'Idempotency-Key': key } });
    for (const memberId of ['x', id]) {
      expect(await assign(memberId, memberId)).toBeProblem('not_found');
      expect((await assign(memberId, memberId)).headers.get('idempotent-replayed')).toBe('true');
    }
    expect((await assign(owner.member_id, 'a key')).status).toBe(201);
  });

  it('a stored problem takes back the event, the entry of the audit log and what follows the commit', async () => {
    const team = await (await aTeam(service)).acting();
    const repeatable = { key: 'a key', fingerprint: () => Buffer.from('x'), onReplay: () => {} };
    const data = { assignment_id: team.id, status: 'open', due_date: null, completed_training_id: null } as const;
    let followed = 0;
    const done = answerOnce(team, repeatable, async ({ tx }) => {
      if (!tx) throw new Error('there is a transaction');
      const locked = await lockTeamShared(tx, team);
      raise(tx, locked, assignmentCreated, { data, personal: {} });
      record(tx, team, { action: 'team.changed', target: { type: 'team', id: team.id } });
      afterCommit(tx, () => void (followed += 1));
      fail('seat_limit_reached');
    });
    await expect(done).rejects.toMatchObject({ code: 'seat_limit_reached' });
    const where = { tenantId: team.id };
    const { webhookEvent, auditEntry } = service.database.prisma;
    expect([
      await webhookEvent.count({ where }),
      await auditEntry.count({ where: { ...where, action: 'team.changed' } }),
      followed,
    ]).toEqual([0, 0, 0]);
  });
});
