import { expect, it } from 'vitest';
import { z } from 'zod';
import { ApiError, ConnectionError, isProblem } from '../../../src/packages/client/errors.ts';
import { answer, errorOf, problem, raw, scripted, type Kit } from '../scripted.ts';

const busy = problem(503, 'unavailable', { 'Retry-After': '0' });
const ok = answer(200, {});

/** What a client repeats and how, what it sends, and what it makes of answers. */
export const requestCases = (kit: Kit): void => {
  it('repeats 429, 502, 503 and 504 as often as configured, and reports the number of attempts', async () => {
    const replies = [
      problem(429, 'rate_limited', { 'Retry-After': '0' }, { retry_after: 0 }),
      answer(502, 'a proxy', { 'Content-Type': 'text/html', 'Retry-After': '0' }),
      answer(504, 'a proxy', { 'Content-Type': 'text/html', 'Retry-After': new Date(0).toUTCString() }),
      answer(200, { tenant_id: 't' }),
    ];
    const { api, asked } = await scripted(kit, replies);
    const { data, attempts } = await api.me().withResponse();
    expect([data, attempts, asked.length]).toEqual([{ tenant_id: 't' }, 4, 4]);

    const twice = await scripted(kit, [busy, busy, busy], { retries: 1 });
    const error = await errorOf(twice.api.me());
    expect(error).toMatchObject({ code: 'unavailable', status: 503, attempts: 2, requestId: 'r' });
    expect(twice.asked.length).toBe(2);
  });

  it('repeats no refusal and no internal error', async () => {
    for (const [status, code] of [
      [401, 'unauthorized'],
      [404, 'not_found'],
      [422, 'validation_error'],
      [500, 'internal'],
    ] as const) {
      const { api, asked } = await scripted(kit, [problem(status, code, { 'Retry-After': '0' })]);
      expect(isProblem(await errorOf(api.me()), code)).toBe(true);
      expect(asked.length).toBe(1);
    }
  });

  it('throws at once if the wait would be longer than two minutes', async () => {
    const { api, asked } = await scripted(kit, [
      problem(429, 'rate_limited', { 'Retry-After': '3600' }, { retry_after: 3600 }),
    ]);
    const error = await errorOf(api.users.invite({ email: 'a@example.com' }));
    expect(isProblem(error, 'rate_limited') && error.retry_after).toBe(3600);
    expect(asked.length).toBe(1);
  });

  it('sends a POST again with the same key and body, after a lost connection too', async () => {
    const replies = [
      'lost',
      busy,
      answer(201, { id: 'c' }, { 'Idempotent-Replayed': 'true' }),
      answer(201, { id: 'd' }),
    ] as const;
    const { api, asked } = await scripted(kit, replies);
    const { replayed } = await api.cases.create({ user_id: 'u', title: 'x' }).withResponse();
    expect(replayed).toBe(true);
    await api.cases.create({ user_id: 'u', title: 'x' });
    const keys = asked.map(({ headers, body }) => `${String(headers['idempotency-key'])} ${body}`);
    expect([keys.length, new Set(keys.slice(0, 3)).size, new Set(keys).size]).toEqual([4, 1, 2]);
    for (const { headers } of asked) expect(headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    expect(asked[0]).toMatchObject({
      method: 'POST',
      path: '/api/public/v1/cases',
      body: '{"user_id":"u","title":"x"}',
    });
  });

  it('sends many items in requests of 100 and of the allowed size, each with a key of its own made of the first one', async () => {
    const resultsOf = (from: number, count: number) =>
      answer(200, { results: Array.from({ length: count }, (_, at) => ({ status: 201, at: from + at })) });
    const item = { member_id: 'm', title: 'x', situation_id: 's', personality_id: 'p', industry_id: 'i' };
    const many = await scripted(kit, [resultsOf(0, 100), busy, 'lost', resultsOf(100, 100), resultsOf(200, 50)]);
    const items = Array.from({ length: 250 }, (_, at) => ({ ...item, title: `${at}` }));
    const results = await many.api.assignments.createMany(items, { idempotencyKey: 'mine' });
    expect(results.map((result) => Object(result)['at'])).toEqual(items.map((_, at) => at));
    const sent = many.asked.map(({ path, headers, body }) => {
      const titles = z.object({ items: z.array(z.object({ title: z.string() })) }).parse(JSON.parse(body)).items;
      return [path, headers['idempotency-key'], titles[0]?.title, titles.length];
    });
    const path = '/api/public/v1/assignments/bulk';
    expect(sent).toEqual([
      [path, 'mine', '0', 100],
      [path, 'mine-1', '100', 100],
      [path, 'mine-1', '100', 100],
      [path, 'mine-1', '100', 100],
      [path, 'mine-2', '200', 50],
    ]);

    // Twelve notes of 20,000 characters, each with two bytes.
    const large = await scripted(kit, [resultsOf(0, 6), resultsOf(6, 6)]);
    await large.api.assignments.createMany(Array.from({ length: 12 }, () => ({ ...item, note: 'ä'.repeat(20_000) })));
    for (const { body } of large.asked) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(256 * 1024);
    expect(large.asked).toHaveLength(2);
    expect(new Set(large.asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);

    const refused = await scripted(kit, [resultsOf(0, 100), problem(403, 'insufficient_scope')]);
    expect(isProblem(await errorOf(refused.api.assignments.createMany(items)), 'insufficient_scope')).toBe(true);
  });

  it('waits for what is still running and says so with Retry-After, but for no other conflict', async () => {
    const running = problem(409, 'conflict', { 'Retry-After': '0' });
    const { api, asked } = await scripted(kit, [running, answer(201, { id: 'c' })]);
    await api.cases.create({ user_id: 'u' }, { idempotencyKey: 'mine' });
    expect(asked.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine']);

    const taken = await scripted(kit, [problem(409, 'conflict')]);
    expect(isProblem(await errorOf(taken.api.users.invite({ email: 'a@example.com' })), 'conflict')).toBe(true);
  });

  it('treats 404 as success of DELETE only if a former attempt may have acted', async () => {
    const gone = problem(404, 'not_found');
    const now = { 'Retry-After': '0' };
    for (const unclear of ['lost', busy, problem(502, 'proxy', now), problem(504, 'proxy', now)] as const) {
      const { api } = await scripted(kit, [unclear, gone]);
      expect(await api.cases.delete('c')).toEqual({ ok: true });
    }
    for (const replies of [[gone], [problem(429, 'rate_limited', now), gone]]) {
      const refused = await scripted(kit, replies);
      expect(isProblem(await errorOf(refused.api.cases.delete('c')), 'not_found')).toBe(true);
    }
    const byProxy = await scripted(kit, [busy, answer(404, 'no such page', { 'Content-Type': 'text/html' })]);
    expect(isProblem(await errorOf(byProxy.api.cases.delete('c')), 'unexpected_answer')).toBe(true);
    const read = await scripted(kit, [busy, gone]);
    expect(isProblem(await errorOf(read.api.cases.get('c')), 'not_found')).toBe(true);
  });

  it('waits before each attempt, twice as long as before, or as long as the service says', async () => {
    const later = problem(503, 'unavailable', { 'Retry-After': '5' });
    const clock = await kit.onAClock(['lost', 'lost', 'lost', later, ok], { retries: 4 });
    const call = clock.api.me();
    await clock.pass(9_100);
    expect(await call).toEqual({});
    expect(clock.asked.map(({ at }) => at)).toEqual([0, 500, 1_500, 3_500, 9_100]);
  });

  it('reports that there was no answer, and why', async () => {
    const { api } = await scripted(kit, ['lost'], { retries: 0 });
    const error = await errorOf(api.me());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      reason: 'network',
      attempts: 1,
      message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ can't be reached: /),
      cause: expect.any(Error),
    });

    const slow = await scripted(kit, ['waits'], { retries: 0, timeoutMs: 20 });
    expect(await errorOf(slow.api.me())).toMatchObject({
      reason: 'timeout',
      message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ did not answer within (20 ms|0\.02 s)\.$/),
    });
  });

  it('repeats a request whose answer was cut off', async () => {
    const cut = { ...raw(200, '{"tenant_id":', { 'Content-Length': '20' }), isCut: true };
    const { api, asked } = await scripted(kit, [cut, ok]);
    expect(await api.me()).toEqual({});
    expect(asked.length).toBe(2);
  });

  it('reports answers that are not the API’s', async () => {
    const html = answer(200, '<html>', { 'Content-Type': 'text/html' });
    const redirect = raw(302, '', { Location: 'https://example.com' });
    const problems = ['null', '{}', '{"code":1}', 'no JSON'].map((text) =>
      raw(403, text, { 'Content-Type': 'application/problem+json' }),
    );
    const page = answer(403, '<html>', { 'Content-Type': 'text/html' });
    for (const reply of [raw(200, '<html>'), redirect, page, ...problems]) {
      const { api } = await scripted(kit, [reply]);
      const error = await errorOf(api.me());
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ code: 'unexpected_answer', excerpt: expect.any(String) });
    }
    const { api } = await scripted(kit, [html, answer(500, 'x'.repeat(2_000), { 'Content-Type': 'text/html' })]);
    expect(await api.me()).toBe('<html>'); // it is JSON, whatever its type
    expect(await errorOf(api.me())).toMatchObject({
      message: 'unexpected_answer: HTTP 500 (500)',
      excerpt: expect.toSatisfy((text: string) => text.length === 1_000),
    });
  });

  it('reports a problem with its members, and in its message', async () => {
    const type = { 'Content-Type': 'application/problem+json; charset=utf-8', 'Idempotent-Replayed': 'true' };
    const { api } = await scripted(kit, [
      problem(403, 'insufficient_scope', type, { detail: 'Missing.', required_scope: 'cases:read' }),
      answer(404, { code: 'not_found', title: 'Nichts' }, { 'X-Request-Id': 'from the header' }),
    ]);
    const error = await errorOf(api.me());
    expect(isProblem(error, 'not_found', 'insufficient_scope')).toBe(true);
    expect(isProblem(error, 'not_found', 'internal')).toBe(false);
    expect(error).toMatchObject({ required_scope: 'cases:read', requestId: 'r', replayed: true, attempts: 1 });
    expect(error).toHaveProperty('message', 'insufficient_scope: Missing. (403, request r)');
    expect(await errorOf(api.me())).toMatchObject({
      message: 'not_found: Nichts (404)',
      title: 'Nichts',
      requestId: 'from the header',
      replayed: false,
    });
  });

  it('refuses keys and ids that would cause a different request', async () => {
    for (const key of ['', 'svck live', 'svck_live_x\n'])
      await expect(async () => kit.createClient({ key }).me()).rejects.toThrow('must be an API key');
    const api = kit.createClient({ key: 'svck_live_k' });
    for (const id of ['', '.', '..']) await expect(async () => api.users.get(id)).rejects.toThrow('is not an id');
  });

  it('writes filters, times and ids so that they arrive unchanged', async () => {
    const { api, asked } = await scripted(kit, [answer(200, { data: [], next_cursor: null }), ok]);
    await api.trainings.list({ since: new Date(0), user_id: 'a&b=c d', status: undefined }, { language: 'de' });
    await api.cases.get('a/b?c');
    const [path = '', query = ''] = asked[0]?.path.split('?') ?? [];
    expect([path, ...query.split('&').toSorted(), asked[1]?.path]).toEqual([
      '/api/public/v1/trainings',
      'since=1970-01-01T00%3A00%3A00.000Z',
      'user_id=a%26b%3Dc+d',
      '/api/public/v1/cases/a%2Fb%3Fc',
    ]);
    expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer svck_live_k', 'accept-language': 'de' });
  });

  it.each([
    [undefined, 'http://localhost:3000/api/public/v1/me'],
    ['http://t.example', 'http://t.example/api/public/v1/me'],
    ['http://t.example/', 'http://t.example/api/public/v1/me'],
    ['http://t.example/own/v1', 'http://t.example/own/v1/me'],
    ['http://t.example/own/v1/', 'http://t.example/own/v1/me'],
  ])('of the base URL %s sends requests to %s', async (baseUrl, url) => {
    const clock = await kit.onAClock([ok], { baseUrl });
    await clock.api.me();
    expect(clock.asked.map(({ path }) => path)).toEqual([url]);
  });

  it('sends only the headers that a request needs', async () => {
    const clock = await kit.onAClock([ok, ok, ok, ok], { language: 'en' });
    await clock.api.me();
    await clock.api.cases.update('c', {}, { language: 'de' });
    await clock.api.cases.create({ user_id: 'u' }, { idempotencyKey: 'mine' });
    await clock.api.webhooks.endpoints.test('e', { idempotencyKey: 'mine' });
    const usual = { accept: 'application/json', authorization: 'Bearer svck_live_k', 'accept-language': 'en' };
    const ofBody = { 'content-type': 'application/json' };
    const own = ['accept', 'authorization', 'accept-language', 'content-type', 'idempotency-key'];
    const sent = clock.asked.map(({ headers }) =>
      own.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])),
    );
    expect(sent.map((headers) => Object.fromEntries(headers))).toEqual([
      usual,
      { ...usual, ...ofBody, 'accept-language': 'de' },
      { ...usual, ...ofBody, 'idempotency-key': 'mine' },
      { ...usual, 'idempotency-key': 'mine' },
    ]);
    expect(clock.asked.map(({ body }) => body)).toEqual(['', '{}', '{"user_id":"u"}', '']);
    const silent = await kit.onAClock([ok]);
    await silent.api.me();
    expect(silent.asked[0]?.headers).not.toHaveProperty('accept-language');
  });

  it('gives an answer with its headers and the budget', async () => {
    const budget = { 'RateLimit-Limit': '120', 'RateLimit-Remaining': '7', 'RateLimit-Reset': '42' };
    const me = answer(200, { tenant_id: 't' }, { 'X-Request-Id': 'r', ...budget });
    const { api } = await scripted(kit, [me, ok]);
    expect(await api.me().withResponse()).toMatchObject({
      data: { tenant_id: 't' },
      status: 200,
      requestId: 'r',
      rateLimit: { limit: 120, remaining: 7, resetSeconds: 42 },
      replayed: false,
      attempts: 1,
      text: '{"tenant_id":"t"}',
    });
    expect(await api.me().withResponse()).toMatchObject({ requestId: undefined, rateLimit: undefined });
  });

  it('reads as many entries of a list as asked, and its first page with status and headers', async () => {
    const page = (ids: string[], next_cursor: string | null) =>
      answer(200, { data: ids.map((id) => ({ id })), next_cursor });
    const pages = [page(['1', '2'], 'a'), page(['3', '4'], 'b'), page(['5'], null)];
    for (const [max, count, requests] of [
      [1, 1, 1],
      [2, 2, 1],
      [3, 3, 2],
      [undefined, 5, 3],
    ] as const) {
      const { api, asked } = await scripted(kit, pages);
      expect((await api.cases.list().all(max)).map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5'].slice(0, count));
      expect(asked.length).toBe(requests);
    }
    const { api } = await scripted(kit, pages);
    expect(await api.cases.list().withResponse()).toMatchObject({ status: 200, data: { next_cursor: 'a' } });
  });

  it('sends the filters with each cursor, and requests a page only when it is needed', async () => {
    const page = (id: string, next_cursor: string | null) => answer(200, { data: [{ id }], next_cursor });
    const { api, asked } = await scripted(kit, [page('1', 'a'), page('2', 'b'), page('3', null)]);
    const list = api.cases.list({ user_id: 'u' });
    expect(asked.length).toBe(0);
    for await (const { id } of list) {
      expect(asked.length).toBe(Number(id));
      if (id === '2') break;
    }
    expect(asked.map(({ path }) => path.split('?')[1]?.split('&').toSorted())).toEqual([
      ['user_id=u'],
      ['cursor=a', 'user_id=u'],
    ]);
  });

  it('parses Retry-After as seconds, as a date by the clock of the answer, or ignores it', async () => {
    const read = (value: string, date = 'Sun, 22 Nov 2026 10:00:00 GMT') =>
      kit.retryAfterMs({ 'Retry-After': value, Date: date });
    expect([await read('7'), await read('120'), await read('1.25')]).toEqual([7_000, 120_000, 1_250]);
    expect(await read('Sun, 22 Nov 2026 10:00:09 GMT')).toBe(9_000);
    expect(await read('Sun, 22 Nov 2026 09:00:00 GMT')).toBe(0);
    for (const value of ['', 'soon', '-1', 'x7', '7 s', 'soon GMT']) expect(await read(value)).toBeUndefined();
    expect(await kit.retryAfterMs({})).toBeUndefined();
    const undated = await kit.retryAfterMs({ 'Retry-After': new Date(Date.now() + 60_000).toUTCString() });
    expect(undated).toBeGreaterThan(50_000);
    expect(undated).toBeLessThanOrEqual(60_000);
  });

  it('waits for Retry-After and a little more, or else longer each time, up to eight seconds', async () => {
    const longest = (attempt: number, asked?: number) => kit.pauseBefore(1, attempt, asked);
    const pauses = await Promise.all([2, 3, 4, 5, 6, 7].map((attempt) => longest(attempt)));
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000]);
    expect([await longest(2, 30_000), await longest(2, 5_000), await longest(2, 0)]).toEqual([31_000, 5_600, 100]);
    expect([await kit.pauseBefore(0, 2), await kit.pauseBefore(0, 2, 30_000)]).toEqual([250, 30_000]);
  });
};
