import { TRPCClientError } from '@trpc/client';
import { expect, it } from 'vitest';
import { isTriedAgain, retryDelay } from '../../src/web/server/retries.ts';

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
