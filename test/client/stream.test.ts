import { expect, it, vi } from 'vitest';
import { ApiError, ConnectionError } from '../../src/packages/client/errors.ts';
import { answer, down, errorOf, onAClock, refused, scripted, type Reply } from './scripted.ts';

const event = (id: string) => ({ id, type: 'ping', created_at: '', api_version: '', tenant_id: 't', data: {} });
const page = (ids: readonly string[], next_cursor: string, { has_more = false, has_gap = false } = {}): Reply =>
  answer(200, { data: ids.map(event), next_cursor, has_more, has_gap });
const waits: Reply = () => {};

const queriesOf = (asked: { path: string | undefined }[]) =>
  asked.map(({ path }) => Object.fromEntries(new URL(path ?? '', 'http://x').searchParams));

it('returns each event, continues with the cursor and waits for the next, until it is aborted', async () => {
  const { api, asked } = await scripted([page(['1', '2'], 'a', { has_more: true }), page(['3'], 'b'), waits]);
  const controller = new AbortController();
  const ids: string[] = [];
  const stream = api.events.stream({ start: 'now', type: 'ping' }, { signal: controller.signal });
  const reading = (async () => {
    for await (const { id } of stream) ids.push(id);
  })();
  await expect.poll(() => asked.length).toBe(3);
  expect(ids).toEqual(['1', '2', '3']);
  controller.abort();
  await reading;
  expect(stream.cursor).toBe('b');
  expect(queriesOf(asked)).toEqual([
    { start: 'now', type: 'ping', wait: '20' },
    { start: 'now', type: 'ping', wait: '20', cursor: 'a' },
    { start: 'now', type: 'ping', wait: '20', cursor: 'b' },
  ]);
});

it('has a cursor that skips no event of a partly read page', async () => {
  const { api, asked } = await scripted([page(['1'], 'a'), page(['2', '3'], 'b'), page(['2', '3'], 'b')]);
  const stream = api.events.stream({ cursor: 'start' });
  for await (const { id } of stream) if (id === '2') break;
  expect(stream.cursor).toBe('a');
  for await (const { id } of stream) if (id === '3') break;
  expect(queriesOf(asked).map(({ cursor }) => cursor)).toEqual(['start', 'a', 'a']);
});

it('shows that events were deleted, also on an empty page', async () => {
  const { api } = await scripted([page([], 'a', { has_gap: true })]);
  for await (const { data, has_gap } of api.events.stream().pages()) {
    expect([data, has_gap]).toEqual([[], true]);
    break;
  }
});

const given =
  (ids: readonly string[], { has_more = false } = {}) =>
  () =>
    Response.json({ data: ids.map(event), next_cursor: 'c', has_more, has_gap: false });
const refusal = refused(401, 'unauthorized');
const takesLong = async () => {
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  return given([])();
};

it('asks again at once after events, and otherwise a second after the last request at the earliest', async () => {
  const more = given([], { has_more: true });
  const { api, asked } = onAClock([given([]), given(['1']), more, given([]), takesLong, refusal]);
  const reading = api.events.stream().pages().next();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await reading).toMatchObject({ value: { data: [{ id: '1' }] } });
  const ended = errorOf(api.events.stream().pages().next());
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await ended).toBeInstanceOf(ApiError);
  expect(asked.map(({ at }) => at)).toEqual([0, 1_000, 1_000, 1_000, 2_000, 3_500]);
});

it('goes on after failures, later after each one or when the service says so, and ends with a refusal', async () => {
  const failures = [down, refused(500, 'internal'), down, refused(429, 'rate_limited', { 'Retry-After': '5' })];
  const { api, asked } = onAClock([...failures, given(['1']), down, refusal]);
  const [pauses, reported, ids]: [number[], string[], string[]] = [[], [], []];
  const onRetry = (error: Error, pauseMs: number) => {
    reported.push(error.name);
    pauses.push(pauseMs);
  };
  const follow = async () => {
    for await (const { id } of api.events.stream({}, { retries: 0, onRetry })) ids.push(id);
  };
  const ended = errorOf(follow());
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await ended).toBeInstanceOf(ApiError);
  expect(ids).toEqual(['1']);
  expect(pauses).toEqual([1_000, 1_000, 2_000, 5_600, 1_000]);
  expect(reported).toEqual(['ConnectionError', 'ApiError', 'ConnectionError', 'ApiError', 'ConnectionError']);
  expect(asked.map(({ at }) => at)).toEqual([0, 1_000, 2_000, 4_000, 9_600, 9_600, 10_600]);
});

it.each([
  [{ wait: 5 }, { timeoutMs: 1_000 }, 5, 6_000],
  [{ wait: 5 }, {}, 5, 7_000],
  [{}, {}, 20, 22_000],
])('of %j gives up a request after its wait and the time limit of a call: %j', async (query, options, wait, limit) => {
  const { api, asked } = onAClock([], { timeoutMs: 2_000 });
  const controller = new AbortController();
  const errors: Error[] = [];
  const onRetry = (error: Error) => void errors.push(error);
  const reading = api.events
    .stream(query, { ...options, retries: 0, onRetry, signal: controller.signal })
    .pages()
    .next();
  await vi.advanceTimersByTimeAsync(limit - 1);
  expect(errors).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(errors).toEqual([expect.any(ConnectionError)]);
  expect(asked[0]?.url).toContain(`wait=${wait}`);
  controller.abort();
  expect(await reading).toEqual({ done: true, value: undefined });
});

it('ends without a request, or in its pause, when it is aborted', async () => {
  const { api, asked } = onAClock([down]);
  const next = (signal: AbortSignal) => api.events.stream({}, { retries: 0, signal }).pages().next();
  expect(await next(AbortSignal.abort())).toEqual({ done: true, value: undefined });
  expect(asked).toEqual([]);
  const controller = new AbortController();
  const reading = next(controller.signal);
  await vi.advanceTimersByTimeAsync(500);
  controller.abort();
  expect(await reading).toEqual({ done: true, value: undefined });
  expect([asked.length, vi.getTimerCount()]).toEqual([1, 0]);
});

it('reads the feed as a list to its end', async () => {
  const { api, asked } = await scripted([page(['1'], 'a', { has_more: true }), page(['2'], 'b')]);
  expect((await api.events.list({ type: 'ping' }).all()).map(({ id }) => id)).toEqual(['1', '2']);
  expect(asked.length).toBe(2);
});
