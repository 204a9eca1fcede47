import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countScore, recount } from '../../src/modules/analytics/service.ts';
import type { Team } from '../../src/platform/team.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { training } from './arbitrary.ts';
import { aScore, doTraining, sumsOf } from './history.ts';
import type { PastTraining } from './history.ts';

const service = await useTestService();

const aTeamOf = async (members: number): Promise<{ team: Team; users: string[] }> => {
  const made = await aTeam(service, { members });
  return { team: await made.acting(), users: made.members.map(({ user_id }) => user_id ?? '') };
};

const recountTeam = (team: Team) => service.database.transaction((tx) => recount(tx, team));

const recounted = async (team: Team) => {
  await recountTeam(team);
  return sumsOf(team);
};

const scored = (userId: string, ...scores: PastTraining['scores'] & object): PastTraining => ({
  userId,
  createdAt: new Date('2026-11-18T10:00:00Z'),
  status: 'scored',
  scores,
});

/** Any time, and times near the boundaries where calendar code is easily wrong. */
const start = fc.oneof(
  fc.date({ min: new Date('2026-10-01T00:00:00Z'), max: new Date('2027-01-31T00:00:00Z'), noInvalidDate: true }),
  fc
    .constantFrom(
      '2026-11-15T23:59:59.999Z',
      '2026-11-16T00:00:00.000Z',
      '2026-11-22T23:59:59.999Z',
      '2024-12-29T23:59:59.999Z',
      '2024-12-30T00:00:00.000Z',
      '2026-12-31T23:59:59.999Z',
      '2027-01-01T00:00:00.000Z',
      '2024-02-29T12:00:00.000Z',
      '1969-12-31T23:59:59.999Z',
      '1970-01-01T00:00:00.000Z',
      '1900-03-01T00:00:00.000Z',
      '0001-01-01T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
    )
    .map((text) => new Date(text)),
);

describe('the sums of trainings', () => {
  it('are the same whether counted one by one or recounted, whatever happened', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(training(3, start), { minLength: 1, maxLength: 25 }), async (trainings) => {
        const { team, users } = await aTeamOf(3);
        for (const { user, start: createdAt, ...rest } of trainings) {
          await doTraining(team, { userId: users[user] ?? '', createdAt, ...rest });
        }
        const counted = await sumsOf(team);
        expect(await recounted(team)).toEqual(counted);
        expect(await recounted(team)).toEqual(counted);
      }),
      { numRuns: 10 },
    );
  });

  it('count for the day on which the training started, Monday first; a correction replaces the former score', async () => {
    const { team, users } = await aTeamOf(1);
    const [userId = ''] = users;
    const days: [start: string, score: number][] = [
      ['2026-11-16T00:00:00.000Z', 10],
      ['2026-11-18T12:00:00.000Z', 30],
      ['2026-11-22T23:59:59.999Z', 70],
    ];
    for (const [text, value] of days) {
      await doTraining(team, {
        userId,
        createdAt: new Date(text),
        status: 'scored',
        scores: [aScore(99, null), aScore(98), aScore(value)],
      });
    }
    await doTraining(team, { userId, createdAt: new Date('2026-11-20T08:00:00Z'), status: 'ended' });
    await doTraining(team, { userId, createdAt: new Date('2026-11-20T08:00:00Z'), status: 'aborted' });
    await doTraining(team, { userId, createdAt: new Date('2026-11-20T08:00:00Z'), status: 'running' });
    const tenantId = team.id;
    const sums = { total: 110, closing: 110, conversationControl: 110, needsAnalysis: 110, objectionHandling: 110 };
    expect(await sumsOf(team)).toEqual({
      totals: [{ tenantId, userId, sessions: 4, scored: 3, totalled: 3, ...sums, valueArgument: 110 }],
      weeks: [
        {
          tenantId,
          userId,
          week: new Date('2026-11-16'),
          total: [10, 0, 30, 0, 0, 0, 70],
          totalled: [1, 0, 1, 0, 0, 0, 1],
        },
      ],
    });
  });

  it('keep each dimension separate', async () => {
    const { team, users } = await aTeamOf(1);
    const values = {
      closing: 1,
      conversationControl: 2,
      needsAnalysis: 4,
      objectionHandling: 8,
      valueArgument: 16,
    };
    await doTraining(team, scored(users[0] ?? '', aScore(100), { total: 32, ...values }));
    expect((await sumsOf(team)).totals).toEqual([expect.objectContaining({ total: 32, ...values })]);
    expect((await recounted(team)).totals).toEqual([expect.objectContaining({ total: 32, ...values })]);
  });

  it('miss nothing when many trainings of one user are scored and corrected at the same time', async () => {
    const { team, users } = await aTeamOf(2);
    const all = Array.from({ length: 60 }, (_, index) =>
      scored(users[index % 2] ?? '', aScore(index), aScore(99 - index, index % 3 === 0 ? null : index)),
    );
    await Promise.all(all.map((one) => doTraining(team, one)));
    const counted = await sumsOf(team);
    expect(counted.totals.map(({ sessions, scored: scores }) => [sessions, scores])).toEqual([
      [30, 30],
      [30, 30],
    ]);
    expect(await recounted(team)).toEqual(counted);
  });

  it('miss nothing that is counted during a recount', async () => {
    const { team, users } = await aTeamOf(3);
    await doTraining(team, scored(users[0] ?? '', aScore(50)));
    const work = Array.from({ length: 60 }, (_, index) =>
      index % 10 === 5 ? recountTeam(team) : doTraining(team, scored(users[index % 3] ?? '', aScore(index))),
    );
    await Promise.all(work);
    const counted = await sumsOf(team);
    expect(counted.totals.reduce((sum, { sessions }) => sum + sessions, 0)).toBe(55);
    expect(await recounted(team)).toEqual(counted);
  });

  it('belong to one team: a recount leaves other teams unchanged', async () => {
    const [one, other] = [await aTeamOf(1), await aTeamOf(1)];
    for (const { team, users } of [one, other]) await doTraining(team, scored(users[0] ?? '', aScore(50)));
    const before = await sumsOf(other.team);
    await service.database.prisma.trainingTotals.updateMany({ where: { tenantId: other.team.id }, data: { total: 3 } });
    await recountTeam(one.team);
    expect((await sumsOf(other.team)).totals).toEqual([expect.objectContaining({ total: 3 })]);
    await recountTeam(other.team);
    expect(await sumsOf(other.team)).toEqual(before);
  });

  it('refuse the score of a training that was never counted', async () => {
    const { team, users } = await aTeamOf(1);
    const counting = service.database.transaction((tx) =>
      countScore(tx, team, { userId: users[0] ?? '', createdAt: new Date() }, { now: aScore(1) }),
    );
    await expect(counting).rejects.toThrow('none of whose trainings');
    expect(await sumsOf(team)).toEqual({ totals: [], weeks: [] });
  });
});
