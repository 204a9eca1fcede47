import { once } from 'node:events';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { addActiveMember } from '../../src/modules/members/service.ts';
import type { Member } from '../../src/modules/members/schema.ts';
import { relistNext } from '../../src/modules/trainings/service.ts';
import { unlockJobsOfDeadWorkers } from '../../src/worker/dead-workers.ts';
import { startServiceProcess } from '../support/api-process.ts';
import { inTheApp } from '../support/app-caller.ts';
import { anAssignment } from '../support/assignments.ts';
import type { Client } from '../support/client.ts';
import { auditEntriesOn, eventDataOf } from '../support/audit-entries.ts';
import { eventually } from '../support/eventually.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import type { TestTeam } from '../support/team.ts';
import { aScoredTraining } from '../support/trainings.ts';
import { aWorker } from '../support/worker.ts';
import { untilLockWaits, withSql } from '../support/postgres.ts';

const service = await useTestService({ own: true });
beforeEach(async () => {
  // Removes the jobs that an earlier test left, so that this test's worker does not run them. Not in `afterEach`: the
  // worker is still running then, and the queue of a job that is deleted while it runs stays locked.
  await service.database.prisma.$executeRaw`delete from graphile_worker._private_jobs`;
  await service.database.prisma.pendingListing.deleteMany();
});

/** More than a removal rewrites itself (500), and more than two batches of the job. */
const many = 2_400;

const assignmentsOf = (team: TestTeam, { id: memberId }: Member) =>
  service.database.prisma.assignment.findMany({
    where: { tenantId: team.id, memberId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
const trainingsOf = (team: TestTeam, userId: string) =>
  service.database.prisma.training.findMany({ where: { tenantId: team.id, userId } });

/** A fifth of them is revoked already. All are overdue if they are not done. */
const giveMany = (team: TestTeam, { id }: Member) => service.database.prisma.$executeRaw`
  insert into assignment (tenant_id, id, member_id, title, due_date, created_at, status)
  select ${team.id}::uuid, gen_random_uuid(), ${id}::uuid, 'Practise', '2026-01-01', now() - n * interval '1 second',
         (array['open', 'in_progress', 'done', 'revoked', 'open'])[1 + n % 5]::assignment_status
    from generate_series(1, ${many}::int) as n`;
const trainMuch = (team: TestTeam, userId: string) => service.database.prisma.$executeRaw`
  insert into training (tenant_id, id, user_id, status, source, created_at)
  select ${team.id}::uuid, gen_random_uuid(), ${userId}::uuid, 'running', 'app', now() - n * interval '1 second'
    from generate_series(1, ${many}::int) as n`;

const userOf = ({ user_id }: Member): string => user_id ?? '';

/** A team with a member who has many assignments and trainings, and another who has a few of each. */
const aBusyTeam = async () => {
  const team = await aTeam(service, { members: 1 });
  const [leo] = team.members;
  if (!leo) throw new Error('the team has no member');
  const mia = await team.anActiveMember();
  await giveMany(team, mia);
  await trainMuch(team, userOf(mia));
  const task = await anAssignment(service, team, { memberId: leo.id, dueDate: new Date('2026-01-01') });
  const old = new Date('2026-02-01T00:00:00Z');
  const trainings = [
    await aScoredTraining(service, team, { user_id: userOf(leo), created_at: old, finished_at: old }),
    await aScoredTraining(service, team, { user_id: userOf(leo) }),
  ];
  return { team, mia, leo, task, trainings };
};

const remove = async (team: TestTeam, { id }: Member) => {
  const answer = await team.client.delete(`/users/${id}`);
  expect(answer.status).toBe(200);
};

/** All entries of a list, page by page. Each page says whether there is another one; a page may be empty. */
const everything = async (client: Client, path: string): Promise<Record<string, unknown>[]> => {
  const found: Record<string, unknown>[] = [];
  let cursor: unknown;
  do {
    const separator = path.includes('?') ? '&' : '?';
    const page = await client.get(
      `${path}${separator}limit=200${typeof cursor === 'string' ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
    );
    expect(page.status).toBe(200);
    found.push(...page.data);
    cursor = page.body['next_cursor'];
  } while (cursor !== null);
  return found;
};

const pendingRevocations = async (team: TestTeam): Promise<number> => {
  const found = await service.database.prisma.$queryRaw`
    select from graphile_worker.jobs where task_identifier = 'revoke_assignments' and key like ${`%${team.id}%`}`;
  return Array.isArray(found) ? found.length : 0;
};
const pendingListings = (team: TestTeam) =>
  service.database.prisma.pendingListing.count({ where: { tenantId: team.id } });

const untilDone = (team: TestTeam) =>
  eventually(async () => {
    expect(await pendingRevocations(team)).toBe(0);
    expect(await pendingListings(team)).toBe(0);
  });

/** The entries about revoked assignments since the member was removed. */
const revocations = (team: TestTeam) =>
  service.database.prisma.auditEntry.findMany({
    where: { tenantId: team.id, action: 'assignment.changed', data: { path: ['member_removed'], equals: true } },
  });

const expectEachRevokedOnce = async (
  team: TestTeam,
  before: Awaited<ReturnType<typeof assignmentsOf>>,
): Promise<void> => {
  const wanted = before.filter(({ status }) => status !== 'revoked');
  const entries = await revocations(team);
  expect(entries.map(({ targetId }) => targetId).sort()).toEqual(wanted.map(({ id }) => id).sort());
  const from = new Map(wanted.map(({ id, status }) => [id, status]));
  for (const { targetId, data } of entries) {
    expect(data).toEqual({
      changed: ['status'],
      from: from.get(targetId ?? ''),
      to: 'revoked',
      member_removed: true,
    });
  }
};

describe('the removal of a member with many assignments and trainings, before the worker has rewritten the rest', () => {
  it('shows every assignment of the member as revoked', async () => {
    const { team, mia, leo, task } = await aBusyTeam();
    const [first] = await trainingsOf(team, userOf(mia));
    const before = await assignmentsOf(team, mia);
    const done = before.findLast(({ status }) => status === 'done');
    await service.database.prisma.assignment.updateMany({
      where: { tenantId: team.id, id: done?.id ?? '' },
      data: { completedTrainingId: first?.id ?? null },
    });
    const app = await inTheApp(team);
    await remove(team, mia);
    expect((await assignmentsOf(team, mia)).filter(({ status }) => status === 'revoked')).toHaveLength(many / 5 + 500);

    const listed = await everything(team.client, '/assignments');
    expect(listed).toHaveLength(many + 1);
    const byId = new Map(listed.map((assignment) => [assignment['id'], assignment]));
    for (const { id } of before) {
      expect(byId.get(id)).toMatchObject({ status: 'revoked', completed_training_id: null });
    }
    expect(byId.get(task)).toMatchObject({ status: 'open', member_user_id: leo.user_id });
    const one = await team.client.get(`/assignments/${done?.id ?? ''}`);
    expect(one.body).toMatchObject({ status: 'revoked', completed_training_id: null });

    for (const filter of [{ status: 'unfinished' as const }, { overdue: true }, { status: 'open' as const }]) {
      const found: string[] = [];
      let page = await app.assigning.list({ ...filter, limit: 200 });
      found.push(...page.data.map(({ id }) => id));
      while (page.next_cursor !== null) {
        page = await app.assigning.list({ ...filter, limit: 200, cursor: page.next_cursor });
        found.push(...page.data.map(({ id }) => id));
      }
      expect(found).toEqual([task]);
    }
    const revoked = await app.assigning.list({ status: 'revoked', member_id: mia.id, limit: 200 });
    expect(revoked.data).toHaveLength(200);
    for (const { overdue, status } of revoked.data)
      expect({ overdue, status }).toEqual({ overdue: false, status: 'revoked' });
    expect((await app.team.overview({})).assignments).toEqual({ open: 1, overdue: 1 });
  });

  it('shows no training of the member, and all of the others exactly once', async () => {
    const { team, mia, leo, trainings } = await aBusyTeam();
    const [hidden] = await trainingsOf(team, userOf(mia));
    await service.database.prisma.training.updateMany({
      where: { tenantId: team.id, userId: userOf(mia) },
      data: { status: 'scored', evaluatedAt: new Date() },
    });
    await remove(team, mia);
    expect((await trainingsOf(team, userOf(mia))).filter(({ listed }) => listed)).toHaveLength(many - 500);

    for (const path of [
      '/trainings',
      '/trainings?status=scored',
      '/trainings?since=2026-01-01T00:00:00Z',
      `/trainings?user_id=${userOf(leo)}`,
      '/evaluations',
    ]) {
      const found = await everything(team.client, path);
      expect(found.map(({ id }) => id).sort(), path).toEqual([...trainings].sort());
    }
    const ofMia = await team.client.get(`/trainings?user_id=${userOf(mia)}`);
    expect(ofMia.body).toEqual({ data: [], next_cursor: null });
    const short = await team.client.get('/trainings?limit=1');
    expect(short.data).toHaveLength(1);
    for (const path of [`/trainings/${hidden?.id ?? ''}`, `/trainings/${hidden?.id ?? ''}/evaluation`]) {
      expect((await team.client.get(path)).status, path).toBe(404);
    }
  });

  it('returns how many assignments were revoked, and delays nobody else in the team', async () => {
    const { team, mia, leo } = await aBusyTeam();
    await remove(team, mia);
    const [, removed] = await auditEntriesOn(service, team, mia.id);
    expect(removed).toMatchObject({
      action: 'member.removed',
      data: { role: 'member', assignments_revoked: (many / 5) * 4 },
    });
    expect((await team.client.patch(`/users/${leo.id}`, { role: 'admin' })).status).toBe(200);
  });
});

describe('the worker', () => {
  it('then revokes each assignment once, with an entry by the remover, and raises nothing', async () => {
    const { team, mia } = await aBusyTeam();
    const before = await assignmentsOf(team, mia);
    await remove(team, mia);
    const removal = (await auditEntriesOn(service, team, mia.id)).at(-1);
    aWorker(service);
    await untilDone(team);

    for (const { status, completedTrainingId } of await assignmentsOf(team, mia)) {
      expect({ status, completedTrainingId }).toEqual({ status: 'revoked', completedTrainingId: null });
    }
    await expectEachRevokedOnce(team, before);
    for (const { actorKind, actorId, requestId } of await revocations(team)) {
      expect([actorKind, actorId, requestId]).toEqual([...(removal?.actor ?? []), removal?.requestId]);
    }
    expect(await eventDataOf(service, team, 'assignment.completed')).toEqual([]);
    expect((await trainingsOf(team, userOf(mia))).filter(({ listed }) => listed)).toEqual([]);
    expect(await everything(team.client, '/trainings')).toHaveLength(2);
  });

  it('killed in the middle leaves the rest to the next one, and nothing is written twice', async () => {
    const { team, mia } = await aBusyTeam();
    const before = await assignmentsOf(team, mia);
    await remove(team, mia);
    // The second batch of the job waits for one of its assignments.
    const held = before[1_500]?.id ?? '';
    await withSql(service, async (holder) => {
      await holder.query('begin');
      await holder.query('select from assignment where tenant_id = $1 and id = $2 for update', [team.id, held]);
      const { child } = await startServiceProcess({ databaseUrl: service.databaseUrl, role: 'worker' });
      onTestFinished(() => void child.kill('SIGKILL'));
      // The first batch is done. Other jobs of the worker may wait for other locks.
      await eventually(async () => expect(await revocations(team)).toHaveLength(1_000));
      await untilLockWaits(service, { query: 'UPDATE%assignment%' });
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    expect(await pendingRevocations(team)).toBe(1);
    expect(await revocations(team)).toHaveLength(1_000);

    // The jobs of the killed worker are free after it has been gone for some seconds.
    await service.database.prisma.$executeRaw`
      update graphile_worker._private_jobs set locked_at = locked_at - interval '1 hour' where locked_by is not null`;
    await unlockJobsOfDeadWorkers(service.database, []);
    aWorker(service);
    await untilDone(team);
    await expectEachRevokedOnce(team, before);
  });

  it('continues with the trainings if the job was lost', async () => {
    const { team, mia } = await aBusyTeam();
    await remove(team, mia);
    await service.database.prisma.$executeRaw`delete from graphile_worker._private_jobs`;
    aWorker(service);
    await service.database.prisma.$executeRaw`select graphile_worker.add_job('sweep')`;
    await untilDone(team);
  });
});

describe('an assignment that is changed before the worker has reached it', () => {
  it('counts as revoked, and keeps the change', async () => {
    const { team, mia } = await aBusyTeam();
    const before = await assignmentsOf(team, mia);
    const latest = before.filter(({ status }) => status === 'done').toReversed();
    const [opened, noted, deleted] = latest.map(({ id }) => id);
    const revokedBefore = before.find(({ status }) => status === 'revoked')?.id ?? '';
    await remove(team, mia);

    const answer = await team.client.patch(`/assignments/${opened ?? ''}`, { status: 'open' });
    expect(answer.body).toMatchObject({ status: 'open' });
    const again = await team.client.patch(`/assignments/${revokedBefore}`, { status: 'in_progress' });
    expect(again.body).toMatchObject({ status: 'in_progress' });
    const note = await team.client.patch(`/assignments/${noted ?? ''}`, { note: 'Never mind.' });
    expect(note.body).toMatchObject({ status: 'revoked', note: 'Never mind.' });
    expect((await team.client.delete(`/assignments/${deleted ?? ''}`)).status).toBe(200);
    expect((await team.client.get(`/assignments/${opened ?? ''}`)).body).toMatchObject({ status: 'open' });
    const app = await inTheApp(team);
    expect((await app.team.overview({})).assignments.open).toBe(3);

    aWorker(service);
    await untilDone(team);
    const after = new Map((await assignmentsOf(team, mia)).map(({ id, status }) => [id, status]));
    expect([opened, revokedBefore, noted, deleted].map((id) => after.get(id ?? ''))).toEqual([
      'open',
      'in_progress',
      'revoked',
      undefined,
    ]);
    await expectEachRevokedOnce(team, before);
    const audited = await auditEntriesOn(service, team, opened ?? '');
    expect(audited.map(({ data }) => data)).toMatchObject([
      { from: 'done', to: 'revoked', member_removed: true },
      { from: 'revoked', to: 'open' },
    ]);
  });

  it('keeps the change too if it is already rewritten and others are not', async () => {
    const { team, mia } = await aBusyTeam();
    const before = await assignmentsOf(team, mia);
    await remove(team, mia);
    const first = before[0]?.id ?? '';
    expect((await team.client.patch(`/assignments/${first}`, { status: 'open' })).body).toMatchObject({
      status: 'open',
    });
    expect((await team.client.get(`/assignments/${first}`)).body).toMatchObject({ status: 'open' });
    aWorker(service);
    await untilDone(team);
    expect((await team.client.get(`/assignments/${first}`)).body).toMatchObject({ status: 'open' });
    await expectEachRevokedOnce(team, before);
  });
});

describe('a person who joins again while their trainings are still rewritten', () => {
  const rejoin = async (team: TestTeam, { email, user_id }: Member) =>
    addActiveMember(await team.acting(), { email: email ?? '', userId: user_id ?? '', role: 'member' });

  it('has all of them again at the end, and finds each at once by its id', async () => {
    const { team, mia } = await aBusyTeam();
    const pending = { tenantId: team.id, userId: userOf(mia) };
    await remove(team, mia);
    expect(await relistNext(service.platform, pending)).toBe(true);
    const unlisted = (await trainingsOf(team, userOf(mia))).find(({ listed }) => !listed);
    await rejoin(team, mia);
    expect((await team.client.get(`/trainings/${unlisted?.id ?? ''}`)).status).toBe(200);
    aWorker(service);
    await untilDone(team);
    expect((await trainingsOf(team, userOf(mia))).filter(({ listed }) => !listed)).toEqual([]);
    expect(await everything(team.client, '/trainings')).toHaveLength(many + 2);
  });

  it('has all of them at once if none was rewritten yet', async () => {
    const { team, mia } = await aBusyTeam();
    await remove(team, mia);
    await rejoin(team, mia);
    expect(await pendingListings(team)).toBe(0);
    expect(await everything(team.client, '/trainings')).toHaveLength(many + 2);
  });

  it('and is removed again has none', async () => {
    const { team, mia } = await aBusyTeam();
    const pending = { tenantId: team.id, userId: userOf(mia) };
    await remove(team, mia);
    await relistNext(service.platform, pending);
    const back = await rejoin(team, mia);
    await relistNext(service.platform, pending);
    await remove(team, back);
    expect(await everything(team.client, '/trainings')).toHaveLength(2);
    aWorker(service);
    await untilDone(team);
    expect((await trainingsOf(team, userOf(mia))).filter(({ listed }) => listed)).toEqual([]);
  });
});
