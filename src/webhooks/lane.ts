import { setTimeout as sleep } from 'node:timers/promises';
import { busyMoreThan } from '../core/event-loop.ts';
import { webhookLimits } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import { isUnavailable } from '../db/unavailable.ts';
import type { Platform } from '../platform/team.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { claim, claimer, claimIdOf, leaseMs } from './claim.ts';
import type { Asking, Claimed, LaneRun, Look } from './claim.ts';
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
}

export interface Lanes extends LanesAtWork {
  /** Runs a lane's job. */
  run(job: LaneJob, run: LaneRun): Promise<void>;
  /** No lane claims anything more. Running attempts end and are written, within a limit; the others are sent again when their lease ends. */
  stop(): Promise<void>;
}

/** A claimed delivery whose attempt has not begun. */
interface Ready {
  readonly claimed: Claimed;
  /** The holder of its place. */
  readonly applicant: Applicant;
  /** The attempt begins at this time at the latest. */
  readonly beginBy: number;
}

/** A lane at work. */
interface Lane {
  readonly job: LaneJob;
  readonly jobId: string;
  readonly claimId: string;
  readonly ready: Ready[];
  /** Runs while deliveries wait for a running attempt to end. */
  patience: NodeJS.Timeout | undefined;
  /** Running attempts. */
  attempts: number;
  /** Attempts that have ended, but whose outcomes are not written. */
  unwritten: number;
  /** When the lane's next job must run at the latest (platform time). Undefined: it needs no next job. */
  next: number | undefined;
  /** New rows may have come since the last claim, so the lane must look again. */
  again: boolean;
  /** The endpoint's former lane had ended just before, so more rows will probably come soon. */
  lingers: boolean;
  /** The last claims that found nothing to claim. */
  emptyClaims: number;
  throttled: boolean;
  /** Called when an attempt has ended or its outcome was written, when the lane must look again, and when the worker stops. */
  wake: () => void;
  /** Settles when the lane has ended and the job in which it goes on was added. */
  ended: Promise<void>;
}

/**
 * A lane claims for this long. Then it ends and gets in line again, so that other lanes get its slot. The time starts again if slow attempts
 * delay its end, and if new rows come while it ends because nothing was due.
 */
const timeSliceMs = 2_000;
/** However often the time slice starts again, a lane stops claiming after this time. */
const longestMs = 30_000;
/** How long a lane waits for places before it gets in line again. */
const placesWithinMs = 10_000;
/** The pause before a lane looks again if other processes use all places of its endpoint. */
const fullAgainMs = 1_000;
/**
 * A lane with nothing to do waits this long for new rows if its endpoint often has some: the queue's work for another job would cost more than
 * the delivery. It does so for some seconds only, because feeders of other processes take a lane that has run for longer for lost.
 */
const linger = { ms: 300, untilMs: 3_000 };
/** A lane does not wait after this many claims without a delivery: its new rows can't be claimed, for example because the endpoint is disabled. */
const mostEmptyClaims = 3;
/** If a lane whose time is over has not ended after this time, because of slow attempts, it claims again. */
const longEndMs = 500;
/** How long a lane waits for half of its places to be free, so that each claim is worth its statement. */
const fewFreeMs = 20;
/**
 * While the process is busy, a lane begins one attempt after the other, on one connection: to open another connection takes more of the
 * process's time than to wait. A delivery waits at most this long for the ones before it.
 */
const oneByOne = { whileBusy: 0.6, atMostMs: 300 };
/** Usually a job is completed this soon after its lane has ended. */
const jobEndsWithinMs = 100;
const afterFailureMs = 500;
const finishWithinMs = 15_000;

/**
 * Runs lanes: claims the due deliveries of an endpoint, sends them, passes the outcomes to the writer, and continues until nothing is due
 * or the time is over. Then the lane's next due time becomes the `run_at` of its next job.
 *
 *   (job starts) ──▶ claiming ⇄ sending ──nothing due, or the time is over──▶ (job with the next due time, if something waits)
 *
 * If its endpoint's former lane ended just before, a lane with nothing due waits a moment for new rows before it ends.
 *
 * A new row may come while a lane ends. The row is committed with `has_job` false, and a claim or a feeder sets it to true. If the lane
 * runs in this process, the feeder leaves the row as it is and calls `lookAgain`. If the lane has not ended, it claims once more, or its next
 * job is due at once. If it has ended, the feeder looks again soon and gives the row a job. If the lane runs in another process, that one's
 * feeder does this, or, if that worker is lost, any feeder after some seconds. So each row has a lane that claims it, or a job: a marked row
 * was claimed, or its job was added in the same statement. The job that an ended lane adds for later does not postpone another one.
 *
 * The rows of a running lane are covered by its current job: the job is completed only when all outcomes are written and the next job is
 * added. If the worker dies, the job is freed and the lane starts again: within seconds if another worker runs, otherwise within half a minute
 * of the next one's start (within three minutes if PostgreSQL does not notice that the worker's connection is gone). If a second job has
 * taken over the key by then, the queue would never run the first one again: `reviveLanes` makes it due again.
 */
export const openLanes = ({ platform, log, telemetry, settings }: LaneParts): Lanes => {
  const { retrySeconds, concurrency, perEndpoint } = settings;
  const { meter, traces } = telemetry;
  const atWork = new Map<string, Lane>();
  /** The lanes that ended last, oldest first, and when: in the time of the process, and in the platform's, which jumps in a sandbox. */
  const lastEnded = new Map<string, { at: number; time: number }>();
  const places = new Places({
    all: concurrency,
    throttled: Math.ceil(concurrency / 2),
    perHost: webhookLimits.attemptsPerHost,
  });
  let stopping = false;
  const isBusy = busyMoreThan(oneByOne.whileBusy);

  const now = (): number => platform.clock.now().getTime();
  const goOn = (lane: Lane, at: number): void => {
    lane.next = Math.min(lane.next ?? Infinity, at);
  };

  /**
   * Retries while the database is unavailable. When the worker stops, the job fails and is run again later. After a lost connection it is
   * unknown whether the statement was committed: then `onDoubt` is called.
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

  /** If the answer to a claim was lost, rows may be claimed that nobody sends, until the lease ends. So the lanes look again at that time. */
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

  /** The lane of each attempt whose outcome is not written yet. */
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
      lane.unwritten -= 1;
      // The state of the row is not known: the claim was lost, or an earlier try wrote the outcome and the database's answer was lost. So the
      // lane looks again after the lease.
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
      lane.unwritten += 1;
      writer.add(outcome);
    } catch (err) {
      log.error({ err, deliveryId, jobId }, 'a delivery was dropped; it is sent when its lease ends');
      goOn(lane, now() + leaseMs);
    } finally {
      lane.attempts -= 1;
      places.give(applicant, 1);
      beginAttempts(lane);
      lane.wake();
    }
  };

  const turns: (() => void)[] = [];
  const takeTurn = (): void => {
    turns[0]?.();
    turns.shift();
    if (turns.length > 0) setImmediate(takeTurn);
  };
  /**
   * Runs one of the given functions in each turn of the event loop. So answers that have arrived are handled, and written, before the next
   * request begins: a delivery that has arrived but is not written is sent again if the worker is killed. While the process is busy, it has no
   * time for so many turns.
   */
  const inTurn = (begin: () => void): void => {
    if (isBusy()) return begin();
    turns.push(begin);
    if (turns.length === 1) setImmediate(takeTurn);
  };

  /** Begins the attempts of claimed deliveries: all at once, or one after the other while the process is busy. */
  const beginAttempts = (lane: Lane): void => {
    clearTimeout(lane.patience);
    for (let next = lane.ready[0]; next; next = lane.ready[0]) {
      const left = next.beginBy - performance.now();
      if (lane.attempts > 0 && left > 0 && isBusy()) {
        lane.patience = setTimeout(() => beginAttempts(lane), left);
        return;
      }
      lane.ready.shift();
      lane.attempts += 1;
      inTurn(() => void send(lane, next.claimed, next.applicant));
    }
  };

  /** The maximum number of a lane's running attempts. */
  const mostOf = ({ throttled }: Lane): number => (throttled ? Math.max(1, Math.floor(perEndpoint / 4)) : perEndpoint);

  /** The lane's used places: one for each claimed delivery until its attempt has ended. */
  const usedPlaces = ({ ready, attempts }: Lane): number => ready.length + attempts;

  /**
   * Claims and sends as much as there are places for.
   *
   *   more      all places were used, so more rows may be due
   *   full      rows are due, but the endpoint has no free place. Some of its places are this lane's, so it waits for one of them
   *   nothing   nothing to claim now
   */
  const claimSome = async (lane: Lane): Promise<'more' | 'full' | 'nothing'> => {
    const { tenantId, endpointId, host } = lane.job;
    const applicant = { tenantId, host, throttled: lane.throttled };
    const granted = await places.take(applicant, Math.max(1, mostOf(lane) - usedPlaces(lane)), placesWithinMs);
    if (granted === 0) {
      goOn(lane, now());
      return 'nothing';
    }
    let look: Look;
    try {
      const used = usedPlaces(lane);
      look = await claimPlaces({ tenantId, endpointId, claimId: lane.claimId, used, places: granted });
    } catch (error) {
      places.give(applicant, granted);
      throw error;
    }
    const { claimed, nextDue, throttled } = look;
    places.give(applicant, granted - claimed.length);
    if (claimed.length > 0) meter.claimed(claimed.length);
    lane.emptyClaims = claimed.length > 0 ? 0 : lane.emptyClaims + 1;
    lane.throttled = throttled ?? lane.throttled;
    const beginBy = performance.now() + oneByOne.atMostMs;
    for (const one of claimed) lane.ready.push({ claimed: one, applicant, beginBy });
    beginAttempts(lane);
    if (claimed.length === granted) return 'more';
    const time = now();
    if (!nextDue) return 'nothing';
    if (nextDue.getTime() > time) {
      goOn(lane, nextDue.getTime());
      return 'nothing';
    }
    if (usedPlaces(lane) > 0) return 'full';
    // Other processes use all places of the endpoint.
    lane.lingers = false;
    goOn(lane, time + fullAgainMs);
    return 'nothing';
  };

  /** Works until nothing is due or the time is over. Begins no claim after `end`. Returns whether the time was over. */
  const work = async (lane: Lane, end: number): Promise<boolean> => {
    const begin = performance.now();
    let sliceEnd = begin + timeSliceMs;
    const mayClaim = () => !stopping && performance.now() < Math.min(sliceEnd, end);
    let more = true;
    /**
     * From this time the lane claims even if fewer than half of its places are free. Otherwise slow attempts, which hold the others, would
     * delay new rows.
     */
    let fewAt = begin;
    /** The lane's used places when other processes used all other places of the endpoint. */
    let usedWhenFull = Infinity;
    /** When the lane stopped claiming because its time was over. */
    let overSince: number | undefined;
    for (;;) {
      // The next job of a lane whose time is over covers all other rows, unless slow attempts delay its end.
      if (overSince === undefined ? lane.again : performance.now() >= overSince + longEndMs) {
        lane.again = false;
        if (!more) sliceEnd = performance.now() + timeSliceMs;
        more = true;
        overSince = undefined;
        if (usedWhenFull === Infinity) fewAt = Math.min(fewAt, performance.now() + fewFreeMs);
      }
      if (more && !mayClaim()) {
        goOn(lane, now());
        more = false;
        overSince = performance.now();
      }
      const most = mostOf(lane);
      // If the worker is killed, the unwritten ones are sent again, so there must not be many.
      const mayClaimMore = more && lane.unwritten < most;
      const used = usedPlaces(lane);
      const halfIsFree = used <= most / 2 && used < usedWhenFull;
      if (mayClaimMore && (halfIsFree || (used < most && performance.now() >= fewAt))) {
        const found = await claimSome(lane);
        more = found !== 'nothing';
        usedWhenFull = found === 'full' ? usedPlaces(lane) : Infinity;
        fewAt = performance.now() + (found === 'full' ? fullAgainMs : fewFreeMs);
        if (found !== 'full') continue;
      }
      if (usedPlaces(lane) + lane.unwritten === 0) {
        if (more) continue;
        return overSince !== undefined;
      }
      let wakeAt: number | undefined;
      if (overSince !== undefined) wakeAt = overSince + longEndMs;
      else if (mayClaimMore && usedPlaces(lane) < most) wakeAt = fewAt;
      const timer = wakeAt && setTimeout(() => lane.wake(), Math.max(0, wakeAt - performance.now()));
      await new Promise<void>((resolve) => (lane.wake = resolve));
      clearTimeout(timer);
      lane.wake = () => {};
    }
  };

  const noteEnd = (endpointId: string): void => {
    const at = performance.now();
    lastEnded.delete(endpointId);
    lastEnded.set(endpointId, { at, time: now() });
    for (const [id, former] of lastEnded) {
      if (former.at > at - linger.ms) break;
      lastEnded.delete(id);
    }
  };

  /** Whether the endpoint's former lane ended just before now. */
  const endedJustNow = (endpointId: string): boolean => {
    const former = lastEnded.get(endpointId);
    return former !== undefined && performance.now() - former.at < linger.ms && now() - former.time < linger.ms;
  };

  /** Waits for new rows, at most until the lane's next due time. Only some lanes do, so that there are slots for others. Returns whether some came. */
  const waitForMore = async (lane: Lane, begin: number): Promise<boolean> => {
    if (!lane.lingers || lane.emptyClaims >= mostEmptyClaims || atWork.size > concurrency / 4) return false;
    const untilDue = lane.next === undefined ? Infinity : lane.next - now();
    const end = Math.min(performance.now() + Math.min(linger.ms, untilDue), begin + linger.untilMs);
    const goesOn = () => !lane.again && !stopping && performance.now() < end;
    while (goesOn()) {
      const timer = setTimeout(() => lane.wake(), end - performance.now());
      await new Promise<void>((resolve) => (lane.wake = resolve));
      clearTimeout(timer);
    }
    lane.wake = () => {};
    return lane.again;
  };

  const runLane = async (lane: Lane): Promise<void> => {
    const begin = performance.now();
    const end = begin + longestMs;
    try {
      let timeIsOver: boolean;
      do timeIsOver = await work(lane, end);
      while (!timeIsOver && (lane.again || (await waitForMore(lane, begin))) && performance.now() < end);
      if (lane.again) goOn(lane, now());
    } finally {
      // No other code can run between the check of `again` and this line.
      atWork.delete(lane.job.endpointId);
      noteEnd(lane.job.endpointId);
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

  const lookAgain = (endpointIds: readonly string[]): boolean => {
    let allRun = true;
    for (const endpointId of endpointIds) {
      const lane = atWork.get(endpointId);
      if (lane) {
        lane.again = true;
        lane.wake();
      } else allRun = false;
    }
    return allRun;
  };

  return {
    endpointIds: () => [...atWork.keys()],
    justEnded() {
      const since = performance.now() - jobEndsWithinMs;
      return [...lastEnded].flatMap(([endpointId, { at }]) => (at > since ? [endpointId] : []));
    },
    lookAgain,
    async run(job, run) {
      const { jobId } = run;
      const { endpointId, throttled } = job;
      const running = atWork.get(endpointId);
      if (running) {
        lookAgain([endpointId]);
        // If the lane runs in another job, that job covers the new rows too, and this one is done. If it runs in this same job, the queue was
        // started again and has given the job out a second time: it must not complete before the lane has ended, because after a crash
        // nothing would run the lane.
        if (running.jobId === jobId) await running.ended;
        return;
      }
      const lane: Lane = {
        job,
        jobId,
        claimId: claimIdOf(run),
        ready: [],
        patience: undefined,
        attempts: 0,
        unwritten: 0,
        next: undefined,
        again: false,
        lingers: endedJustNow(endpointId),
        emptyClaims: 0,
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
