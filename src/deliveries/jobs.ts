import { z } from 'zod';
import { inBatches } from '../core/batch.ts';
import { later } from '../core/clock.ts';
import { afterCommit } from '../db/database.ts';
import type { Database, Tx } from '../db/database.ts';
import { int, jsonb, query, time, uuid } from '../db/query.ts';
import type { Platform, Team } from '../platform/team.ts';
import { isThrottled } from './claim.ts';

// An endpoint with something due has one job in graphile-worker's queue, with the key `deliver:<endpoint>`. Three places add it:
//
//   the relay   after the commit of a transaction that wrote deliveries
//   the job     when it ends and something is due later (deliver.ts)
//   the sweep   every few seconds in each worker, for endpoints with something overdue and no job
//
// A key whose job is running gets a second job: graphile-worker removes the key from the running one. So a delivery that comes while a job
// runs always has a job that starts after its commit.

/** Endpoints that fail or are slow share a second task, with fewer slots. */
export const deliverTasks = { usual: 'deliver', throttled: 'deliver_throttled' } as const;

export const DeliverJob = z.object({ tenantId: z.uuid(), endpointId: z.uuid() });
export type DeliverJob = z.output<typeof DeliverJob>;

/** An endpoint, and in how many milliseconds it has something due. */
export interface DueEndpoint extends DeliverJob {
  readonly inMs: number;
}

/**
 * Adds jobs. One that already waits under the key keeps its time if that is earlier, and otherwise gets the new one: a job that continues
 * later never postpones another, and a new event does not move an endpoint back in the line. The keys are inserted in their order, so that
 * two processes don't wait for each other.
 */
const addAll = query({
  name: 'webhooks.addJobs',
  why: 'calls graphile-worker',
  sql: `with due as materialized (
          select "tenantId" as tenant_id, "endpointId" as endpoint_id, now() + min("inMs") * interval '1 millisecond' as run_at
            from jsonb_to_recordset(:due) as d ("tenantId" uuid, "endpointId" uuid, "inMs" float8)
           group by 1, 2),
        wanted as materialized (
          select 'deliver:' || e.id as key, due.run_at,
                 row(case when ${isThrottled('now()')} then '${deliverTasks.throttled}' else '${deliverTasks.usual}' end,
                     json_build_object('tenantId', e.tenant_id, 'endpointId', e.id),
                     null, due.run_at, null, 'deliver:' || e.id, null, null)::graphile_worker.job_spec as job
            from due
           cross join lateral (
             select * from webhook_endpoint e where e.tenant_id = due.tenant_id and e.id = due.endpoint_id limit 1) as e),
        added as materialized (
          select id, key, run_at from graphile_worker.add_jobs(array(select job from wanted order by key), true))
        select count(earlier.id)::int as moved
          from added
          join wanted on wanted.key = added.key and wanted.run_at < added.run_at
         cross join lateral graphile_worker.reschedule_jobs(array[added.id], run_at => wanted.run_at) as earlier`,
  parameters: { due: jsonb },
  row: { moved: int.checked },
});

const addJobs = async (database: Database, due: readonly DueEndpoint[]): Promise<void[]> => {
  await database.run(addAll, { due: JSON.stringify(due) });
  return due.map(() => {});
};

const batches = { max: 200, waitMs: 3 };

const relays = new WeakMap<Database, (due: DueEndpoint) => Promise<void>>();

/** Adds the job of an endpoint, together with those that others add at the same moment. */
export const addJob = async (database: Database, due: DueEndpoint): Promise<void> => {
  const add = relays.get(database) ?? inBatches((all: readonly DueEndpoint[]) => addJobs(database, all), batches);
  relays.set(database, add);
  await add(due);
};

/** Adds the jobs of endpoints after the commit of this transaction, which wrote what is due now. The sweep adds those that get lost. */
export const addJobsAfter = (
  tx: Tx,
  { id: tenantId, platform: { database } }: Team,
  due: readonly { endpointId: string }[],
): void =>
  afterCommit(tx, () => {
    const endpointIds = new Set(due.map(({ endpointId }) => endpointId));
    for (const endpointId of endpointIds) addJob(database, { tenantId, endpointId, inMs: 0 }).catch(() => undefined);
  });

/** A delivery that is overdue for this long, and whose endpoint has no job, has lost its job. */
const lostAfterMs = 5_000;
const sweptAtOnce = 20_000;

/** Endpoints of which something is overdue, that no job sends to now, and that have no job waiting for a free slot. */
const findLost = query({
  name: 'webhooks.endpointsWithoutJob',
  why: 'looks at the first rows of all teams and at the jobs of graphile-worker',
  sql: `with overdue as materialized (
          select w.tenant_id, w.endpoint_id, bool_or(w.by_hand) as by_hand
            from webhook_waiting w
           where w.due_at < :overdueSince
           group by w.tenant_id, w.endpoint_id)
        select overdue.tenant_id as "tenantId", overdue.endpoint_id as "endpointId", 0 as "inMs"
          from overdue
         cross join lateral (
           select * from webhook_endpoint e where e.tenant_id = overdue.tenant_id and e.id = overdue.endpoint_id limit 1) as e
         where (e.status = 'active' or overdue.by_hand)
           and not exists (select from webhook_waiting w
                            where w.tenant_id = overdue.tenant_id and w.endpoint_id = overdue.endpoint_id
                              and w.claim_id is not null and w.due_at > :now)
           and not exists (select from graphile_worker.jobs job
                            where job.key = 'deliver:' || overdue.endpoint_id and job.locked_at is null and job.run_at <= now())
         limit ${sweptAtOnce}`,
  parameters: { overdueSince: time, now: time },
  row: { tenantId: uuid, endpointId: uuid, inMs: int.checked },
});

/**
 * Adds the jobs of endpoints with overdue deliveries and no job: after a crash between a commit and its relay, after the end of a killed
 * worker's lease, and whatever else a job may be lost by. It is harmless if several workers sweep at once.
 */
export const sweep = async ({ database, clock }: Platform): Promise<void> => {
  const now = clock.now();
  const lost = await database.run(findLost, { now, overdueSince: later(now, -lostAfterMs) });
  if (lost.length > 0) await addJobs(database, lost);
};
