import { TRPCClientError } from '@trpc/client';
import { afterEach, expect, it, vi } from 'vitest';
import { isReloadDue, isTriedAgain, patiently, retryDelay } from '../../src/web/server/retries.ts';

const refused = (problem: Record<string, unknown>) =>
  Object.assign(new TRPCClientError('refused'), { data: { problem: { request_id: 'r', ...problem } } });

const lost = new TRPCClientError('fetch failed');

it.each([
  ['that did not reach the server', lost, [1_000, 2_000]],
  ['of a team that sends too much at once', refused({ code: 'rate_limited', retry_after: 2 }), [2_000, 2_000]],
  ['that is refused for five seconds', refused({ code: 'rate_limited', retry_after: 5 }), [5_000, 5_000]],
  ['that is refused for six seconds', refused({ code: 'rate_limited', retry_after: 6 }), []],
  ['that is refused for a time that nobody knows', refused({ code: 'rate_limited' }), []],
  ['that may not be asked', refused({ code: 'forbidden' }), []],
  ['for which the service has no room', refused({ code: 'unavailable', retry_after: 2 }), []],
])('a query %s is tried again after %o', (_what, error, delays) => {
  const tried = [0, 1, 2, 3].filter((failures) => isTriedAgain(failures, error));
  expect(tried.map((failures) => retryDelay(failures, error))).toEqual(delays);
});

afterEach(() => {
  vi.useRealTimers();
});

it('a call that is refused because there were too many is made again after the time that the server names, not before', async () => {
  vi.useFakeTimers();
  const answers = [
    refused({ code: 'rate_limited', retry_after: 2 }),
    refused({ code: 'rate_limited', retry_after: 60 }),
  ];
  const call = vi.fn(async () => {
    const [error] = answers.splice(0, 1);
    if (error) throw error;
    return 'rows';
  });
  const answer = patiently(call, new AbortController().signal);
  const callsAfter = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    return call.mock.calls.length;
  };
  expect([await callsAfter(1_999), await callsAfter(1), await callsAfter(59_999), await callsAfter(1)]).toEqual([
    1, 2, 2, 3,
  ]);
  expect(await answer).toBe('rows');
});

it.each([
  ['that never reached the server', lost, false],
  ['that may not be asked', refused({ code: 'forbidden', retry_after: 1 }), false],
  ['that is refused for a time that nobody knows', refused({ code: 'rate_limited' }), false],
  ['that was aborted', refused({ code: 'rate_limited', retry_after: 1 }), true],
])('a call %s is not made again', async (_what, error, isAborted) => {
  const call = vi.fn(() => Promise.reject(error));
  const { signal } = isAborted ? { signal: AbortSignal.abort() } : new AbortController();
  await expect(patiently(call, signal)).rejects.toBe(error);
  expect(call).toHaveBeenCalledTimes(1);
});

it('a call whose pause is aborted ends at once', async () => {
  vi.useFakeTimers();
  const error = refused({ code: 'rate_limited', retry_after: 60 });
  const aborting = new AbortController();
  const answer = patiently(() => Promise.reject(error), aborting.signal).catch((found: unknown) => found);
  await vi.advanceTimersByTimeAsync(1_000);
  aborting.abort();
  expect(await answer).toBe(error);
});

it('the document is loaded again by itself every 20 seconds at most', () => {
  const now = 1_795_000_000_000;
  const ages = [0, 19_999, 20_000, now];
  expect(ages.map((age) => isReloadDue(now - age, now))).toEqual([false, false, true, true]);
});
