import { setTimeout as sleep } from 'node:timers/promises';
import { daysToMs, later, secondsToMs } from '../../core/clock.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { query, time } from '../../db/query.ts';
import { tendEndpoints } from '../../modules/webhooks/failing-endpoints.ts';
import { dueSyncs, syncConnection } from '../../modules/crm/service.ts';
import { jobs, ownPriority } from '../../platform/jobs.ts';
import type { Platform } from '../../platform/team.ts';
import { recurringTasks } from '../../worker/tasks.ts';
import { setDatabaseTime } from './database.ts';
import { setTimeAhead, timeAhead } from './moved-time.ts';

// Time passes in the sandbox step by step: the clock moves to the next moment at which something is due, waits until
// the service has done it, and continues. So a delivery has all of its retries within `clock +3d`, each at its own time
// of the schedule.
//
//   due now? ──yes──▶ wait until it is done ─┐
//      │ no                                  │
//      ▼                                     │
//   next moment before the end? ──yes──▶ move the clock there
//      │ no
//      ▼
//   move the clock to the end, recurring tasks, done

const nextJob = query({
  name: 'sandbox.nextJob',
  why: 'reads the queue, which Prisma does not know',
  sql: 'select min(run_at) as due from graphile_worker.jobs where attempts < max_attempts and run_at > :after',
  parameters: { after: time },
  row: { due: time.orNull },
});

const nextJobAfter = async ({ database }: Platform, after: Date): Promise<Date | null> => {
  const [row] = await database.run(nextJob, { after });
  return row?.due ? new Date(row.due) : null;
};

const activeEndpoints = ({ database: { prisma } }: Platform) =>
  prisma.webhookEndpoint.findMany({
    where: { status: 'active' },
    select: { id: true, failingSince: true, warnedAt: true },
  });

/** Deliveries of endpoints that are not active wait without end, unless they were requested by hand. */
const sentTo = (endpoints: readonly { id: string }[]): Prisma.WebhookWaitingWhereInput => ({
  OR: [{ byHand: true }, { endpointId: { in: endpoints.map(({ id }) => id) } }],
});

/** Whether a job or a delivery is due, a delivery is being sent, or a sync runs. */
const isBusy = async (platform: Platform): Promise<boolean> => {
  const now = platform.clock.now();
  const job = await nextJobAfter(platform, new Date(0));
  if (job !== null && job <= now) return true;
  const due = {
    AND: [sentTo(await activeEndpoints(platform)), { OR: [{ claimId: { not: null } }, { dueAt: { lte: now } }] }],
  };
  const { prisma } = platform.database;
  const waiting = await prisma.webhookWaiting.count({ where: due });
  return waiting > 0 || (await prisma.crmRun.count({ where: { endedAt: null } })) > 0;
};

/** The next moment at which something is due. */
export const nextMoment = async (platform: Platform): Promise<Date | undefined> => {
  const { prisma } = platform.database;
  const now = platform.clock.now();
  const endpoints = await activeEndpoints(platform);
  const delivery = await prisma.webhookWaiting.aggregate({
    where: { ...sentTo(endpoints), dueAt: { gt: now } },
    _min: { dueAt: true },
  });
  const sync = await prisma.crmConnection.aggregate({
    where: { status: 'active', nextSyncAt: { gt: now } },
    _min: { nextSyncAt: true },
  });
  const pauses = endpoints.map(({ failingSince, warnedAt }) => {
    const pauseAfter = secondsToMs(platform.deliverySchedule.pauseAfterSeconds) / (warnedAt ? 1 : 2);
    return failingSince && new Date(failingSince.getTime() + pauseAfter);
  });
  return [await nextJobAfter(platform, now), delivery._min.dueAt, sync._min.nextSyncAt, ...pauses]
    .filter((moment) => moment !== null)
    .filter((moment) => moment > now)
    .toSorted((a, b) => a.getTime() - b.getTime())[0];
};

/** Everything that is due within this time is done together. */
const bundledMs = 1_000;
/** The longest span of the sandbox's time without a run of the recurring tasks. */
const tasksEvery = daysToMs(1);
const pollIntervalMs = 20;
/** A receiver that hangs holds a request for ten seconds, and a CRM for thirty. A step waits no longer than this. */
const timeoutMs = 45_000;

export interface ClockMove {
  /** The number of moments at which something was due. */
  steps: number;
  /** False if something due was not finished after a long wait. */
  settled: boolean;
}

interface ClockMoveParts {
  platform: Platform;
  databaseUrl: string;
}

/** Waits until nothing is due or running. Returns false if that takes too long. */
export const settle = async ({ platform }: ClockMoveParts): Promise<boolean> => {
  const until = performance.now() + timeoutMs;
  while (performance.now() < until) {
    if (!(await isBusy(platform))) return true;
    await sleep(pollIntervalMs);
  }
  return false;
};

/**
 * Runs the tasks that the worker repeats only every few seconds or minutes: checks of endpoints, and syncs that are
 * due.
 */
const tend = async ({ platform }: ClockMoveParts): Promise<void> => {
  const failed = (error: unknown) => {
    throw error;
  };
  await tendEndpoints(platform, failed);
  const signal = AbortSignal.timeout(timeoutMs);
  const due = await dueSyncs(platform);
  await Promise.all(due.map((place) => syncConnection(platform, place, { signal })));
};

export const runRecurringTasks = ({ platform: { database } }: ClockMoveParts): Promise<void> =>
  jobs.add(database, ...recurringTasks.map((task) => ({ task, payload: {}, key: task, priority: ownPriority })));

/**
 * Moves both clocks. The database's is never ahead of the process's, not even for a moment: the queue would start a job
 * whose deliveries are not due yet for the process. The job would then be added again for the rest of their pause. This
 * rest would be counted from the moved time of the database, so the deliveries would wait although they are due.
 */
export const setClock = async ({ databaseUrl }: Pick<ClockMoveParts, 'databaseUrl'>, ahead: number): Promise<void> => {
  setTimeAhead(ahead);
  await setDatabaseTime(databaseUrl, ahead);
};

/** Lets time pass and runs everything that becomes due. Afterwards the clock is further ahead by exactly the span. */
export const passTime = async (parts: ClockMoveParts, span: number): Promise<ClockMove> => {
  const { platform } = parts;
  const now = (): Date => platform.clock.now();
  const target = timeAhead() + span;
  const moveTo = (moment: Date) =>
    setClock(parts, Math.min(target, timeAhead() + Math.max(0, moment.getTime() - now().getTime())));

  let settled = await settle(parts);
  let steps = 0;
  let tasksAt = later(now(), tasksEvery);
  for (;;) {
    const due = (await nextMoment(platform)) ?? tasksAt;
    const next = due < tasksAt ? later(due, bundledMs) : tasksAt;
    if (next >= later(now(), target - timeAhead())) break;
    await moveTo(next);
    if (next >= tasksAt) {
      await runRecurringTasks(parts);
      tasksAt = later(next, tasksEvery);
    } else steps += 1;
    await tend(parts);
    settled = (await settle(parts)) && settled;
  }
  await setClock(parts, target);
  await runRecurringTasks(parts);
  await tend(parts);
  settled = (await settle(parts)) && settled;
  return { steps, settled };
};
