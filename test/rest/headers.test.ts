import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { makeClient, type Client } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { expectApiHeaders } from './api-headers.ts';
import { rawConnection } from './raw-http.ts';

let client: Client;
const service = await useTestService();
const team = await aTeam(service, { members: 1 });
beforeEach(async () => {
  client = await team.aClient();
});

const target = '/api/public/v1/me';
const askRaw = async (lines: string) => {
  const connection = rawConnection(service.origin);
  connection.send(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`);
  const answer = await connection.next();
  connection.hangUp();
  return answer;
};

describe('the headers of every answer', () => {
  it('200, 201, 204 and 304', async () => {
    for (const answer of [
      await client.get('/me'),
      await client.get('/users'),
      await client.post('/users', { email: anEmail() }),
      await client.request('OPTIONS', '/users'),
      await client.get('/openapi.v1.json'),
    ]) {
      expectApiHeaders(answer);
    }
    const etag = (await client.get('/openapi.v1.json')).headers.get('etag') ?? '';
    const unchanged = await client.get('/openapi.v1.json', { headers: { 'If-None-Match': etag } });
    expect(unchanged.status).toBe(304);
    expectApiHeaders(unchanged);
  });

  it('401, 403, 404, 409, 413, 415, 422 and 429', async () => {
    const poor = await team.aClient({ scopes: ['catalog:read'] });
    const answers = [
      [401, await makeClient(service.baseUrl).get('/me')],
      [403, await poor.get('/users')],
      [404, await client.get('/nothing')],
      [409, await client.delete(`/users/${team.owner.member_id}`)],
      [413, await client.post('/users', 'x'.repeat(limits.bodyBytes + 1))],
      [415, await client.post('/users', '{}', { headers: { 'Content-Type': 'text/plain' } })],
      [422, await client.get('/users?x')],
    ] as const;
    for (const [status, answer] of answers) {
      expect(answer.status).toBe(status);
      expectApiHeaders(answer);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    const limited = await aTeam(service, { rateLimit: 1 });
    await limited.client.get('/me');
    const answer = await limited.client.get('/me');
    expect(answer).toBeProblem('rate_limited', { retry_after: Number(answer.headers.get('retry-after')) });
    expect(answer.headers.get('retry-after')).toBe(answer.headers.get('ratelimit-reset'));
    expect(answer.headers.get('ratelimit-limit')).toBe('1');
    expect(answer.headers.get('ratelimit-remaining')).toBe('0');
    expectApiHeaders(answer);
  });

  it('answers to pages of other origins have no header that would let them read the answer', async () => {
    const headers = { Origin: 'https://evil.example', 'Sec-Fetch-Mode': 'cors' };
    expectApiHeaders(await client.get('/me', { headers }));
    expectApiHeaders(await makeClient(service.baseUrl).get('/me', { headers }));
  });
});

describe('X-Request-Id', () => {
  it.each([randomUUID(), randomUUID().toUpperCase(), '01990c1e-7a00-7000-8000-000000000001'])(
    'keeps the UUID %s',
    async (id) => {
      const answer = await client.get('/nothing', { headers: { 'X-Request-Id': id } });
      expect(answer).toBeProblem('not_found', { request_id: id });
      expect((await client.get('/me', { headers: { 'X-Request-Id': id } })).headers.get('x-request-id')).toBe(id);
    },
  );

  it.each(['', randomUUID().slice(1), `{${randomUUID()}}`, `${randomUUID()}, ${randomUUID()}`, '<script>'])(
    'replaces %j',
    async (id) => {
      const answer = await client.get('/me', { headers: { 'X-Request-Id': id } });
      expect(answer.headers.get('x-request-id')).not.toBe(id);
      expectApiHeaders(answer);
    },
  );

  it('is replaced if there are two', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    const answer = await askRaw(`X-Request-Id: ${one}\r\nX-Request-Id: ${two}\r\n`);
    expect([one, two]).not.toContain(answer.headers.get('x-request-id'));
  });

  it('is different for each request', async () => {
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => (await client.get('/me')).headers.get('x-request-id')),
    );
    expect(new Set(ids).size).toBe(5);
  });
});
