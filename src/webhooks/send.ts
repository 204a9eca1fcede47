import { withoutPerson } from '../core/events.ts';
import { isRecord } from '../core/raw-json.ts';
import type { Platform } from '../platform/team.ts';
import type { Claimed } from './claim.ts';
import { afterAttempt } from './delivery-states.ts';
import type { RequestResult } from './egress/egress.ts';
import { bodyOf, headersOf, openSecret, publicEventId } from './message.ts';
import type { AttemptOutcome } from './outcomes.ts';

const notSent = (at: Date, error: string): RequestResult => ({
  startedAt: at,
  ms: 0,
  code: null,
  headers: null,
  excerpt: null,
  error,
  fault: 'service',
});

const isDelivered = ({ code, error }: RequestResult): boolean =>
  error === null && code !== null && code >= 200 && code <= 299;

/** Opened secrets. The deliveries of one claim share the sealed bytes, so a secret is opened once for them. */
const openedSecrets = new WeakMap<Uint8Array, string>();

const secretOf = ({ vault }: Platform, { endpointId, secret: sealed }: Claimed): string => {
  const secret = openedSecrets.get(sealed) ?? openSecret(vault, endpointId, sealed);
  openedSecrets.set(sealed, secret);
  return secret;
};

/** Called with the error if a delivery could not be prepared, which is a bug. */
type Complain = (error: unknown) => void;

/** Sends a delivery once. One that can't be sent counts as a failed attempt and affects no other. */
export const sendOnce = async (
  platform: Platform,
  claimed: Claimed,
  { retrySeconds, complain }: { retrySeconds: readonly number[]; complain: Complain },
): Promise<AttemptOutcome> => {
  const at = platform.clock.now();
  const { tenantId, eventId, eventType: type, eventAt, apiVersion } = claimed;
  const data = claimed.memberDetail || !isRecord(claimed.data) ? claimed.data : withoutPerson(claimed.data);

  const send = async (): Promise<Pick<AttemptOutcome, 'requestHeaders' | 'result'>> => {
    if (eventAt === null) return { requestHeaders: {}, result: notSent(at, 'The event is no longer kept.') };
    try {
      const body = bodyOf({ tenantId, eventId, type, createdAt: eventAt, apiVersion, data });
      const secret = secretOf(platform, claimed);
      const signedAt = platform.signingClock?.now() ?? at;
      const headers = headersOf({ secret, eventId: publicEventId(eventId), body, at: signedAt });
      return {
        requestHeaders: headers,
        result: await platform.egress.post({ url: claimed.url, headers, body, group: claimed.tenantId }),
      };
    } catch (error) {
      complain(error);
      return { requestHeaders: {}, result: notSent(at, 'The message could not be made; we look into it.') };
    }
  };

  const { requestHeaders, result } = await send();
  const standing = { ...claimed, resumeAt: claimed.resumeAt === null ? null : new Date(claimed.resumeAt) };
  const delivered = isDelivered(result);
  const ended = new Date(result.startedAt.getTime() + result.ms);
  // A delivery whose event is deleted can never be sent, so it has no further attempts.
  const schedule = eventAt === null ? [] : retrySeconds;
  return { claimed, requestHeaders, result, step: afterAttempt(standing, { delivered, at: ended }, schedule) };
};
