import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Logger } from '../core/log.ts';
import type { Database } from '../db/database.ts';
import { countWhatSeemsEmpty } from '../db/planner-counts.ts';
import { arrayText, bigint, float, int, listOf, listText, query, time, uuid } from '../db/query.ts';
import { isUnavailable } from '../db/unavailable.ts';
import type { Platform } from '../platform/team.ts';
import { isThrottled } from './claim.ts';

/**
 * The jobs of lanes. A lane is an endpoint with due deliveries. It has one job in graphile-worker's queue, with the key
 * `deliver:<endpoint>` and the lane's earliest due time as its `run_at`. The tasks differ only in their runners: lanes of endpoints that
 * fail or are slow have a separate runner, so that they can't take the slots of others.
 */
export const laneTasks = { usual: 'deliver', throttled: 'deliver_throttled' } as const;

export const LaneJob = z.object({ tenantId: z.uuid(), endpointId: z.uuid(), host: z.string(), throttled: z.boolean() });
export type LaneJob = z.output<typeof LaneJob>;

/** High enough that a job is never given up: the deliveries wait even after crashes and errors. */
const maxAttempts = 32_767;

/**
 * Adds the jobs of `due (tenant_id, endpoint_id, run_at)`, and returns `scheduled` with their number.
 *
 * A job that already waits under the key keeps its time if that is earlier (`job_key_mode` preserve_run_at), and otherwise gets the new
 * one. So a lane that continues later never postpones a job that was added meanwhile. The jobs' rows stay locked from one step to the next.
 * A running job loses its key, and another one runs after it.
 *
 * Two things keep the cost of a lane the same, however many there are. `planned`: `add_jobs` looks for running jobs with the same keys. If
 * its plan is made while the queue is empty, it would compare each running job with each new one; without plain index scans it finds each
 * key by the index. The setting ends with the statement. `late`: times are compared in a group for each key, because a join would compare
 * each with each (connections of a queue have no hash joins).
 */
const addJobs = `
   planned as materialized (select set_config('enable_indexscan', 'off', true)),
   spec as materialized (
     select array_agg(row(
              case when ${isThrottled('now()')} then '${laneTasks.throttled}' else '${laneTasks.usual}' end,
              json_build_object('tenantId', e.tenant_id, 'endpointId', e.id, 'throttled', ${isThrottled('now()')},
                                'host', coalesce(substring(e.url from '^https://(\\[[^]]*\\]|[^/:?#]*)'), '')),
              null, due.run_at, ${maxAttempts}, 'deliver:' || e.id, null, null)::graphile_worker.job_spec order by e.id) as jobs
       from planned
      cross join due
      cross join lateral (
        select * from webhook_endpoint e where e.tenant_id = due.tenant_id and e.id = due.endpoint_id limit 1) as e),
   added as materialized (
     select job.id, job.key, job.run_at
       from spec cross join lateral graphile_worker.add_jobs(spec.jobs, true) as job
      where spec.jobs is not null),
   compared as materialized (
     select max(id) as id, max(run_at) as run_at, max(due_at) as due_at
       from (select key, id, run_at, null as due_at from added
             union all
             select 'deliver:' || endpoint_id, null, null, run_at from due) as times
      group by key),
   late as materialized (
     select array_agg(id) as ids, due_at as run_at from compared where run_at > due_at group by due_at),
   earlier as materialized (
     select count(job.id) from late cross join lateral graphile_worker.reschedule_jobs(late.ids, run_at => late.run_at) as job),
   scheduled as (select (select count(*) from added) + (select * from earlier) as count)`;

/** After this time, new rows of a lane that runs in another process get another job: its worker may be lost. */
const takenForLost = '5 seconds';
/** A job that waits for a free slot longer than this will wait for others, too. */
const startsWithin = '1 second';

/**
 * Gives jobs to the lanes of new rows, all or nothing: rows are marked in the statement that adds their jobs. The rows of a running lane are
 * left as they are, because the lane claims them; if it ends before, a later feeding gives them a job.
 *
 * `found`: the lanes with new rows. From each one the index leads directly to the next, so a lane costs the same however many rows it has.
 * `fresh`: the rows to mark. Of a lane without a job a few are enough to add one. The others wait for the claims while the lane runs or is
 * about to start. If its job waits longer, all of its rows are marked, so that they are not found again and again.
 */
const feedRows = query({
  name: 'webhooks.feed',
  why: 'marks rows and adds the jobs of graphile-worker for them in one statement',
  sql: `with recursive walk as (
          (select tenant_id, endpoint_id from webhook_waiting where not has_job order by tenant_id, endpoint_id limit 1)
          union all
          select next.tenant_id, next.endpoint_id
            from walk
           cross join lateral (
             select w.tenant_id, w.endpoint_id from webhook_waiting w
              where not w.has_job and (w.tenant_id, w.endpoint_id) > (walk.tenant_id, walk.endpoint_id)
              order by w.tenant_id, w.endpoint_id limit 1) as next),
        found as materialized (
          select tenant_id, endpoint_id, endpoint_id = any(:atWork::uuid[]) as at_work,
                 case when not endpoint_id = any(:atWork::uuid[]) then coalesce(
                   (select case when job.locked_at > now() - interval '${takenForLost}' and endpoint_id <> all(:ended::uuid[]) then 0
                                when job.locked_at is null and job.run_at <= now() and job.created_at > now() - interval '${startsWithin}' then 0
                                when job.locked_at is null then :most
                                else :ofEach end
                      from graphile_worker.jobs job where job.key = 'deliver:' || endpoint_id limit 1), :ofEach) else 0 end as rows
            from walk limit :mostLanes),
        fresh as materialized (
          select row.tenant_id, row.delivery_id, row.endpoint_id, row.due_at
            from found
           cross join lateral (
             select w.tenant_id, w.delivery_id, w.endpoint_id, w.due_at from webhook_waiting w
              where not w.has_job and w.tenant_id = found.tenant_id and w.endpoint_id = found.endpoint_id
              limit found.rows for update skip locked) as row
           where found.rows > 0
           limit :most),
        marked as (
          update webhook_waiting w set has_job = true from fresh
           where w.tenant_id = fresh.tenant_id and w.delivery_id = fresh.delivery_id),
        due as materialized (
          select tenant_id, endpoint_id, now() + (min(due_at) - :now::timestamptz) as run_at
            from fresh group by tenant_id, endpoint_id),
        ${addJobs}
        select (select count(*)::int from found) as lanes, (select count(*)::int from found where not at_work and rows = 0) as others,
               (select array_agg(endpoint_id) from found where at_work) as "atWork", (select count(*)::int from fresh) as rows,
               scheduled.count
          from scheduled`,
  parameters: {
    now: time,
    atWork: listText(uuid),
    ended: listText(uuid),
    mostLanes: bigint,
    ofEach: int,
    most: int,
  },
  row: {
    lanes: int.checked,
    others: int.checked,
    atWork: listOf(uuid).orNull,
    rows: int.checked,
    count: bigint.checked,
  },
});

/** Lanes that have ended and continue at a later time. */
const scheduleAll = query({
  name: 'webhooks.schedule',
  why: 'adds jobs of graphile-worker',
  sql: `with due as materialized (
          select tenant_id, endpoint_id, now() + ms * interval '1 millisecond' as run_at
            from unnest(:tenantIds::uuid[], :endpointIds::uuid[], :inMs::float8[]) as due (tenant_id, endpoint_id, ms)),
        ${addJobs}
        select count from scheduled`,
  parameters: { tenantIds: listOf(uuid), endpointIds: listOf(uuid), inMs: listOf(float) },
  row: { count: bigint.checked },
});

export interface LaterLane {
  readonly tenantId: string;
  readonly endpointId: string;
  readonly inMs: number;
}

/** Gives ended lanes the job in which they continue. */
export const scheduleLanes = async (database: Database, lanes: readonly LaterLane[]): Promise<void> => {
  await database.run(scheduleAll, {
    tenantIds: lanes.map(({ tenantId }) => tenantId),
    endpointIds: lanes.map(({ endpointId }) => endpointId),
    inMs: lanes.map(({ inMs }) => inMs),
  });
};

/** Longer than it takes until the job of a dead worker is freed. */
const forgottenAfter = '2 minutes';

const markForgotten = query({
  name: 'webhooks.markForgotten',
  why: 'looks at the first row of each lane, and at the jobs of graphile-worker',
  sql: `with forgotten as materialized (
     select first.tenant_id, first.delivery_id
       from webhook_endpoint e
      cross join lateral (
        select w.tenant_id, w.delivery_id, w.due_at, w.has_job, w.by_hand from webhook_waiting w
         where w.tenant_id = e.tenant_id and w.endpoint_id = e.id order by w.due_at limit 1) as first
      where first.has_job and first.due_at < :now::timestamptz - interval '${forgottenAfter}' and (e.status = 'active' or first.by_hand)
        and not exists (select from graphile_worker.jobs job where job.key = 'deliver:' || e.id)),
   locked as materialized (
     select w.tenant_id, w.delivery_id
       from forgotten join webhook_waiting w on w.tenant_id = forgotten.tenant_id and w.delivery_id = forgotten.delivery_id
        for update of w skip locked)
   update webhook_waiting w set has_job = false from locked
    where w.tenant_id = locked.tenant_id and w.delivery_id = locked.delivery_id`,
  parameters: { now: time },
  row: {},
});

/**
 * Adds jobs again for lanes with long overdue rows and without a job, for example because a job was deleted by hand. A lane that is only
 * slow, in a job that lost its key, gets a second job, which does no harm. The search reads every lane.
 */
export const feedForgottenLanes = async ({ database, clock }: Platform): Promise<void> => {
  await database.run(markForgotten, { now: clock.now() });
};

/** The lanes that run in this process, as the feeder needs them. */
export interface LanesAtWork {
  endpointIds(): readonly string[];
  /** Those that ended a moment ago. Their jobs may not be completed yet. */
  justEnded(): readonly string[];
  /** These lanes have new rows and must look once more. Returns whether all of them still run. */
  lookAgain(endpointIds: readonly string[]): boolean;
}

interface FeederParts {
  platform: Platform;
  log: Logger;
  lanes: LanesAtWork;
}

export interface Feeder {
  /** Signals that there are new rows. */
  wake(): void;
  stop(): Promise<void>;
}

/** Rows in the first statement of a burst: few enough that it ends soon even if PostgreSQL planned it for an empty table. */
const firstRows = 500;
/** Rows in each of the following statements. */
const mostRows = 5_000;
/** A statement has rows of at least this many lanes without a job, if there are as many. */
const leastLanes = 50;
/** The tables that a burst fills at once. */
const crowdedTables = ['webhook_waiting', 'webhook_delivery'];
/** Milliseconds between two checks of the number of rows that PostgreSQL expects in them. */
const countMs = 1_000;
/** Polls for new rows whose wake-up was lost. */
const pollMs = 250;
/**
 * Rows that are written within this time are fed together. It grows with the time that a feeding takes: the busier the machine, the more rows
 * share a statement.
 */
const rest = { leastMs: 5, feedings: 2, mostMs: 50 };
const afterFailureMs = 500;

/**
 * Turns new rows into jobs, several times a second and at every wake-up. Its cost depends on the number of new rows, never on the waiting
 * ones.
 */
export const startFeeder = ({ platform: { database, clock }, log, lanes }: FeederParts): Feeder => {
  const stopping = new AbortController();
  let woken = false;
  let wake = () => {};
  let countedAt = -Infinity;
  /** Lanes with new rows that ran in other processes, or were about to start, at the last feeding. */
  let others = 0;

  const countCrowd = async () => {
    if (performance.now() - countedAt < countMs) return;
    countedAt = performance.now();
    await countWhatSeemsEmpty(database, crowdedTables, firstRows);
  };

  /** Feeds at most `most` rows. `more`: there are more. `anyEnded`: some of the lanes have ended meanwhile, so they need a job. */
  const feed = async (most: number): Promise<{ more: boolean; anyEnded: boolean }> => {
    const atWork = lanes.endpointIds();
    const mostLanes = most + atWork.length + others;
    const [fed] = await database.run(feedRows, {
      now: clock.now(),
      atWork: arrayText(atWork),
      ended: arrayText(lanes.justEnded()),
      mostLanes,
      ofEach: most / leastLanes,
      most,
    });
    if (!fed) throw new Error('the feeding has no result');
    if (fed.lanes > 0) await countCrowd();
    ({ others } = fed);
    const more = fed.rows === most || (fed.rows > 0 && fed.lanes === mostLanes);
    return { more, anyEnded: !lanes.lookAgain(fed.atWork ?? []) };
  };

  const pause = async () => {
    if (woken) return;
    const interrupted = new AbortController();
    wake = () => interrupted.abort();
    const signal = AbortSignal.any([interrupted.signal, stopping.signal]);
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    wake = () => {};
  };

  const run = async () => {
    let most = firstRows;
    while (!stopping.signal.aborted) {
      woken = false;
      const begin = performance.now();
      try {
        const { more, anyEnded } = await feed(most);
        most = more ? mostRows : firstRows;
        if (more) continue;
        const tookMs = performance.now() - begin;
        await sleep(Math.min(Math.max(rest.leastMs, tookMs * rest.feedings), rest.mostMs));
        if (!anyEnded) await pause();
      } catch (err) {
        if (!isUnavailable(err)) log.error({ err }, 'new deliveries could not be given jobs');
        await sleep(afterFailureMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  };
  const running = run();

  return {
    wake() {
      woken = true;
      wake();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
};
