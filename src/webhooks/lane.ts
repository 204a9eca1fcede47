import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../core/ids.ts';
import { webhookLimits } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import { isUnavailable } from '../db/unavailable.ts';
import type { Platform } from '../platform/team.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { claim, claimer, leaseMs } from './claim.ts';
import type { Asking, Claimed, Look } from './claim.ts';
import { scheduleLanes } from './feeder.ts';
import type { LaneJob, LanesAtWork, LaterLane } from './feeder.ts';
import { HistoryBudget } from './history-budget.ts';
import { secretOpener } from './message.ts';
import { Places } from './places.ts';
import type { Applicant } from './places.ts';
import { sendOnce } from './send.ts';
import { outcomeWriter, settle } from './settle.ts';

export interface LaneSettings {
  /** Pauses between the attempts of a delivery, in seconds. */
  retrySeconds: readonly number[];
  /** Attempts at once in this process, and to one endpoint from all processes. */
  concurrency: number;
  perEndpoint: number;
}

interface LaneParts {
  platform: Platform;
  log: Logger;
  telemetry: Telemetry;
  settings: LaneSettings;
  /** Resolves once the feeding that runs now is over. */
  feederIdle: () => Promise<void>;
}

export interface Lanes extends LanesAtWork {
  /** Runs a lane's job. */
  run(job: LaneJob, jobId: string): Promise<void>;
  /** No lane claims anything more; what is being sent ends and is written. */
  stop(): Promise<void>;
}

/** A lane at work. */
interface Lane {
  readonly job: LaneJob;
  readonly jobId: string;
  readonly claimId: string;
  /** Deliveries that were claimed and are not written. */
  inFlight: number;
  /** When the lane goes on after it has ended (platform time); undefined if nothing of it waits. */
  next: number | undefined;
  /** New rows may have come since the last claim. */
  again: boolean;
  /** It claims nothing more unless `again` is set; feeders give its new rows a job of their own. */
  ending: boolean;
  throttled: boolean;
  /** Called when something of it was written, or it is to look again. */
  wake: () => void;
  /** Settles when the lane has ended and the job in which it goes on was added. */
  ended: Promise<void>;
}

/** A lane that goes on for longer than this gets in line again behind the others; one that never runs dry ends in any case. */
const timeSliceMs = 2_000;
const longestMs = 30_000;
/** How long a lane waits for places before it gets in line again. */
const placesWithinMs = 10_000;
/** When a lane looks again whose endpoint has all it may have under way in other processes. */
const fullAgainMs = 1_000;
/** How long a lane waits for half of its places to be free, so that each claim is worth its statement. */
const fewFreeMs = 20;
const afterFailureMs = 500;
const finishWithinMs = 15_000;

/**
 * Runs lanes: claims what is due of an endpoint, sends it, hands the outcomes to the writer, and goes on until nothing is due or the time is
 * over. Then the lane's next due time becomes the `run_at` of its next job.
 *
 *   (job starts) ──▶ claiming ⇄ sending ──nothing due──▶ ending ──▶ (job with the next due time, if something waits)
 *                       ▲                                  │
 *                       └──────── new rows meanwhile ──────┘
 *
 * A new row and a lane that ends at the same moment: the row is committed with `has_job` false, and the feeder that marks it does one of two
 * things. If the lane is at work in its process and not `ending`, it tells the lane to look again: a lane that is about to end is marked as
 * ending first, then waits for the feeding that may still count on it, and ends only if it was not told to look again. Otherwise the feeder
 * adds a job, which starts after the row was committed and so finds it. A lane that ends adds its job for later without putting off one that
 * was added meanwhile.
 *
 * The rows of a lane at work are covered by the job that it runs in: the job is completed only when all outcomes are written and the
 * next job is added. If the worker dies, the job is freed within a minute, and the lane begins anew. A job that loses its key to a second
 * one is revived then, too (`reviveLanes`).
 */
export const openLanes = ({ platform, log, telemetry, settings, feederIdle }: LaneParts): Lanes => {
  const { retrySeconds, concurrency, perEndpoint } = settings;
  const { meter, traces } = telemetry;
  const atWork = new Map<string, Lane>();
  const places = new Places({
    all: concurrency,
    throttled: Math.ceil(concurrency / 2),
    perHost: webhookLimits.attemptsPerHost,
  });
  let stopping = false;

  const now = (): number => platform.clock.now().getTime();
  const goOn = (lane: Lane, at: number): void => {
    lane.next = Math.min(lane.next ?? Infinity, at);
  };

  /**
   * While the database is away the lane waits for it. Once the worker stops, the job fails and is run again. What was tried may have been
   * committed although its answer was lost: `onDoubt` is called then.
   */
  const insist = async <T>(action: () => Promise<T>, onDoubt: () => void = () => {}): Promise<T> => {
    for (;;) {
      try {
        return await action();
      } catch (error) {
        if (!isUnavailable(error) || stopping) throw error;
        onDoubt();
        await sleep(afterFailureMs);
      }
    }
  };

  /** What a claim whose answer was lost has taken is sent when its lease ends, so each of its lanes goes on then at the latest. */
  const goOnAfterLease = (asking: readonly Asking[]): void => {
    for (const { endpointId } of asking) {
      const lane = atWork.get(endpointId);
      if (lane) goOn(lane, now() + leaseMs);
    }
  };
  const claimPlaces = claimer((asking) =>
    insist(
      () => claim(platform, asking, perEndpoint),
      () => goOnAfterLease(asking),
    ),
  );

  /** By delivery, what is to be done when its outcome is written. */
  const unwritten = new Map<string, Lane>();
  const budget = new HistoryBudget();
  const open = secretOpener(platform.vault);
  const writer = outcomeWriter({
    write: (outcomes, patience) => settle(platform, outcomes, patience, budget),
    onWritten({ claimed, result, step }, status) {
      meter.attempt({ result: status ?? 'stale', seconds: result.ms / 1000 });
      const lane = unwritten.get(claimed.claimId + claimed.deliveryId);
      if (!lane) return;
      unwritten.delete(claimed.claimId + claimed.deliveryId);
      lane.inFlight -= 1;
      // Not written, or written before and the answer was lost: what waits then is found at its next try, or when the lease ends.
      if (status === null) goOn(lane, now() + leaseMs);
      if ((status ?? step.status) === 'failed' && step.nextTryAt) goOn(lane, step.nextTryAt.getTime());
      lane.wake();
    },
    complain: (err, { claimed: { claimId, deliveryId } }) =>
      log.error(
        { err, deliveryId, jobId: unwritten.get(claimId + deliveryId)?.jobId },
        'an outcome could not be stored whole',
      ),
  });

  const send = async (lane: Lane, claimed: Claimed, applicant: Applicant): Promise<void> => {
    const { tenantId, deliveryId } = claimed;
    const { jobId } = lane;
    const complain = (err: unknown) => log.error({ err, deliveryId, jobId }, 'a delivery could not be prepared');
    const attributes = {
      'team_api.tenant_id': tenantId,
      'team_api.delivery_id': deliveryId,
      'team_api.job.id': jobId,
    };
    try {
      const outcome = await traces.traced('webhook.attempt', attributes, async (note) => {
        const made = await sendOnce(platform, claimed, { retrySeconds, complain, open });
        note({
          'team_api.delivery_status': made.step.status,
          'http.response.status_code': made.result.code ?? undefined,
        });
        return made;
      });
      log.debug(
        { deliveryId, jobId, status: outcome.step.status, ms: outcome.result.ms },
        'an attempt of a delivery was made',
      );
      unwritten.set(claimed.claimId + deliveryId, lane);
      writer.add(outcome);
    } catch (err) {
      log.error({ err, deliveryId, jobId }, 'a delivery was dropped; it is sent when its lease ends');
      lane.inFlight -= 1;
      goOn(lane, now() + leaseMs);
      lane.wake();
    } finally {
      places.give(applicant, 1);
    }
  };

  /** What a lane may have under way. */
  const mostOf = ({ throttled }: Lane): number => (throttled ? Math.max(1, Math.floor(perEndpoint / 4)) : perEndpoint);

  /**
   * Claims and sends as much as there are places for. Something due may be left, as in `more`; with `full`, the endpoint has all that it may
   * have under way, some of it from here.
   */
  const claimSome = async (lane: Lane): Promise<'more' | 'full' | 'nothing'> => {
    const { tenantId, endpointId, host } = lane.job;
    const applicant = { tenantId, host, throttled: lane.throttled };
    const granted = await places.take(applicant, Math.max(1, mostOf(lane) - lane.inFlight), placesWithinMs);
    if (granted === 0) {
      goOn(lane, now());
      return 'nothing';
    }
    let look: Look;
    try {
      look = await claimPlaces({ tenantId, endpointId, claimId: lane.claimId, places: granted });
    } catch (error) {
      places.give(applicant, granted);
      throw error;
    }
    const { claimed, nextDue, throttled } = look;
    places.give(applicant, granted - claimed.length);
    if (claimed.length > 0) meter.claimed(claimed.length);
    lane.throttled = throttled;
    lane.inFlight += claimed.length;
    for (const one of claimed) void send(lane, one, applicant);
    if (claimed.length === granted) return 'more';
    const time = now();
    if (!nextDue) return 'nothing';
    if (nextDue.getTime() > time) {
      goOn(lane, nextDue.getTime());
      return 'nothing';
    }
    if (lane.inFlight > 0) return 'full';
    // Others have it all under way.
    goOn(lane, time + fullAgainMs);
    return 'nothing';
  };

  const work = async (lane: Lane): Promise<void> => {
    const begin = performance.now();
    let sliceEnd = begin + timeSliceMs;
    const mayClaim = () => !stopping && performance.now() < Math.min(sliceEnd, begin + longestMs);
    let more = true;
    /** From when the lane claims although fewer than half of its places are free: receivers that hold the others keep nothing waiting. */
    let fewAt = begin;
    for (;;) {
      if (lane.again) {
        lane.again = false;
        if (!more) sliceEnd = performance.now() + timeSliceMs;
        more = true;
        fewAt = Math.min(fewAt, performance.now() + fewFreeMs);
      }
      if (more && !mayClaim()) {
        goOn(lane, now());
        more = false;
      }
      const most = mostOf(lane);
      if (more && (lane.inFlight <= most / 2 || (lane.inFlight < most && performance.now() >= fewAt))) {
        const found = await claimSome(lane);
        more = found !== 'nothing';
        fewAt = performance.now() + (found === 'full' ? fullAgainMs : fewFreeMs);
        if (found !== 'full') continue;
      }
      if (lane.inFlight === 0) {
        if (more) continue;
        return;
      }
      const timer =
        more && lane.inFlight < most
          ? setTimeout(() => lane.wake(), Math.max(0, fewAt - performance.now()))
          : undefined;
      await new Promise<void>((resolve) => (lane.wake = resolve));
      clearTimeout(timer);
      lane.wake = () => {};
    }
  };

  const runLane = async (lane: Lane): Promise<void> => {
    try {
      do {
        lane.ending = false;
        await work(lane);
        lane.ending = true;
        await feederIdle();
      } while (lane.again);
    } finally {
      // Nothing can happen between the look at `again` and this.
      atWork.delete(lane.job.endpointId);
    }
    if (lane.next !== undefined) await scheduleLater({ ...lane.job, inMs: lane.next - now() });
  };

  let ended: { lane: LaterLane; resolve: () => void; reject: (error: unknown) => void }[] = [];
  /** Lanes that end together are scheduled together. */
  const scheduleLater = (lane: LaterLane): Promise<void> =>
    new Promise((resolve, reject) => {
      ended.push({ lane, resolve, reject });
      if (ended.length > 1) return;
      setImmediate(() => {
        const batch = ended;
        ended = [];
        insist(() =>
          scheduleLanes(
            platform.database,
            batch.map((one) => one.lane),
          ),
        ).then(
          () => batch.forEach((one) => one.resolve()),
          (error: unknown) => batch.forEach((one) => one.reject(error)),
        );
      });
    });

  const lookAgain = (endpointIds: readonly string[]): void => {
    for (const endpointId of endpointIds) {
      const lane = atWork.get(endpointId);
      if (!lane) continue;
      lane.again = true;
      lane.wake();
    }
  };

  return {
    endpointIds: () => [...atWork].flatMap(([endpointId, { ending }]) => (ending ? [] : [endpointId])),
    lookAgain,
    async run(job, jobId) {
      const { endpointId, throttled } = job;
      const running = atWork.get(endpointId);
      if (running) {
        lookAgain([endpointId]);
        // In another job, which covers what this one was added for; or in this one, if the queue was started again and gives it out once
        // more: were it completed now, the lane would have no job, and what waits would be lost with this process.
        if (running.jobId === jobId) await running.ended;
        return;
      }
      const lane: Lane = {
        job,
        jobId,
        claimId: newId(),
        inFlight: 0,
        next: undefined,
        again: false,
        ending: false,
        throttled,
        wake: () => {},
        ended: Promise.resolve(),
      };
      atWork.set(endpointId, lane);
      lane.ended = runLane(lane);
      await lane.ended;
    },
    async stop() {
      stopping = true;
      places.close();
      for (const lane of atWork.values()) lane.wake();
      const deadline = performance.now() + finishWithinMs;
      while (atWork.size > 0 && performance.now() < deadline) await sleep(20);
      writer.giveUp();
    },
  };
};
