import { setTimeout as sleep } from 'node:timers/promises';
import { daysToMs, later } from '../core/clock.ts';
import { webhookLimits } from '../core/limits.ts';
import { bool, float, query, text, time } from '../db/query.ts';
import { tendEndpoints } from '../modules/webhooks/silence.ts';
import { addDueSyncs } from '../modules/crm/service.ts';
import type { Platform } from '../platform/team.ts';
import { ownPriority, recurringTasks } from '../worker/tasks.ts';
import { setDatabaseTime } from './database.ts';
import { setTimeAhead, timeAhead } from './moved-time.ts';

// Time passes in the sandbox step by step: the clock moves to the next moment at which something is due, waits until the service has done
// it, and continues. So a delivery has all of its retries within `clock +3d`, each at its own time of the schedule.
//
//   due now? ──yes──▶ wait until it is done ─┐
//      │ no                                  │
//      ▼                                     │
//   next moment before the end? ──yes──▶ move the clock there
//      │ no
//      ▼
//   move the clock to the end, recurring tasks, done

/** A job is due, or a delivery waits for its attempt or is being sent. Deliveries of endpoints that are not active wait without end. */
const isBusy = query({
  name: 'sandbox.isBusy',
  why: 'reads the queue, which Prisma does not know',
  sql: `select exists (select from graphile_worker.jobs where run_at <= now() and attempts < max_attempts)
            or exists (select from webhook_waiting w
                         join webhook_endpoint e on e.tenant_id = w.tenant_id and e.id = w.endpoint_id
                        where (e.status = 'active' or w.by_hand) and (w.claim_id is not null or w.due_at <= now()))
               as busy`,
  parameters: {},
  row: { busy: bool.checked },
});

const nextMoment = query({
  name: 'sandbox.nextMoment',
  why: 'reads the queue, which Prisma does not know',
  sql: `select min(due) as due from (
          select run_at as due from graphile_worker.jobs where attempts < max_attempts
          union all
          select w.due_at from webhook_waiting w
            join webhook_endpoint e on e.tenant_id = w.tenant_id and e.id = w.endpoint_id
           where e.status = 'active' or w.by_hand
          union all
          select failing_since + make_interval(secs => :pauseAfter::float8 / case when warned_at is null then 2 else 1 end)
            from webhook_endpoint where status = 'active'
          union all
          select next_sync_at from crm_connection where status = 'active') as moments
         where due > now()`,
  parameters: { pauseAfter: float },
  row: { due: time.orNull },
});

const addTask = query({
  name: 'sandbox.addTask',
  why: 'adds a job to the queue',
  sql: `select (graphile_worker.add_job(:task, '{}'::json, job_key => :task, priority => ${ownPriority})).id is not null as added`,
  parameters: { task: text },
  row: { added: bool.checked },
});

/** Things that are due within this time are done together. */
const bundledMs = 1_000;
/** The longest span of the sandbox's time without a run of the recurring tasks. */
const tasksEvery = daysToMs(1);
const pollIntervalMs = 20;
/** A receiver or a CRM that hangs holds a request for ten seconds; a step waits no longer than this. */
const patienceMs = 45_000;

export interface Passage {
  /** The number of moments at which something was due. */
  steps: number;
  /** False if something due was not finished after a long wait. */
  settled: boolean;
}

interface PassageParts {
  platform: Platform;
  databaseUrl: string;
}

/** Waits until nothing is due. It also checks the endpoints, because the worker does so only every few seconds. */
export const settle = async ({ platform }: PassageParts): Promise<boolean> => {
  const until = performance.now() + patienceMs;
  const { database } = platform;
  while (performance.now() < until) {
    const [row] = await database.run(isBusy, {});
    if (!row?.busy) return true;
    await sleep(pollIntervalMs);
  }
  return false;
};

/** Runs the tasks that the worker repeats every few seconds or minutes. */
const tend = async ({ platform }: PassageParts): Promise<void> => {
  const failed = (error: unknown) => {
    throw error;
  };
  await tendEndpoints(platform, { pauseAfter: webhookLimits.pauseAfterSeconds, complain: failed });
  await addDueSyncs(platform);
};

export const runRecurringTasks = async ({ platform: { database } }: PassageParts): Promise<void> => {
  for (const task of recurringTasks) await database.run(addTask, { task });
};

/**
 * Moves both clocks. The database's is never ahead of the process's, not even for a moment: the queue would start a job whose deliveries are
 * not due yet for the process. The job would be added again for what was left of their pause, counted from the moved time of the database, and
 * the deliveries would wait although they are due.
 */
export const setClock = async ({ databaseUrl }: Pick<PassageParts, 'databaseUrl'>, ahead: number): Promise<void> => {
  setTimeAhead(ahead);
  await setDatabaseTime(databaseUrl, ahead);
};

/** Lets time pass and runs everything that becomes due. Afterwards the clock is further ahead by exactly the span. */
export const passTime = async (parts: PassageParts, span: number): Promise<Passage> => {
  const { platform } = parts;
  const now = (): Date => platform.clock.now();
  const target = timeAhead() + span;
  const moveTo = (moment: Date) =>
    setClock(parts, Math.min(target, timeAhead() + Math.max(0, moment.getTime() - now().getTime())));

  let settled = await settle(parts);
  let steps = 0;
  let tasksAt = later(now(), tasksEvery);
  for (;;) {
    const [row] = await platform.database.run(nextMoment, { pauseAfter: webhookLimits.pauseAfterSeconds });
    const due = row?.due === null || row === undefined ? tasksAt : new Date(row.due);
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
