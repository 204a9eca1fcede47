import { EndpointStatus } from '../db/generated/enums.ts';
import { bigint, float, int, oneOf, query, text, time, uuid } from '../db/query.ts';
import type { Platform } from '../platform/team.ts';

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
 * Counts the waiting deliveries, up to a million: more would cost too much. The oldest is the oldest of the counted
 * ones.
 */
export const readBacklog = async ({ database, clock }: Platform) => {
  const [row] = await database.run(countWaiting, { now: clock.now(), max: 1_000_000 });
  if (!row) throw new Error('nothing was counted');
  return row;
};

// The `due_at` of a row that is being sent is the end of the sender's lease; after that the row is due again.
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
