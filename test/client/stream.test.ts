import { expect, it } from 'vitest';
import { ApiError } from '../../src/packages/client/errors.ts';
import { eventually } from '../support/eventually.ts';
import { answer, lost, problem, scripted, type Reply } from './scripted.ts';

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
  await eventually(() => expect(asked.length).toBe(3));
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

it('continues after lost connections and temporary failures, and ends with a refusal', async () => {
  const busy = problem(503, 'unavailable', { 'Retry-After': '0' });
  const { api, asked } = await scripted([lost, busy, page(['1'], 'a'), problem(401, 'unauthorized')]);
  const reported: string[] = [];
  const ids: string[] = [];
  const follow = async () => {
    const onRetry = (error: Error) => void reported.push(error.name);
    for await (const { id } of api.events.stream({}, { retries: 0, onRetry })) ids.push(id);
  };
  await expect(follow()).rejects.toThrow(ApiError);
  expect([ids, reported, asked.length]).toEqual([['1'], ['ConnectionError', 'ApiError'], 4]);
});

it('shows that events were deleted, also on an empty page', async () => {
  const { api } = await scripted([page([], 'a', { has_gap: true })]);
  for await (const { data, has_gap } of api.events.stream().pages()) {
    expect([data, has_gap]).toEqual([[], true]);
    break;
  }
});

it('sends at most one request a second if the service does not wait', async () => {
  const { api, asked } = await scripted([page([], 'a'), page([], 'b'), waits]);
  const startedAt = performance.now();
  const controller = new AbortController();
  const stream = api.events.stream({}, { signal: controller.signal });
  const reading = stream.pages().next();
  await eventually(() => expect(asked.length).toBe(3));
  expect(performance.now() - startedAt).toBeGreaterThan(1_900);
  controller.abort();
  expect(await reading).toEqual({ done: true, value: undefined });
});

it('reads the feed as a list to its end', async () => {
  const { api, asked } = await scripted([page(['1'], 'a', { has_more: true }), page(['2'], 'b')]);
  expect((await api.events.list({ type: 'ping' }).all()).map(({ id }) => id)).toEqual(['1', '2']);
  expect(asked.length).toBe(2);
});
