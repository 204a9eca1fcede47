import { describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { countFurther } from '../../src/modules/keys/further-requests.ts';
import { deleteOldBudgets } from '../../src/modules/keys/service.ts';
import { age, budgetRow, keyBudget, spend, teamBudget, usedOf } from '../support/budgets.ts';
import { makeClient, type Answer, type Client } from '../support/client.ts';
import type { TeamChange } from '../../src/modules/teams/service.ts';
import { aCombination } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const perKey = limits.requestsPerKeyPerMinute;
const minute = 60_000;
/** Seconds that may pass between two requests on a busy machine. */
const slow = 5;
const service = await useTestService({ own: true });

const aKeyOf = async (team: TestTeam) => {
  const { id, text } = await team.aKey();
  return { id, client: makeClient(service.baseUrl, text), budget: keyBudget(id) };
};

/** The budget headers as numbers: limit, remaining, reset. */
const shown = ({ headers }: Answer) =>
  ['limit', 'remaining', 'reset'].map((name) => {
    const text = headers.get(`ratelimit-${name}`) ?? '';
    return /^\d+$/.test(text) ? Number(text) : Number.NaN;
  });

const atOnce = (count: number, client: Client): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, () => client.get('/me')));
const countOf = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

describe('requests of a key', () => {
  it(`${perKey} a minute are answered, the next gets 429 with the time to wait`, async () => {
    const { client } = await aKeyOf(await aTeam(service));
    for (let used = 1; used <= perKey; used += 1) {
      const answer = await client.get('/me');
      expect(answer.status).toBe(200);
      const [limit, left, reset = 0] = shown(answer);
      expect([limit, left]).toEqual([perKey, perKey - used]);
      expect(reset).toBeGreaterThan(30);
      expect(reset).toBeLessThanOrEqual(60);
    }
    const refused = await client.get('/me');
    const wait = Number(refused.headers.get('retry-after'));
    expect(refused).toBeProblem('rate_limited', { retry_after: wait });
    expect(shown(refused)).toEqual([perKey, 0, wait]);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
  });

  it('60 at once while 20 are left: exactly 20 are answered', async () => {
    const { client, budget } = await aKeyOf(await aTeam(service));
    await spend(service, budget, perKey - 20);
    const answers = await atOnce(60, client);
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([20, 40]);
    const left = answers.filter(({ status }) => status === 200).map((answer) => shown(answer)[1] ?? -1);
    expect(left.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at));
    expect(await usedOf(service, budget)).toBe(perKey);
  });

  it.each([1, 500, 999, 1_000, 1_001, 30_000, 59_001, 59_999])(
    'a request %i ms before the end succeeds after Retry-After, no earlier',
    async (remaining) => {
      const { client, budget } = await aKeyOf(await aTeam(service));
      await client.get('/me');
      await spend(service, budget, perKey);
      await age(service, budget, minute - remaining);
      const refused = await client.get('/me');
      // The minute may end before the request arrives; a refusal must still have a wait.
      expect(refused.status).toBeOneOf(remaining <= 5_000 ? [200, 429] : [429]);
      if (refused.status === 200) return;
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).toBeLessThanOrEqual(Math.ceil(remaining / 1000));
      expect(wait).toBeGreaterThanOrEqual(Math.max(1, Math.ceil(remaining / 1000) - slow));
      await age(service, budget, wait * 1000);
      const answer = await client.get('/me');
      expect(answer.status).toBe(200);
      expect(shown(answer)).toEqual([perKey, perKey - 1, 60]);
    },
  );

  it('the minute starts with the first request counted, and the next one with the first after it', async () => {
    const { client, budget } = await aKeyOf(await aTeam(service));
    await client.get('/me');
    await age(service, budget, minute - 5_000);
    const [limit, left, reset = 0] = shown(await client.get('/me'));
    expect([limit, left]).toEqual([perKey, perKey - 2]);
    expect(reset).toBeGreaterThanOrEqual(1);
    expect(reset).toBeLessThanOrEqual(5);
    await age(service, budget, 5_000);
    expect(shown(await client.get('/me'))).toEqual([perKey, perKey - 1, 60]);
  });

  it('a budget that was swept starts again, and one in use is kept', async () => {
    const team = await aTeam(service);
    const [old, current] = [await aKeyOf(team), await aKeyOf(team)];
    await Promise.all([old.client.get('/me'), current.client.get('/me')]);
    await age(service, old.budget, 11 * minute);
    await age(service, current.budget, 9 * minute);
    await deleteOldBudgets(service.database);
    expect([await budgetRow(service, old.budget), (await budgetRow(service, current.budget))?.used]).toEqual([
      undefined,
      1,
    ]);
    expect(shown(await old.client.get('/me'))).toEqual([perKey, perKey - 1, 60]);
  });

  it('deleting old budgets never waits for a request that has locked one, because the request may wait for the deletion', async () => {
    const { id, budget } = await aKeyOf(await aTeam(service));
    await spend(service, budget, 1);
    await age(service, budget, 11 * minute);
    await service.database.transaction(async (tx) => {
      await tx.$executeRaw`select 1 from request_budget where subject = ${keyBudget(id)}::uuid for update`;
      await deleteOldBudgets(service.database);
    });
    expect(await budgetRow(service, budget)).toBeDefined();
  });
});

describe('requests of a team', () => {
  it('the 601st is refused, whichever key makes it', async () => {
    const team = await aTeam(service, { rateLimit: limits.requestsPerTeamPerMinute });
    await spend(service, teamBudget(team.id), limits.requestsPerTeamPerMinute - 10);
    const keys = await Promise.all(Array.from({ length: 6 }, () => aKeyOf(team)));
    const answers = (await Promise.all(keys.map(({ client }) => atOnce(3, client)))).flat();
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([10, 8]);
    expect(await usedOf(service, teamBudget(team.id))).toBe(600);
    const used = await Promise.all(keys.map(({ budget }) => usedOf(service, budget)));
    expect(used.reduce((sum, one) => sum + one, 0)).toBe(10);
    const refused = await keys[0]?.client.get('/me');
    expect(refused).toBeProblem('rate_limited');
    expect(refused && shown(refused).slice(0, 2)).toEqual([600, 0]);
  });

  it('one team’s requests do not count for another team', async () => {
    const [team, other] = [await aTeam(service, { rateLimit: 1 }), await aTeam(service, { rateLimit: 1 })];
    expect((await team.client.get('/me')).status).toBe(200);
    expect(await team.client.get('/me')).toBeProblem('rate_limited');
    expect((await other.client.get('/me')).status).toBe(200);
  });
});

describe('both budgets together', () => {
  it.each<[what: string, teamLimit: number, teamUsed: number, keyUsed: number, expected: number[]]>([
    ['the key’s, which has fewer requests left', 600, 10, 50, [120, 69]],
    ['the team’s, which has fewer requests left', 600, 550, 50, [600, 49]],
    ['the team’s, which is smaller than the key’s', 20, 0, 0, [20, 19]],
    ['the key’s, when it is nearly spent and the team’s is small', 100, 10, 118, [120, 1]],
  ])('the headers show %s', async (_what, rateLimit, teamUsed, keyUsed, expected) => {
    const team = await aTeam(service, { rateLimit });
    const { client, budget } = await aKeyOf(team);
    await spend(service, teamBudget(team.id), teamUsed);
    await spend(service, budget, keyUsed);
    expect(shown(await client.get('/me')).slice(0, 2)).toEqual(expected);
  });

  it('a request that the team’s budget refuses does not count for the key', async () => {
    const team = await aTeam(service, { rateLimit: 5 });
    const { client, budget } = await aKeyOf(team);
    const answers = await atOnce(20, client);
    expect(countOf(answers, 200)).toBe(5);
    expect(await usedOf(service, budget)).toBe(5);
  });

  it('a request that the key’s budget refuses does not count for the team', async () => {
    const team = await aTeam(service, { rateLimit: 200 });
    const { client } = await aKeyOf(team);
    await atOnce(150, client);
    expect(await usedOf(service, teamBudget(team.id))).toBe(perKey);
  });

  it('when both are used up, the wait is the longer one', async () => {
    const team = await aTeam(service, { rateLimit: 10 });
    const { client, budget } = await aKeyOf(team);
    for (const [first, second] of [
      [teamBudget(team.id), budget],
      [budget, teamBudget(team.id)],
    ] as const) {
      await spend(service, first, 200);
      await spend(service, second, 200);
      await age(service, first, 50_000);
      await age(service, second, 20_000);
      const [, , reset = 0] = shown(await client.get('/me'));
      expect(reset).toBeGreaterThanOrEqual(40 - slow);
      expect(reset).toBeLessThanOrEqual(40);
    }
  });

  it('a limit that was lowered below the used number refuses; one that was raised allows requests at once', async () => {
    const team = await aTeam(service, { rateLimit: 100 });
    const { client } = await aKeyOf(team);
    await atOnce(30, client);
    await team.change({ rateLimit: 20 });
    for (const _ of [1, 2, 3]) expect(shown(await client.get('/me')).slice(0, 2)).toEqual([20, 0]);
    await team.change({ rateLimit: 40 });
    expect(shown(await client.get('/me')).slice(0, 2)).toEqual([40, 9]);
  });
});

describe('a request with several items', () => {
  /** Items that are all refused cost as much as others. */
  const post = (client: Client, count: number, item: object = {}) =>
    client.post('/assignments/bulk', { items: Array.from({ length: count }, () => item) });
  const inMinute = (seconds: number | undefined) => {
    expect(seconds).toBeGreaterThan(30);
    expect(seconds).toBeLessThanOrEqual(60);
  };

  it.each([
    [1, 1],
    [10, 1],
    [11, 2],
    [20, 2],
    [91, 10],
    [100, 10],
  ])('%i items count as %i requests, for the key and for the team', async (items, requests) => {
    const team = await aTeam(service);
    const { client, budget } = await aKeyOf(team);
    const answer = await post(client, items);
    expect(answer.status).toBe(200);
    expect(shown(answer).slice(0, 2)).toEqual([perKey, perKey - requests]);
    expect(answer.headers.get('ratelimit')).toMatch(
      new RegExp(`^"key";r=${perKey - requests};t=\\d+, "team";r=${100_000 - requests};t=\\d+$`),
    );
    expect([await usedOf(service, budget), await usedOf(service, teamBudget(team.id))]).toEqual([requests, requests]);
  });

  it('that is refused because of its input, or for no item, counts as one', async () => {
    const { client, budget } = await aKeyOf(await aTeam(service));
    for (const count of [0, 101]) expect(await post(client, count)).toBeProblem('validation_error');
    expect(await usedOf(service, budget)).toBe(2);
  });

  it('is refused if the key has too few requests left, creates nothing, and counts as one', async () => {
    const team = await aTeam(service);
    const { client, budget } = await aKeyOf(team);
    const item = { member_id: team.owner.member_id, title: 'Price talk', ...(await aCombination(service)) };
    await spend(service, budget, perKey - 9);
    const refused = await post(client, 100, item);
    const wait = Number(refused.headers.get('retry-after'));
    expect(refused).toBeProblem('rate_limited', {
      retry_after: wait,
      detail: 'It counts as 10 requests, and so many are not left. It had no effect.',
    });
    inMinute(wait);
    expect(shown(refused)).toEqual([perKey, 8, wait]);
    expect([await usedOf(service, budget), await usedOf(service, teamBudget(team.id))]).toEqual([perKey - 8, 1]);
    expect((await team.client.get('/assignments')).data).toEqual([]);

    // So many are left, and no more.
    expect(await post(client, 81)).toBeProblem('rate_limited');
    expect(shown(await post(client, 70)).slice(0, 2)).toEqual([perKey, 0]);
    await age(service, budget, wait * 1000);
    expect((await post(client, 100)).status).toBe(200);
  });

  it('is refused if the team has too few requests left, and the wait is the longer one if both have', async () => {
    const team = await aTeam(service, { rateLimit: 20 });
    const { client, budget } = await aKeyOf(team);
    await spend(service, teamBudget(team.id), 12);
    const refused = await post(client, 90);
    expect(refused).toBeProblem('rate_limited');
    expect(shown(refused).slice(0, 2)).toEqual([20, 7]);
    expect([await usedOf(service, budget), await usedOf(service, teamBudget(team.id))]).toEqual([1, 13]);

    await spend(service, budget, perKey - 3);
    await age(service, teamBudget(team.id), 50_000);
    const [limit, left, wait = 0] = shown(await post(client, 90));
    expect([limit, left]).toEqual([perKey, 2]);
    inMinute(wait);

    // The team has exactly as many left as are needed, so only the key's minute is waited for.
    await spend(service, teamBudget(team.id), 11);
    await spend(service, budget, perKey - 3);
    await age(service, budget, 40_000);
    const ofKey = shown(await post(client, 90));
    expect(ofKey.slice(0, 2)).toEqual([perKey, 2]);
    expect(ofKey[2]).toBeLessThanOrEqual(20);
  });

  it('of more items than a minute has requests for is refused for good', async () => {
    const team = await aTeam(service, { rateLimit: 9 });
    expect(await post((await aKeyOf(team)).client, 91)).toBeProblem('validation_error', { field: 'items' });
    expect((await post((await aKeyOf(team)).client, 71)).status).toBe(200);
  });

  it('counts in the next minute if the one that it began in is over', async () => {
    const team = await aTeam(service, { rateLimit: 100 });
    const { id, client, budget } = await aKeyOf(team);
    await client.get('/me');
    for (const subject of [budget, teamBudget(team.id)]) await spend(service, subject, 90);
    await age(service, budget, minute);
    const counted = await countFurther(await team.acting(), id, 9);
    expect(counted).toMatchObject({ isCounted: true, budget: { limit: 100, left: 1 } });
    expect([await usedOf(service, budget), await usedOf(service, teamBudget(team.id))]).toEqual([9, 99]);
  });

  it('never takes more than is left, however many come at once', async () => {
    const { client, budget } = await aKeyOf(await aTeam(service));
    const answers = await Promise.all(Array.from({ length: 15 }, () => post(client, 100)));
    const answered = countOf(answers, 200);
    expect(answered).toBeOneOf([11, 12]);
    expect(countOf(answers, 429)).toBe(15 - answered);
    expect(await usedOf(service, budget)).toBeLessThanOrEqual(perKey);
  });
});

describe('requests with a key whose team may not use the API', () => {
  it.each<[what: string, change: TeamChange]>([
    ['suspended', { status: 'suspended' }],
    ['ended', { status: 'ended' }],
    ['on the plan basic', { plan: 'basic' }],
  ])('%s: 403 while the key’s budget lasts, then 429 with the time to wait', async (_what, change) => {
    const team = await aTeam(service, { rateLimit: 500 });
    const { client, budget } = await aKeyOf(team);
    await team.change(change);
    const first = await client.get('/me');
    expect(first).toBeProblem('api_disabled');
    expect(shown(first)).toEqual([perKey, perKey - 1, 60]);
    const answers = await atOnce(150, client);
    expect([countOf(answers, 403), countOf(answers, 429)]).toEqual([perKey - 1, 31]);
    const refused = await client.get('/me');
    const wait = Number(refused.headers.get('retry-after'));
    expect(refused).toBeProblem('rate_limited', { retry_after: wait });
    expect(shown(refused)).toEqual([perKey, 0, wait]);
    expect([await usedOf(service, budget), await usedOf(service, teamBudget(team.id))]).toEqual([perKey, perKey]);
    await age(service, budget, wait * 1000);
    expect(await client.get('/me')).toBeProblem('api_disabled');
    expect(await usedOf(service, budget)).toBe(1);
  });

  it('the team’s budget limits all its keys together', async () => {
    const team = await aTeam(service, { rateLimit: 20 });
    const keys = [await aKeyOf(team), await aKeyOf(team), await aKeyOf(team)];
    await team.change({ status: 'suspended' });
    const answers = (await Promise.all(keys.map(({ client }) => atOnce(15, client)))).flat();
    expect([countOf(answers, 403), countOf(answers, 429)]).toEqual([20, 25]);
    const used = await Promise.all(keys.map(({ budget }) => usedOf(service, budget)));
    expect(used.reduce((sum, one) => sum + one, 0)).toBe(20);
    expect(await usedOf(service, teamBudget(team.id))).toBe(20);
  });

  it('the requests before it still count, and its refused requests count when the team is active again', async () => {
    const team = await aTeam(service);
    const { client, budget } = await aKeyOf(team);
    await client.get('/me');
    await team.change({ status: 'suspended' });
    expect(shown(await client.get('/me')).slice(0, 2)).toEqual([perKey, perKey - 2]);
    await team.change({ status: 'active' });
    expect(shown(await client.get('/me')).slice(0, 2)).toEqual([perKey, perKey - 3]);
    expect(await usedOf(service, budget)).toBe(3);
  });
});

describe('the budget headers', () => {
  it.each<[method: string, path: string, body: unknown, status: number]>([
    ['GET', '/me', undefined, 200],
    ['HEAD', '/me', undefined, 200],
    ['OPTIONS', '/me', undefined, 204],
    ['POST', '/users', {}, 422],
    ['POST', '/users', '{', 422],
    ['GET', '/users/unknown', undefined, 404],
    ['GET', '/nowhere', undefined, 404],
    ['PUT', '/me', undefined, 404],
    ['GET', '/users?limit=0', undefined, 422],
    ['GET', '/openapi.v1.json', undefined, 200],
  ])('are on the answer to %s %s, which counts', async (method, path, body, status) => {
    const { client, budget } = await aKeyOf(await aTeam(service));
    const answer = await client.request(method, path, { body });
    expect(answer.status).toBe(status);
    expect(shown(answer)).toEqual([perKey, perKey - 1, 60]);
    expect(await usedOf(service, budget)).toBe(1);
  });

  it('are on a 403 for a missing scope as well', async () => {
    const client = await (await aTeam(service)).aClient({ scopes: ['catalog:read'] });
    const answer = await client.get('/users');
    expect(answer).toBeProblem('insufficient_scope');
    expect(shown(answer)).toEqual([perKey, perKey - 1, 60]);
  });
});
