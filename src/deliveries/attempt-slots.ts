import { FairSemaphore } from '../core/fair-semaphore.ts';
import { deliveryLimits } from '../core/limits.ts';
import type { ClaimedDelivery } from './claim.ts';

/** How long an attempt waits at most for each slot. It needs three slots, or four if its endpoint is throttled. */
const slotWithinMs = 3_000;
export const longestWaitForSlotsMs = 4 * slotWithinMs;

type AttemptTarget = Pick<ClaimedDelivery, 'tenantId' | 'url' | 'throttled'>;

/** An attempt did not begin: it got no slot in time, too little of its lease was left, or the worker stops. */
export class NotBegun extends Error {}

/**
 * The slots of a process for attempts. One team never has more than half of all slots, half of those for throttled
 * endpoints or half of those for one host, however many endpoints it has and however slowly they answer. An attempt
 * takes the slots of its host first, so that attempts that wait for a crowded host take no slot from others.
 */
export const makeAttemptSlots = (concurrency: number) => {
  const waiting = { timeoutMs: slotWithinMs, refusal: () => new NotBegun() };
  const all = new FairSemaphore({ slots: concurrency, perGroup: 'half', ...waiting });
  const throttled = new FairSemaphore({ slots: Math.ceil(concurrency / 2), perGroup: 'half', ...waiting });
  const { attemptsPerHost } = deliveryLimits;
  const hosts = new FairSemaphore({ perGroup: attemptsPerHost, waitingPerGroup: attemptsPerHost, ...waiting });
  const teamsAtHosts = new FairSemaphore({ perGroup: attemptsPerHost / 2, ...waiting });
  return <T>({ tenantId, url, throttled: isThrottled }: AttemptTarget, attempt: () => Promise<T>): Promise<T> => {
    const inAll = () => all.run(tenantId, attempt);
    const inKind = isThrottled ? () => throttled.run(tenantId, inAll) : inAll;
    const { hostname } = new URL(url);
    return teamsAtHosts.run(`${hostname} ${tenantId}`, () => hosts.run(hostname, inKind, tenantId));
  };
};
