import { expect, it } from 'vitest';
import { addActiveMember } from '../../src/modules/members/invitations.ts';
import type { Member } from '../../src/modules/membership/schema.ts';
import { inTheApp } from '../support/app-caller.ts';
import { anAssignment, aScoredTraining } from '../support/practice.ts';
import { auditEntriesOn, eventDataOf } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { allListed } from '../support/pages.ts';

const service = await useTestService();

const many = 5_000;

const assignmentsOf = (team: TestTeam, { id: memberId }: Member) =>
  service.database.prisma.assignment.findMany({
    where: { tenantId: team.id, memberId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
const trainingsOf = (team: TestTeam, userId: string) =>
  service.database.prisma.training.findMany({ where: { tenantId: team.id, userId } });

/** A fifth of them is revoked already. All are overdue if they are not done. */
const giveMany = (team: TestTeam, { id }: Member) => service.database.prisma.$executeRaw`
  insert into assignment (tenant_id, id, member_id, title, due_date, created_at, updated_at, status)
  select ${team.id}::uuid, gen_random_uuid(), ${id}::uuid, 'Practise', '2026-01-01', now() - n * interval '1 second', now(),
         (array['open', 'in_progress', 'done', 'revoked', 'open'])[1 + n % 5]::assignment_status
    from generate_series(1, ${many}::int) as n`;
const trainMuch = (team: TestTeam, userId: string) => service.database.prisma.$executeRaw`
  insert into training (tenant_id, id, user_id, status, source, created_at, updated_at)
  select ${team.id}::uuid, gen_random_uuid(), ${userId}::uuid, 'running', 'app', now() - n * interval '1 second', now()
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
    await aScoredTraining(service, team, { userId: userOf(leo), createdAt: old, finishedAt: old }),
    await aScoredTraining(service, team, { userId: userOf(leo) }),
  ];
  return { team, mia, leo, task, trainings };
};

const remove = async (team: TestTeam, { id }: Member) => {
  const answer = await team.client.delete(`/users/${id}`);
  expect(answer.status).toBe(200);
};

it('the removal of a member with thousands of assignments revokes all of them, each with an entry by the remover, and raises nothing', async () => {
  const { team, mia, leo, task } = await aBusyTeam();
  const before = await assignmentsOf(team, mia);
  const done = before.findLast(({ status }) => status === 'done');
  const [first] = await trainingsOf(team, userOf(mia));
  await service.database.prisma.assignment.updateMany({
    where: { tenantId: team.id, id: done?.id ?? '' },
    data: { completedTrainingId: first?.id ?? null },
  });
  await remove(team, mia);

  const listed = await allListed(team.client, '/assignments?limit=200');
  const byId = new Map(listed.map((assignment) => [assignment['id'], assignment]));
  expect(byId.size).toBe(many + 1);
  for (const { id } of before) {
    expect(byId.get(id)).toMatchObject({ status: 'revoked', completed_training_id: null });
  }
  expect(byId.get(task)).toMatchObject({ status: 'open', member_user_id: leo.user_id });
  const app = await inTheApp(team);
  expect((await app.overview.show({})).assignments).toMatchObject({ open: 1, overdue: 1 });
  const overdue = await app.assigning.list({ overdue: true });
  expect(overdue.data.map(({ id }) => id)).toEqual([task]);

  const removal = (await auditEntriesOn(service, team, mia.id)).at(-1);
  const wanted = before.filter(({ status }) => status !== 'revoked');
  expect(removal).toMatchObject({ action: 'member.removed', data: { assignments_revoked: wanted.length } });
  const entries = await service.database.prisma.auditEntry.findMany({
    where: { tenantId: team.id, action: 'assignment.changed' },
  });
  expect(entries.map(({ targetId }) => targetId).sort()).toEqual(wanted.map(({ id }) => id).sort());
  const from = new Map(wanted.map(({ id, status }) => [id, status]));
  for (const { targetId, data, actorKind, actorId, requestId } of entries) {
    expect(data).toEqual({ changed: ['status'], from: from.get(targetId ?? ''), to: 'revoked', member_removed: true });
    expect([actorKind, actorId, requestId]).toEqual([...(removal?.actor ?? []), removal?.requestId]);
  }
  expect(await eventDataOf(service, team, 'assignment.completed')).toEqual([]);
});

it('and hides all of their trainings, until they join again', async () => {
  const { team, mia, leo, trainings } = await aBusyTeam();
  const [hidden] = await trainingsOf(team, userOf(mia));
  await service.database.prisma.training.updateMany({
    where: { tenantId: team.id, userId: userOf(mia) },
    data: { status: 'scored', evaluatedAt: new Date() },
  });
  await remove(team, mia);
  for (const path of [
    '/trainings?limit=200',
    '/trainings?limit=200&status=scored',
    '/trainings?limit=200&since=2026-01-01T00:00:00Z',
    `/trainings?limit=200&user_id=${userOf(leo)}`,
    '/evaluations?limit=200',
  ]) {
    const found = await allListed(team.client, path);
    expect(found.map(({ id }) => id).sort(), path).toEqual([...trainings].sort());
  }
  const ofMia = await team.client.get(`/trainings?user_id=${userOf(mia)}`);
  expect(ofMia.body).toEqual({ data: [], next_cursor: null });
  for (const path of [`/trainings/${hidden?.id ?? ''}`, `/trainings/${hidden?.id ?? ''}/evaluation`]) {
    expect((await team.client.get(path)).status, path).toBe(404);
  }

  await addActiveMember(await team.acting(), { email: mia.email ?? '', userId: userOf(mia), role: 'member' });
  expect((await team.client.get(`/trainings/${hidden?.id ?? ''}`)).status).toBe(200);
  expect(await allListed(team.client, '/trainings?limit=200')).toHaveLength(many + 2);
});
