import { beforeEach, describe, expect, it } from 'vitest';
import { makeClient, type Answer } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { expectApiHeaders, expectHeadersOutside } from './api-headers.ts';
import { askOnce, wire } from './raw-http.ts';
import { useTestApi } from './test-api.ts';

const base = '/api/public/v1';
let key: string;

const service = await useTestService();
const testApi = await useTestApi(service);
const team = await aTeam(service, { members: 1 });
beforeEach(async () => {
  key = (await team.aKey()).text;
});

/** Requests a target exactly as written: no client normalises it. */
const ask = (target: string, { method = 'GET', origin = service.origin, headers = {} } = {}): Promise<Answer> =>
  askOnce(origin, wire(method, target, { Authorization: `Bearer ${key}`, ...headers }));

const strange = [
  '',
  '/nothing',
  '/me/',
  '//me',
  '/x/../me',
  '/x/%2e%2e/me',
  '/ME',
  '/me;a=b',
  '/me%00',
  '/me%2F',
  '/me%3Fx=1',
  '/%',
  '/users/%ED%A0%80',
  '/users/a%2Fb',
  '/users/:member_id',
  '/users/__proto__',
  '/healthz',
  '/openapi.v1.json/',
  `/users/${'x'.repeat(8_000)}`,
];

describe('paths', () => {
  it.each(strange)('404 not_found: %j', async (path) => {
    const answer = await ask(`${base}${path}`);
    expect(answer).toBeProblem('not_found');
    expectApiHeaders(answer);
  });

  it.each([
    '/nothing',
    '/api',
    '/api/public',
    '/api/public/v2/me',
    '/api/public/v1x/me',
    '/API/public/v1/me',
    '/exports/%',
    '/exports/%ff',
    '/exports/%ED%A0%80',
    '/weekly-mail/%ff',
    '/weekly-mail/nothing',
    '/trpc/%ff',
    '/.well-known/%ff',
    '/oauth/%ff',
    '/assets/%ff',
    '//api/public/v1/me',
    '*',
  ])('404 not_found: there is nothing at %s, with or without a key', async (target) => {
    for (const headers of [{}, { Authorization: 'none' }]) {
      const answer = await ask(target, { headers, method: target === '*' ? 'OPTIONS' : 'GET' });
      expect(answer).toBeProblem('not_found');
      expectHeadersOutside(answer);
    }
  });

  it.each([
    ['a', 'a'],
    ['a+b', 'a+b'],
    ['a%2Fb', 'a/b'],
    ['%252F', '%2F'],
    ['a%3Fb%23c', 'a?b#c'],
    ['%C3%A4%F0%9F%98%80', 'ä😀'],
    ['%2e%2e', '..'],
    ['..', '..'],
    ['%66ixe', 'fixe'],
  ])('a parameter is decoded once: %s is %s', async (written, text) => {
    const answer = await ask(`${base}/echo/${written}`, { origin: testApi.origin });
    expect(answer.body['input']).toEqual({ text });
  });

  it('a fixed path has precedence over a parameter', async () => {
    expect((await ask(`${base}/echo/fixed`, { origin: testApi.origin })).body).toEqual({ text: 'the fixed one' });
  });

  it.each([
    ['http://localhost/api/public/v1/me', 200],
    ['HTTP://localhost:3000/api/public/v1/me', 200],
    ['https://elsewhere.example/api/public/v1/users?limit=1', 200],
    ['http://localhost/api/public/v1/nothing', 404],
    ['http://localhost', 200],
    ['http:///api/public/v1/me', 400],
    ['ftp://localhost/api/public/v1/me', 400],
    ['?x', 400],
    ['http://[/api/public/v1/me', 200],
    ['http://%zz/nothing', 404],
    ['/\\/', 404],
  ])('a target in absolute form is read as its path and query: %s gives %i', async (target, status) => {
    const answer = await ask(target);
    expect(answer.status).toBe(status);
    if (status === 404) expect(answer).toBeProblem('not_found');
    if (status === 400) expect(answer).toBeProblem('bad_request');
  });
});

describe('methods', () => {
  it.each([
    ['PUT', '/users'],
    ['POST', '/me'],
    ['TRACE', '/me'],
    ['QUERY', '/users'],
    ['POST', '/openapi.v1.json'],
    ['OPTIONS', '/nothing'],
  ])('404 not_found: %s %s, and 401 before that', async (method, path) => {
    const known = await ask(`${base}${path}`, { method, headers: { 'Content-Length': '0' } });
    expect(known).toBeProblem('not_found');
    expectApiHeaders(known);
    const unknown = await ask(`${base}${path}`, {
      method,
      headers: { Authorization: 'none', 'Content-Length': '0' },
    });
    expect(unknown).toBeProblem('unauthorized');
  });

  it('400 bad_request: CONNECT', async () => {
    for (const target of ['localhost:443', `${base}/me`]) {
      const answer = await ask(target, { method: 'CONNECT' });
      expect(answer).toBeProblem('bad_request');
      expectApiHeaders(answer);
    }
  });

  it.each([
    ['/me', 'GET, HEAD, OPTIONS'],
    ['/users', 'GET, HEAD, OPTIONS, POST'],
    ['/users/nobody', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    ['/openapi.v1.json', 'GET, HEAD, OPTIONS'],
  ])('204: OPTIONS %s names %s', async (path, allowed) => {
    const preflight = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'GET' };
    const answer = await ask(`${base}${path}`, { method: 'OPTIONS', headers: preflight });
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect(answer.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allowed);
    expectApiHeaders(answer);
  });

  it('OPTIONS needs a key like every method, but no scope', async () => {
    expect(await ask(`${base}/users`, { method: 'OPTIONS', headers: { Authorization: 'none' } })).toBeProblem(
      'unauthorized',
    );
    key = (await team.aKey({ scopes: ['catalog:read'] })).text;
    expect((await ask(`${base}/users`, { method: 'OPTIONS' })).status).toBe(204);
  });

  const passing = /^(date|x-request-id|ratelimit.*|keep-alive|connection)$/;
  const lasting = ({ status, headers }: Answer) => ({
    status,
    headers: Object.fromEntries([...headers].filter(([name]) => !passing.test(name))),
  });

  it.each([
    ['/me', 200],
    ['/users?limit=2', 200],
    ['/users?limit=0', 422],
    ['/users/nobody', 404],
    ['/nothing', 404],
    ['/openapi.v1.json', 200],
  ])('HEAD %s is answered like GET (%i), without the body', async (path, status) => {
    const client = makeClient(service.baseUrl, key);
    for (const coding of ['identity', 'gzip', 'br']) {
      const options = { headers: { 'Accept-Encoding': coding } };
      const get = await client.get(path, options);
      const head = await client.request('HEAD', path, options);
      expect(head.text).toBe('');
      expect(lasting(head)).toEqual(lasting(get));
      expect(head.status).toBe(status);
      expectApiHeaders(head);
    }
  });

  it('X-HTTP-Method-Override has no effect', async () => {
    const id = team.members[0]?.id ?? '';
    const answer = await ask(`${base}/users/${id}`, { headers: { 'X-HTTP-Method-Override': 'DELETE' } });
    expect(answer.body['id']).toBe(id);
    expect((await ask(`${base}/users/${id}`)).status).toBe(200);
  });
});
