import { describe, expect, it } from 'vitest';
import { makeClient } from '../support/client.ts';
import { useTestService } from '../support/service.ts';

const service = await useTestService({ maintenance: { current: { retryAfterSeconds: 45 } } });
const client = makeClient(service.origin);

interface Sent {
  method?: string;
  body?: object;
  headers?: Record<string, string>;
}

/** The problem in an answer: of the API, or in an error of the app. */
const problemIn = (body: Record<string, unknown>): unknown =>
  'error' in body ? Object(Object(body['error'])['data'])['problem'] : body;

const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** Every way to what is in the database. */
const ways: [path: string, sent: Sent][] = [
  ['/api/public/v1/me', {}],
  ['/api/public/v1/users', { method: 'POST', body: { email: 'mia@example.com' } }],
  ['/api/public/v1/openapi.v1.json', {}],
  ['/mcp', { method: 'POST', body: message }],
  ['/oauth/register', { method: 'POST', body: { redirect_uris: ['https://example.com/back'] } }],
  ['/oauth/token', { method: 'POST', headers: form }],
  ['/oauth/revoke', { method: 'POST', headers: form }],
  ['/trpc/entrance/entrance.who', {}],
  ['/trpc/entrance/entrance.signIn', { method: 'POST', body: {} }],
  ['/trpc/app/keys.list', {}],
  ['/trpc/api/account.me', {}],
  ['/exports/anything', {}],
];

describe('during maintenance', () => {
  it.each(ways)('%s is answered with 503, and with the time after which to try again', async (path, sent) => {
    const answer = await client.request(sent.method ?? 'GET', path, sent);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '45']);
    expect(problemIn(answer.body)).toMatchObject({ code: 'unavailable' });
  });

  it.each([
    '/healthz',
    '/readyz',
    '/developers/en/errors',
    '/llms.txt',
    '/licenses.txt',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/mcp',
  ])('%s needs no database, and is answered as ever', async (path) => {
    expect((await client.get(path)).status).toBe(200);
  });
});
