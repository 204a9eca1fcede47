import { EndpointStatus } from '../db/generated/enums.ts';
import { bigint, bool, float, int, oneOf, query, text, time, uuid, type RowOf } from '../db/query.ts';
import type { Platform, Team } from '../platform/team.ts';
import { isThrottled } from './claim.ts';

const countWaiting = query({
  name: 'webhooks.countWaiting',
  why: 'counts five things of one moment',
  sql: `select count(*) filter (where due_at <= :now and not held)::int as due,
          count(*) filter (where due_at > :now and claim_id is not null)::int as sending,
          count(*) filter (where due_at > :now and claim_id is null and not held)::int as later,
          count(*) filter (where held and (due_at <= :now or claim_id is null))::int as held,
          coalesce(extract(epoch from :now - min(due_at) filter (where due_at <= :now and not held))::float8, 0) as "oldestDueSeconds"
     from (select w.due_at, w.claim_id, e.id is not null and not w.by_hand as held
             from (select * from webhook_waiting limit :max) as w
             left join webhook_endpoint e on e.tenant_id = w.tenant_id and e.id = w.endpoint_id and e.status <> 'active') as waiting`,
  parameters: { now: time, max: bigint },
  row: {
    due: int.checked,
    sending: int.checked,
    /** Deliveries that wait for their next attempt. */
    later: int.checked,
    /** Deliveries that wait until their endpoint is active again. */
    held: int.checked,
    oldestDueSeconds: float.checked,
  },
});

/**
 * Counts the waiting deliveries, up to a million, because counting more would cost too much. The oldest delivery is the
 * oldest among those that were counted.
 */
export const readBacklog = async ({ database, clock }: Platform) => {
  const [row] = await database.run(countWaiting, { now: clock.now(), max: 1_000_000 });
  if (!row) throw new Error('nothing was counted');
  return row;
};

// While a delivery is being sent, the `due_at` of its row is the end of the sender's lease. After that it is due again.
const crowded = query({
  name: 'webhooks.crowded',
  why: 'groups by columns of two tables, and orders by counts with a condition',
  sql: `select tenant_id, endpoint_id, status, url, count(*)::int as waiting, count(*) filter (where due)::int as due,
          extract(epoch from :now - min(due_at) filter (where due))::float8 as oldest_due_seconds,
          count(*) filter (where claim_id is not null and due_at > :now)::int as sending
     from (select w.tenant_id, w.endpoint_id, e.status, e.url, w.due_at, w.claim_id,
                  w.due_at <= :now and (e.status = 'active' or w.by_hand) as due
             from webhook_waiting w
             join webhook_endpoint e on e.tenant_id = w.tenant_id and e.id = w.endpoint_id) as waiting
    group by tenant_id, endpoint_id, status, url
    order by due desc, waiting desc, endpoint_id limit :max`,
  parameters: { now: time, max: bigint },
  row: {
    tenant_id: uuid,
    endpoint_id: uuid,
    status: oneOf('endpoint_status', EndpointStatus),
    url: text,
    waiting: int.checked,
    due: int.checked,
    oldest_due_seconds: float.orNull,
    sending: int.checked,
  },
});

/** The state of event delivery in the whole service, and the endpoints with the most due deliveries. */
export const queueStatus = async (platform: Platform) => {
  const { due, oldestDueSeconds, ...more } = await readBacklog(platform);
  return {
    due,
    oldest_due_seconds: due === 0 ? null : oldestDueSeconds,
    ...more,
    endpoints: await platform.database.run(crowded, { now: platform.clock.now(), max: 10 }),
  };
};

const oneQueue = query({
  name: 'webhooks.queueOfEndpoint',
  why: 'looks at a queue, at the jobs of graphile-worker, and at who has locked a row',
  sql: `select e.status, ${isThrottled(':now::timestamptz')} as throttled, queue.*,
          job.run_at as job_run_at, job.locked_at as job_running_since, job.last_error as job_last_error,
          locker.pid as locked_by_pid, locker.xact_start as locked_since, locker.query as locked_by_query
     from webhook_endpoint e
    cross join lateral (
      select count(*) filter (where w.due_at <= :now)::int as due,
             count(*) filter (where w.due_at > :now and w.claim_id is not null)::int as sending,
             count(*) filter (where w.due_at > :now and w.claim_id is null)::int as later,
             min(w.due_at) as next_due_at, coalesce(bool_or(w.by_hand), false) as by_hand
        from webhook_waiting w
       where w.tenant_id = :tenantId and w.endpoint_id = e.id) as queue
     left join graphile_worker.jobs job on job.key = 'deliver:' || e.id
     left join lateral (
       select a.pid, a.xact_start, left(a.query, 200) as query
         from pg_locks l
         join pg_stat_activity a on a.pid = l.pid
        where l.locktype = 'transactionid' and l.granted and l.transactionid = e.xmax limit 1) as locker on true
    where e.tenant_id = :tenantId and e.id = :endpointId`,
  parameters: { tenantId: uuid, endpointId: uuid, now: time },
  row: {
    status: oneOf('endpoint_status', EndpointStatus),
    throttled: bool.checked,
    due: int.checked,
    sending: int.checked,
    later: int.checked,
    next_due_at: time.orNull,
    by_hand: bool.checked,
    job_run_at: time.orNull,
    job_running_since: time.orNull,
    job_last_error: text.orNull,
    locked_by_pid: int.orNull,
    locked_since: time.orNull,
    locked_by_query: text.orNull,
  },
});
type OneQueue = RowOf<(typeof oneQueue)['row']>;

/** The first reason why a queue does not go on. */
const waitsFor = ({ status, by_hand, ...queue }: OneQueue): string => {
  if (queue.due + queue.sending + queue.later === 0) return 'nothing: no delivery waits';
  if (status !== 'active' && !by_hand) return `the team: the endpoint is ${status}`;
  if (queue.locked_by_pid !== null) return 'the transaction that has locked the endpoint';
  if (queue.due > 0 && queue.job_run_at === null) return 'a job, which a worker adds within seconds';
  if (queue.due > 0 && queue.job_running_since === null) return 'a worker that fetches its job';
  if (queue.due > 0 || queue.sending > 0) return 'the receiver’s answers';
  return 'the time of the next attempt';
};

/** The state of one endpoint’s queue, and the reason why it waits. */
export const queueOf = async ({ id: tenantId, platform: { database, clock } }: Team, endpointId: string) => {
  const [row] = await database.ofTeam(tenantId)(() =>
    database.run(oneQueue, { tenantId, endpointId, now: clock.now() }),
  );
  if (!row) throw new Error('the endpoint was deleted meanwhile');
  const { by_hand: _byHand, ...queue } = row;
  return { waits_for: waitsFor(row), ...queue };
};
