import { expect, it, vi } from 'vitest';
import { createClient } from '../../src/packages/client/index.ts';
import { ApiError, ConnectionError, isProblem } from '../../src/packages/client/errors.ts';
import { pauseBefore, retryAfterMs } from '../../src/packages/client/retry.ts';
import { eventually } from '../support/eventually.ts';
import { answer, lost, problem, scripted, type Reply } from './scripted.ts';

const busy = problem(503, 'unavailable', { 'Retry-After': '0' });
const errorOf = (call: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(call).then(
    () => expect.unreachable('it did not fail'),
    (error: unknown) => error,
  );

it('repeats 429, 502, 503 and 504 as often as configured, and reports the number of attempts', async () => {
  const replies = [
    problem(429, 'rate_limited', { 'Retry-After': '0' }, { retry_after: 0 }),
    answer(502, 'a proxy', { 'Content-Type': 'text/html', 'Retry-After': '0' }),
    answer(504, 'a proxy', { 'Content-Type': 'text/html', 'Retry-After': new Date(0).toUTCString() }),
    answer(200, { tenant_id: 't' }),
  ];
  const { api, asked } = await scripted(replies);
  const { data, attempts } = await api.me().withResponse();
  expect([data, attempts, asked.length]).toEqual([{ tenant_id: 't' }, 4, 4]);

  const twice = await scripted([busy, busy, busy], { retries: 1 });
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
    const { api, asked } = await scripted([problem(status, code)]);
    expect(isProblem(await errorOf(api.me()), code)).toBe(true);
    expect(asked.length).toBe(1);
  }
});

it('throws at once if the wait would be longer than two minutes', async () => {
  const { api, asked } = await scripted([
    problem(429, 'rate_limited', { 'Retry-After': '3600' }, { retry_after: 3600 }),
  ]);
  const error = await errorOf(api.users.invite({ email: 'a@example.com' }));
  expect(isProblem(error, 'rate_limited') && error.retry_after).toBe(3600);
  expect(asked.length).toBe(1);
});

it('sends a POST again with the same key and body, after a lost connection too', async () => {
  const { api, asked } = await scripted([lost, busy, answer(201, { id: 'c' }, { 'Idempotent-Replayed': 'true' })]);
  const { replayed } = await api.cases.create({ user_id: 'u', title: 'x' }).withResponse();
  expect(replayed).toBe(true);
  expect(new Set(asked.map(({ headers, body }) => `${String(headers['idempotency-key'])} ${body}`)).size).toBe(1);
  expect(asked[0]).toMatchObject({ method: 'POST', path: '/api/public/v1/cases', body: '{"user_id":"u","title":"x"}' });
});

it('waits for what is still running and says so with Retry-After, but for no other conflict', async () => {
  const running = problem(409, 'conflict', { 'Retry-After': '0' });
  const { api, asked } = await scripted([running, answer(201, { id: 'c' })]);
  await api.cases.create({ user_id: 'u' }, { idempotencyKey: 'mine' });
  expect(asked.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine']);

  const taken = await scripted([problem(409, 'conflict')]);
  expect(isProblem(await errorOf(taken.api.users.invite({ email: 'a@example.com' })), 'conflict')).toBe(true);
});

it('treats 404 as success of DELETE only if a former attempt may have acted', async () => {
  const gone = problem(404, 'not_found');
  for (const unclear of [lost, busy]) {
    const { api } = await scripted([unclear, gone]);
    expect(await api.cases.delete('c')).toEqual({ ok: true });
  }
  for (const replies of [[gone], [problem(429, 'rate_limited', { 'Retry-After': '0' }), gone]]) {
    const refused = await scripted(replies);
    expect(isProblem(await errorOf(refused.api.cases.delete('c')), 'not_found')).toBe(true);
  }
});

it('reports that there was no answer, and why', async () => {
  const { api } = await scripted([lost], { retries: 0 });
  const error = await errorOf(api.me());
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({
    reason: 'network',
    attempts: 1,
    message: expect.stringContaining("can't be reached: "),
  });

  const slow = await scripted([() => {}], { retries: 0, timeoutMs: 20 });
  expect(await errorOf(slow.api.me())).toMatchObject({ reason: 'timeout' });
});

it('ends a call at once when its signal is aborted, even while it waits', async () => {
  const { api, asked } = await scripted([problem(503, 'unavailable', { 'Retry-After': '60' })]);
  const controller = new AbortController();
  const call = errorOf(api.me({ signal: controller.signal }));
  await eventually(() => expect(asked.length).toBe(1));
  controller.abort(new Error('enough'));
  expect(await call).toEqual(new Error('enough'));
  expect(await errorOf(api.me({ signal: AbortSignal.abort(new Error('before')) }))).toEqual(new Error('before'));
  expect(asked.length).toBe(1);
});

it('reports answers that are not the API’s', async () => {
  const html = answer(200, '<html>', { 'Content-Type': 'text/html' });
  const notJson: Reply = (response) => void response.writeHead(200).end('<html>');
  const redirect: Reply = (response) => void response.writeHead(302, { Location: 'https://example.com' }).end();
  for (const reply of [notJson, redirect, answer(403, '<html>', { 'Content-Type': 'text/html' })]) {
    const { api } = await scripted([reply]);
    const error = await errorOf(api.me());
    expect(error).toBeInstanceOf(ApiError);
    expect([ApiError.name, Object(error).name, Object(error).constructor.name]).toEqual(Array(3).fill('ApiError'));
    expect(error).toMatchObject({ code: 'unexpected_answer', excerpt: expect.any(String) });
  }
  const { api } = await scripted([html]);
  expect(await api.me()).toBe('<html>'); // it is JSON, whatever its type
});

it('refuses keys and ids that would cause a different request', () => {
  for (const key of ['', 'svck live', 'svck_live_x\n'])
    expect(() => createClient({ key })).toThrow('must be an API key');
  const api = createClient({ key: 'svck_live_k' });
  for (const id of ['', '.', '..']) expect(() => api.users.get(id)).toThrow('is not an id');
});

it('writes filters, times and ids so that they arrive unchanged', async () => {
  const { api, asked } = await scripted([answer(200, { data: [], next_cursor: null }), answer(200, {})]);
  await api.trainings.list({ since: new Date(0), user_id: 'a&b=c d', status: undefined }, { language: 'de' });
  await api.cases.get('a/b?c');
  expect(asked.map(({ path }) => path?.replace('/api/public/v1', ''))).toEqual([
    '/trainings?since=1970-01-01T00%3A00%3A00.000Z&user_id=a%26b%3Dc+d',
    '/cases/a%2Fb%3Fc',
  ]);
  expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer svck_live_k', 'accept-language': 'de' });
});

it('sends the filters with each cursor, and requests a page only when it is needed', async () => {
  const page = (id: string, next_cursor: string | null) => answer(200, { data: [{ id }], next_cursor });
  const { api, asked } = await scripted([page('1', 'a'), page('2', 'b'), page('3', null)]);
  const list = api.cases.list({ user_id: 'u' });
  expect(asked.length).toBe(0);
  for await (const { id } of list) {
    expect(asked.length).toBe(Number(id));
    if (id === '2') break;
  }
  expect(asked.map(({ path }) => path?.split('?')[1])).toEqual(['user_id=u', 'user_id=u&cursor=a']);
});

it('reads and writes numbers with a custom JSON format', async () => {
  const digits = '{"fields":{"n":12345678901234567890}}';
  const { api, asked } = await scripted([(response) => void response.end(digits)], {
    json: { parse: (text: string) => ({ text }), stringify: () => digits },
  });
  expect(await api.cases.update('c', {})).toEqual({ text: digits });
  expect(asked[0]?.body).toBe(digits);
});

it('parses Retry-After as seconds, as a date by the clock of the answer, or ignores it', () => {
  const read = (value: string, date = 'Sun, 22 Nov 2026 10:00:00 GMT') =>
    retryAfterMs(new Headers({ 'Retry-After': value, Date: date }));
  expect(read('7')).toBe(7_000);
  expect(read('Sun, 22 Nov 2026 10:00:09 GMT')).toBe(9_000);
  expect(read('Sun, 22 Nov 2026 09:00:00 GMT')).toBe(0);
  for (const value of ['', 'soon', '-1']) expect(read(value)).toBeUndefined();
});

it('waits for Retry-After and a little more, or else longer each time, up to eight seconds', () => {
  const max = (attempt: number, asked?: number) => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    return pauseBefore(attempt, asked);
  };
  expect([2, 3, 4, 5, 6, 7].map((attempt) => max(attempt))).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000]);
  expect(max(2, 30_000)).toBe(31_000);
  vi.spyOn(Math, 'random').mockReturnValue(0);
  expect([pauseBefore(2, undefined), pauseBefore(2, 30_000)]).toEqual([250, 30_000]);
});
