import { afterAll, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import type { ProblemCode } from '../../src/core/problem.ts';
import { makeClient } from '../support/client.ts';
import { startTestService, useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { expectApiHeaders } from './api-headers.ts';

const service = await useTestService();
const inMaintenance = await startTestService({
  databaseUrl: service.databaseUrl,
  maintenance: { current: { retryAfterSeconds: 3 } },
});
afterAll(() => inMaintenance.close());

const tooMuch = 'x'.repeat(limits.bodyBytes + 1);

/** Requests that break as many rules at once as possible. */
const wrongs = [
  { what: 'an unknown path with a bad query', method: 'GET', path: '/nothing?x=%zz' },
  { what: 'an unknown method with a huge body', method: 'PUT', path: '/users?x', body: tooMuch },
  { what: 'a bad query', method: 'GET', path: '/users?limit=0&x' },
  { what: 'an unknown id and a bad query', method: 'GET', path: '/users/%00?x' },
  { what: 'a malformed body', method: 'POST', path: '/users', body: '{' },
  { what: 'a huge body', method: 'POST', path: '/users', body: tooMuch },
  { what: 'another media type', method: 'POST', path: '/users', body: '{}', headers: { 'Content-Type': 'text/plain' } },
  {
    what: 'a bad Idempotency-Key',
    method: 'POST',
    path: '/users',
    body: '{}',
    headers: { 'Idempotency-Key': 'x'.repeat(101) },
  },
  { what: 'a malformed body for an unknown id', method: 'PATCH', path: '/users/nobody', body: '[' },
];

/** The final answer of each request if no earlier check refuses it. */
const finalAnswers: ReadonlyMap<string, [ProblemCode, number]> = new Map([
  ['an unknown path with a bad query', ['not_found', 404]],
  ['an unknown method with a huge body', ['not_found', 404]],
  ['a huge body', ['bad_request', 413]],
  ['another media type', ['bad_request', 415]],
]);

it.each(wrongs)(
  '$what: 503, 401, 403 api_disabled, 429, the route, 403 insufficient_scope and the final answer, in this order',
  async ({ what, method, path, body, headers = {} }) => {
    const send = (key: string | undefined, { baseUrl } = service) =>
      makeClient(baseUrl, key).request(method, path, { headers, ...(body !== undefined && { body }) });

    const unavailable = await send(undefined, inMaintenance);
    expect(unavailable).toBeProblem('unavailable');
    expect(unavailable.headers.get('retry-after')).toBe(unavailable.headers.get('ratelimit-reset'));
    expect(unavailable.headers.get('ratelimit-limit')).toBe('120');
    expect(unavailable.headers.get('ratelimit-remaining')).toBe('0');

    const withoutKey = await send(undefined);
    expect(withoutKey).toBeProblem('unauthorized');

    const suspended = await aTeam(service, { rateLimit: 1 });
    await suspended.change({ status: 'suspended' });
    expect(await send(suspended.client.key)).toBeProblem('api_disabled');
    expect(await send(suspended.client.key)).toBeProblem('rate_limited');

    const limited = await aTeam(service, { rateLimit: 1 });
    const { text: limitedKey } = await limited.aKey({ scopes: ['catalog:read'] });
    await makeClient(service.baseUrl, limitedKey).get('/me');
    const overBudget = await send(limitedKey);
    expect(overBudget).toBeProblem('rate_limited');

    const team = await aTeam(service);
    const withoutScope = await send((await team.aKey({ scopes: ['catalog:read'] })).text);
    const [code, status] = finalAnswers.get(what) ?? ['validation_error', 422];
    expect(withoutScope).toBeProblem(code === 'not_found' ? 'not_found' : 'insufficient_scope');
    const last = await send(team.client.key);
    expect(last).toBeProblem(code, { status });

    for (const answer of [unavailable, withoutKey, overBudget, withoutScope, last]) {
      expectApiHeaders(answer);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  },
);

it('422 for the body comes before 404 for the id in the path', async () => {
  const team = await aTeam(service);
  expect(await team.client.patch('/users/nobody', { role: 1 })).toBeProblem('validation_error');
  expect(await team.client.patch('/users/nobody', { role: 'admin' })).toBeProblem('not_found');
});
