import { withoutPerson } from '../core/events.ts';
import type { Message } from '../core/messages/message.ts';
import { failureMessages } from '../core/messages/requests.ts';
import { isRecord } from '../core/raw-json.ts';
import type { Platform } from '../platform/team.ts';
import type { Claimed } from './claim.ts';
import { afterAttempt } from './delivery-states.ts';
import type { RequestResult } from '../egress/egress.ts';
import { bodyOf, headersOf, openSecret, publicEventId } from './message.ts';
import type { AttemptOutcome } from './outcomes.ts';

const notSent = (at: Date, told: Message): RequestResult => ({
  startedAt: at,
  ms: 0,
  code: null,
  headers: null,
  excerpt: null,
  error: told.en,
  errorDe: told.de,
  fault: 'service',
});

/** Sends a delivery once. One that can't be sent counts as a failed attempt and affects no other. */
export const sendOnce = async (
  platform: Platform,
  claimed: Claimed,
  /** `complain` is called with the error if a delivery could not be prepared, which is a bug. */
  { retrySeconds, complain }: { retrySeconds: readonly number[]; complain: (error: unknown) => void },
): Promise<AttemptOutcome> => {
  const at = platform.clock.now();
  const { tenantId, eventId, eventType: type, eventAt, apiVersion } = claimed;

  const send = async (): Promise<Pick<AttemptOutcome, 'requestHeaders' | 'result'>> => {
    if (eventAt === null) return { requestHeaders: {}, result: notSent(at, failureMessages.eventDeleted) };
    try {
      const stored: unknown = JSON.parse(claimed.data ?? 'null');
      const data = claimed.memberDetail || !isRecord(stored) ? stored : withoutPerson(stored);
      const body = bodyOf({ tenantId, eventId, type, createdAt: eventAt, apiVersion, data });
      const secret = openSecret(platform.vault, claimed.endpointId, claimed.secret);
      const signedAt = platform.signingClock?.now() ?? at;
      const headers = headersOf({ secret, eventId: publicEventId(eventId), body, at: signedAt });
      return {
        requestHeaders: headers,
        result: await platform.egress.post({ url: claimed.url, headers, body }),
      };
    } catch (error) {
      complain(error);
      return { requestHeaders: {}, result: notSent(at, failureMessages.messageNotMade) };
    }
  };

  const { requestHeaders, result } = await send();
  const delivered = result.error === null && result.code !== null && result.code >= 200 && result.code <= 299;
  const ended = new Date(result.startedAt.getTime() + result.ms);
  // A delivery whose event is deleted can never be sent, so it has no further attempts.
  const schedule = eventAt === null ? [] : retrySeconds;
  return { claimed, requestHeaders, result, step: afterAttempt(claimed, { delivered, at: ended }, schedule) };
};
