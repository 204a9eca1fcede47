import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { makeClient } from '../support/client.ts';
import type { Client } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { expectApiHeaders } from './api-headers.ts';
import { rawConnection, wire } from './raw-http.ts';

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

  it.each([
    '',
    'x',
    'null',
    '1',
    randomUUID().slice(1),
    `${randomUUID()}0`,
    `{${randomUUID()}}`,
    `urn:uuid:${randomUUID()}`,
    randomUUID().replaceAll('-', ''),
    `${randomUUID()}, ${randomUUID()}`,
    '<script>',
  ])('replaces %j', async (id) => {
    const answer = await client.get('/me', { headers: { 'X-Request-Id': id } });
    expect(answer.headers.get('x-request-id')).not.toBe(id);
    expectApiHeaders(answer);
  });

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

describe('Authorization', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('200: %s', async (scheme) => {
    expect((await askRaw(`Authorization: ${scheme} ${client.key ?? ''}\r\n`)).status).toBe(200);
  });

  it('200: spaces around and between, and the name in any case', async () => {
    expect((await askRaw(`aUTHORIZATION:   Bearer   ${client.key ?? ''}  \t\r\n`)).status).toBe(200);
  });

  const key = () => client.key ?? '';
  it.each<[string, () => string]>([
    ['no header', () => ''],
    ['an empty header', () => 'Authorization:\r\n'],
    ['the key alone', () => `Authorization: ${key()}\r\n`],
    ['the scheme alone', () => 'Authorization: Bearer\r\n'],
    ['another scheme', () => `Authorization: Basic ${key()}\r\n`],
    [
      'Basic with the key as password',
      () => `Authorization: Basic ${Buffer.from(`x:${key()}`).toString('base64')}\r\n`,
    ],
    ['a tab', () => `Authorization: Bearer\t${key()}\r\n`],
    ['quotes', () => `Authorization: Bearer "${key()}"\r\n`],
    ['two keys in one', () => `Authorization: Bearer ${key()}, Bearer ${key()}\r\n`],
    ['a key and more', () => `Authorization: Bearer ${key()} x\r\n`],
    ['a longer key', () => `Authorization: Bearer ${key()}A\r\n`],
    ['a shorter key', () => `Authorization: Bearer ${key().slice(0, -1)}\r\n`],
    ['a wrong secret', () => `Authorization: Bearer ${key().slice(0, -1)}${key().endsWith('A') ? 'B' : 'A'}\r\n`],
    ['an unknown prefix', () => `Authorization: Bearer svck_live_${'A'.repeat(12)}_${key().slice(-43)}\r\n`],
    ['another kind', () => `Authorization: Bearer ${key().replace('live', 'test')}\r\n`],
    ['a NUL written out', () => `Authorization: Bearer ${key()}%00\r\n`],
    ['bytes beyond ASCII', () => `Authorization: Bearer ${key().slice(0, -1)}\u00e4\r\n`],
    ['two headers, the same', () => `Authorization: Bearer ${key()}\r\nAuthorization: Bearer ${key()}\r\n`],
    ['two headers, the first right', () => `Authorization: Bearer ${key()}\r\nAuthorization: Basic x\r\n`],
    ['two headers, the second right', () => `Authorization: Basic x\r\nauthorization: Bearer ${key()}\r\n`],
    ['a second one, empty', () => `Authorization: Bearer ${key()}\r\nAuthorization:\r\n`],
    [
      'a second one behind 90 others',
      () => `Authorization: Bearer ${key()}\r\n${'a: b\r\n'.repeat(90)}Authorization: Bearer ${key()}\r\n`,
    ],
    ['the key in another header', () => `X-Api-Key: ${key()}\r\n`],
    ['the key in a cookie', () => `Cookie: authorization=Bearer ${key()}\r\n`],
  ])('401 unauthorized: %s', async (_what, lines) => {
    const answer = await askRaw(lines());
    expect(answer).toBeProblem('unauthorized');
    expect(answer.body['detail']).toBeUndefined();
    expectApiHeaders(answer);
  });

  it('200: the key after 90 other headers', async () => {
    expect((await askRaw(`${'a: b\r\n'.repeat(90)}Authorization: Bearer ${client.key ?? ''}\r\n`)).status).toBe(200);
  });

  it('401 unauthorized: the key in the query', async () => {
    const connection = rawConnection(service.origin);
    connection.send(wire('GET', `${target}?access_token=${client.key ?? ''}`));
    expect(await connection.next()).toBeProblem('unauthorized');
    connection.hangUp();
  });
});
