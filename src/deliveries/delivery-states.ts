import { later, secondsToMs } from '../core/clock.ts';
import type { DeliveryStatus } from '../db/generated/enums.ts';

/**
 * A delivery is in one of four states.
 *
 *   pending ──2xx──▶ ok
 *      │ anything else
 *      ▼
 *   failed ──due, 2xx──▶ ok
 *      │ ▲  └─due, anything else─▶ failed, until the schedule has no further time
 *      │ └──────────────────────────┘
 *      ▼ the schedule ended, or the endpoint was paused
 *   gave_up
 *
 *   failed, gave_up ──retried by hand──▶ pending ──2xx──▶ ok
 *                                          │ anything else
 *                                          ▼
 *                                        what it was before, with the schedule that it had
 *
 * The job that sends it has a claim on it. Once the claim's lease has ended another job may claim it. Only the job whose claim the waiting row
 * has may write the outcome, also after the lease.
 */
export interface Standing {
  /** The number of attempts. */
  attempt: number;
  /** The number of attempts that the schedule made. */
  scheduled: number;
  /** During a retry by hand: the state to return to if it fails. */
  resumeStatus: DeliveryStatus | null;
  resumeAt: Date | string | null;
}

export interface Step {
  status: Exclude<DeliveryStatus, 'pending'>;
  attempt: number;
  scheduled: number;
  nextTryAt: Date | null;
  manual: boolean;
}

/**
 * The state after an attempt that ended at `at`; `retrySeconds` are the pauses of the schedule. The pauses are documented, so there is no
 * jitter: an endpoint's places limit how many deliveries that failed together are tried again together.
 */
export const afterAttempt = (
  { attempt, scheduled, resumeStatus, resumeAt }: Standing,
  { delivered, at }: { delivered: boolean; at: Date },
  retrySeconds: readonly number[],
): Step => {
  const manual = resumeStatus === 'failed' || resumeStatus === 'gave_up';
  const made = { attempt: attempt + 1, scheduled: manual ? scheduled : scheduled + 1, manual };
  if (delivered) return { ...made, status: 'ok', nextTryAt: null };
  if (manual) return { ...made, status: resumeStatus, nextTryAt: resumeAt === null ? null : new Date(resumeAt) };
  const pause = retrySeconds[scheduled];
  if (pause === undefined) return { ...made, status: 'gave_up', nextTryAt: null };
  return { ...made, status: 'failed', nextTryAt: later(at, secondsToMs(pause)) };
};
