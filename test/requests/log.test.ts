import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { timeOfId } from '../../src/core/ids.ts';
import { limits } from '../../src/core/limits.ts';
import { inTheApp } from '../support/app-caller.ts';
import { keyBudget, spend } from '../support/budgets.ts';
import { makeClient } from '../support/client.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import type { TestTeam } from '../support/team.ts';
import { eventually } from '../support/eventually.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ own: true });
});
afterAll(() => service.close());

/** What stands in the team's log once so many requests do: a request is noted only when its answer is wholly away. */
const logged = async (team: TestTeam, count: number) => {
  const { requests } = await inTheApp(team);
  return eventually(async () => {
    await service.requestLog.write();
    const { data } = await requests.list({});
    expect(data).toHaveLength(count);
    return data;
  });
};

describe('the request log', () => {
  it('has every request that came with a valid key: what, how it went, how long it took, whose key', async () => {
    const team = await aTeam(service, { members: 1 });
    const { id, text } = await team.aKey({ scopes: ['users:read'] });
    const client = makeClient(service.baseUrl, text);
    const requestId = randomUUID();
    await client.get(`/users/${team.members[0]?.id ?? ''}`, { headers: { 'X-Request-Id': requestId } });
    const [entry] = await logged(team, 1);
    expect(entry).toEqual({
      id: expect.any(String),
      request_id: requestId,
      key: { id, name: 'test', prefix: text.slice(10, 22) },
      method: 'GET',
      route: '/users/{member_id}',
      status: 200,
      code: null,
      duration_ms: expect.any(Number),
      created_at: expect.stringMatching(/Z$/),
      count: 1,
    });
    expect(Number.isInteger(entry?.duration_ms)).toBe(true);
    expect(Math.abs(timeOfId(entry?.id ?? '').getTime() - Date.parse(entry?.created_at ?? ''))).toBeLessThan(1_000);

    await client.request('HEAD', '/me');
    await client.get('/nothing/here');
    await client.request('PUT', '/users');
    await client.get('/cases');
    await client.get('/users?limit=x');
    await client.get('/openapi.v1.json');
    await spend(service, keyBudget(id), limits.requestsPerKeyPerMinute);
    await client.get('/users');
    await team.change({ status: 'suspended' });
    await spend(service, keyBudget(id), 0);
    await client.get('/users');
    const shown = (await logged(team, 9)).map(({ method, route, status, code }) => [method, route, status, code]);
    expect(shown.toReversed().slice(1)).toEqual([
      ['HEAD', '/me', 200, null],
      ['GET', null, 404, 'not_found'],
      ['PUT', null, 404, 'not_found'],
      ['GET', '/cases', 403, 'insufficient_scope'],
      ['GET', '/users', 422, 'validation_error'],
      ['GET', '/openapi.v1.json', 200, null],
      ['GET', '/users', 429, 'rate_limited'],
      ['GET', '/users', 403, 'api_disabled'],
    ]);
  });

  it('has none that came without a valid key, whatever its answer', async () => {
    const team = await aTeam(service);
    const { id, text } = await team.aKey();
    const wrong = `${text.slice(0, -1)}${text.endsWith('a') ? 'b' : 'a'}`;
    for (const key of [undefined, 'nonsense', wrong]) await makeClient(service.baseUrl, key).get('/me');
    const { text: elsewhere } = await team.aKey({ allowedIps: ['203.0.113.0/24'] });
    await makeClient(service.baseUrl, elsewhere).get('/me');
    await (await inTheApp(team)).keys.revoke({ key_id: id });
    await makeClient(service.baseUrl, text).get('/me');
    await team.client.get('/me');
    expect(await logged(team, 1)).toMatchObject([{ route: '/me', status: 200 }]);
  });
});
