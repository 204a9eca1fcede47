import { describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import type { ProblemCode } from '../../src/core/problem.ts';
import { makeClient } from '../support/client.ts';
import { startTestService, useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { expectApiHeaders } from './api-headers.ts';

const service = await useTestService({ own: true });

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

const routeIsUnknown = (what: string) => finalAnswers.get(what)?.[0] === 'not_found';

describe.each(wrongs)('$what', ({ what, method, path, body, headers = {} }) => {
  const send = (key: string | undefined) =>
    makeClient(service.baseUrl, key).request(method, path, { headers, ...(body !== undefined && { body }) });

  it('503 unavailable comes first', async () => {
    const stopping = await startTestService({ databaseUrl: service.databaseUrl });
    stopping.lifecycle.stopping();
    const answer = await makeClient(stopping.baseUrl).request(method, path, {
      headers,
      ...(body !== undefined && { body }),
    });
    await stopping.close();
    expect(answer).toBeProblem('unavailable');
    expect(answer.headers.get('retry-after')).toBe(answer.headers.get('ratelimit-reset'));
    expect(answer.headers.get('ratelimit-limit')).toBe('120');
    expect(answer.headers.get('ratelimit-remaining')).toBe('0');
    expectApiHeaders(answer);
  });

  it('then 401 unauthorized', async () => {
    const answer = await send(undefined);
    expect(answer).toBeProblem('unauthorized');
    expectApiHeaders(answer);
  });

  it('then 403 api_disabled, while the team’s budget lasts', async () => {
    const team = await aTeam(service, { rateLimit: 1 });
    await team.change({ status: 'suspended' });
    expect(await send(team.client.key)).toBeProblem('api_disabled');
    expect(await send(team.client.key)).toBeProblem('rate_limited');
  });

  it('then 429 rate_limited', async () => {
    const team = await aTeam(service, { rateLimit: 1 });
    const { text: key } = await team.aKey({ scopes: ['catalog:read'] });
    await makeClient(service.baseUrl, key).get('/me');
    expect(await send(key)).toBeProblem('rate_limited');
  });

  it('then the route, then 403 insufficient_scope', async () => {
    const team = await aTeam(service);
    const { text: key } = await team.aKey({ scopes: ['catalog:read'] });
    const answer = await send(key);
    expect(answer).toBeProblem(routeIsUnknown(what) ? 'not_found' : 'insufficient_scope');
    expectApiHeaders(answer);
  });

  it('then the final answer', async () => {
    const team = await aTeam(service);
    const [code, status] = finalAnswers.get(what) ?? ['validation_error', 422];
    const answer = await send(team.client.key);
    expect(answer).toBeProblem(code, { status });
    expectApiHeaders(answer);
  });
});

describe('the last checks', () => {
  it('422 before the idempotency key, which comes before the action', async () => {
    const team = await aTeam(service);
    const headers = { 'Idempotency-Key': 'once' };
    const email = anEmail();
    expect(await team.client.post('/users', { email, lang: 'xx' }, { headers })).toBeProblem('validation_error', {
      errors: [expect.anything()],
    });
    expect((await team.client.post('/users', { email }, { headers })).status).toBe(201);
    expect(await team.client.post('/users', { email: team.owner.email }, { headers })).toBeProblem(
      'idempotency_mismatch',
    );
    expect(await team.client.post('/users', { email, lang: 'xx' }, { headers })).toBeProblem('validation_error', {
      errors: [expect.anything()],
    });
    expect(await team.client.post('/users', { email })).toBeProblem('conflict');
  });

  it('422 for the body comes before 404 for the id in the path', async () => {
    const team = await aTeam(service);
    expect(await team.client.patch('/users/nobody', { role: 1 })).toBeProblem('validation_error');
    expect(await team.client.patch('/users/nobody', { role: 'admin' })).toBeProblem('not_found');
  });
});
