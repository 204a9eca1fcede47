import { describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { age, addressBudget, keyBudget, spend, teamBudget, usedOf } from '../support/budgets.ts';
import { makeClient } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const perKey = limits.requestsPerKeyPerMinute;
const service = await useTestService({ environment: { ANON_RATE_PER_MIN: '5', TRUST_PROXY: '1' } });

/** A team with one key whose budget is used up. */
const aFlood = async () => {
  const team = await aTeam(service);
  const { id, text } = await team.aKey();
  const client = makeClient(service.baseUrl, text);
  await client.get('/me');
  await spend(service, keyBudget(id), perKey);
  expect(await client.get('/me')).toBeProblem('rate_limited');
  const used = async () => [await usedOf(service, keyBudget(id)), await usedOf(service, teamBudget(team.id))];
  return { team, id, client, used };
};

describe('a key over its limit', () => {
  it('uses nothing of its budget and of its team’s', async () => {
    const { client, used } = await aFlood();
    const before = await used();
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.get('/me')));
    for (const answer of answers) expect(answer).toBeProblem('rate_limited');
    expect(await used()).toEqual(before);
  });

  it('is counted again when its minute is over, from the first request on', async () => {
    const { client, id } = await aFlood();
    await age(service, keyBudget(id), 60_000);
    const answers = await Promise.all(Array.from({ length: 150 }, () => client.get('/me')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(perKey);
    expect(await usedOf(service, keyBudget(id))).toBe(perKey);
  });

  it('of a suspended team uses nothing either, and is counted again when its minute is over', async () => {
    const { team, client, used, id } = await aFlood();
    await team.change({ status: 'suspended' });
    const before = await used();
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.get('/me')));
    for (const answer of answers) expect(answer).toBeProblem('rate_limited');
    expect(await used()).toEqual(before);
    await age(service, keyBudget(id), 60_000);
    for (const count of [1, 2]) {
      expect(await client.get('/me')).toBeProblem('api_disabled');
      expect(await usedOf(service, keyBudget(id))).toBe(count);
    }
  });

  it('does not affect the team’s other keys', async () => {
    const { team } = await aFlood();
    expect((await team.client.get('/me')).status).toBe(200);
  });

  it('does not count requests that only have its prefix', async () => {
    const team = await aTeam(service);
    const { text } = await team.aKey();
    const stranger = { 'X-Forwarded-For': '198.51.100.77' };
    const wrong = makeClient(service.baseUrl, `${text.slice(0, -43)}${'x'.repeat(43)}`);
    for (let asked = 0; asked < 7; asked += 1) await wrong.get('/me', { headers: stranger });
    expect(await wrong.get('/me', { headers: stranger })).toBeProblem('rate_limited');
    const answer = await makeClient(service.baseUrl, text).get('/me', { headers: stranger });
    expect([answer.status, answer.headers.get('ratelimit-remaining')]).toEqual([200, '119']);
  });
});

describe('an address over its limit', () => {
  it('uses nothing of its budget, whatever keys it tries', async () => {
    const address = '198.51.100.1';
    const ask = (key?: string) =>
      makeClient(service.baseUrl, key).get('/me', { headers: { 'X-Forwarded-For': address } });
    const invented = () => `svck_live_${Math.random().toString(36).slice(2, 10).padEnd(12, 'x')}_${'y'.repeat(43)}`;
    for (let asked = 0; asked < 5; asked += 1) expect(await ask(invented())).toBeProblem('unauthorized');
    expect(await ask(invented())).toBeProblem('rate_limited');
    const before = await usedOf(service, addressBudget(address));
    for (const key of [undefined, 'nonsense', invented(), invented(), invented()])
      expect(await ask(key)).toBeProblem('rate_limited');
    expect(await usedOf(service, addressBudget(address))).toBe(before);
    await age(service, addressBudget(address), 60_000);
    expect(await ask()).toBeProblem('unauthorized');
    expect(await usedOf(service, addressBudget(address))).toBe(1);
  });
});
