import { beforeEach, describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { equalScores } from '../support/practice.ts';
import { ask, practise, usersOf, type PastTraining } from './team-analytics.ts';

const service = await useTestService();
beforeEach(() => service.clock.set(new Date('2026-11-20T12:00:00Z')));

const aScored = (userId: string, createdAt: Date, value: number): PastTraining => ({
  userId,
  createdAt,
  evaluation: { dimensions: equalScores(value) },
});

/** Scored trainings of each of these users, one for each score. */
const scoreEach = (team: TestTeam, users: readonly string[], ...scores: number[]) =>
  practise(
    service,
    team,
    users.flatMap((userId) => scores.map((value) => aScored(userId, service.clock.now(), value))),
  );

describe('GET /analytics/team', () => {
  it('is empty for a team without trainings', async () => {
    const team = await aTeam(service, { admins: 1, members: 2 });
    expect(await ask(team)).toEqual({
      totals: { active_members: 4, scored: 0, sessions: 0, avg_score: null },
      dimensions: [
        { dimension: 'closing', value: null },
        { dimension: 'conversation_control', value: null },
        { dimension: 'needs_analysis', value: null },
        { dimension: 'objection_handling', value: null },
        { dimension: 'value_argument', value: null },
      ],
      skill_gaps: [],
      trend: Array.from({ length: 12 }, () => ({ score: null })),
      members: [],
    });
  });

  it('names the dimensions below 60 as they are shown, lowest first and equal ones by the alphabet', async () => {
    const team = await aTeam(service);
    const score = (value: number, closing: number) => ({
      ...equalScores(value),
      closing,
      needs_analysis: 12,
      value_argument: 12,
    });
    const createdAt = service.clock.now();
    // The mean of closing is 59.95, shown as 60.0; that of the other two is 59.9.
    const scores = Array.from({ length: 20 }, (_, index) => score(index < 18 ? 60 : 59, index === 0 ? 59 : 60));
    const userId = team.owner.user_id;
    await practise(
      service,
      team,
      scores.map((dimensions) => ({ userId, createdAt, evaluation: { dimensions } })),
    );
    expect(await ask(team)).toMatchObject({
      dimensions: [{ value: 60 }, { value: 59.9 }, { value: 12 }, { value: 59.9 }, { value: 12 }],
      skill_gaps: ['needs_analysis', 'value_argument', 'conversation_control', 'objection_handling'],
    });
  });

  it('shows the last twelve weeks from Monday to Sunday, UTC, the current one last', async () => {
    service.clock.set(new Date('2026-11-22T23:59:00Z'));
    const team = await aTeam(service);
    const starts: [start: string, total: number][] = [
      ['2026-08-30T23:59:59.999Z', 1],
      ['2026-08-31T00:00:00.000Z', 2],
      ['2026-09-06T23:59:59.999Z', 3],
      ['2026-11-15T23:59:59.999Z', 40],
      ['2026-11-16T00:00:00.000Z', 50],
      ['2026-11-22T23:00:00.000Z', 61],
    ];
    await practise(
      service,
      team,
      starts.map(([start, total]) => aScored(team.owner.user_id, new Date(start), total)),
    );
    const none = (count: number) => Array.from({ length: count }, () => ({ score: null }));
    // Half goes up: 2.5 is 3 and 55.5 is 56.
    expect((await ask(team))['trend']).toEqual([{ score: 3 }, ...none(9), { score: 40 }, { score: 56 }]);
    service.clock.set(new Date('2026-11-23T00:00:01Z'));
    expect((await ask(team))['trend']).toEqual([...none(9), { score: 40 }, { score: 56 }, { score: null }]);
  });

  it('compares the last 30 days, today included, with the 30 before', async () => {
    service.clock.set(new Date('2026-11-20T00:00:01Z'));
    const team = await aTeam(service, { members: 5 });
    const starts: [member: number, start: string, total: number][] = [
      // The first and the last moment of the recent 30 days.
      [0, '2026-10-22T00:00:00.000Z', 80],
      [0, '2026-11-20T00:00:00.000Z', 81],
      // The same for the 30 days before, and one moment too early.
      [0, '2026-09-22T00:00:00.000Z', 50],
      [0, '2026-10-21T23:59:59.999Z', 55],
      [0, '2026-09-21T23:59:59.999Z', 0],
      // Members with scores in only one of the two periods.
      [1, '2026-11-01T10:00:00.000Z', 70],
      [2, '2026-10-01T10:00:00.000Z', 60],
      [3, '2026-11-01T10:00:00.000Z', 50],
      [3, '2026-10-01T10:00:00.000Z', 50],
      [4, '2026-11-01T10:00:00.000Z', 33],
      [4, '2026-10-01T10:00:00.000Z', 44],
    ];
    await practise(
      service,
      team,
      starts.map(([member, start, total]) => aScored(team.members[member]?.user_id ?? '', new Date(start), total)),
    );
    expect((await ask(team))['members']).toEqual([
      { sessions: 1, avg_score: 70, trend_delta: null },
      { sessions: 1, avg_score: 60, trend_delta: null },
      { sessions: 5, avg_score: 53.2, trend_delta: 28 },
      { sessions: 2, avg_score: 50, trend_delta: 0 },
      { sessions: 2, avg_score: 38.5, trend_delta: -11 },
    ]);
  });

  it('compares whole months, though only the sessions since a day in the middle of them are shown', async () => {
    const team = await aTeam(service, { members: 4 });
    const starts: [day: string, total: number][] = [
      ['2026-09-25', 10],
      ['2026-10-20', 30],
      ['2026-10-25', 50],
      ['2026-11-19', 90],
    ];
    await practise(
      service,
      team,
      usersOf(team).flatMap((userId) => starts.map(([day, total]) => aScored(userId, new Date(day), total))),
    );
    // The mean of 50 and 90 is 50 above that of 10 and 30.
    const each = (sessions: number, avg_score: number) =>
      Array.from({ length: 5 }, () => ({ sessions, avg_score, trend_delta: 50 }));
    expect((await ask(team))['members']).toEqual(each(4, 45));
    expect((await ask(team, { since: '2026-10-10' }))['members']).toEqual(each(3, 56.7));
    expect((await ask(team, { since: '2026-11-10' }))['members']).toEqual(each(1, 90));
  });

  it.each([
    { memberDetail: true, leaderboard: true, shown: 5 },
    { memberDetail: true, leaderboard: false, shown: 0 },
    { memberDetail: false, leaderboard: true, shown: 0 },
    { memberDetail: false, leaderboard: false, shown: 0 },
  ])('shows $shown members with the switches $memberDetail, $leaderboard, and the rest unchanged', async (one) => {
    const team = await aTeam(service, { members: 4 });
    await scoreEach(team, usersOf(team), 50, 70);
    const { members: _members, ...rest } = await ask(team);
    await team.change({ memberDetail: one.memberDetail, leaderboard: one.leaderboard });
    const { members, ...same } = await ask(team);
    expect(members).toHaveLength(one.shown);
    expect(same).toEqual(rest);
  });

  it('shows members from five active ones with an ended training on, and never their identity', async () => {
    const team = await aTeam(service, { members: 6 });
    await team.anInvitedMember();
    const [first = '', ...users] = usersOf(team);
    await scoreEach(team, users.slice(0, 4), 80);
    const training = { userId: first, createdAt: service.clock.now() };
    await practise(service, team, [
      { ...training, status: 'running' },
      { ...training, status: 'aborted' },
    ]);
    expect((await ask(team))['members']).toEqual([]);

    // An ended training is enough: a member without any score is last.
    await practise(service, team, [training]);
    const answer = await team.client.get('/analytics/team');
    expect(answer.body['members']).toEqual([
      ...Array.from({ length: 4 }, () => ({ sessions: 1, avg_score: 80, trend_delta: null })),
      { sessions: 1, avg_score: null, trend_delta: null },
    ]);
    expect(answer.text).not.toMatch(/[0-9a-f]{8}-|@/);

    // A member who left no longer counts for the minimum of five.
    await removeMember(await team.acting(), team.members[0]?.id ?? '');
    expect((await ask(team))['members']).toEqual([]);
  });

  it('counts the days from since to until, in UTC and both included, and the trend ends with the week of until', async () => {
    const team = await aTeam(service);
    const starts: [start: string, total: number][] = [
      ['2026-10-04T23:59:59.999Z', 10],
      ['2026-10-05T00:00:00.000Z', 20],
      ['2026-10-07T23:59:59.999Z', 40],
      ['2026-10-08T00:00:00.000Z', 90],
    ];
    await practise(
      service,
      team,
      starts.map(([start, total]) => aScored(team.owner.user_id, new Date(start), total)),
    );
    const meanOf = async (days: { since?: string; until?: string }) => {
      const { totals } = await ask(team, days);
      const { sessions, avg_score } = Object(totals);
      return [sessions, avg_score];
    };
    expect(await meanOf({ since: '2026-10-05', until: '2026-10-07' })).toEqual([2, 30]);
    expect(await meanOf({ since: '2026-10-08', until: '2026-10-08' })).toEqual([1, 90]);
    expect(await meanOf({ since: '2026-10-05' })).toEqual([3, 50]);
    expect(await meanOf({ until: '2026-10-04' })).toEqual([1, 10]);
    expect(await meanOf({ since: '2026-10-09' })).toEqual([0, null]);

    // The week of `until` ends with it; the one before lies before `since` and is shown all the same.
    const { trend } = await ask(team, { since: '2026-10-06', until: '2026-10-07' });
    const none = Array.from({ length: 10 }, () => ({ score: null }));
    expect(trend).toEqual([...none, { score: 10 }, { score: 30 }]);
  });

  it('takes any days of the calendar, and refuses an end before the beginning', async () => {
    const team = await aTeam(service);
    await scoreEach(team, [team.owner.user_id], 70);
    const all = await ask(team);
    expect(await ask(team, { since: '0001-01-01' })).toEqual(all);
    const { totals } = await ask(team, { since: '0001-01-01', until: '9999-12-31' });
    expect(totals).toEqual(all['totals']);
    for (const days of [{ until: '0001-01-01' }, { since: '9999-12-31' }]) {
      expect(await ask(team, days)).toMatchObject({ totals: { sessions: 0 }, trend: expect.any(Array) });
    }
    const refused = await team.client.get('/analytics/team?since=2026-11-02&until=2026-11-01');
    expect(refused).toBeProblem('validation_error', { field: 'until', detail: '`until` is before `since`.' });
    for (const flawed of ['2026-11-31', '2026-11-01T00:00:00Z', 'today']) {
      expect(await team.client.get(`/analytics/team?until=${flawed}`)).toBeProblem('validation_error', {
        errors: [expect.objectContaining({ in: 'query', path: ['until'] })],
      });
    }
  });

  it('has no means of days in which fewer than five members have a score, while member details are off', async () => {
    const team = await aTeam(service, { members: 4 });
    const today = service.clock.now();
    const users = usersOf(team);
    await practise(service, team, [
      ...users.map((userId) => aScored(userId, today, 50)),
      ...users.slice(0, 4).map((userId) => aScored(userId, later(today, -daysToMs(1)), 50)),
    ]);
    const [five, four] = [{ since: '2026-11-20' }, { since: '2026-11-19', until: '2026-11-19' }];
    const shown = [await ask(team, five), await ask(team, four)];
    expect(shown[1]).toMatchObject({ totals: { sessions: 4, avg_score: 50 } });
    await team.change({ memberDetail: false });
    const hidden = [await ask(team, five), await ask(team, four)];
    expect(hidden[0]).toEqual({ ...shown[0], members: [] });
    const { totals } = shown[1] ?? {};
    expect(hidden[1]).toMatchObject({
      totals: { ...Object(totals), avg_score: null },
      skill_gaps: [],
      trend: Array.from({ length: 12 }, () => ({ score: null })),
      members: [],
    });
    expect(hidden[1]?.['dimensions']).toEqual(
      Array.from({ length: 5 }, () => ({ dimension: expect.any(String), value: null })),
    );
    expect((await ask(team))['totals']).toMatchObject({ avg_score: 50 });
  });

  it('has no mean total if fewer than five members have a total, while member details are off', async () => {
    const team = await aTeam(service, { members: 4, memberDetail: false });
    const [first = '', ...others] = usersOf(team);
    const createdAt = service.clock.now();
    await practise(service, team, [
      aScored(first, createdAt, 90),
      ...others.map((userId) => ({ userId, createdAt, evaluation: { dimensions: equalScores(50), total: null } })),
    ]);
    // All five have points in the dimensions, so these means are shown.
    const { totals, dimensions } = await ask(team, { since: '2026-11-20' });
    expect({ totals, dimensions }).toMatchObject({
      totals: { scored: 5, avg_score: null },
      dimensions: Array.from({ length: 5 }, () => ({ value: 58 })),
    });
  });

  it.each([
    { until: '2026-11-16', score: null, why: 'Monday, with one member' },
    { until: '2026-11-17', score: null, why: 'two days, with four members and one without a total' },
    { until: '2026-11-18', score: 50, why: 'three days, with five members' },
    { until: '2026-11-15', score: 80, why: 'a whole week' },
    { until: '2026-11-20', score: 50, why: 'the current week up to today' },
    { until: '2026-11-30', score: null, why: 'a week without trainings' },
    { since: '2026-11-16', score: 50, why: 'the current week' },
  ])('ends the trend with $score for days of a week that end with $until: $why', async ({ score, since, until }) => {
    const team = await aTeam(service, { members: 4, memberDetail: false });
    const [first = '', second = '', ...others] = usersOf(team);
    const [sunday, monday, tuesday, wednesday] = [15, 16, 17, 18].map((day) => new Date(Date.UTC(2026, 10, day, 9)));
    if (!sunday || !monday || !tuesday || !wednesday) throw new Error('there is no such day');
    await practise(service, team, [
      aScored(first, sunday, 80),
      aScored(first, monday, 50),
      { userId: second, createdAt: monday, evaluation: { dimensions: equalScores(50), total: null } },
      ...others.map((userId) => aScored(userId, tuesday, 50)),
      aScored(second, wednesday, 50),
    ]);
    const last = async () => Object((await ask(team, { since, until }))['trend']).at(-1);
    expect(await last()).toEqual({ score });
    await team.change({ memberDetail: true });
    expect(await last()).toEqual({ score: until === '2026-11-15' ? 80 : until === '2026-11-30' ? null : 50 });
  });

  it('orders members by mean, then by number of trainings, then by the other numbers', async () => {
    const team = await aTeam(service, { members: 5 });
    const [a = '', b = '', c = '', d = '', e = '', f = ''] = usersOf(team);
    const today = service.clock.now();
    const before = later(today, -daysToMs(40));
    await scoreEach(team, [a], 50, 50);
    await scoreEach(team, [b], 50, 50, 50);
    await scoreEach(team, [d], 90);
    await practise(service, team, [
      { userId: c, createdAt: today },
      aScored(e, today, 60),
      aScored(e, before, 40),
      aScored(f, today, 70),
      aScored(f, before, 30),
    ]);
    expect((await ask(team))['members']).toEqual([
      { sessions: 1, avg_score: 90, trend_delta: null },
      { sessions: 3, avg_score: 50, trend_delta: null },
      { sessions: 2, avg_score: 50, trend_delta: 40 },
      { sessions: 2, avg_score: 50, trend_delta: 20 },
      { sessions: 2, avg_score: 50, trend_delta: null },
      { sessions: 1, avg_score: null, trend_delta: null },
    ]);
  });
});
