import { later, secondsToMs } from '../core/clock.ts';
import { impersonal, isPersonal } from '../core/events.ts';
import { FairSemaphore } from '../core/fair-semaphore.ts';
import { makeId, timeOfId } from '../core/ids.ts';
import { webhookLimits } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import type { Message } from '../core/language.ts';
import { failureMessages } from '../core/messages/requests.ts';
import { isRecord } from '../core/json.ts';
import { perPart } from '../db/parts.ts';
import { repeatUntilReached } from '../db/unavailable.ts';
import type { RequestResult } from '../egress/egress.ts';
import type { Platform } from '../platform/team.ts';
import type { Telemetry } from '../platform/telemetry/telemetry.ts';
import { makeAttemptSlots, longestWaitForSlotsMs, NotBegun } from './attempt-slots.ts';
import { claim, release, type ClaimedDelivery } from './claim.ts';
import { bodyOf, headersOf, unsealSecret, publicEventId } from './message.ts';
import type { DeliverJob } from './outbox.ts';
import { makeOutcomeWriter, type AttemptOutcome } from './outcomes.ts';
import { unsealHeaders, withHiddenValues, withoutValues } from './team-headers.ts';

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

/**
 * Sends a delivery once. If it can't be sent, this counts as a failed attempt and does not affect other deliveries. If
 * it could not be prepared, which is a bug, `complain` is called with the error.
 */
export const sendOnce = async (
  platform: Platform,
  claimed: ClaimedDelivery,
  complain: (error: unknown) => void,
): Promise<AttemptOutcome> => {
  const at = platform.clock.now();
  const { tenantId, eventId, eventType: type, eventAt, apiVersion } = claimed;

  const without = (told: Message) => ({ requestHeaders: {}, memberDetail: false, result: notSent(at, told) });

  const send = async (): Promise<Omit<AttemptOutcome, 'claimed'>> => {
    if (eventAt === null) return without(failureMessages.eventDeleted);
    try {
      const stored: unknown = JSON.parse(claimed.data ?? 'null');
      const data = claimed.memberDetail || !isRecord(stored) ? stored : impersonal(type, stored);
      const body = bodyOf({ tenantId, eventId, type, createdAt: eventAt, apiVersion, data });
      const secret = unsealSecret(platform.vault, claimed.endpointId, claimed.secret);
      const signedAt = platform.signingClock?.now() ?? at;
      const headers = headersOf({ secret, eventId: publicEventId(eventId), body, at: signedAt });
      const ofTeam = unsealHeaders(platform.vault, claimed.endpointId, claimed.headers);
      const sent = { ...Object.fromEntries(ofTeam), ...headers };
      const result = await platform.egress.post({ url: claimed.url, headers: sent, body });
      return {
        requestHeaders: { ...withHiddenValues(ofTeam), ...headers },
        memberDetail: claimed.memberDetail && isRecord(data) && isPersonal(type, data),
        result: withoutValues(result, ofTeam),
      };
    } catch (error) {
      complain(error);
      return without(failureMessages.messageNotMade);
    }
  };

  return { claimed, ...(await send()) };
};

/**
 * How long after its event a delivery arrived. Undefined for a ping, and for a delivery that was made or retried by
 * hand, which may happen at any time after the event.
 */
const secondsToReceipt = ({ claimed, result }: AttemptOutcome): number | undefined => {
  const { deliveryId, eventId, eventType, eventAt, resumeStatus } = claimed;
  // Only a delivery that was made with the event has the event's time in its id.
  const isByHand =
    resumeStatus !== null || eventType === 'ping' || Number(timeOfId(deliveryId)) !== Number(timeOfId(eventId));
  if (isByHand || eventAt === null) return undefined;
  return (result.startedAt.getTime() + result.ms - Date.parse(eventAt)) / 1000;
};

const isFirstTry = ({ attempt, throttled }: ClaimedDelivery): boolean => attempt === 0 && !throttled;

export interface DeliverSettings {
  /** How many attempts run at once in this process. */
  concurrency: number;
  /** How many attempts to one endpoint run at once, counted over all processes. */
  perEndpoint: number;
}

interface DeliverParts {
  platform: Platform;
  log: Logger;
  telemetry: Telemetry;
  settings: DeliverSettings;
}

export interface Deliverer {
  /** Runs the job with this id: sends the due deliveries of an endpoint. */
  run(job: DeliverJob, jobId: string): Promise<void>;
  /**
   * Starts no further claims or attempts. The running attempts end. If an outcome can't be written within this time it
   * is lost, and its delivery is sent again.
   */
  stop(withinMs: number): void;
}

/**
 * A job that has run for this long claims nothing more. Once one of its attempts has ended, a new job continues, behind
 * the jobs of other endpoints.
 */
const timeSliceMs = 5_000;
/** The time from a claim to the end of its attempt. The lease must be longer. */
export const longestAttemptMs = longestWaitForSlotsMs + secondsToMs(webhookLimits.timeoutSeconds);
/** The pause before the next job of an endpoint if its attempts got no slots, or if all of its own slots were taken. */
const noRoomMs = 1_000;
/**
 * How many claims run at once in each part of the database. They are fewer than the connections for deliveries, so that
 * outcomes don't wait behind the claims of hundreds of jobs.
 */
const claimsAtOnce = 4;

/** The fields of log lines about a delivery. */
const logged = ({ tenantId, endpointId, deliveryId }: ClaimedDelivery, jobId: string) => ({
  tenant_id: tenantId,
  endpoint_id: endpointId,
  delivery_id: deliveryId,
  job_id: jobId,
});

/**
 * Sends the due deliveries of endpoints. A job claims what is due at its endpoint, up to the endpoint's free slots,
 * sends it, and writes the outcomes:
 *
 *   claim ──slots are left──▶ add the job for what is due later ──▶ wait for the outcomes
 *     ▲  └──no slot is left──▶ wait for one outcome ─┐
 *     └──────────────────────────────────────────────┘ until the time slice is over; then add the job anew
 *
 * Several jobs of one endpoint may run at once, also in different processes. A job that takes the last free slot claims
 * again after each outcome, or adds the job anew. A job that leaves slots free can end, because a delivery that is
 * committed later gets its own job. A job that finds no free slot adds itself again a second later, because the jobs
 * with running attempts may end without claiming again.
 *
 * If the worker is killed, its claims end with their leases, and the sweep adds the job.
 */
export const openDeliverer = ({ platform, log, telemetry, settings }: DeliverParts): Deliverer => {
  const { concurrency, perEndpoint } = settings;
  const { meter, traces } = telemetry;
  const inSlots = makeAttemptSlots(concurrency);
  const writer = makeOutcomeWriter(platform);
  const claims = perPart(
    () => new FairSemaphore({ slots: claimsAtOnce, perGroup: claimsAtOnce, refusal: () => new NotBegun() }),
  );
  let isStopping = false;

  const send = async (claimed: ClaimedDelivery, jobId: string): Promise<AttemptOutcome> => {
    const { tenantId, deliveryId } = claimed;
    const complain = (err: unknown) =>
      log.error({ err, ...logged(claimed, jobId) }, 'a delivery could not be prepared');
    const attributes = { 'team_api.tenant_id': tenantId, 'team_api.delivery_id': deliveryId, 'team_api.job.id': jobId };
    return inSlots(claimed, () => {
      // If the process stood still, another job may have claimed the delivery, or may claim it soon.
      const isLate =
        platform.clock.now().getTime() + secondsToMs(webhookLimits.timeoutSeconds) > claimed.leaseUntil.getTime();
      if (isStopping || isLate) throw new NotBegun();
      return traces.traced('webhook.attempt', attributes, async (note) => {
        const made = await sendOnce(platform, claimed, complain);
        note({ 'http.response.status_code': made.result.code ?? undefined });
        return made;
      });
    });
  };

  /**
   * Writes the outcome of an attempt. Returns when the delivery is due again, if it is. `stale`: the outcome was not
   * written, because its claim is no longer held (this job may have written it before and lost the answer), or because
   * the endpoint is locked while the worker stops. Then a new job finds out when the delivery is due.
   */
  const write = async (outcome: AttemptOutcome, jobId: string): Promise<Date | null> => {
    const { ms } = outcome.result;
    const written = await writer.write(outcome);
    const result = written?.status ?? 'stale';
    log.debug({ ...logged(outcome.claimed, jobId), status: result, ms }, 'an attempt was made');
    meter.attempts.inc({ result });
    meter.attemptSeconds.observe({ result }, ms / 1000);
    const seconds = result === 'ok' ? secondsToReceipt(outcome) : undefined;
    const receiver = isFirstTry(outcome.claimed) ? 'ready' : 'delayed';
    if (seconds !== undefined) meter.receiptSeconds.observe({ receiver }, seconds);
    if (!written?.status) return platform.clock.now();
    return written.nextTryAt === null ? null : new Date(written.nextTryAt);
  };

  const run = async (job: DeliverJob, jobId: string): Promise<void> => {
    const { tenantId } = job;
    const claimId = makeId();
    const until = performance.now() + timeSliceMs;
    const running = new Set<Promise<void>>();
    let next = Infinity;
    const goOnAt = (at: Date | null): void => {
      if (at) next = Math.min(next, at.getTime());
    };
    const addNext = async (): Promise<void> => {
      if (next === Infinity) return;
      const inMs = next - platform.clock.now().getTime();
      next = Infinity;
      await platform.addDeliverJob({ ...job, inMs });
    };

    const giveBack = async (claimed: ClaimedDelivery, reason: unknown): Promise<Date> => {
      if (!(reason instanceof NotBegun)) throw reason;
      await release(platform, claimed);
      return later(platform.clock.now(), noRoomMs);
    };

    const deliver = (claimed: ClaimedDelivery): Promise<void> =>
      send(claimed, jobId)
        .then(
          (outcome) => write(outcome, jobId),
          (reason: unknown) => giveBack(claimed, reason),
        )
        .catch((err: unknown) => {
          log.error(
            { err, ...logged(claimed, jobId) },
            'the outcome of an attempt is unknown or was not written; the delivery is sent again when its lease ends',
          );
          return claimed.leaseUntil;
        })
        .then(goOnAt);

    try {
      for (;;) {
        if (isStopping || performance.now() >= until) {
          goOnAt(platform.clock.now());
          break;
        }
        const { claimed, isFull, nextDue } = await repeatUntilReached(
          async () => {
            const ofPart = claims.of(await platform.database.parts.urlOf(tenantId));
            return ofPart.run(tenantId, () => claim(platform, { ...job, claimId, perEndpoint }));
          },
          () => !isStopping,
        );
        meter.claimed.inc(claimed.length);
        goOnAt(nextDue);
        for (const one of claimed) {
          const delivered = deliver(one).finally(() => running.delete(delivered));
          running.add(delivered);
        }
        if (isFull && running.size === 0) goOnAt(later(platform.clock.now(), noRoomMs));
        if (!isFull || running.size === 0) break;
        await Promise.race(running);
      }
      // Adds the next job without waiting for the running attempts, which may be slow.
      await addNext();
    } finally {
      await Promise.all(running);
    }
    await addNext();
  };

  return {
    run,
    stop(withinMs) {
      isStopping = true;
      writer.stop(withinMs);
    },
  };
};
