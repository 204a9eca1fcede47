import { expect, it, vi } from 'vitest';
import { ConnectionError } from '../../src/packages/client/errors.ts';
import { streamCases } from './cases/stream.ts';
import { typescript } from './scripted.ts';

streamCases(typescript);

// What only the client for TypeScript has: time limits that are exact, and signals that end a request.

it.each([
  [{ wait: 5 }, { timeoutMs: 1_000 }, 5, 6_000],
  [{ wait: 5 }, {}, 5, 7_000],
  [{}, {}, 20, 22_000],
])('of %j gives up a request after its wait and the time limit of a call: %j', async (query, options, wait, limit) => {
  const { api, asked, pass } = await typescript.onAClock([], { timeoutMs: 2_000 });
  const controller = new AbortController();
  const errors: Error[] = [];
  const onRetry = (error: Error) => void errors.push(error);
  const reading = api.events
    .stream(query, { ...options, retries: 0, onRetry, signal: controller.signal })
    .pages()
    .next();
  await pass(limit - 1);
  expect(errors).toEqual([]);
  await pass(1);
  expect(errors).toEqual([expect.any(ConnectionError)]);
  expect(asked[0]?.path).toContain(`wait=${wait}`);
  controller.abort();
  expect(await reading).toEqual({ done: true, value: undefined });
});

it('ends in its pause when it is aborted', async () => {
  const { api, asked, pass } = await typescript.onAClock(['lost']);
  const controller = new AbortController();
  const reading = api.events.stream({}, { retries: 0, signal: controller.signal }).pages().next();
  await pass(500);
  controller.abort();
  expect(await reading).toEqual({ done: true, value: undefined });
  expect([asked.length, vi.getTimerCount()]).toEqual([1, 0]);
});
