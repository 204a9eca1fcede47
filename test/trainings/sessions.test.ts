import { describe, expect, it } from 'vitest';
import { secondsToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { memberMessages } from '../../src/core/messages/people.ts';
import { progressOf } from '../../src/modules/analytics/service.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { NewTraining } from '../../src/modules/trainings/schema.ts';
import { abortTraining, endTraining, startTraining, saveEvaluation } from '../../src/modules/trainings/service.ts';
import { teamAt } from '../../src/platform/team.ts';
import { aColleague, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { aCombination, anAssignment, aCatalogItem, anEvaluation, aTraining } from '../support/practice.ts';
import { auditEntriesOn, eventDataOf } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { untilLockWaits } from '../support/postgres.ts';

const service = await useTestService();

const problem = (code: string) => expect.objectContaining({ code });
const shown = async (team: TestTeam, id: string) => (await team.client.get(`/trainings/${id}`)).body;
const trainingsOf = (team: TestTeam) => service.database.prisma.training.count({ where: { tenantId: team.id } });
const assignmentRow = (team: TestTeam, id: string) =>
  service.database.prisma.assignment.findUniqueOrThrow({ where: { tenantId_id: { tenantId: team.id, id } } });
const totalsOf = async (team: TestTeam, userId: string) => progressOf(await team.acting(), userId);
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

/** A member in the app with a running training. */
const practising = async (team: TestTeam, wanted: Partial<NewTraining> = {}) => {
  const person = await aColleague(team);
  const app = (await inTheApp(team, person)).sessions;
  const { training_id } = await app.start(wanted);
  return { person, app, training_id };
};

describe('starting a training', () => {
  it('makes it running, and visible to everybody who may see trainings', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const { sessions } = await inTheApp(team, person);
    const combination = await aCombination(service);
    const role_id = await aCatalogItem(service, { dimension: 'role' });
    const external_ref = { a: { b: [1, 'ü', null, true] }, constructor: 2, toJSON: 'x', $type: 'Raw', '': 0 };
    const started = await sessions.start({ source: 'phone', ...combination, role_id, external_ref });
    expect(started).toEqual({ training_id: expect.any(String), status: 'running' });
    const body = await shown(team, started.training_id);
    expect(body).toMatchObject({ user_id: person.userId, status: 'running', source: 'phone', ...combination, role_id });
    expect(body).toMatchObject({ assignment_id: null, finished_at: null, duration_s: null });
    expect(body['external_ref']).toEqual(external_ref);
    expect(await auditEntriesOn(service, team, started.training_id)).toEqual([
      {
        action: 'training.started',
        actor: ['person', person.userId],
        data: { user_id: person.userId, source: 'phone', assignment_id: null },
        requestId: null,
      },
    ]);
    expect(await eventDataOf(service, team, 'training.completed')).toEqual([]);
  });

  it('of an assignment: uses its combination if the request has none, and the assignment is in progress', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const { sessions } = await inTheApp(team, person);
    const asked = await aCombination(service);
    const other = await aCatalogItem(service, { dimension: 'personality' });
    const assignment_id = await anAssignment(service, team, {
      memberId: person.memberId,
      situationId: asked.situation_id,
      personalityId: asked.personality_id,
      industryId: asked.industry_id,
    });
    const same = await sessions.start({ assignment_id });
    expect(await shown(team, same.training_id)).toMatchObject({ assignment_id, ...asked, role_id: null });
    expect(await assignmentRow(team, assignment_id)).toMatchObject({
      status: 'in_progress',
      completedTrainingId: null,
    });
    const another = await sessions.start({ assignment_id, personality_id: other, industry_id: null });
    expect(await shown(team, another.training_id)).toMatchObject({
      ...asked,
      assignment_id,
      personality_id: other,
      industry_id: null,
    });
    expect(await eventDataOf(service, team, 'assignment.created')).toEqual([]);
    // The second training changes nothing of the assignment.
    expect(await auditEntriesOn(service, team, assignment_id)).toMatchObject([
      {
        action: 'assignment.changed',
        actor: ['person', person.userId],
        data: { changed: ['status'], from: 'open', to: 'in_progress' },
      },
    ]);
  });

  it('not_found: an assignment that is unknown, malformed, a colleague’s or another team’s; conflict: a revoked one', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const [person, colleague] = [await aColleague(team), await aColleague(team)];
    const { sessions } = await inTheApp(team, person);
    const revoked = await anAssignment(service, team, { memberId: person.memberId, status: 'revoked' });
    for (const assignment_id of [
      makeId(),
      'nonsense',
      '',
      await anAssignment(service, team, { memberId: colleague.memberId }),
      await anAssignment(service, other, { memberId: other.owner.member_id }),
    ]) {
      await expectRefusal(sessions.start({ assignment_id }), { code: 'not_found' });
    }
    await expectRefusal(sessions.start({ assignment_id: revoked }), { code: 'conflict' });
    expect(await trainingsOf(team)).toBe(0);
  });

  it('a combination that the catalog or a policy does not allow is refused, and leaves nothing', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const person = await aColleague(team);
    const { sessions } = await inTheApp(team, person);
    const assignment_id = await anAssignment(service, team, { memberId: person.memberId });
    const theirs = await aCatalogItem(service, { dimension: 'industry', tenantId: other.id });
    const role = await aCatalogItem(service, { dimension: 'role' });
    for (const [wanted, dimension, id] of [
      [{ situation_id: 'x' }, 'situation', 'x'],
      [{ personality_id: role }, 'personality', role],
      [{ industry_id: theirs }, 'industry', theirs],
      [{ role_id: '' }, 'role', ''],
    ] as const) {
      await expectRefusal(sessions.start({ assignment_id, ...wanted }), {
        code: 'kombination_ungueltig',
        members: { dimension, id },
      });
    }
    await service.database.prisma.teamPolicyBlock.create({
      data: { tenantId: team.id, itemId: role, createdAt: new Date() },
    });
    await expectRefusal(sessions.start({ assignment_id, role_id: role }), { code: 'vorgabe_gesperrt' });
    expect(await trainingsOf(team)).toBe(0);
    expect((await assignmentRow(team, assignment_id)).status).toBe('open');
  });

  it('not_found: a user who is not an active member of the team', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const gone = await team.anActiveMember();
    await removeMember(await team.acting(), gone.id);
    const acting = await team.acting();
    const { id: invited } = await team.anInvitedMember();
    for (const memberId of [makeId(), 'nobody', '', invited, gone.id, other.owner.member_id, team.owner.user_id]) {
      const start = startTraining(acting, { memberId, source: 'api' });
      await expect(start, memberId).rejects.toMatchObject({
        code: 'not_found',
        spoken: { detail: memberMessages.notActive },
      });
    }
    expect(await trainingsOf(team)).toBe(0);
    expect((await startTraining(acting, { memberId: team.owner.member_id, source: 'api' })).status).toBe('running');
  });

  it.each([
    ['another source', { source: 'fax' }],
    ['an unknown field', { status: 'scored' }],
    ['somebody else', { memberId: makeId() }],
    ['an id that is a number', { assignment_id: 7 }],
    ['an external_ref that is a list', { external_ref: [1] }],
    ['an external_ref that is a text', { external_ref: 'x' }],
  ])('refuses %s', (_what, input) => expect(NewTraining.safeParse(input).success).toBe(false));

  it('accepts an external_ref as deep as a body may be, but none that is deeper or contains NUL', async () => {
    const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });
    const team = await aTeam(service);
    const { sessions } = await inTheApp(team);
    const { training_id } = await sessions.start({ external_ref: { ...deep(30) } });
    expect((await shown(team, training_id))['external_ref']).toEqual(deep(30));
    for (const external_ref of [{ ...deep(31) }, { ...deep(3_000) }, { a: ['x\0'] }]) {
      await expect(sessions.start({ external_ref })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
  });
});

describe('ending a training', () => {
  it('sets time and duration, counts it, completes its assignment, and raises one event', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const assignment_id = await anAssignment(service, team, { memberId: person.memberId });
    const acting = await team.acting();
    const started = new Date('2026-03-01T08:00:00.250Z');
    const { memberId, userId } = person;
    const wanted = { memberId, source: 'phone' as const, assignmentId: assignment_id };
    const { trainingId: training_id } = await startTraining(teamAt(acting, started), wanted);
    const finished = new Date(started.getTime() + secondsToMs(90) + 999);
    expect(await endTraining(teamAt(acting, finished), training_id)).toEqual({
      trainingId: training_id,
      status: 'ended',
    });
    expect(await shown(team, training_id)).toMatchObject({
      status: 'ended',
      created_at: '2026-03-01T08:00:00.250Z',
      finished_at: '2026-03-01T08:01:31.249Z',
      duration_s: 90,
    });
    expect(await eventDataOf(service, team, 'training.completed')).toEqual([
      {
        team_id: team.id,
        training_id,
        status: 'ended',
        source: 'phone',
        assignment_id,
        finished_at: '2026-03-01T08:01:31.249Z',
        duration_s: 90,
        user_id: userId,
      },
    ]);
    expect(await assignmentRow(team, assignment_id)).toMatchObject({
      status: 'done',
      completedTrainingId: training_id,
    });
    expect(await eventDataOf(service, team, 'assignment.completed')).toEqual([]);
    expect((await auditEntriesOn(service, team, assignment_id)).at(-1)?.data).toEqual({
      changed: ['status', 'completed_training_id'],
      from: 'in_progress',
      to: 'done',
    });
    expect(await totalsOf(team, userId)).toMatchObject({ sessions: 1, scored: 0 });
    expect((await auditEntriesOn(service, team, training_id)).map(({ action, data }) => [action, data])).toEqual([
      ['training.started', { user_id: userId, source: 'phone', assignment_id }],
      ['training.ended', { duration_s: 90 }],
    ]);
  });

  it('again, also once it is scored, changes nothing', async () => {
    const team = await aTeam(service);
    const { app, training_id, person } = await practising(team);
    await app.end({ training_id });
    const ended = await shown(team, training_id);
    expect(await app.end({ training_id })).toEqual({ training_id, status: 'ended' });
    expect(await shown(team, training_id)).toEqual(ended);
    await saveEvaluation(await team.acting(), training_id, anEvaluation());
    expect(await app.end({ training_id })).toEqual({ training_id, status: 'scored' });
    expect(await shown(team, training_id)).toEqual({ ...ended, status: 'scored', updated_at: expect.any(String) });
    expect(await eventDataOf(service, team, 'training.completed')).toHaveLength(1);
    expect(await totalsOf(team, person.userId)).toMatchObject({ sessions: 1, scored: 1 });
    expect(await auditEntriesOn(service, team, training_id)).toHaveLength(3);
  });

  it('eight times at once counts once', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const assignment_id = await anAssignment(service, team, { memberId: person.memberId });
    const app = (await inTheApp(team, person)).sessions;
    const { training_id } = await app.start({ assignment_id });
    const ends = await Promise.all(times(8).map(() => app.end({ training_id })));
    expect(ends).toEqual(times(8).map(() => ({ training_id, status: 'ended' })));
    expect(await eventDataOf(service, team, 'training.completed')).toHaveLength(1);
    expect(await totalsOf(team, person.userId)).toMatchObject({ sessions: 1 });
    expect(await auditEntriesOn(service, team, training_id)).toHaveLength(2);
  });

  it('and aborting it at once: one of the two succeeds', async () => {
    const team = await aTeam(service);
    for (const _ of times(5)) {
      const { app, training_id, person } = await practising(team);
      const [end, abort] = await Promise.allSettled([app.end({ training_id }), app.abort({ training_id })]);
      expect([end.status, abort.status].toSorted()).toEqual(['fulfilled', 'rejected']);
      const { status } = await shown(team, training_id);
      expect(status).toBe(end.status === 'fulfilled' ? 'ended' : 'aborted');
      expect((await totalsOf(team, person.userId)).sessions).toBe(end.status === 'fulfilled' ? 1 : 0);
    }
  });

  it('with a clock that is behind does not make it end before its start', async () => {
    const team = await aTeam(service);
    const acting = await team.acting();
    const started = service.clock.now();
    const memberId = team.owner.member_id;
    const { trainingId } = await startTraining(teamAt(acting, started), { memberId, source: 'app' });
    await endTraining(teamAt(acting, new Date(started.getTime() - 5_000)), trainingId);
    expect(await shown(team, trainingId)).toMatchObject({ finished_at: started.toISOString(), duration_s: 0 });
  });

  it('is possible even a century later', async () => {
    const team = await aTeam(service);
    const created_at = new Date('1900-01-01T00:00:00Z');
    const id = await aTraining(service, team, { userId: team.owner.user_id, createdAt: created_at });
    await endTraining(await team.acting(), id);
    expect(await shown(team, id)).toMatchObject({ status: 'ended', duration_s: 2 ** 31 - 1 });
  });

  it('keeps an assignment unchanged that was revoked or done before', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const app = (await inTheApp(team, person)).sessions;
    for (const status of ['revoked', 'done'] as const) {
      const assignment_id = await anAssignment(service, team, { memberId: person.memberId });
      const { training_id } = await app.start({ assignment_id });
      await team.client.patch(`/assignments/${assignment_id}`, { status });
      await app.end({ training_id });
      expect(await assignmentRow(team, assignment_id)).toMatchObject({ status, completedTrainingId: null });
    }
  });

  it('while its assignment is being deleted: waits, and then has no assignment', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const assignment_id = await anAssignment(service, team, { memberId: person.memberId });
    const app = (await inTheApp(team, person)).sessions;
    const { training_id } = await app.start({ assignment_id });
    let end: Promise<unknown> | undefined;
    await service.database.transaction(async (tx) => {
      await tx.$executeRaw`select 1 from assignment where id = ${assignment_id}::uuid for update`;
      end = app.end({ training_id });
      await untilLockWaits(service);
      // The end of the training waits for its locks in order, so this transaction can clear the references to the
      // assignment without a deadlock.
      await tx.training.updateMany({ where: { assignmentId: assignment_id }, data: { assignmentId: null } });
      await tx.assignment.deleteMany({ where: { id: assignment_id } });
    });
    expect(await end).toEqual({ training_id, status: 'ended' });
    expect(await shown(team, training_id)).toMatchObject({ status: 'ended', assignment_id: null });
    expect(await eventDataOf(service, team, 'training.completed')).toMatchObject([
      { training_id, assignment_id: null },
    ]);
  });

  it('and deleting its assignment through the API, many times at once, never fails', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const app = (await inTheApp(team, person)).sessions;
    await Promise.all(
      times(10).map(async () => {
        const assignment_id = await anAssignment(service, team, { memberId: person.memberId });
        const { training_id } = await app.start({ assignment_id });
        const [end, deletion] = await Promise.all([
          app.end({ training_id }),
          team.client.delete(`/assignments/${assignment_id}`),
        ]);
        expect([end.status, deletion.status]).toEqual(['ended', 200]);
        expect(await shown(team, training_id)).toMatchObject({ status: 'ended', assignment_id: null });
      }),
    );
    expect(await totalsOf(team, person.userId)).toMatchObject({ sessions: 10 });
  });
});

describe('aborting a training', () => {
  it('counts nothing, completes nothing, and raises no event; again changes nothing', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const assignment_id = await anAssignment(service, team, { memberId: person.memberId });
    const app = (await inTheApp(team, person)).sessions;
    const { training_id } = await app.start({ assignment_id });
    expect(await app.abort({ training_id })).toEqual({ training_id, status: 'aborted' });
    const aborted = await shown(team, training_id);
    expect(aborted).toMatchObject({
      status: 'aborted',
      finished_at: expect.any(String),
      duration_s: expect.any(Number),
    });
    expect(await app.abort({ training_id })).toEqual({ training_id, status: 'aborted' });
    expect(await shown(team, training_id)).toEqual(aborted);
    expect(await assignmentRow(team, assignment_id)).toMatchObject({
      status: 'in_progress',
      completedTrainingId: null,
    });
    expect(await totalsOf(team, person.userId)).toMatchObject({ sessions: 0 });
    expect(await eventDataOf(service, team, 'training.completed')).toEqual([]);
    expect(await auditEntriesOn(service, team, training_id)).toMatchObject([
      { action: 'training.started' },
      { action: 'training.aborted', data: { duration_s: aborted['duration_s'] } },
    ]);
  });
});

describe('access to trainings', () => {
  it('not_found: another member’s, whatever the own role, another team’s, unknown and malformed ids', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const { training_id, app } = await practising(team);
    const theirs = await practising(other);
    const ids = [theirs.training_id, makeId(), 'nonsense', '', training_id.toUpperCase()];
    for (const role of ['member', 'admin'] as const) {
      const { sessions } = await inTheApp(team, await aColleague(team, role));
      for (const id of [training_id, ...ids]) {
        await expectRefusal(sessions.end({ training_id: id }), { code: 'not_found' });
        await expectRefusal(sessions.abort({ training_id: id }), { code: 'not_found' });
      }
    }
    const acting = await team.acting();
    for (const id of ids) {
      await expect(endTraining(acting, id)).rejects.toEqual(problem('not_found'));
      await expect(abortTraining(acting, id)).rejects.toEqual(problem('not_found'));
      await expect(saveEvaluation(acting, id, anEvaluation())).rejects.toEqual(problem('not_found'));
    }
    expect((await shown(team, training_id))['status']).toBe('running');
    expect(await app.end({ training_id })).toEqual({ training_id, status: 'ended' });
  });

  it('not_found: one of a former member, until they join again', async () => {
    const team = await aTeam(service);
    const { training_id, person } = await practising(team);
    const { email } = await service.database.prisma.member.findUniqueOrThrow({
      where: { tenantId_id: { tenantId: team.id, id: person.memberId } },
    });
    await removeMember(await team.acting(), person.memberId);
    const acting = await team.acting();
    for (const move of [
      () => endTraining(acting, training_id),
      () => abortTraining(acting, training_id),
      () => saveEvaluation(acting, training_id, anEvaluation()),
    ]) {
      await expect(move()).rejects.toEqual(problem('not_found'));
    }
    await team.anActiveMember({ email });
    expect(await endTraining(acting, training_id)).toEqual({ trainingId: training_id, status: 'ended' });
  });
});

describe('while the team hides details about single people', () => {
  it('the event has no person, by the switch at the time of the end', async () => {
    const team = await aTeam(service);
    const shownThen = await team.acting();
    const [first, second] = [await practising(team), await practising(team)];
    await team.change({ memberDetail: false });
    const hiddenThen = await team.acting();
    // The actor's team was read before the switch was changed.
    await endTraining(shownThen, first.training_id);
    await team.change({ memberDetail: true });
    await endTraining(hiddenThen, second.training_id);
    const [hidden, visibleEvent] = await eventDataOf(service, team, 'training.completed');
    expect(hidden).toMatchObject({ training_id: first.training_id });
    expect(hidden).not.toHaveProperty('user_id');
    expect(visibleEvent).toMatchObject({ training_id: second.training_id, user_id: second.person.userId });
  });
});
