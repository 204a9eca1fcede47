import { createHash } from 'node:crypto';
import type { CrmRequest } from './provider.ts';

// CRMs limit the requests of a token, and several connections may have the same one. So all runs of a process share the gaps between
// requests with the same token. Tokens are kept as hashes.

/** The planned time of the last request with each token, by `performance.now()`. The request planned last is at the end. */
const lastRequests = new Map<string, number>();
const forgottenAfterMs = 60_000;

const keyOf = ({ url, headers = {} }: CrmRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([url.host, headers]))
    .digest('base64');

const forgetOld = (now: number): void => {
  for (const [key, time] of lastRequests) {
    if (time > now - forgottenAfterMs) return;
    lastRequests.delete(key);
  }
};

/** Plans a request at the next time that keeps the gap; gives the milliseconds until then. */
export const pauseBefore = (request: CrmRequest): number => {
  if (request.gapMs === undefined) return 0;
  const now = performance.now();
  forgetOld(now);
  const key = keyOf(request);
  const time = Math.max(now, (lastRequests.get(key) ?? -Infinity) + request.gapMs);
  lastRequests.delete(key);
  lastRequests.set(key, time);
  return time - now;
};
