import { beforeEach, describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { ensurePerson } from '../../src/modules/people/store.ts';
import { aColleague, apiInTheApp, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, anEmail, type TestTeam } from '../support/team.ts';
import { dimensions, equalScores } from '../support/practice.ts';
import { practise } from './team-analytics.ts';

const service = await useTestService({ own: true });
beforeEach(() => service.clock.set(new Date('2026-11-20T12:00:00Z')));

/** Scored trainings, one for each score, `daysAgo` days ago; null is one without a total. */
const score = (team: TestTeam, userId: string, scores: readonly (number | null)[], daysAgo = 0) => {
  const createdAt = later(service.clock.now(), -daysToMs(daysAgo));
  const scored = (total: number | null) => ({
    userId,
    createdAt,
    evaluation: { dimensions: equalScores(total ?? 50), total },
  });
  return practise(service, team, scores.map(scored));
};

const userOf = ({ user_id }: { user_id: string | null }) => user_id ?? '';

const partOf = (email: string | null | undefined) => (email ?? '').replace('@example.com', '');

describe('the areas of the analytics page', () => {
  it('are hidden for fewer than five people while member details are off, and so is the change from so few', async () => {
    const team = await aTeam(service, { members: 5 });
    const areas = async () => {
      const { dimensions, people, trend } = await (await inTheApp(team)).teamAnalytics.show({});
      const [first] = dimensions;
      return { value: first?.value, change: first?.change, scored: people.scored, mean: trend.period.score };
    };
    const users = team.members.map(userOf);
    for (const user of users.slice(0, 4)) await score(team, user, [60]);
    const shown = await areas();
    expect(shown).toMatchObject({ value: expect.any(Number), scored: 4, mean: 60 });
    await team.change({ memberDetail: false });
    expect(await areas()).toEqual({ ...shown, value: null, change: null });

    await score(team, users[4] ?? '', [60]);
    await score(team, users[0] ?? '', [50], 100);
    expect(await areas()).toMatchObject({ value: shown.value, change: null, scored: 5 });
    await team.change({ memberDetail: true });
    expect(await areas()).toMatchObject({ value: shown.value, change: expect.any(Number) });
  });
});

describe('the leaderboard', () => {
  it('shows the members of the team’s analytics by name, best mean first, with equal ranks for equal means', async () => {
    const email = anEmail('named');
    await service.database.transaction((tx) =>
      ensurePerson(tx, service.platform, { email, name: 'Mia Berg', language: 'de' }),
    );
    const team = await aTeam(service, { members: 5 });
    const mia = await team.anActiveMember({ email });
    const [best, busy, lazy, unscored, idle] = team.members;
    if (!best || !busy || !lazy || !unscored || !idle) throw new Error('too few');
    await score(team, userOf(best), [90, 91]);
    await score(team, userOf(lazy), [70]);
    await score(team, userOf(busy), [60, 80]);
    await score(team, userOf(mia), [80], 0);
    await score(team, userOf(mia), [60], 40);
    await score(team, userOf(mia), [50], 100);
    await score(team, team.owner.user_id, [40.0]);
    await score(team, userOf(unscored), [null]);

    const { teamAnalytics } = await inTheApp(team, {
      memberId: mia.id,
      userId: userOf(mia),
      role: 'member',
      rights: [],
    });
    const page = await teamAnalytics.show({});
    const shown = page.leaderboard;
    expect(shown).toMatchObject({ shown: true, reason: null, needed: 5 });
    const [first, ...others] = shown.entries;
    expect(first).toEqual({
      rank: 1,
      user_id: best.user_id,
      member_id: null,
      role: null,
      name: partOf(best.email),
      score: 90.5,
      count: 2,
      change: null,
      is_you: false,
    });
    // Only the owner and admins can open the page of a member and see the role.
    const { leaderboard } = await (await inTheApp(team)).teamAnalytics.show({});
    expect(leaderboard.entries[0]).toMatchObject({ member_id: best.id, role: 'member' });
    expect(leaderboard.entries.map(({ role }) => role)).toContain('owner');
    expect(others.map(({ rank, user_id }) => [rank, user_id])).toEqual([
      // If mean and number of trainings are equal, the member who improved is first.
      [2, mia.user_id],
      [2, busy.user_id],
      [2, lazy.user_id],
      [5, team.owner.user_id],
    ]);
    expect(others[0]).toMatchObject({ name: 'Mia Berg', is_you: true, change: 20, score: 70, count: 2 });
    expect(others.filter(({ is_you }) => is_you)).toHaveLength(1);
  });

  it('and the figures beside it are those of the chosen range, compared with as long a time before', async () => {
    const team = await aTeam(service, { members: 6 });
    const users = team.members.map(userOf);
    const [first = '', second = ''] = users;
    for (const user of users) await score(team, user, [60]);
    await score(team, first, [80], 1);
    // Before the twelve weeks, then before the twelve weeks before these.
    await score(team, first, [40], 100);
    await score(team, second, [20], 100);
    await score(team, team.owner.user_id, [50], 100);
    await score(team, second, [90], 200);
    const { teamAnalytics } = await inTheApp(team);
    const { leaderboard, ...scores } = await teamAnalytics.show({});
    const { people, trend, dimensions, skill_gaps } = scores;
    expect(await teamAnalytics.scores({})).toEqual(scores);
    expect(people).toEqual({ active: 7, scored: 6, scored_before: 3 });
    expect([trend.period, trend.before, trend.change]).toEqual([
      { score: 62.9, count: 7 },
      { score: 36.7, count: 3 },
      26.2,
    ]);
    expect(dimensions.map(({ value, change }) => [value, change])).toEqual(dimensions.map(() => [62.9, 26.2]));
    expect(skill_gaps).toEqual([]);
    const numbers = leaderboard.entries.map(({ rank, score: mean, count, change }) => [rank, mean, count, change]);
    expect(numbers).toEqual([[1, 70, 2, 30], [2, 60, 1, 40], ...[1, 2, 3, 4].map(() => [2, 60, 1, null])]);

    // All trainings are in the last twelve months, as in the answer of the API.
    const year = await teamAnalytics.show({ range: '12_months' });
    const { analytics } = await apiInTheApp(team, ['analytics:read']);
    const whole = await analytics.team({});
    expect(year.dimensions).toEqual(whole.dimensions.map((one) => ({ ...one, change: null })));
    expect(year.skill_gaps).toEqual(whole.skill_gaps);
    expect(year.trend.period).toEqual({ score: whole.totals.avg_score, count: whole.totals.scored });
    expect(year.leaderboard.entries.map(({ score: mean }) => mean)).toEqual(
      whole.members.map(({ avg_score }) => avg_score),
    );
  });

  it('begin with the first moment of a week (UTC), and the time before them too', async () => {
    const team = await aTeam(service, { members: 4 });
    const moments = ['06-07T23:59:59.999', '06-08T00:00:00.000', '08-30T23:59:59.999', '08-31T00:00:00.000'];
    const trainings = moments.map((moment, at) => ({
      userId: userOf(team.members[at] ?? { user_id: null }),
      createdAt: new Date(`2026-${moment}Z`),
      evaluation: { total: 10 * at, dimensions: equalScores(10 * at) },
    }));
    await practise(service, team, trainings);
    const { teamAnalytics } = await inTheApp(team);
    for (const shown of [await teamAnalytics.show({}), await teamAnalytics.scores({})]) {
      expect(shown.people).toEqual({ active: 5, scored: 1, scored_before: 2 });
      expect([shown.trend.period, shown.trend.before]).toEqual([
        { score: 30, count: 1 },
        { score: 15, count: 2 },
      ]);
      expect(shown.dimensions[0]).toMatchObject({ value: 30, change: 15 });
    }
  });

  it('counts as people with a score, also on the overview, only those who have a total score', async () => {
    const team = await aTeam(service);
    const [neither, before] = [await aColleague(team), await aColleague(team)];
    await score(team, team.owner.user_id, [70, null]);
    await score(team, team.owner.user_id, [null], 100);
    await score(team, before.userId, [null]);
    await score(team, before.userId, [60], 100);
    await score(team, neither.userId, [null]);
    await score(team, neither.userId, [null], 100);

    const { teamAnalytics } = await inTheApp(team);
    const people = { active: 3, scored: 1, scored_before: 1 };
    expect((await teamAnalytics.scores({})).people).toEqual(people);
    expect((await teamAnalytics.show({})).people).toEqual(people);
  });

  it('gives the reason if it is empty: the switches, or too few members with an ended training', async () => {
    const team = await aTeam(service, { members: 4 });
    const users = [team.owner.user_id, ...team.members.map(userOf)];
    for (const user of users.slice(1)) await score(team, user, [50]);
    const show = async () => (await (await inTheApp(team)).teamAnalytics.show({})).leaderboard;
    // Too long ago for the range.
    await score(team, users[0] ?? '', [50], 100);
    const hidden = { shown: false, needed: 5, entries: [] };
    expect(await show()).toEqual({ ...hidden, reason: 'too_few' });
    await score(team, users[0] ?? '', [50]);
    expect((await show()).entries).toHaveLength(5);
    await team.change({ leaderboard: false });
    expect(await show()).toEqual({ ...hidden, reason: 'leaderboard_off' });
    await team.change({ memberDetail: false });
    expect(await show()).toEqual({ ...hidden, reason: 'member_detail_off' });
    await team.change({ leaderboard: true });
    expect(await show()).toEqual({ ...hidden, reason: 'member_detail_off' });
    await team.change({ memberDetail: true });
    await team.client.delete(`/users/${team.members[0]?.id ?? ''}`);
    expect(await show()).toEqual({ ...hidden, reason: 'too_few' });
  });

  it('keeps the order of members with equal numbers', async () => {
    const team = await aTeam(service, { members: 5 });
    for (const member of team.members.toReversed()) await score(team, userOf(member), [50]);
    const show = async () => (await (await inTheApp(team)).teamAnalytics.show({})).leaderboard;
    const first = await show();
    expect(first.entries.map(({ rank }) => rank)).toEqual([1, 1, 1, 1, 1]);
    await score(team, userOf(team.members[2] ?? { user_id: null }), []);
    expect(await show()).toEqual(first);
    expect(first.entries.map(({ user_id }) => user_id)).toEqual(team.members.map(userOf).toSorted());
  });
});

describe('progress.mine', () => {
  it('equals the analytics of a team of one, whatever the team hides', async () => {
    const [team, alone] = [await aTeam(service), await aTeam(service)];
    const person = await aColleague(team);
    for (const [daysAgo, total] of [
      [0, 71],
      [3, 64],
      [33, 50],
      [80, 42],
      [100, 90],
    ] as const) {
      await score(team, person.userId, [total], daysAgo);
      await score(alone, alone.owner.user_id, [total], daysAgo);
    }
    const createdAt = service.clock.now();
    for (const [one, userId] of [
      [team, person.userId],
      [alone, alone.owner.user_id],
    ] as const) {
      await practise(service, one, [{ userId, createdAt }]);
    }
    await score(team, team.owner.user_id, [1, 2, 3]);
    await team.change({ memberDetail: false, leaderboard: false });

    const { body } = await alone.client.get('/analytics/team');
    const { totals, dimensions, skill_gaps, trend } = body;
    const mine = await (await inTheApp(team, person)).progress.mine({});
    expect(mine).toEqual({
      sessions: 6,
      scored: 5,
      avg_score: 63.4,
      trend_delta: 17.5,
      dimensions,
      skill_gaps,
      trend,
    });
    expect(totals).toMatchObject({ sessions: 6, scored: 5, avg_score: 63.4 });
    expect(mine.trend).toHaveLength(12);
    expect(mine.trend.at(-1)).toEqual({ score: 68 });
  });

  it('is empty for a member without trainings', async () => {
    const team = await aTeam(service);
    await score(team, team.owner.user_id, [70]);
    expect(await (await inTheApp(team, await aColleague(team))).progress.mine({})).toMatchObject({
      sessions: 0,
      scored: 0,
      avg_score: null,
      trend_delta: null,
      skill_gaps: [],
      trend: Array.from({ length: 12 }, () => ({ score: null })),
    });
  });
});

describe('the figures of a member, for admins', () => {
  it('are those that the member sees, and the areas are beside the team’s of the same range', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    await score(team, team.owner.user_id, [20]);
    await score(team, person.userId, [40], 100);
    const createdAt = service.clock.now();
    await practise(service, team, [{ userId: person.userId, createdAt, evaluation: { dimensions, total: 60 } }]);

    const [{ progress, teamAnalytics }, own] = [await inTheApp(team), await inTheApp(team, person)];
    const of = { member_id: person.memberId };
    const mine = await own.progress.mine({});
    expect(mine).toMatchObject({ sessions: 2, scored: 2, avg_score: 50 });
    expect(await progress.of(of)).toEqual(mine);
    const trend = await own.progress.trend({});
    expect([trend.period.score, trend.before.score]).toEqual([60, 40]);
    expect(await progress.trendOf(of)).toEqual(trend);

    type Area = { dimension: string; value: number | null; change: number | null };
    const byName = (areas: readonly Area[]) =>
      Object.fromEntries(areas.map(({ dimension, value, change }) => [dimension, [value, change]]));
    const areas = await progress.areasOf(of);
    expect(byName(areas.member)).toEqual({
      closing: [41, 1],
      conversation_control: [52, 12],
      needs_analysis: [63, 23],
      objection_handling: [74, 34],
      value_argument: [85, 45],
    });
    const means = (scores: { dimensions: readonly Area[] }) =>
      scores.dimensions.map(({ dimension, value }) => ({ dimension, value }));
    expect(areas.team).toEqual(means(await teamAnalytics.scores({})));
    expect(areas.team).toContainEqual({ dimension: 'closing', value: 30.5 });
    const year = await progress.areasOf({ ...of, range: '12_months' });
    expect(byName(year.member)).toMatchObject({ closing: [40.5, null], value_argument: [62.5, null] });
    expect(year.team).toEqual(means(await teamAnalytics.scores({ range: '12_months' })));
  });

  it('are none of people who have not accepted', async () => {
    const team = await aTeam(service);
    const { id: member_id } = await team.anInvitedMember();
    const { progress } = await inTheApp(team);
    for (const read of [progress.of, progress.trendOf, progress.areasOf])
      await expectRefusal(read({ member_id }), { code: 'not_found' });
  });
});
