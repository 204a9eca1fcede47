import { describe, expect, it } from 'vitest';
import { anAssignment, aTraining } from '../support/practice.ts';
import { makeClient } from '../support/client.ts';
import { auditEntriesOn, eventDataOf } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService();

const statuses = ['open', 'in_progress', 'done', 'revoked'] as const;
const moves = statuses.flatMap((from) => statuses.map((to) => [from, to] as const));

const give = (team: TestTeam, more: Partial<Parameters<typeof anAssignment>[2]> = {}) =>
  anAssignment(service, team, { memberId: team.owner.member_id, ...more });
const aTrainingOf = (team: TestTeam, assignment_id: string) =>
  aTraining(service, team, { userId: team.owner.user_id, assignmentId: assignment_id });
/** Completed by a training of it. */
const aCompleted = async (team: TestTeam) => {
  const id = await give(team);
  const trainingId = await aTrainingOf(team, id);
  await service.database.prisma.assignment.updateMany({
    where: { tenantId: team.id, id },
    data: { status: 'done', completedTrainingId: trainingId },
  });
  return { id, trainingId };
};

describe('PATCH /assignments/{assignment_id}', () => {
  it('200: changes note and due date, keeps the rest, and is audited without the note', async () => {
    const team = await aTeam(service);
    const key = await team.aKey();
    const client = makeClient(service.baseUrl, key.text);
    const id = await give(team, { note: 'Before', title: 'Stays' });
    const before = (await client.get(`/assignments/${id}`)).body;
    const answer = await client.patch(`/assignments/${id}`, { note: 'After', due_date: '2027-02-01' });
    expect([answer.status, answer.body]).toEqual([
      200,
      { ...before, note: 'After', due_date: '2027-02-01', updated_at: expect.any(String) },
    ]);
    expect((await client.get(`/assignments/${id}`)).body).toEqual(answer.body);
    expect(await auditEntriesOn(service, team, id)).toEqual([
      {
        action: 'assignment.changed',
        actor: ['key', key.id],
        data: {
          changed: ['note', 'due_date'],
          before: { due_date: before['due_date'] },
          after: { due_date: '2027-02-01' },
        },
        requestId: answer.headers.get('x-request-id'),
      },
    ]);
  });

  it('200: null clears note and due date, an empty note is one', async () => {
    const team = await aTeam(service);
    const id = await give(team, { note: 'Before', dueDate: new Date('2026-12-24') });
    const change = (body: object) => team.client.patch(`/assignments/${id}`, body);
    expect((await change({ note: null })).body).toMatchObject({ note: null, due_date: '2026-12-24' });
    expect((await change({ note: '', due_date: null })).body).toMatchObject({ note: '', due_date: null });
    expect((await team.client.get(`/assignments/${id}`)).body).toMatchObject({ note: '', due_date: null });
  });

  it.each([
    ['{}', {}],
    ['what is so already', { status: 'open', note: 'Before', due_date: '2026-12-24' }],
  ])('200: %s changes nothing: no event, no entry in the audit log', async (_what, body) => {
    const team = await aTeam(service);
    const id = await give(team, { note: 'Before', dueDate: new Date('2026-12-24') });
    const before = await team.client.get(`/assignments/${id}`);
    const answer = await team.client.patch(`/assignments/${id}`, body);
    expect([answer.status, answer.body]).toEqual([200, before.body]);
    expect((await team.client.get(`/assignments/${id}`)).body).toEqual(before.body);
    expect(await auditEntriesOn(service, team, id)).toEqual([]);
  });

  it.each(moves)('200: from %s to %s', async (from, to) => {
    const team = await aTeam(service);
    const id = await give(team, { status: from, dueDate: new Date('2026-12-24') });
    const answer = await team.client.patch(`/assignments/${id}`, { status: to });
    expect([answer.status, answer.body['status']]).toEqual([200, to]);
    expect((await team.client.get(`/assignments/${id}`)).body).toEqual(answer.body);
    expect(await eventDataOf(service, team, 'assignment.completed')).toEqual(
      from !== 'done' && to === 'done'
        ? [
            {
              team_id: team.id,
              assignment_id: id,
              status: 'done',
              due_date: '2026-12-24',
              completed_training_id: null,
              user_id: team.owner.user_id,
            },
          ]
        : [],
    );
    const changed = { action: 'assignment.changed', data: { changed: ['status'], from, to } };
    expect(await auditEntriesOn(service, team, id)).toEqual(from === to ? [] : [expect.objectContaining(changed)]);
  });

  it('200: a change of the note of a completed assignment raises no event', async () => {
    const team = await aTeam(service);
    const id = await give(team, { status: 'done' });
    await team.client.patch(`/assignments/${id}`, { status: 'done', note: 'Well done.' });
    expect(await eventDataOf(service, team, 'assignment.completed')).toEqual([]);
  });

  it.each(['open', 'in_progress', 'revoked'])('200: from done to %s, the training is removed', async (status) => {
    const team = await aTeam(service);
    const { id, trainingId } = await aCompleted(team);
    const change = (body: object) => team.client.patch(`/assignments/${id}`, body);
    expect((await change({ status: 'done', note: 'x' })).body).toMatchObject({ completed_training_id: trainingId });
    expect((await change({ note: 'y' })).body).toMatchObject({ completed_training_id: trainingId });
    expect((await change({ status })).body).toMatchObject({ status, completed_training_id: null });
    expect((await change({ status: 'done' })).body).toMatchObject({ status: 'done', completed_training_id: null });
    expect(await eventDataOf(service, team, 'assignment.completed')).toHaveLength(1);
  });

  it('200: assignments of former members can be changed too, and those of invited members have no user id', async () => {
    const team = await aTeam(service, { members: 1 });
    const invited = await team.anInvitedMember();
    const former = await give(team, { memberId: team.members[0]?.id ?? '' });
    await team.client.delete(`/users/${team.members[0]?.id}`);
    expect((await team.client.patch(`/assignments/${former}`, { status: 'done' })).body['status']).toBe('done');
    const next = await give(team, { memberId: invited.id });
    expect((await team.client.patch(`/assignments/${next}`, { status: 'done' })).body['status']).toBe('done');
    expect((await eventDataOf(service, team, 'assignment.completed'))[1]).not.toHaveProperty('user_id');
  });

  it('200: has no personal data while member details are off, neither in the answer nor in the event', async () => {
    const team = await aTeam(service, { memberDetail: false });
    const id = await give(team);
    const answer = await team.client.patch(`/assignments/${id}`, { status: 'done' });
    expect(answer.body).toMatchObject({ status: 'done', member_user_id: null, member_email: null });
    expect(await eventDataOf(service, team, 'assignment.completed')).toEqual([
      { team_id: team.id, assignment_id: id, status: 'done', due_date: null, completed_training_id: null },
    ]);
  });
});

describe('DELETE /assignments/{assignment_id}', () => {
  it('200: the assignment is gone, its trainings stay without it', async () => {
    const team = await aTeam(service);
    const { id, trainingId } = await aCompleted(team);
    const kept = await give(team);
    const keptTraining = await aTrainingOf(team, kept);
    const answer = await team.client.delete(`/assignments/${id}`);
    expect([answer.status, answer.body]).toEqual([200, { ok: true }]);
    expect((await team.client.get('/assignments')).data.map((row) => row['id'])).toEqual([kept]);
    const trainings = await service.database.prisma.training.findMany({ where: { tenantId: team.id } });
    expect(new Map(trainings.map((row) => [row.id, row.assignmentId]))).toEqual(
      new Map([
        [trainingId, null],
        [keptTraining, kept],
      ]),
    );
    expect(await auditEntriesOn(service, team, id)).toMatchObject([
      {
        action: 'assignment.deleted',
        data: { member_id: team.owner.member_id, title: 'Practise', status: 'done' },
        requestId: answer.headers.get('x-request-id'),
      },
    ]);
  });

  it('404 not_found: once it is gone, it can be neither read, changed nor deleted', async () => {
    const team = await aTeam(service);
    const id = await give(team);
    await team.client.delete(`/assignments/${id}`);
    expect(await team.client.delete(`/assignments/${id}`)).toBeProblem('not_found');
    expect(await team.client.patch(`/assignments/${id}`, {})).toBeProblem('not_found');
    expect(await team.client.get(`/assignments/${id}`)).toBeProblem('not_found');
    expect(await auditEntriesOn(service, team, id)).toHaveLength(1);
  });

  it('200: also while member details are off', async () => {
    const team = await aTeam(service, { memberDetail: false });
    expect((await team.client.delete(`/assignments/${await give(team)}`)).body).toEqual({ ok: true });
  });
});
