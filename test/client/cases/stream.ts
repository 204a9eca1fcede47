import { expect, it } from 'vitest';
import { ApiError } from '../../../src/packages/client/errors.ts';
import { answer, errorOf, problem, scripted, type Kit } from '../scripted.ts';

const event = (id: string) => ({ id, type: 'ping', created_at: '', api_version: '', tenant_id: 't', data: {} });
const page = (ids: readonly string[], next_cursor = 'c', { has_more = false, has_gap = false } = {}) =>
  answer(200, { data: ids.map(event), next_cursor, has_more, has_gap });
const refusal = problem(401, 'unauthorized');

const queriesOf = (asked: { path: string }[]) =>
  asked.map(({ path }) => Object.fromEntries(new URL(path, 'http://x').searchParams));

/** How a client reads the feed of events. */
export const streamCases = (kit: Kit): void => {
  it('returns each event, continues with the cursor and waits for the next, until it is aborted', async () => {
    const replies = [page(['1', '2'], 'a', { has_more: true }), page(['3'], 'b'), 'waits'] as const;
    const { api, asked, release } = await scripted(kit, replies);
    const controller = new AbortController();
    const ids: string[] = [];
    const stream = api.events.stream({ start: 'now', type: 'ping' }, { signal: controller.signal });
    const reading = (async () => {
      for await (const { id } of stream) ids.push(id);
    })();
    await expect.poll(() => asked.length).toBe(3);
    expect(ids).toEqual(['1', '2', '3']);
    controller.abort();
    await release(); // Python does not interrupt a request
    await reading;
    expect(stream.cursor).toBe('b');
    expect(queriesOf(asked)).toEqual([
      { start: 'now', type: 'ping', wait: '20' },
      { start: 'now', type: 'ping', wait: '20', cursor: 'a' },
      { start: 'now', type: 'ping', wait: '20', cursor: 'b' },
    ]);
  });

  it('has a cursor that skips no event of a partly read page', async () => {
    const { api, asked } = await scripted(kit, [page(['1'], 'a'), page(['2', '3'], 'b'), page(['2', '3'], 'b')]);
    const stream = api.events.stream({ cursor: 'start' });
    for await (const { id } of stream) if (id === '2') break;
    expect(stream.cursor).toBe('a');
    for await (const { id } of stream) if (id === '3') break;
    expect(queriesOf(asked).map(({ cursor }) => cursor)).toEqual(['start', 'a', 'a']);
  });

  it('shows that events were deleted, also on an empty page', async () => {
    const { api } = await scripted(kit, [page([], 'a', { has_gap: true })]);
    for await (const { data, has_gap } of api.events.stream().pages()) {
      expect([data, has_gap]).toEqual([[], true]);
      break;
    }
  });

  it('asks again at once after events, and otherwise a second after the last request at the earliest', async () => {
    const [none, more] = [page([]), page([], 'c', { has_more: true })];
    const slow = { ...none, tookMs: 1_500 };
    const clock = await kit.onAClock([none, page(['1']), more, none, slow, refusal]);
    const reading = clock.api.events.stream().pages().next();
    await clock.pass(1_000);
    expect(await reading).toMatchObject({ value: { data: [{ id: '1' }] } });
    const ended = errorOf(clock.api.events.stream().pages().next());
    await clock.pass(10_000);
    expect(await ended).toBeInstanceOf(ApiError);
    expect(clock.asked.map(({ at }) => at)).toEqual([0, 1_000, 1_000, 1_000, 2_000, 3_500]);
  });

  it('goes on after failures, later after each one or when the service says so, and ends with a refusal', async () => {
    const limited = problem(429, 'rate_limited', { 'Retry-After': '5' });
    const failures = ['lost', problem(500, 'internal'), 'lost', limited] as const;
    const clock = await kit.onAClock([...failures, page(['1']), 'lost', refusal]);
    const [pauses, reported, ids]: [number[], string[], string[]] = [[], [], []];
    const onRetry = (error: Error, pauseMs: number) => {
      reported.push(error.name);
      pauses.push(pauseMs);
    };
    const follow = async () => {
      for await (const { id } of clock.api.events.stream({}, { retries: 0, onRetry })) ids.push(id);
    };
    const ended = errorOf(follow());
    await clock.pass(20_000);
    expect(await ended).toBeInstanceOf(ApiError);
    expect(ids).toEqual(['1']);
    expect(pauses).toEqual([1_000, 1_000, 2_000, 5_600, 1_000]);
    expect(reported).toEqual(['ConnectionError', 'ApiError', 'ConnectionError', 'ApiError', 'ConnectionError']);
    expect(clock.asked.map(({ at }) => at)).toEqual([0, 1_000, 2_000, 4_000, 9_600, 9_600, 10_600]);
  });

  it('makes no request if it was aborted before', async () => {
    const clock = await kit.onAClock([]);
    const next = clock.api.events.stream({}, { retries: 0, signal: AbortSignal.abort() }).pages().next();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(clock.asked).toEqual([]);
  });

  it('reads the feed as a list to its end', async () => {
    const { api, asked } = await scripted(kit, [page(['1'], 'a', { has_more: true }), page(['2'], 'b')]);
    expect((await api.events.list({ type: 'ping' }).all()).map(({ id }) => id)).toEqual(['1', '2']);
    expect(asked.length).toBe(2);
  });
};
