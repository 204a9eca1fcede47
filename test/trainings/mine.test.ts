import { describe, expect, it } from 'vitest';
import { later } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { trainingStatuses } from '../../src/modules/trainings/schema.ts';
import { aColleague, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { aPerson } from '../support/people.ts';
import {
  aCatalogItem,
  anAssignment,
  anEvaluation,
  aScoredTraining,
  aTraining,
  theTrainings,
} from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { toSnake } from '../../src/core/spelling.ts';
import { aTeam } from '../support/team.ts';
import { allRows } from '../support/pages.ts';

const service = await useTestService();

describe('myTrainings.list', () => {
  it('shows only one’s own trainings, in the format of the API, newest first, page by page, by status', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const now = service.clock.now();
    const made: { id: string; status: string }[] = [];
    for (let at = 0; at < 8; at += 1) {
      const status = trainingStatuses[at % 4] ?? 'running';
      const created_at = later(now, (at - 8) * 1000);
      const id = await (status === 'scored'
        ? aScoredTraining(service, team, { userId: person.userId, createdAt: created_at })
        : aTraining(service, team, {
            userId: person.userId,
            status,
            createdAt: created_at,
            ...(status !== 'running' && { finishedAt: created_at }),
          }));
      made.unshift({ id, status });
    }
    await aScoredTraining(service, team, { userId: team.owner.user_id });
    const { myTrainings } = await inTheApp(team, person);

    expect(await myTrainings.count({})).toEqual({ count: 8, more: false });
    expect(await myTrainings.count({ status: 'scored' })).toEqual({ count: 2, more: false });
    const { sessions } = await inTheApp(team);
    expect(await sessions.count({})).toEqual({ count: 9, more: false });
    expect(await sessions.count({ user_id: person.userId, status: 'ended' })).toEqual({ count: 2, more: false });
    expect(await sessions.count({ user_id: 'nobody' })).toEqual({ count: 0, more: false });
    await team.change({ memberDetail: false });
    const refused = (await inTheApp(team)).sessions.count({ user_id: person.userId });
    await expectRefusal(refused, { code: 'privacy_restricted' });
    await team.change({ memberDetail: true });
    for (const status of [undefined, ...trainingStatuses]) {
      const seen = await allRows((from) => myTrainings.list({ limit: 3, status, ...from }));
      const path = `/trainings?user_id=${person.userId}${status === undefined ? '' : `&status=${status}`}`;
      const asInTheApi = (await team.client.get(path)).data.map(
        ({ external_ref: _externalRef, updated_at: _updatedAt, ...row }) => row,
      );
      expect(seen).toMatchObject(asInTheApi);
      expect(seen).toMatchObject(made.filter((one) => one.status === (status ?? one.status)));
    }
  });

  it('works also while member details are off', async () => {
    const team = await aTeam(service, { memberDetail: false });
    const person = await aColleague(team);
    const [id] = await theTrainings(service, team, [{ userId: person.userId }, { userId: team.owner.user_id }]);
    const { data } = await (await inTheApp(team, person)).myTrainings.list({});
    expect(data).toEqual([expect.objectContaining({ id, user_id: person.userId })]);
  });
});

describe('myTrainings.get', () => {
  it('equals the API’s answer, also while member details are off, and is never another person’s', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const training_id = await aTraining(service, team, { userId: person.userId });
    const others = await aTraining(service, team, { userId: team.owner.user_id });
    const { body } = await team.client.get(`/trainings/${training_id}`);
    const { myTrainings } = await inTheApp(team, person);
    expect(await myTrainings.get({ training_id })).toEqual(body);
    await team.change({ memberDetail: false });
    expect(await (await inTheApp(team, person)).myTrainings.get({ training_id })).toEqual(body);
    for (const id of [others, makeId(), 'x']) {
      await expectRefusal(myTrainings.get({ training_id: id }), { code: 'not_found' });
    }
  });
});

describe('myTrainings.evaluation', () => {
  it('equals the API’s answer, also while member details are off', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const training_id = await aScoredTraining(service, team, {
      userId: person.userId,
      evaluation: { ...anEvaluation({ goal: 'partial', strongest: 'Listens' }), savedAt: service.clock.now() },
    });
    const { body } = await team.client.get(`/trainings/${training_id}/evaluation`);
    await team.change({ memberDetail: false });
    const { myTrainings } = await inTheApp(team, person);
    expect(await myTrainings.evaluation({ training_id })).toEqual(body);
    expect(body).toMatchObject({ training_id, user_id: person.userId, strongest: 'Listens' });
  });

  it('is not found for another person’s training, even for the owner, and before there is one', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const theirs = await aScoredTraining(service, team, { userId: person.userId });
    const [owners, colleagues] = [await inTheApp(team), await inTheApp(team, await aColleague(team))];
    for (const { myTrainings } of [owners, colleagues]) {
      await expectRefusal(myTrainings.evaluation({ training_id: theirs }), { code: 'not_found' });
    }
    const unscored = await aTraining(service, team, { userId: person.userId });
    const { myTrainings } = await inTheApp(team, person);
    for (const training_id of [unscored, makeId(), 'x']) {
      await expectRefusal(myTrainings.evaluation({ training_id }), { code: 'not_found' });
    }
  });
});

describe('sessions.list', () => {
  const listOf = async (team: Parameters<typeof inTheApp>[0], query: Record<string, unknown>) => {
    const { sessions } = await inTheApp(team);
    const rows = await allRows((from) => sessions.list({ limit: 2, ...query, ...from }));
    return rows.map(({ id }) => id);
  };

  it('has each training’s score and person, and lists by situation, score and time, in either order, page by page', async () => {
    const team = await aTeam(service);
    const situation = await aCatalogItem(service, { dimension: 'situation' });
    const now = service.clock.now();
    const totals = [70, 55, null, 90, 55];
    const made: string[] = [];
    for (const [at, total] of totals.entries()) {
      const [id = ''] = await theTrainings(service, team, [
        {
          userId: team.owner.user_id,
          status: 'ended',
          createdAt: later(now, (at - 10) * 60_000),
          finishedAt: now,
          ...(at < 2 && { situationId: situation }),
          ...(total !== null && { evaluation: { ...anEvaluation({ total }), savedAt: now } }),
        },
      ]);
      made.push(id);
    }
    const [a = '', b = '', c = '', d = '', e = ''] = made;
    const { sessions } = await inTheApp(team);
    const { data } = await sessions.list({ limit: 200 });
    expect(data.map(({ id, person, score }) => [id, person, score?.total])).toEqual(
      [e, d, c, b, a].map((id) => [id, team.owner.email, totals[made.indexOf(id)] ?? undefined]),
    );
    expect(data[0]?.score?.dimensions).toEqual(toSnake(anEvaluation().dimensions));

    expect(await listOf(team, { sort: { by: 'started', desc: false } })).toEqual(made);
    const best = await listOf(team, { sort: { by: 'score', desc: true } });
    expect([best[0], best[1], new Set(best.slice(2))]).toEqual([d, a, new Set([b, e])]);
    expect(await listOf(team, { sort: { by: 'score', desc: false } })).toEqual(best.toReversed());
    expect(await listOf(team, { situation_id: situation })).toEqual([b, a]);
    expect(await listOf(team, { min_score: 60, max_score: 79 })).toEqual([a]);
    const [since, until] = [later(now, -9 * 60_000), later(now, -7 * 60_000)].map((time) => time.toISOString());
    expect(await listOf(team, { since, until })).toEqual([c, b]);
    expect(await sessions.count({ max_score: 59 })).toEqual({ count: 2, more: false });
  });

  it('finds those of a member, of an assignment and in a state, by time as by score, with the bounds of the scores, and by names', async () => {
    const team = await aTeam(service);
    const [mia, ben] = [await aPerson(team, { name: 'Mia' }), await aPerson(team, { name: 'Ben' })];
    const assignment_id = await anAssignment(service, team, { memberId: mia.memberId });
    const now = service.clock.now();
    const past = (minutesAgo: number, total?: number) => {
      const times = { createdAt: later(now, -minutesAgo * 60_000), finishedAt: now };
      const evaluation = { ...anEvaluation({ total: total ?? null }), savedAt: now };
      return { status: 'ended' as const, ...times, ...(total !== undefined && { evaluation }) };
    };
    const ids = await theTrainings(service, team, [
      { userId: mia.userId, ...past(4, 50), assignmentId: assignment_id },
      { userId: mia.userId, ...past(3, 60) },
      { userId: ben.userId, ...past(2, 70) },
      { userId: ben.userId, ...past(1) },
    ]);
    const at = async (query: Record<string, unknown>) => (await listOf(team, query)).map((id) => ids.indexOf(id));
    const byScore = { sort: { by: 'score', desc: true } };
    for (const [query, found] of [
      [{ user_id: mia.userId }, [1, 0]],
      [{ user_id: ben.userId }, [3, 2]],
      [{ assignment_id }, [0]],
      [{ status: 'scored' }, [2, 1, 0]],
      [{ status: 'ended' }, [3]],
      [{ min_score: 60 }, [2, 1]],
      [{ max_score: 60 }, [1, 0]],
      [{ user_id: 'nobody' }, []],
    ] as const) {
      expect(await at(query)).toEqual(found);
      expect(await at({ ...query, ...byScore })).toEqual(found.filter((one) => one !== 3));
    }
    const { data } = await (await inTheApp(team)).sessions.list({});
    expect(data.map(({ person }) => person)).toEqual(['Ben', 'Ben', 'Mia', 'Mia']);
  });
});
