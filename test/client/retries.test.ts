import { getEventListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import { createClient } from '../../src/packages/client/index.ts';
import { ApiError, isProblem } from '../../src/packages/client/errors.ts';
import { Sender } from '../../src/packages/client/send.ts';
import { requestCases } from './cases/requests.ts';
import { answer, errorOf, problem, raw, scripted, typescript } from './scripted.ts';

const ok = answer(200, {});

// The first test, because connections of others have timers.
it('leaves no timer and no listener behind', async () => {
  const { api, asked, pass } = await typescript.onAClock(['lost', ok]);
  const { signal } = new AbortController();
  const call = api.me({ signal });
  await pass(500);
  expect(await call).toEqual({});
  expect(asked.length).toBe(2);
  expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([0, 0]);
});

requestCases(typescript);

// What only the client for TypeScript has.

it.each([
  [new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }), 'ECONNREFUSED'],
  [new TypeError('fetch failed', { cause: new Error('') }), 'fetch failed'],
  [new TypeError('fetch failed', { cause: 'unknown' }), 'fetch failed'],
  [new TypeError('fetch failed'), 'fetch failed'],
  ['lost', 'lost'],
])('says of %s that the service can’t be reached: %s', async (failure, reason) => {
  const fetch = () => Promise.reject(failure);
  const api = createClient({ key: 'svck_live_k', baseUrl: 'https://t.example', retries: 0, fetch });
  expect(await errorOf(api.me())).toMatchObject({ message: `https://t.example can't be reached: ${reason}` });
});

it('ends a call at once when its signal is aborted, even while it waits', async () => {
  const { api, asked } = await scripted(typescript, [problem(503, 'unavailable', { 'Retry-After': '120' })]);
  const controller = new AbortController();
  const call = errorOf(api.me({ signal: controller.signal }));
  await expect.poll(() => asked.length).toBe(1);
  controller.abort(new Error('enough'));
  expect(await call).toEqual(new Error('enough'));
  expect(await errorOf(api.me({ signal: AbortSignal.abort(new Error('before')) }))).toEqual(new Error('before'));
  expect(asked.length).toBe(1);
});

it('names its errors so that programs and debuggers show the name', async () => {
  const { api } = await scripted(typescript, [raw(200, '<html>')]);
  const error = await errorOf(api.me());
  expect([ApiError.name, Object(error).name, Object(error).constructor.name]).toEqual(Array(3).fill('ApiError'));
});

it('recognises its errors, also those of another copy of the package, and no others', async () => {
  vi.resetModules();
  const copy = await import('../../src/packages/client/errors.ts');
  const fields = { problem: { code: 'not_found' }, status: 404, headers: new Headers(), replayed: false, attempts: 1 };
  const theirs: unknown = new copy.ApiError(fields);
  expect(copy.ApiError).not.toBe(ApiError);
  expect([theirs instanceof ApiError, isProblem(theirs, 'not_found')]).toEqual([true, true]);
  const others = [Object.assign(new Error(), { code: 'not_found' }), {}, null, undefined, 'x', () => {}];
  for (const other of others)
    expect([other instanceof ApiError, isProblem(other, 'not_found')]).toEqual([false, false]);
});

it('refuses a key that is not there, before any request', () => {
  for (const key of ['', 'svck_live_x\n', undefined])
    expect(() => createClient(Object({ key }))).toThrow('must be an API key');
  const api = createClient({ key: 'svck_live_k' });
  expect(() => api.users.get('..')).toThrow('is not an id');
});

it('takes a base URL with https', async () => {
  const { api, asked } = await typescript.onAClock([ok], { baseUrl: 'https://t.example' });
  await api.me();
  expect(asked.map(({ path }) => path)).toEqual(['https://t.example/api/public/v1/me']);
});

it('sends each value of a parameter', async () => {
  const urls: string[] = [];
  const sender = new Sender({
    key: 'svck_live_k',
    fetch: async (url) => {
      urls.push(url.slice(url.indexOf('/x')));
      return Response.json({});
    },
  });
  await sender.call('GET', '/x', { query: { a: ['1', '2'], b: undefined, c: false, d: 0 } });
  expect(urls).toEqual(['/x?a=1&a=2&c=false&d=0']);
});

it('gives the data alone as a promise', async () => {
  const gone = problem(404, 'not_found');
  const { api } = await scripted(typescript, [answer(200, { tenant_id: 't' }), gone, gone]);
  let ended = 0;
  const end = () => void (ended += 1);
  const call = api.me();
  expect(Object.prototype.toString.call(call)).toBe('[object Call]');
  expect(await call.finally(end)).toEqual({ tenant_id: 't' });
  expect(await api.me().catch((error: unknown) => isProblem(error, 'not_found'))).toBe(true);
  expect(await errorOf(api.me().finally(end))).toBeInstanceOf(ApiError);
  expect(ended).toBe(2);
});

it('reads and writes numbers with a custom JSON format', async () => {
  const digits = '{"fields":{"n":12345678901234567890}}';
  const { api, asked } = await scripted(typescript, [raw(200, digits)], {
    json: { parse: (text: string) => ({ text }), stringify: () => digits },
  });
  expect(await api.cases.update('c', {})).toEqual({ text: digits });
  expect(asked[0]?.body).toBe(digits);
});
