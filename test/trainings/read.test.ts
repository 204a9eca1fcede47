import { describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { toCamel } from '../../src/core/spelling.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { trainingStatuses } from '../../src/modules/trainings/schema.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf } from '../../src/platform/trpc/procedures.ts';
import {
  anAssignment,
  aCatalogItem,
  anEvaluation,
  aScoredTraining,
  aTraining,
  theTrainings,
} from '../support/practice.ts';
import type { Answer } from '../support/client.ts';
import { expectDescribed } from '../support/document.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { allListed } from '../support/pages.ts';

const service = await useTestService();

const day = Date.parse('2026-03-01T12:00:00.000Z');
const at = (minutes: number) => new Date(day + minutes * 60_000);

const operations = new Map(operationsOf(publicRouter).map((each) => [each.operation.route, each]));
/** Also checks every answer against the OpenAPI document. */
const ask = async (team: Pick<TestTeam, 'client'>, route: `GET /${string}`, path: string) => {
  const answer = await team.client.get(path);
  const operation = operations.get(route);
  if (!operation) throw new Error(`there is no ${route}`);
  expectDescribed(operation, answer);
  return answer;
};
const list = (team: Pick<TestTeam, 'client'>, query = '') => ask(team, 'GET /trainings', `/trainings${query}`);
const evaluated = (team: Pick<TestTeam, 'client'>, query = '') => ask(team, 'GET /evaluations', `/evaluations${query}`);
const idsIn = async (asked: Promise<Answer>) => {
  const answer = await asked;
  expect(answer.status, answer.text).toBe(200);
  return answer.data.map(({ id }) => id);
};
const userOf = (member: { user_id: string | null }) => member.user_id ?? '';
const scoredAt = (time: Date) => ({ status: 'ended' as const, evaluation: { ...anEvaluation(), savedAt: time } });

describe('GET /trainings', () => {
  it('200: shows each with the fields of the contract, the last started first', async () => {
    const team = await aTeam(service, { members: 1 });
    const [member] = team.members;
    const [situation_id, personality_id, industry_id, role_id] = await Promise.all(
      (['situation', 'personality', 'industry', 'role'] as const).map((dimension) =>
        aCatalogItem(service, { dimension }),
      ),
    );
    const assignment_id = await anAssignment(service, team, { memberId: member?.id ?? '' });
    const full = await aTraining(service, team, {
      userId: userOf(member ?? { user_id: null }),
      status: 'ended',
      source: 'phone',
      createdAt: at(0),
      finishedAt: new Date(at(8).getTime() + 999),
      assignmentId: assignment_id,
      situationId: situation_id ?? null,
      personalityId: personality_id ?? null,
      industryId: industry_id ?? null,
      roleId: role_id ?? null,
      externalRef: { crm: { id: 'ü', list: [1, null] } },
    });
    const bare = await aTraining(service, team, { userId: team.owner.user_id, createdAt: at(1) });
    const answer = await list(team);
    expect(answer.body).toEqual({
      data: [
        {
          id: bare,
          user_id: team.owner.user_id,
          status: 'running',
          source: 'app',
          assignment_id: null,
          created_at: '2026-03-01T12:01:00.000Z',
          finished_at: null,
          duration_s: null,
          external_ref: null,
          situation_id: null,
          personality_id: null,
          industry_id: null,
          role_id: null,
          updated_at: expect.any(String),
        },
        {
          id: full,
          user_id: member?.user_id,
          status: 'ended',
          source: 'phone',
          assignment_id,
          created_at: '2026-03-01T12:00:00.000Z',
          finished_at: '2026-03-01T12:08:00.999Z',
          duration_s: 480,
          external_ref: { crm: { id: 'ü', list: [1, null] } },
          situation_id,
          personality_id,
          industry_id,
          role_id,
          updated_at: expect.any(String),
        },
      ],
      next_cursor: null,
    });
    expect((await ask(team, 'GET /trainings/{training_id}', `/trainings/${full}`)).body).toEqual(answer.data[1]);
  });

  it('200: each combination of filters returns the matching ones and no others', async () => {
    const team = await aTeam(service, { members: 2 });
    const [mia, ben] = team.members.map(userOf);
    const assignments = await Promise.all(team.members.map(({ id }) => anAssignment(service, team, { memberId: id })));
    const wanted = [mia, ben].flatMap((user_id, whose) =>
      trainingStatuses.flatMap((status, s) =>
        [null, assignments[whose] ?? null].map((assignment_id, a) => {
          const created_at = at(whose * 100 + s * 10 + a);
          return { user_id: user_id ?? '', status, assignment_id, created_at };
        }),
      ),
    );
    const ids = await theTrainings(
      service,
      team,
      wanted.map(({ status, ...one }) =>
        status === 'scored' ? { ...toCamel(one), ...scoredAt(one.created_at) } : { ...toCamel(one), status },
      ),
    );
    const all = wanted.map((one, index) => ({ ...one, id: ids[index] ?? '' })).reverse();

    const values = {
      user_id: [undefined, mia, ben],
      status: [undefined, ...trainingStatuses],
      assignment_id: [undefined, ...assignments],
      since: [undefined, at(0), at(101), new Date(at(111).getTime() + 1)],
    };
    let paged = 0;
    for (const user_id of values.user_id) {
      for (const status of values.status) {
        const client = await team.aClient(); // a key's budget is 120 requests
        for (const assignment_id of values.assignment_id) {
          for (const since of values.since) {
            const given = { user_id, status, assignment_id, since: since?.toISOString() };
            const query = Object.entries(given)
              .flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]))
              .join('&');
            const expected = all
              .filter(
                (one) =>
                  (user_id === undefined || one.user_id === user_id) &&
                  (status === undefined || one.status === status) &&
                  (assignment_id === undefined || one.assignment_id === assignment_id) &&
                  (since === undefined || one.created_at >= since),
              )
              .map(({ id }) => id);
            expect(await idsIn(client.get(`/trainings?${query}`)), query).toEqual(expected);
            // The same in pages, which use other statements.
            if (expected.length < 2) continue;
            paged += 1;
            const first = await client.get(`/trainings?${query}&limit=1`);
            const more = `${query}&limit=200&cursor=${String(first.body['next_cursor'])}`;
            expect(await idsIn(client.get(`/trainings?${more}`)), more).toEqual(expected.slice(1));
          }
        }
      }
    }
    expect(paged).toBeGreaterThan(20);
  });

  it('200: `since` includes its own millisecond, accepts any offset and rounds finer times up', async () => {
    const team = await aTeam(service);
    const id = await aTraining(service, team, {
      userId: team.owner.user_id,
      createdAt: new Date('2026-03-01T12:00:00.500Z'),
    });
    for (const [since, found] of [
      ['2026-03-01T12:00:00.500Z', true],
      ['2026-03-01t14:00:00.5%2B02:00', true],
      ['2026-03-01T12:00:00.4999Z', true],
      ['2026-03-01T12:00:00.5001Z', false],
      ['2026-03-01T12:00:00.501Z', false],
      ['0001-01-01T00:00:00%2B23:59', true],
      ['9999-12-31T23:59:59.9999Z', false],
    ] as const) {
      expect(await idsIn(list(team, `?since=${since}`)), since).toEqual(found ? [id] : []);
    }
  });

  it('200: an unknown or malformed id as a filter gives an empty page, and so does another team’s', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    await aTraining(service, team, { userId: team.owner.user_id });
    const theirs = await anAssignment(service, other, { memberId: other.owner.member_id });
    await aTraining(service, other, { userId: other.owner.user_id, assignmentId: theirs });
    for (const filter of ['user_id', 'assignment_id']) {
      const values = [makeId(), '', 'nobody', team.owner.user_id.toUpperCase(), "' or 1=1 --", '%F0%9F%98%80'];
      for (const value of [...values, filter === 'user_id' ? other.owner.user_id : theirs]) {
        const answer = await list(team, `?${filter}=${value}`);
        expect(answer.body, value).toEqual({ data: [], next_cursor: null });
      }
    }
    expect(await idsIn(list(other, `?user_id=${other.owner.user_id}&assignment_id=${theirs}`))).toHaveLength(1);
  });

  it('422 validation_error: a cursor of another filter, another status, or the other list', async () => {
    const team = await aTeam(service);
    const { user_id } = team.owner;
    const now = service.clock.now();
    await theTrainings(
      service,
      team,
      [1, 2, 3].map(() => ({ userId: user_id, createdAt: now, ...scoredAt(now) })),
    );
    const cursorOf = async (path: string) => String((await team.client.get(`${path}limit=1`)).body['next_cursor']);
    const paths = [
      '/trainings?',
      `/trainings?user_id=${user_id}&`,
      '/trainings?status=scored&',
      '/trainings?since=2026-01-01T00:00:00Z&',
      '/trainings?since=2026-01-01T00:00:00.001Z&',
      '/evaluations?',
      '/evaluations?updated_since=2026-01-01T00:00:00Z&',
    ];
    for (const path of paths) {
      const cursor = await cursorOf(path);
      for (const other of paths) {
        const answer = await team.client.get(`${other}cursor=${cursor}`);
        if (other === path) expect(answer.data, other).toHaveLength(2);
        else expect(answer, `${path} in ${other}`).toBeProblem('validation_error', { field: 'cursor' });
      }
    }
    expect(
      await team.client.get(`/trainings?status=ended&cursor=${await cursorOf('/trainings?status=scored&')}`),
    ).toBeProblem('validation_error', { field: 'cursor' });
  });

  it('200: many of the same millisecond are paged one by one, none twice', async () => {
    const team = await aTeam(service);
    const ids = await theTrainings(
      service,
      team,
      Array.from({ length: 9 }, () => ({ userId: team.owner.user_id, createdAt: at(0) })),
    );
    const rows = await allListed(team.client, '/trainings?limit=2');
    expect(rows.map(({ id }) => id)).toEqual(ids.toSorted().reverse());
  });
});

describe('GET /evaluations', () => {
  it('200: scored ones as trainings, the last evaluated first', async () => {
    const team = await aTeam(service);
    const { user_id } = team.owner;
    const [early, , late, , middle] = await theTrainings(service, team, [
      { userId: user_id, createdAt: at(5), ...scoredAt(at(10)) },
      { userId: user_id, createdAt: at(6), status: 'ended' },
      { userId: user_id, createdAt: at(0), ...scoredAt(at(30)) },
      { userId: user_id, createdAt: at(7), status: 'aborted' },
      { userId: user_id, createdAt: at(9), ...scoredAt(at(20)) },
      { userId: user_id, createdAt: at(8) },
    ]);
    const answer = await evaluated(team);
    expect(answer.data.map(({ id }) => id)).toEqual([late, middle, early]);
    expect(answer.data[0]).toEqual((await team.client.get(`/trainings/${late}`)).body);
    const first = await evaluated(team, '?limit=1');
    expect(await idsIn(evaluated(team, `?limit=1&cursor=${String(first.body['next_cursor'])}`))).toEqual([middle]);
  });

  it('200: `updated_since` compares the time when the evaluation was saved, that millisecond included', async () => {
    const team = await aTeam(service);
    const { user_id } = team.owner;
    const [old, fresh] = await theTrainings(service, team, [
      { userId: user_id, createdAt: at(40), ...scoredAt(at(41)) },
      { userId: user_id, createdAt: at(0), ...scoredAt(at(60)) },
    ]);
    const since = (time: Date) => evaluated(team, `?updated_since=${time.toISOString()}`);
    expect(await idsIn(since(at(41)))).toEqual([fresh, old]);
    expect(await idsIn(since(later(at(41), 1)))).toEqual([fresh]);
    expect(await idsIn(since(at(60)))).toEqual([fresh]);
    expect(await idsIn(since(later(at(60), 1)))).toEqual([]);
    const page = await evaluated(team, `?updated_since=${at(41).toISOString()}&limit=1`);
    const more = `?updated_since=${at(41).toISOString()}&cursor=${String(page.body['next_cursor'])}`;
    expect(await idsIn(evaluated(team, more))).toEqual([old]);
  });
});

describe('GET /trainings/{training_id}/evaluation', () => {
  const evaluation = (team: Pick<TestTeam, 'client'>, id: string) =>
    ask(team, 'GET /trainings/{training_id}/evaluation', `/trainings/${id}/evaluation`);

  it('200: missing values are null', async () => {
    const team = await aTeam(service);
    const id = await aScoredTraining(service, team, {
      userId: team.owner.user_id,
      evaluation: { ...anEvaluation({ total: null }), savedAt: at(9) },
    });
    expect((await evaluation(team, id)).body).toMatchObject({
      score: { total: null, spread: 44 },
      tips: [],
      goal: null,
      methodology: null,
      strongest: null,
      biggest_lever: null,
    });
  });

  it('404 not_found: until it is scored', async () => {
    const team = await aTeam(service);
    const { user_id } = team.owner;
    const ids = await theTrainings(
      service,
      team,
      (['running', 'ended', 'aborted'] as const).map((status) => ({ userId: user_id, status })),
    );
    for (const id of ids) {
      expect(await evaluation(team, id)).toBeProblem('not_found');
      expect((await team.client.get(`/trainings/${id}`)).status).toBe(200);
    }
  });
});

describe('the trainings of a former member', () => {
  it('are hidden from the moment of removal, and all visible again when the person joins again', async () => {
    const team = await aTeam(service);
    const email = `come.back.${Date.now()}@example.com`;
    const member = await team.anActiveMember({ email });
    const user_id = userOf(member);
    const assignment_id = await anAssignment(service, team, { memberId: member.id });
    const scored = await aScoredTraining(service, team, {
      userId: user_id,
      assignmentId: assignment_id,
      createdAt: at(0),
    });
    const running = await aTraining(service, team, { userId: user_id, createdAt: at(1) });
    const colleagues = await aScoredTraining(service, team, { userId: team.owner.user_id, createdAt: at(2) });

    const everywhere = async () => ({
      all: await idsIn(list(team)),
      ofUser: await idsIn(list(team, `?user_id=${user_id}`)),
      ofAssignment: await idsIn(list(team, `?assignment_id=${assignment_id}`)),
      running: await idsIn(list(team, '?status=running')),
      since: await idsIn(list(team, `?since=${at(0).toISOString()}&user_id=${user_id}&status=scored`)),
      evaluated: (await idsIn(evaluated(team))).toSorted(),
      byId: (await team.client.get(`/trainings/${scored}`)).status,
      evaluation: (await team.client.get(`/trainings/${scored}/evaluation`)).status,
    });
    const there = {
      all: [colleagues, running, scored],
      ofUser: [running, scored],
      ofAssignment: [scored],
      running: [running],
      since: [scored],
      evaluated: [scored, colleagues].toSorted(),
      byId: 200,
      evaluation: 200,
    };
    const gone = {
      all: [colleagues],
      ofUser: [],
      ofAssignment: [],
      running: [],
      since: [],
      evaluated: [colleagues],
      byId: 404,
      evaluation: 404,
    };
    expect(await everywhere()).toEqual(there);
    await removeMember(await team.acting(), member.id);
    expect(await everywhere()).toEqual(gone);
    // An invited member is not active yet.
    const invited = await team.anInvitedMember({ email });
    expect(await everywhere()).toEqual(gone);
    await removeMember(await team.acting(), invited.id);
    const again = await team.anActiveMember({ email });
    expect(again.id).not.toBe(member.id);
    expect(again.user_id).toBe(user_id);
    expect(await everywhere()).toEqual(there);
  });

  it('include those written while the person was away', async () => {
    const team = await aTeam(service);
    const email = `away.${Date.now()}@example.com`;
    const member = await team.anActiveMember({ email });
    await removeMember(await team.acting(), member.id);
    const id = await aTraining(service, team, { userId: userOf(member), createdAt: later(at(0), daysToMs(1)) });
    expect(await idsIn(list(team))).toEqual([]);
    await team.anActiveMember({ email });
    expect(await idsIn(list(team))).toEqual([id]);
  });
});
