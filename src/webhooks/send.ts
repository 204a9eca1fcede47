import type { Platform } from '../platform/team.ts';
import type { Claimed } from './claim.ts';
import { afterAttempt } from './delivery-states.ts';
import type { Exchange } from './egress/egress.ts';
import { bodyOf, headersOf, publicEventId } from './message.ts';
import type { secretOpener } from './message.ts';
import type { Outcome } from './settle.ts';

const notSent = (at: Date, error: string): Exchange => ({
  startedAt: at,
  ms: 0,
  code: null,
  headers: null,
  excerpt: null,
  error,
  fault: 'service',
});

const isDelivered = ({ code, error }: Exchange): boolean =>
  error === null && code !== null && code >= 200 && code <= 299;

/** Called with what should never happen: a delivery that can't even be prepared. */
type Complain = (error: unknown) => void;
type OpenSecret = ReturnType<typeof secretOpener>;

/** Sends a delivery once. One that can't be sent fails alone, as an attempt like any other. */
export const attempt = async (
  platform: Platform,
  claimed: Claimed,
  { retrySeconds, complain, open }: { retrySeconds: readonly number[]; complain: Complain; open: OpenSecret },
): Promise<Outcome> => {
  const at = platform.clock.now();
  const { tenantId, eventId, eventType: type, eventAt, apiVersion, data } = claimed;

  const send = async (): Promise<Pick<Outcome, 'requestHeaders' | 'exchange'>> => {
    if (eventAt === null) return { requestHeaders: {}, exchange: notSent(at, 'The event is no longer kept.') };
    try {
      const body = bodyOf({ tenantId, eventId, type, createdAt: eventAt, apiVersion, data });
      const secret = open(claimed.endpointId, claimed.secret);
      const headers = headersOf({ secret, eventId: publicEventId(eventId), body, at });
      return {
        requestHeaders: headers,
        exchange: await platform.egress.post({ url: claimed.url, headers, body, group: claimed.tenantId }),
      };
    } catch (error) {
      complain(error);
      return { requestHeaders: {}, exchange: notSent(at, 'The message could not be made; we look into it.') };
    }
  };

  const { requestHeaders, exchange } = await send();
  const standing = { ...claimed, resumeAt: claimed.resumeAt === null ? null : new Date(claimed.resumeAt) };
  const delivered = isDelivered(exchange);
  const ended = new Date(exchange.startedAt.getTime() + exchange.ms);
  // Without its event it can never be sent.
  const schedule = eventAt === null ? [] : retrySeconds;
  return { claimed, requestHeaders, exchange, step: afterAttempt(standing, { delivered, at: ended }, schedule) };
};
