import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeClient, type Client } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { expectApiHeaders } from './api-headers.ts';
import { askOnce } from './raw-http.ts';

let client: Client;
const service = await useTestService();
const team = await aTeam(service);
beforeEach(async () => {
  client = await team.aClient();
});

it('answers to pages of other origins have no header that would let them read the answer', async () => {
  const headers = { Origin: 'https://evil.example', 'Sec-Fetch-Mode': 'cors' };
  expectApiHeaders(await client.get('/me', { headers }));
  expectApiHeaders(await makeClient(service.baseUrl).get('/me', { headers }));
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
    const lines = `Host: localhost\r\nX-Request-Id: ${one}\r\nX-Request-Id: ${two}\r\n`;
    const answer = await askOnce(service.origin, `GET /api/public/v1/me HTTP/1.1\r\n${lines}\r\n`);
    expect([one, two]).not.toContain(answer.headers.get('x-request-id'));
  });

  it('is different for each request', async () => {
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => (await client.get('/me')).headers.get('x-request-id')),
    );
    expect(new Set(ids).size).toBe(5);
  });
});
