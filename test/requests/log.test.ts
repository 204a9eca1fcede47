import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { timeOfId } from '../../src/core/ids.ts';
import { limits, requestLogLimits } from '../../src/core/limits.ts';
import { inTheApp } from '../support/app-caller.ts';
import { keyBudget, spend } from '../support/budgets.ts';
import { makeClient } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { patience } from '../support/patience.ts';
import { theRequests } from '../support/logs.ts';
import { requestDetails, type AnsweredRequest } from '../../src/modules/requests/writer.ts';
import { daysToMs, later } from '../../src/core/clock.ts';

const service = await useTestService({ own: true });

/** The team's log when it has this many requests: a request is logged only after its answer was sent completely. */
const logged = async (team: TestTeam, count: number) => {
  const { requests } = await inTheApp(team);
  return vi.waitFor(async () => {
    await service.requestLog.write();
    const { data } = await requests.list({});
    expect(data).toHaveLength(count);
    return data;
  }, patience);
};

describe('the request log', () => {
  it('has every request with a valid key: details, outcome, duration and key', async () => {
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

  it('shows one request with its path, query, caller and problem, but no key; less of it while member-level data is hidden', async () => {
    const team = await aTeam(service);
    const { id: key_id, text } = await team.aKey({ scopes: ['users:read'] });
    const client = makeClient(service.baseUrl, text);
    const member = randomUUID();
    const headers = { 'User-Agent': 'sync "1.0" \\ (büro)' };
    await client.get(`/users/${member}?token=${text}&b=%27`, { headers });
    const [entry] = await logged(team, 1);
    const { requests } = await inTheApp(team);
    const shown = await requests.get({ entry_id: entry?.id ?? '' });
    expect(shown).toMatchObject({
      ...entry,
      path: `/api/public/v1/users/${member}`,
      query: 'token=[redacted]&b=%27',
      address: '127.0.0.1',
      user_agent: expect.stringContaining('sync "1.0" \\ ('),
      problem: { errors: [expect.objectContaining({ in: 'query', path: ['token'] }), expect.any(Object)] },
      is_hidden: false,
    });
    expect(JSON.stringify(shown)).not.toContain(text.slice(24));

    await team.change({ memberDetail: false });
    const discreet = await (await inTheApp(team)).requests.get({ entry_id: shown.id });
    expect(discreet).toMatchObject({ path: null, query: null, address: '127.0.0.1', is_hidden: true });
    expect(JSON.stringify(discreet)).not.toContain(member);
    expect(discreet.problem?.errors?.map(({ path }) => path)).toEqual(shown.problem?.errors?.map(({ path }) => path));

    await client.get('/cases', { headers });
    await client.get('/users');
    await client.get('/users');
    await logged(team, 4);
    expect(await requests.ofKey({ key_id })).toMatchObject({
      days: 30,
      other_requests: 0,
      routes: [
        {
          method: 'GET',
          route: '/users',
          requests: 2,
          refused: 0,
          failed: 0,
          limited: 0,
          last_used_at: expect.any(String),
        },
        { method: 'GET', route: '/cases', requests: 1, refused: 1 },
        { method: 'GET', route: '/users/{member_id}', requests: 1, refused: 1 },
      ],
      callers: [
        { address: '127.0.0.1', requests: 2 },
        { address: '127.0.0.1', user_agent: shown.user_agent, requests: 2 },
      ],
    });
  });

  it.each<[string, Partial<AnsweredRequest>, object]>([
    [
      'has no path with an id',
      { route: '/users/{member_id}', path: '/api/public/v1/users/1' },
      { path: null, query: null, is_hidden: true },
    ],
    ['has no path of no route', { route: undefined, path: '/api/public/v1/mia' }, { path: null, is_hidden: true }],
    [
      'has a path without ids',
      { route: '/users', path: '/api/public/v1/users' },
      { path: '/api/public/v1/users', is_hidden: false },
    ],
    [
      'has no query',
      { route: '/users', path: '/api/public/v1/users', query: 'email=mia' },
      { path: '/api/public/v1/users', query: null, is_hidden: true },
    ],
    [
      'has no texts of a problem, only its other members',
      {
        route: '/users',
        problem: JSON.stringify({
          detail: 'There is no mia.',
          id: 'mia',
          field: 'member_id',
          errors: [{ in: 'body', path: ['member_id'], code: 'custom', message: 'Not mia.' }],
        }),
      },
      {
        problem: { field: 'member_id', errors: [{ in: 'body', path: ['member_id'], code: 'custom', message: '' }] },
        is_hidden: true,
      },
    ],
    [
      'has a problem without texts',
      { route: '/users', problem: JSON.stringify({ required_scope: 'users:read' }) },
      { problem: { required_scope: 'users:read' }, is_hidden: false },
    ],
    [
      'has who called, and the outcome',
      { route: '/users', status: 403, code: 'insufficient_scope', address: '203.0.113.7', userAgent: 'sync/1' },
      { status: 403, code: 'insufficient_scope', address: '203.0.113.7', user_agent: 'sync/1', is_hidden: false },
    ],
  ])('while member-level data is hidden, a request %s', async (_, given, shown) => {
    const team = await aTeam(service, { memberDetail: false });
    await theRequests(service, team, (await team.aKey()).id, [given]);
    const { requests } = await inTheApp(team);
    const [entry] = (await requests.list({})).data;
    const one = await requests.get({ entry_id: entry?.id ?? '' });
    expect(one).toMatchObject(shown);
    if (given.problem !== undefined) expect(one.problem).toEqual(Object.entries(shown)[0]?.[1]);
    expect(JSON.stringify(one)).not.toContain('mia');
  });

  it('sums a key’s requests of 30 days by route and outcome, the most frequent first, and those of no other key', async () => {
    const team = await aTeam(service);
    const [{ id: key_id }, other] = [await team.aKey(), await team.aKey()];
    const many = (count: number, answer: Partial<AnsweredRequest>) => Array.from({ length: count }, () => answer);
    const at = async (daysAgo: number, keyId: string, answers: Partial<AnsweredRequest>[]) => {
      service.clock.set(later(new Date(), -daysToMs(daysAgo)));
      await theRequests(service, team, keyId, answers);
      service.clock.set(new Date());
    };
    await at(0, key_id, [
      ...many(3, { route: '/cases', status: 200 }),
      ...many(2, { route: '/cases', status: 429 }),
      ...many(1, { route: '/cases', status: 404 }),
      ...many(4, { route: '/cases', status: 503 }),
      ...many(2, { route: '/users', status: 304 }),
      ...many(2, { route: '/users', status: 201, method: 'POST' }),
      ...many(1, { route: undefined, status: 404 }),
    ]);
    await at(29, key_id, [{ route: '/catalog' }]);
    await at(30, key_id, [{ route: '/catalog' }]);
    await at(0, other.id, [{ route: '/cases', address: '203.0.113.7' }]);
    const none = { requests: 0, limited: 0, refused: 0, failed: 0 };
    const sumsOf = ({ last_used_at: _lastUsedAt, ...sums }: { last_used_at: string }) => sums;
    const { routes, callers, other_requests } = await (await inTheApp(team)).requests.ofKey({ key_id });
    expect(routes.map(sumsOf)).toEqual([
      { method: 'GET', route: '/cases', requests: 10, limited: 2, refused: 1, failed: 4 },
      { ...none, method: 'GET', route: '/users', requests: 2 },
      { ...none, method: 'POST', route: '/users', requests: 2 },
      { ...none, method: 'GET', route: null, requests: 1, refused: 1 },
      { ...none, method: 'GET', route: '/catalog', requests: 1 },
    ]);
    expect([callers, other_requests]).toEqual([[], 0]);
  });

  it('names a key’s last ten callers, the latest first, and counts its rarest routes beyond 200 together', async () => {
    const team = await aTeam(service);
    const { id: key_id } = await team.aKey();
    const from = (address: string, userAgent?: string) => ({ address, ...(userAgent && { userAgent }) });
    const addresses = Array.from({ length: 11 }, (_, at) => `203.0.113.${at}`);
    for (const given of [...addresses.map((one) => from(one)), from('203.0.113.5', 'sync/2'), from('203.0.113.2')]) {
      service.clock.forward(1_000);
      await theRequests(service, team, key_id, [given]);
    }
    await theRequests(
      service,
      team,
      key_id,
      Array.from({ length: 203 }, (_, at) => ({ route: `/route-${at}` })),
    );
    service.clock.set(new Date());
    const { routes, callers, other_requests } = await (await inTheApp(team)).requests.ofKey({ key_id });
    expect([routes.length, routes[0]?.requests, other_requests]).toEqual([200, 13, 4]);
    expect(callers.map(({ address, user_agent, requests }) => [address, user_agent, requests])).toEqual([
      ['203.0.113.2', null, 2],
      ['203.0.113.5', 'sync/2', 1],
      ...addresses
        .slice(3)
        .toReversed()
        .map((one) => [one, null, 1]),
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

const of = (given: Partial<Parameters<typeof requestDetails>[0]>) =>
  requestDetails({
    target: '/api/public/v1/users',
    address: '203.0.113.7',
    userAgent: undefined,
    problem: undefined,
    ...given,
  });

const queryOf = (query: string) => of({ target: `/api/public/v1/users?${query}` }).query;

describe('the logged details of a request', () => {
  it('are the path and query as called, the caller, and the problem', () => {
    const problem = {
      errors: [{ in: 'query' as const, path: ['limit'], code: 'invalid_type', message: 'Expected int' }],
    };
    const target = '/api/public/v1/users?limit=x&cursor=bGFzdF9yb3dfb2ZfdGhlX3BhZ2U0Mg';
    const kept = of({ target, userAgent: 'python-requests/2.32', problem });
    expect({ ...kept, problem: JSON.parse(kept.problem ?? '') }).toEqual({
      path: '/api/public/v1/users',
      query: 'limit=x&cursor=bGFzdF9yb3dfb2ZfdGhlX3BhZ2U0Mg',
      address: '203.0.113.7',
      userAgent: 'python-requests/2.32',
      problem,
    });
    expect(of({ target: '/api/public/v1/me?' }).query).toBeUndefined();
    expect(of({ problem: {} }).problem).toBeUndefined();
  });

  it.each([
    ['api_key=abc&limit=5', 'api_key=[redacted]&limit=5'],
    // An erasure would not find it.
    ['external_id=7&email=mia%40example.com', 'external_id=[redacted]&email=mia%40example.com'],
    ['Access%54oken=abc', 'Access%54oken=[redacted]'],
    ['q=svck_live_abcdef123456_secret', 'q=[redacted]'],
    ['q=svck%5Flive%5Fabcdef', 'q=[redacted]'],
    ['svck_live_abcdef123456_secret', '[redacted]'],
    ['q=Bearer+abcdefgh12345678', 'q=[redacted]'],
    ['q=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', 'q=[redacted]'],
    ['q=AbCdEf0123456789AbCdEf0123', 'q=[redacted]'],
    ['user_id=0198c2d4-0000-7000-8000-000000000000', 'user_id=0198c2d4-0000-7000-8000-000000000000'],
    ['from=2026-05-01T10%3A00%3A00.000Z&to=', 'from=2026-05-01T10%3A00%3A00.000Z&to='],
    ['q=%E0%A4%A', 'q=%E0%A4%A'],
  ])('have no secret in the query: %s', (query, kept) => {
    expect(queryOf(query)).toBe(kept);
  });

  it('have no secret in the path, the agent or the problem', () => {
    const secret = 'svck_live_abcdef123456_s3cr3ts3cr3t';
    const detail = `The key does not exist.`;
    const errors = [{ in: 'body' as const, path: [secret], code: 'custom', message: secret }];
    const kept = of({
      target: `/api/public/v1/${secret}`,
      userAgent: `curl ${secret}`,
      problem: { detail, errors, id: secret },
    });
    expect(JSON.stringify(kept)).not.toContain('s3cr3t');
    expect(kept.path).toBe('/api/public/v1/[redacted]');
  });

  it.each([10, 11])('have at most ten flaws, and their number if there are more: %d', (count) => {
    const errors = Array.from({ length: count }, (_, at) => ({
      in: 'body' as const,
      path: [at],
      code: 'custom',
      message: `Flaw ${at}.`,
    }));
    const { problem } = of({ problem: { errors } });
    expect(JSON.parse(problem ?? '')).toEqual({
      errors: errors.slice(0, 10),
      ...(count === 11 && { errors_total: 11 }),
    });
  });

  it('are short, whatever the caller sends, and can be stored', () => {
    const long = 'x'.repeat(20_000);
    const errors = Array.from({ length: 100 }, () => ({
      in: 'body' as const,
      path: [long, 3],
      code: 'custom',
      message: long,
    }));
    const kept = of({
      target: `/api/public/v1/${long}?q=${long}&${'a=1&'.repeat(3_000)}`,
      userAgent: `\u0001"\\${'é'.repeat(500)}\ud83d`,
      problem: { detail: `\u0000${long}\ud800`, errors },
    });
    expect(kept.path).toHaveLength(requestLogLimits.pathCharacters);
    expect(kept.query).toHaveLength(requestLogLimits.queryCharacters);
    expect(kept.userAgent?.length).toBeLessThanOrEqual(requestLogLimits.agentCharacters);
    expect(kept.problem?.length).toBeLessThan(6_000);
    expect(JSON.parse(kept.problem ?? '')).toMatchObject({ errors_total: 100 });
    // PostgreSQL's text has no NUL, and its jsonb no lone surrogate.
    // oxlint-disable-next-line no-control-regex -- these are what must not be there
    expect(JSON.stringify(kept)).not.toMatch(/\\\\?u(0000|d8)|[\u0000-\u001f]/);
  });
});
