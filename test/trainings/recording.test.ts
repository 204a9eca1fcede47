import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { later, secondsToMs } from '../../src/core/clock.ts';
import type { EventType } from '../../src/core/events.ts';
import { memberMessages } from '../../src/core/messages/people.ts';
import { trainingLimits } from '../../src/core/limits.ts';
import { RoundTrip } from '../../src/db/round-trip.ts';
import { recordTrainings, type NewRecording } from '../../src/modules/trainings/recording.ts';
import {
  abortTraining,
  endTraining,
  saveEvaluation,
  startTraining,
  type NewEvaluation,
} from '../../src/modules/trainings/service.ts';
import { teamAt, type Team } from '../../src/platform/team.ts';
import { anAssignment, aCombination, anEvaluation, equalScores } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { anEndpoint } from '../support/webhooks.ts';

const service = await useTestService();

const types: EventType[] = ['training.completed', 'evaluation.completed'];

/** Does what people in the app do, at the times of a recording. */
const practise = async (acting: Team, { memberId, assignmentId, startedAt, end }: NewRecording): Promise<string> => {
  const { trainingId } = await startTraining(teamAt(acting, startedAt), { memberId, assignmentId, source: 'app' });
  if (!end) return trainingId;
  const finished = teamAt(acting, end.at);
  if (end.status === 'aborted') await abortTraining(finished, trainingId);
  else await endTraining(finished, trainingId);
  if (end.status === 'ended' && end.evaluation) await saveEvaluation(finished, trainingId, end.evaluation);
  return trainingId;
};

/**
 * All that a team has stored about its trainings, with words in place of ids. The times of changes are left out: those
 * of a recording are the present.
 */
const storedBy = async (team: TestTeam, endpoint: string, ids: Readonly<Record<string, string>>): Promise<unknown> => {
  const { prisma } = service.database;
  const where = { tenantId: team.id };
  const events = await prisma.webhookEvent.findMany({
    where: { ...where, type: { in: types } },
    orderBy: { id: 'asc' },
  });
  const trainings = await prisma.training.findMany({ where, orderBy: { createdAt: 'asc' }, omit: { updatedAt: true } });
  const stored = {
    trainings,
    evaluations: await prisma.evaluation.findMany({ where, orderBy: { createdAt: 'asc' } }),
    assignments: await prisma.assignment.findMany({
      where,
      omit: { createdAt: true, updatedAt: true },
      orderBy: { id: 'asc' },
    }),
    audit: await prisma.auditEntry.findMany({
      where: { ...where, targetType: { in: ['training', 'assignment'] } },
      omit: { id: true },
      orderBy: [{ createdAt: 'asc' }, { action: 'asc' }, { targetId: 'asc' }],
    }),
    events: events.map(({ id: _id, ...event }) => event),
    feed: await prisma.eventFeedEntry.count({ where: { ...where, type: { in: types } } }),
    deliveries: await prisma.webhookDelivery.findMany({
      where: { ...where, endpointId: endpoint },
      select: { eventType: true, status: true, createdAt: true, nextTryAt: true },
      orderBy: { id: 'asc' },
    }),
    waiting: await prisma.webhookWaiting.count({ where: { ...where, endpointId: endpoint } }),
  };
  const named = { ...ids, ...Object.fromEntries(trainings.map(({ id }, n) => [`training ${n}`, id])) };
  let text = JSON.stringify(stored);
  for (const [name, id] of Object.entries(named)) text = text.replaceAll(id, name);
  return JSON.parse(text);
};

const past = new Date('2026-03-01T08:30:00.250Z');
/** The n-th training starts n hours later and takes eight minutes. */
const at = (n: number) => later(past, secondsToMs(3_600 * n));
const endedAt = (n: number) => later(at(n), secondsToMs(480));

describe('recorded trainings', () => {
  it('store and raise what their start, end and evaluation would', async () => {
    const combination = await aCombination(service);
    const results = [];
    for (const record of [
      async (acting: Team, wanted: NewRecording[]) => {
        for (const one of wanted) await practise(acting, one);
      },
      recordTrainings,
    ]) {
      const team = await aTeam(service, { members: 1 });
      const member = team.members[0] ?? expect.unreachable();
      const endpoint = await anEndpoint(service, team, { events: types });
      const practice = {
        situationId: combination.situation_id,
        personalityId: combination.personality_id,
        industryId: combination.industry_id,
      };
      const assignmentId = await anAssignment(service, team, { memberId: member.id, ...practice });
      const open = await anAssignment(service, team, { memberId: member.id });
      const evaluation = anEvaluation({ dimensions: equalScores(72), strongest: 'Listens.' });
      const own = { memberId: member.id };
      await record(await team.acting(), [
        { ...own, startedAt: at(0), end: { at: endedAt(0), status: 'ended', evaluation } },
        { ...own, startedAt: at(1), end: { at: endedAt(1), status: 'aborted' }, assignmentId },
        { ...own, startedAt: at(2), end: { at: endedAt(2), status: 'ended' }, assignmentId },
        { ...own, startedAt: at(3), end: { at: endedAt(3), status: 'ended', evaluation }, assignmentId },
        { ...own, startedAt: at(4), assignmentId: open },
        { memberId: team.owner.member_id, startedAt: at(5), end: { at: endedAt(5), status: 'ended' } },
      ]);
      const { user_id: owner, member_id } = team.owner;
      const ids = { team: team.id, user: String(member.user_id), member: member.id, owner, member_id };
      results.push(await storedBy(team, endpoint, { ...ids, assignmentId, open }));
    }
    const [practised, recorded] = results;
    expect(recorded).toEqual(practised);
    expect(recorded).toMatchObject({ trainings: { length: 6 }, deliveries: { length: 6 }, feed: 6, waiting: 6 });
  });

  it('have the present as the time of their change, as the assignments have', async () => {
    const team = await aTeam(service);
    const { member_id: memberId } = team.owner;
    const assignmentId = await anAssignment(service, team, { memberId, createdAt: past });
    await service.database.prisma.assignment.updateMany({
      where: { tenantId: team.id, id: assignmentId },
      data: { updatedAt: past },
    });
    const before = service.clock.now().toISOString();
    const wanted: NewRecording = { memberId, assignmentId, startedAt: at(0), end: { at: endedAt(0), status: 'ended' } };
    const ids = await recordTrainings(await team.acting(), [wanted]);
    const changed = async (list: string) => (await team.client.get(`/${list}?updated_since=${before}`)).data;
    expect(await changed('trainings')).toMatchObject(ids.map((id) => ({ id })));
    expect(await changed('assignments')).toMatchObject([{ id: assignmentId, status: 'done' }]);
  });

  it('are refused by the rules of the others, with the position of the first wrong one; then none is stored', async () => {
    const team = await aTeam(service);
    const own: NewRecording = { memberId: team.owner.member_id, startedAt: at(0) };
    const evaluated = (evaluation: NewEvaluation): NewRecording => ({
      ...own,
      end: { at: endedAt(0), status: 'ended', evaluation },
    });
    const { id: invited } = await team.anInvitedMember();
    const tooLarge = anEvaluation({ strongest: 'x'.repeat(trainingLimits.evaluationTextsBytes) });
    for (const [wrong, refusal] of [
      [evaluated(tooLarge), { code: 'validation_error', members: { field: 'tips' } }],
      [
        evaluated(anEvaluation({ methodology: 'nonsense' })),
        { code: 'validation_error', members: { field: 'methodology' } },
      ],
      [
        { ...own, memberId: invited },
        { code: 'not_found', spoken: { detail: memberMessages.notActive } },
      ],
    ] as const) {
      let checked = -1;
      const recording = recordTrainings(await team.acting(), [own, wrong, own], (index) => (checked = index));
      await expect(recording).rejects.toMatchObject(refusal);
      expect(checked).toBe(1);
    }
    expect(await service.database.prisma.training.count({ where: { tenantId: team.id } })).toBe(0);
  });

  it('take few round trips, however many they are', async () => {
    const team = await aTeam(service);
    await anEndpoint(service, team, { events: types });
    const acting = await team.acting();
    const record = (count: number) =>
      recordTrainings(
        acting,
        Array.from({ length: count }, (_, n) => ({
          memberId: team.owner.member_id,
          startedAt: at(n),
          end: { at: endedAt(n), status: 'ended', evaluation: anEvaluation() },
        })),
      );
    await record(1);
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    await record(100);
    const seen: unknown[] = sent.mock.calls.map(([given]) => given);
    sent.mockRestore();
    const ofTeam = seen.filter(
      (one) => one instanceof RoundTrip && one.statements.some(({ values = [] }) => values.includes(team.id)),
    );
    expect(ofTeam.length).toBeLessThan(10);
    expect((await team.client.get('/trainings?status=scored&limit=200')).data).toHaveLength(101);
  });
});
