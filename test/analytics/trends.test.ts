import { beforeEach, describe, expect, it } from 'vitest';
import { withEnoughPeople } from '../../src/modules/analytics/trends.ts';
import { aColleague, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { aCatalogItem, equalScores } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { practise } from './team-analytics.ts';

const service = await useTestService({ own: true });
beforeEach(() => service.clock.set(new Date('2026-11-20T12:00:00Z')));

interface Past {
  userId: string;
  on: string;
  total: number | null;
  situationId?: string;
}

const practiseOn = (team: TestTeam, past: readonly Past[]) =>
  practise(
    service,
    team,
    past.map(({ on, total, ...of }) => ({
      ...of,
      createdAt: new Date(`${on}T10:00:00Z`),
      evaluation: { total, ...(total !== null && { dimensions: equalScores(total) }) },
    })),
  );

const usersOf = (team: TestTeam): string[] => team.members.map(({ user_id }) => user_id ?? '');

describe('the team’s trend', () => {
  it('has the mean of each of 12 or 26 weeks or 12 months, the current one last', async () => {
    const team = await aTeam(service, { members: 2 });
    const [a = '', b = ''] = usersOf(team);
    await practiseOn(team, [
      { userId: a, on: '2026-11-16', total: 80 },
      { userId: b, on: '2026-11-20', total: 61 },
      { userId: b, on: '2026-11-19', total: null },
      { userId: a, on: '2026-11-15', total: 40 },
      { userId: a, on: '2026-08-31', total: 30 },
      { userId: a, on: '2026-06-01', total: 20 },
      { userId: a, on: '2025-12-01', total: 10 },
      { userId: a, on: '2025-11-30', total: 90 },
    ]);
    const { teamAnalytics, teamTrends } = await inTheApp(team);
    const weeks = await teamTrends.show({});
    expect((await teamAnalytics.show({})).trend).toEqual(weeks);
    expect(weeks).toMatchObject({ unit: 'week', segments: [], hidden: false });
    expect([weeks.starts.length, weeks.starts[0], weeks.starts.at(-1)]).toEqual([12, '2026-08-31', '2026-11-16']);
    expect([weeks.scores[0], ...weeks.scores.slice(-3)]).toEqual([30, null, 40, 71]);
    expect([weeks.counts[0], ...weeks.counts.slice(-3)]).toEqual([1, 0, 1, 2]);
    expect([weeks.period, weeks.before]).toEqual([
      { score: 52.8, count: 4 },
      { score: null, count: 0 },
    ]);
    const half = await teamTrends.show({ range: '6_months' });
    expect([half.starts.length, half.starts[0], half.scores[1]]).toEqual([26, '2026-05-25', 20]);
    const year = await teamTrends.show({ range: '12_months' });
    expect([year.period, year.before, year.change]).toEqual([
      { score: 40.2, count: 6 },
      { score: 90, count: 1 },
      -49.8,
    ]);
    expect(year).toMatchObject({
      unit: 'month',
      scores: [10, null, null, null, null, null, 20, null, 30, null, null, 60],
    });
    expect([year.starts[0], year.starts.at(-1)]).toEqual(['2025-12-01', '2026-11-01']);
  });

  it('has segments by situation and by role', async () => {
    const team = await aTeam(service, { members: 2 });
    const [a = '', b = ''] = usersOf(team);
    const situationId = await aCatalogItem(service, { dimension: 'situation' });
    await practiseOn(team, [
      { userId: a, on: '2026-11-16', total: 80, situationId },
      { userId: b, on: '2026-11-16', total: 60, situationId },
      { userId: b, on: '2026-11-17', total: 20 },
      { userId: team.owner.user_id, on: '2026-11-17', total: 100 },
    ]);
    const { teamTrends } = await inTheApp(team);
    const lastOf = async (segment: 'situation' | 'member_role' | 'industry') =>
      (await teamTrends.show({ segment })).segments.map(({ id, count, scores }) => [id, count, scores.at(-1)]);
    expect(await lastOf('situation')).toEqual([
      [null, 2, 60],
      [situationId, 2, 70],
    ]);
    expect(await lastOf('member_role')).toEqual([
      ['member', 3, 53],
      ['owner', 1, 100],
    ]);
    expect(await lastOf('industry')).toEqual([[null, 4, 65]]);
  });

  it.each(['memberDetail', 'leaderboard'] as const)(
    'shows no score of fewer than five people in a segment while %s is off, nor one that could be computed',
    async (setting) => {
      const team = await aTeam(service, { members: 10 });
      await team.change({ [setting]: false });
      const users = usersOf(team);
      const [many, few] = [
        await aCatalogItem(service, { dimension: 'situation' }),
        await aCatalogItem(service, { dimension: 'situation' }),
      ];
      await practiseOn(team, [
        // Five people in each of the two segments.
        ...users.slice(0, 5).map((userId) => ({ userId, on: '2026-11-16', total: 80, situationId: many })),
        ...users.slice(5).map((userId) => ({ userId, on: '2026-11-16', total: 60, situationId: few })),
        // Five people in one segment, one in the other: the difference to the team’s score would show the score of one
        // person.
        ...users.slice(0, 5).map((userId) => ({ userId, on: '2026-11-10', total: 80, situationId: many })),
        { userId: users[9] ?? '', on: '2026-11-10', total: 10, situationId: few },
      ]);
      const { teamTrends } = await inTheApp(team);
      const { segments, ...trend } = await teamTrends.show({ segment: 'situation' });
      expect(trend).toMatchObject({ needed: 5, hidden: true });
      expect(new Map(segments.map(({ id, scores }) => [id, scores.slice(-2)]))).toEqual(
        new Map([
          [many, [null, 80]],
          [few, [null, 60]],
        ]),
      );
      // The owner has no score, and ten members have.
      expect((await teamTrends.show({ segment: 'member_role' })).segments.map(({ id }) => id)).toEqual(['member']);
    },
  );

  it('leaves enough people in the rest that no one can be recognised', () => {
    const cell = (people: number, rest: number) => ({ people, rest });
    expect(withEnoughPeople([cell(9, 0), cell(5, 0)])).toEqual([cell(9, 0), cell(5, 0)]);
    expect(withEnoughPeople([cell(5, 4), cell(9, 4), cell(4, 4)])).toEqual([cell(9, 4)]);
    expect(withEnoughPeople([cell(5, 5), cell(3, 5), cell(4, 5)])).toEqual([cell(5, 5)]);
    expect(withEnoughPeople([])).toEqual([]);
  });
});

describe('the own trend', () => {
  it('has only the member’s own scores, even while member-level data is hidden, with segments of any size', async () => {
    const team = await aTeam(service, { memberDetail: false, members: 1 });
    const person = await aColleague(team);
    const situationId = await aCatalogItem(service, { dimension: 'situation' });
    await practiseOn(team, [
      { userId: person.userId, on: '2026-11-16', total: 70, situationId },
      { userId: usersOf(team)[0] ?? '', on: '2026-11-16', total: 10, situationId },
    ]);
    const { progress } = await inTheApp(team, person);
    const own = await progress.trend({ segment: 'situation' });
    expect([own.scores.at(-1), own.segments.map(({ id, scores }) => [id, scores.at(-1)]), own.needed]).toEqual([
      70,
      [[situationId, 70]],
      null,
    ]);
  });
});

describe('a comparison of members', () => {
  it('has the trend and the areas of each beside the team’s trend, and only for admins of a team that shows and compares them', async () => {
    const team = await aTeam(service, { members: 2 });
    const [a = '', b = ''] = usersOf(team);
    await practiseOn(team, [
      { userId: a, on: '2026-11-10', total: 41 },
      { userId: a, on: '2026-11-16', total: 80 },
      { userId: a, on: '2026-11-17', total: 61 },
      { userId: b, on: '2026-11-16', total: 50 },
      { userId: team.owner.user_id, on: '2026-11-16', total: 20 },
    ]);
    const other = await aTeam(service, { members: 1 });
    const { teamTrends } = await inTheApp(team);
    const compared = await teamTrends.compare({ user_ids: [b, a] });
    expect(compared.segments.map(({ id, score, count, scores }) => [id, score, count, scores.slice(-2)])).toEqual([
      [b, 50, 1, [null, 50]],
      [a, 60.7, 3, [41, 71]],
    ]);
    expect(compared.scores.slice(-2)).toEqual([41, 53]);
    const meansOf = (points: number) => Object.values(equalScores(points));
    expect(compared.segments.map(({ areas }) => areas.map(({ value }) => value))).toEqual([meansOf(50), meansOf(60.7)]);
    for (const unknown of [usersOf(other)[0] ?? '', 'x']) {
      await expectRefusal(teamTrends.compare({ user_ids: [a, unknown] }), { code: 'not_found' });
    }

    const member = await inTheApp(team, await aColleague(team));
    await expectRefusal(member.teamTrends.compare({ user_ids: [a] }), { code: 'forbidden' });
    for (const setting of ['memberDetail', 'leaderboard'] as const) {
      await team.change({ memberDetail: true, leaderboard: true, [setting]: false });
      const hidden = await inTheApp(team);
      await expectRefusal(hidden.teamTrends.compare({ user_ids: [a] }), { code: 'privacy_restricted' });
    }
  });
});

describe('the middle half of the team', () => {
  it('is that of the members’ means, in intervals of at least five people, and only while the team compares them', async () => {
    const team = await aTeam(service, { members: 5 });
    const users = usersOf(team);
    const [first = ''] = users;
    await practiseOn(team, [
      ...users.map((userId, at) => ({ userId, on: '2026-11-16', total: 50 + 10 * at })),
      // Their mean counts once, however often they practise.
      ...[1, 2, 3].map(() => ({ userId: first, on: '2026-11-17', total: 50 })),
      ...users.slice(1).map((userId) => ({ userId, on: '2026-11-10', total: 50 })),
    ]);
    const { progress, teamTrends } = await inTheApp(team);
    const { middle } = await progress.trendOf({ member_id: team.members[0]?.id ?? '' });
    expect(middle?.slice(-2)).toEqual([null, { low: 60, high: 80 }]);
    expect((await progress.trend({})).middle?.at(-1)).toEqual({ low: 60, high: 80 });
    expect((await teamTrends.show({})).middle).toBeNull();
    for (const setting of ['memberDetail', 'leaderboard'] as const) {
      await team.change({ memberDetail: true, leaderboard: true, [setting]: false });
      expect((await (await inTheApp(team)).progress.trend({})).middle).toBeNull();
    }
  });
});
