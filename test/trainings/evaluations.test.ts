import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import type { Message } from '../../src/core/language.ts';
import { trainingMessages } from '../../src/core/messages/trainings.ts';
import { toCamel } from '../../src/core/spelling.ts';
import { trainingLimits } from '../../src/core/limits.ts';
import { scoreDimensions, NewEvaluation } from '../../src/modules/trainings/schema.ts';
import {
  spreadOf,
  totalOf,
  abortTraining,
  endTraining,
  startTraining,
  saveEvaluation,
} from '../../src/modules/trainings/service.ts';
import { teamAt } from '../../src/platform/team.ts';
import { expectRefusal, inTheApp } from '../support/app-caller.ts';
import { aCatalogItem, anEvaluation, aTraining, dimensions, equalScores } from '../support/practice.ts';
import { auditEntriesOn, eventDataOf } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService();

const anEndedSession = async (team: TestTeam) => {
  const id = await aTraining(service, team, { userId: team.owner.user_id });
  await endTraining(await team.acting(), id);
  return id;
};
const shown = async (team: TestTeam, id: string) => (await team.client.get(`/trainings/${id}/evaluation`)).body;
const evaluatedAt = async (team: TestTeam, id: string) => {
  const where = { tenantId_id: { tenantId: team.id, id } };
  return (await service.database.prisma.training.findUniqueOrThrow({ where })).evaluatedAt?.toISOString();
};
const totalsOf = async (team: TestTeam) => (await team.client.get('/analytics/team')).body['totals'];

describe('saving an evaluation', () => {
  it('makes the training scored and shows all of its fields', async () => {
    const team = await aTeam(service);
    const id = await anEndedSession(team);
    const methodology = await aCatalogItem(service, { dimension: 'methodology', tenantId: team.id });
    const tip = { issue: 'i', moment: '„m“', principle: 'p', rewrite: 'r', impact: '\u{1F600}' };
    const { sessions } = await inTheApp(team);
    const saved = await sessions.evaluate({
      training_id: id,
      dimensions,
      total: 99,
      tips: [tip, tip, tip, tip, tip],
      goal: 'reached',
      methodology,
      strongest: 'Zuhören',
      biggest_lever: '',
    });
    expect(saved).toEqual({ training_id: id, status: 'scored' });
    expect(await shown(team, id)).toEqual({
      training_id: id,
      user_id: team.owner.user_id,
      score: { dimensions, total: 99, spread: 44 },
      tips: [tip, tip, tip, tip, tip],
      goal: 'reached',
      methodology,
      strongest: 'Zuhören',
      biggest_lever: '',
    });
    expect((await team.client.get(`/trainings/${id}`)).body['status']).toBe('scored');
    expect(await eventDataOf(service, team, 'evaluation.completed')).toEqual([
      { team_id: team.id, training_id: id, user_id: team.owner.user_id, score: 99 },
    ]);
    expect((await auditEntriesOn(service, team, id)).at(-1)).toEqual({
      action: 'evaluation.saved',
      actor: ['person', team.owner.user_id],
      data: {},
      requestId: null,
    });
  });

  it('again corrects it: all of it is replaced, it is raised again, and it moves to the front', async () => {
    const team = await aTeam(service);
    const acting = await team.acting();
    const [first, second] = [await anEndedSession(team), await anEndedSession(team)];
    const methodology = await aCatalogItem(service, { dimension: 'methodology' });
    const tips = [{ issue: 'i', moment: 'm', principle: 'p', rewrite: 'r', impact: 'x' }];
    await saveEvaluation(acting, first, anEvaluation({ tips, goal: 'missed', methodology, strongest: 's' }));
    await saveEvaluation(acting, second, anEvaluation());
    const order = async () => (await team.client.get('/evaluations')).data.map(({ id }) => id);
    expect(await order()).toEqual([second, first]);
    await saveEvaluation(acting, first, anEvaluation({ dimensions: equalScores(90), biggest_lever: 'b' }));
    expect(await order()).toEqual([first, second]);
    expect(await shown(team, first)).toEqual({
      training_id: first,
      user_id: team.owner.user_id,
      score: { dimensions: equalScores(90), total: 90, spread: 0 },
      tips: [],
      goal: null,
      methodology: null,
      strongest: null,
      biggest_lever: 'b',
    });
    expect((await eventDataOf(service, team, 'evaluation.completed')).map((data) => data)).toMatchObject([
      { training_id: first, score: 63 },
      { training_id: second, score: 63 },
      { training_id: first, score: 90 },
    ]);
    expect((await auditEntriesOn(service, team, first)).map(({ action }) => action)).toEqual([
      'training.ended',
      'evaluation.saved',
      'evaluation.corrected',
    ]);
    expect(await totalsOf(team)).toMatchObject({ sessions: 2, scored: 2, avg_score: 76.5 });
  });

  it('is always later than the time before, within one millisecond and with a clock that is behind', async () => {
    const team = await aTeam(service);
    const id = await anEndedSession(team);
    const now = service.clock.now();
    const acting = await team.acting();
    for (const [ahead, expected] of [
      [0, 0],
      [0, 1],
      [0, 2],
      [-60_000, 3],
      [10, 10],
    ] as const) {
      await saveEvaluation(teamAt(acting, new Date(now.getTime() + ahead)), id, anEvaluation());
      expect(await evaluatedAt(team, id)).toBe(new Date(now.getTime() + expected).toISOString());
    }
  });

  it('eight at once all count: the sums are those of the last one', async () => {
    const team = await aTeam(service);
    const acting = await team.acting();
    const [one, other] = [await anEndedSession(team), await anEndedSession(team)];
    await Promise.all(
      [10, 20, 30, 40].flatMap((mark) =>
        [one, other].map((id) => saveEvaluation(acting, id, anEvaluation({ dimensions: equalScores(mark) }))),
      ),
    );
    expect(await eventDataOf(service, team, 'evaluation.completed')).toHaveLength(8);
    expect(await totalsOf(team)).toMatchObject({ sessions: 2, scored: 2 });
    for (const id of [one, other]) {
      expect((await auditEntriesOn(service, team, id)).map(({ action }) => action)).toEqual([
        'training.ended',
        'evaluation.saved',
        'evaluation.corrected',
        'evaluation.corrected',
        'evaluation.corrected',
      ]);
    }
  });

  it('keeps the methodology in a correction, even if it is no longer allowed', async () => {
    const team = await aTeam(service);
    const id = await anEndedSession(team);
    const { sessions, policy } = await inTheApp(team);
    const methodology = await aCatalogItem(service, { dimension: 'methodology' });
    await sessions.evaluate({ training_id: id, dimensions, methodology });
    await policy.setTeam({ block: [methodology], release: [] });
    await sessions.evaluate({ training_id: id, dimensions, methodology, total: 1 });
    expect((await team.client.get(`/trainings/${id}/evaluation`)).body).toMatchObject({
      methodology,
      score: { total: 1 },
    });
  });

  it('validation_error: a methodology that the team can’t see, or that its policy blocks', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const id = await anEndedSession(team);
    const { sessions, policy } = await inTheApp(team);
    const blocked = await aCatalogItem(service, { dimension: 'methodology' });
    await policy.setTeam({ block: [blocked], release: [] });
    for (const methodology of [
      makeId(),
      'nonsense',
      '',
      blocked,
      await aCatalogItem(service, { dimension: 'situation' }),
      await aCatalogItem(service, { dimension: 'methodology', published: false }),
      await aCatalogItem(service, { dimension: 'methodology', tenantId: other.id }),
    ]) {
      await expectRefusal(sessions.evaluate({ training_id: id, dimensions, methodology }), {
        code: 'validation_error',
        members: { field: 'methodology' },
      });
    }
    expect(await team.client.get(`/trainings/${id}/evaluation`)).toBeProblem('not_found');
    expect((await team.client.get(`/trainings/${id}`)).body['status']).toBe('ended');
  });

  it('validation_error: texts that have together one byte more than the limit', async () => {
    const team = await aTeam(service);
    const id = await anEndedSession(team);
    const acting = await team.acting();
    const max = trainingLimits.evaluationTextsBytes;
    const empty = JSON.stringify({ tips: [], strongest: '', biggest_lever: null });
    // An umlaut has two bytes.
    const ofBytes = (bytes: number) =>
      saveEvaluation(acting, id, anEvaluation({ strongest: `ü${'x'.repeat(bytes - empty.length - 2)}` }));
    const tooLarge = { field: 'tips', detail: trainingMessages.evaluationTooLarge(max) };
    await expect(ofBytes(max + 1)).rejects.toMatchObject({ code: 'validation_error', spoken: tooLarge });
    expect(await ofBytes(max)).toEqual({ trainingId: id, status: 'scored' });
  });

  const tip = { issue: 'i', moment: 'm', principle: 'p', rewrite: 'r', impact: 'x' };
  it.each([
    ['no dimensions', {}],
    ['four dimensions', { dimensions: { ...dimensions, closing: undefined } }],
    ['a sixth dimension', { dimensions: { ...dimensions, charm: 50 } }],
    ['101', { dimensions: { ...dimensions, closing: 101 } }],
    ['-1', { dimensions: { ...dimensions, closing: -1 } }],
    ['half a point', { dimensions: { ...dimensions, closing: 50.5 } }],
    ['not a number', { dimensions: { ...dimensions, closing: Number.NaN } }],
    ['a number as text', { dimensions: { ...dimensions, closing: '50' } }],
    ['a total of 101', { dimensions, total: 101 }],
    ['half a total', { dimensions, total: 0.5 }],
    ['six tips', { dimensions, tips: [tip, tip, tip, tip, tip, tip] }],
    ['a tip that lacks something', { dimensions, tips: [{ ...tip, impact: undefined }] }],
    ['a tip with more to it', { dimensions, tips: [{ ...tip, weight: 1 }] }],
    ['another goal', { dimensions, goal: 'almost' }],
    ['an unknown field', { dimensions, spread: 3 }],
  ])('refuses %s', (_what, input) => expect(NewEvaluation.safeParse(input).success).toBe(false));
});

describe('the total', () => {
  const mark = fc.nat(100);
  const five = fc.record({
    closing: mark,
    conversation_control: mark,
    needs_analysis: mark,
    objection_handling: mark,
    value_argument: mark,
  });

  it('is the mean of the five, rounded, and the spread is from the weakest to the best', () => {
    fc.assert(
      fc.property(five, (given) => {
        const values = scoreDimensions.map((dimension) => given[dimension]);
        const sum = values.reduce((one, other) => one + other, 0);
        expect(totalOf(toCamel(given))).toBe(Math.floor((2 * sum + 5) / 10));
        const sorted = values.toSorted((a, b) => a - b);
        expect(spreadOf(toCamel(given))).toBe((sorted[4] ?? 0) - (sorted[0] ?? 0));
      }),
    );
  });

  it.each([
    ['absent', undefined, 63, { score: 63 }],
    ['null', null, null, {}],
    ['given', 12, 12, { score: 12 }],
    ['0', 0, 0, { score: 0 }],
  ])('%s', async (_what, total, expected, eventData) => {
    const team = await aTeam(service);
    const id = await anEndedSession(team);
    const { sessions } = await inTheApp(team);
    await sessions.evaluate({ training_id: id, dimensions, ...(total !== undefined && { total }) });
    expect(await shown(team, id)).toMatchObject({ score: { total: expected } });
    const data = { team_id: team.id, training_id: id, user_id: team.owner.user_id };
    expect(await eventDataOf(service, team, 'evaluation.completed')).toEqual([{ ...data, ...eventData }]);
    expect(await totalsOf(team)).toMatchObject({ scored: 1, avg_score: expected });
  });
});

describe('while the team hides details about single people', () => {
  it('the event has neither the person nor the score, by the switch at the time of saving', async () => {
    const team = await aTeam(service);
    const id = await anEndedSession(team);
    const shownThen = await team.acting();
    await team.change({ memberDetail: false });
    const hiddenThen = await team.acting();
    await saveEvaluation(shownThen, id, anEvaluation());
    await team.change({ memberDetail: true });
    await saveEvaluation(hiddenThen, id, anEvaluation());
    expect(await eventDataOf(service, team, 'evaluation.completed')).toEqual([
      { team_id: team.id, training_id: id },
      { team_id: team.id, training_id: id, user_id: team.owner.user_id, score: 63 },
    ]);
  });
});

describe('any sequence of actions on a training', () => {
  type Move = 'end' | 'abort' | 'evaluate';
  type State = 'running' | 'ended' | 'scored' | 'aborted';
  /** The state diagram as a table: the next state of each action, or a refusal. */
  const picture: Readonly<Record<State, Readonly<Record<Move, State | 'conflict'>>>> = {
    running: { end: 'ended', abort: 'aborted', evaluate: 'conflict' },
    ended: { end: 'ended', abort: 'conflict', evaluate: 'scored' },
    scored: { end: 'scored', abort: 'conflict', evaluate: 'scored' },
    aborted: { end: 'conflict', abort: 'aborted', evaluate: 'conflict' },
  };
  const reasons: Readonly<Record<State, Message>> = {
    running: trainingMessages.running,
    ended: trainingMessages.ended,
    scored: trainingMessages.ended,
    aborted: trainingMessages.aborted,
  };

  it('follows the state diagram; events, audit entries and sums match', async () => {
    const team = await aTeam(service);
    const acting = await team.acting();
    const memberId = team.owner.member_id;
    let sessions = 0;
    let scored = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom<Move[]>('end', 'abort', 'evaluate'), { maxLength: 6 }),
        async (moves) => {
          const { trainingId: id } = await startTraining(acting, { memberId, source: 'api' });
          const does = {
            end: () => endTraining(acting, id),
            abort: () => abortTraining(acting, id),
            evaluate: () => saveEvaluation(acting, id, anEvaluation()),
          };
          let state: State = 'running';
          const audited = ['training.started'];
          let seen = '';
          for (const move of moves) {
            const next: State | 'conflict' = picture[state][move];
            if (next === 'conflict') {
              await expect(does[move]()).rejects.toMatchObject({
                code: 'conflict',
                spoken: { detail: reasons[state] },
              });
              continue;
            }
            expect(await does[move]()).toEqual({ trainingId: id, status: next });
            if (move === 'evaluate') {
              audited.push(state === 'scored' ? 'evaluation.corrected' : 'evaluation.saved');
              const time = (await evaluatedAt(team, id)) ?? '';
              expect(time > seen).toBe(true);
              seen = time;
            } else if (next !== state && state === 'running') {
              audited.push(move === 'end' ? 'training.ended' : 'training.aborted');
            }
            state = next;
          }
          expect((await auditEntriesOn(service, team, id)).map(({ action }) => action)).toEqual(audited);
          sessions += state === 'ended' || state === 'scored' ? 1 : 0;
          scored += state === 'scored' ? 1 : 0;
        },
      ),
      {
        numRuns: 15,
        // Each action in each state.
        examples: [
          [['evaluate', 'end', 'end', 'abort', 'evaluate', 'evaluate', 'end', 'abort']],
          [['abort', 'abort', 'end', 'evaluate']],
        ],
      },
    );
    expect(await totalsOf(team)).toMatchObject({ sessions, scored });
    expect(await eventDataOf(service, team, 'training.completed')).toHaveLength(sessions);
    const actions = await service.database.prisma.auditEntry.findMany({
      where: { tenantId: team.id, targetType: 'training' },
      distinct: ['action'],
      orderBy: { action: 'asc' },
    });
    expect(actions.map(({ action }) => action)).toEqual([
      'evaluation.corrected',
      'evaluation.saved',
      'training.aborted',
      'training.ended',
      'training.started',
    ]);
  });
});
