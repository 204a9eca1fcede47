import { describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { addressBudget, age, spend, teamBudget, usedOf } from '../support/budgets.ts';
import { makeClient, type Answer } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const perAddress = 5;
const service = await useTestService({ environment: { ANON_RATE_PER_MIN: String(perAddress), TRUST_PROXY: '1' } });

const from = (address: string, key?: string, path = '/me', method = 'GET'): Promise<Answer> =>
  makeClient(service.baseUrl, key).request(method, path, { headers: { 'X-Forwarded-For': address } });
const several = async (count: number, ask: () => Promise<Answer>) => {
  const answers: Answer[] = [];
  while (answers.length < count) answers.push(await ask());
  return answers.map(({ status }) => status);
};

describe('requests without a valid key', () => {
  it('get 401 with the rest of their address’s budget, then 429', async () => {
    const address = '192.0.2.1';
    for (let used = 1; used <= perAddress; used += 1) {
      const answer = await from(address);
      expect(answer).toBeProblem('unauthorized');
      expect(['limit', 'remaining'].map((name) => answer.headers.get(`ratelimit-${name}`))).toEqual([
        '5',
        String(perAddress - used),
      ]);
      expect(answer.headers.get('retry-after')).toBeNull();
    }
    const refused = await from(address);
    const wait = Number(refused.headers.get('retry-after'));
    expect(refused).toBeProblem('rate_limited', { retry_after: wait });
    await age(service, addressBudget(address), wait * 1000);
    expect(await from(address)).toBeProblem('unauthorized');
  });

  it.each<[what: string, one: string, other: string, shared: boolean]>([
    ['two IPv4 neighbours', '192.0.2.10', '192.0.2.11', false],
    ['two addresses of one IPv6 /64', '2001:db8:1:1::1', '2001:db8:1:1:ffff:ffff:ffff:ffff', true],
    ['two IPv6 /64 of one /48', '2001:db8:2:1::1', '2001:db8:2:2::1', false],
    ['an IPv4 address and itself written as IPv6', '192.0.2.12', '::ffff:192.0.2.12', true],
    ['an IPv6 address in two spellings', '2001:DB8:3:0:0:0:0:1', '2001:db8:3::1', true],
    [
      'an address with the port that a proxy adds, and the same with another',
      '192.0.2.13:51234',
      '192.0.2.13:51235',
      true,
    ],
    ['two addresses with a port', '192.0.2.14:51234', '192.0.2.15:51234', false],
    ['two IPv6 networks with a port', '[2001:db8:4:1::1]:443', '[2001:db8:4:2::1]:443', false],
    ['callers whose address is nonsense', 'nonsense', 'more nonsense', true],
  ])('are counted by network, which may have several addresses: %s', async (_what, one, other, shared) => {
    expect(await several(perAddress, () => from(one))).toEqual(Array.from({ length: perAddress }, () => 401));
    expect(await from(one)).toBeProblem('rate_limited');
    expect((await from(other)).status).toBe(shared ? 429 : 401);
  });

  it('never use up the budget of valid keys from the same address, nor the other way round', async () => {
    const address = '192.0.2.20';
    const team = await aTeam(service, { rateLimit: 50 });
    const { text } = await team.aKey();
    // Not even if they have the beginning of such a key.
    await several(perAddress + 3, () => from(address, `${text.slice(0, -43)}${'x'.repeat(43)}`));
    expect(await several(10, () => from(address, text))).toEqual(Array.from({ length: 10 }, () => 200));
    expect(await usedOf(service, teamBudget(team.id))).toBe(10);
    expect(await usedOf(service, addressBudget(address))).toBe(perAddress);
    await spend(service, teamBudget(team.id), 50);
    expect(await from(address, text)).toBeProblem('rate_limited');
    await age(service, addressBudget(address), 60_000);
    expect(await from(address)).toBeProblem('unauthorized');
  });

  it('do not include those of a suspended team’s key, which uses its own budget', async () => {
    const address = '192.0.2.21';
    const team = await aTeam(service);
    const { text } = await team.aKey();
    await team.change({ status: 'suspended' });
    expect(await several(perAddress + 2, () => from(address, text))).toEqual(
      Array.from({ length: perAddress + 2 }, () => 403),
    );
    expect(await usedOf(service, addressBudget(address))).toBe(0);
  });

  it('include those with a revoked key, and those from an address that the key does not allow', async () => {
    const address = '192.0.2.22';
    const team = await aTeam(service);
    const { text } = await team.aKey({ allowedIps: ['10.0.0.1'] });
    expect(await several(perAddress + 1, () => from(address, text))).toEqual([
      ...Array.from({ length: perAddress }, () => 401),
      429,
    ]);
    expect((await from('10.0.0.1', text)).status).toBe(200);
  });

  it('have no share in the budget of requests for the API’s description, which needs no key', async () => {
    const address = '192.0.2.23';
    const describe = (method = 'GET') => from(address, undefined, '/openapi.v1.json', method);
    const { descriptionsPerMinute: max } = limits;
    // Each answer to a GET is long.
    const statuses = await several(max + 1, () => describe('HEAD'));
    expect(statuses).toEqual([...Array.from({ length: max }, () => 200), 429]);
    const refused = await describe();
    expect(refused).toBeProblem('rate_limited', { retry_after: expect.any(Number) });
    expect(refused.headers.get('ratelimit-limit')).toBe(String(max));
    expect((await from(address)).status).toBe(401);
    expect((await from('192.0.2.24', undefined, '/openapi.v1.json')).status).toBe(200);
  });
});
