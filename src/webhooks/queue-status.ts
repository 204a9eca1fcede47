import { later, secondsToMs } from '../core/clock.ts';
import { greatestIdUntil, leastIdSince } from '../core/ids.ts';
import { EndpointStatus } from '../db/generated/enums.ts';
import { bigint, float, int, oneOf, query, text, time, uuid } from '../db/query.ts';
import type { RowOf } from '../db/query.ts';
import type { Platform } from '../platform/team.ts';

/** Beyond this, an exact number is useless, and counting further would cost too much. */
const mostCounted = 1_000_000;

const countWaiting = query({
  name: 'webhooks.countWaiting',
  why: 'counts five things of one moment',
  sql: `select count(*) filter (where due_at <= :now and not held)::int as due,
          count(*) filter (where due_at > :now and claim_id is not null)::int as sending,
          count(*) filter (where due_at > :now and claim_id is null and not held)::int as later,
          count(*) filter (where held and (due_at <= :now or claim_id is null))::int as held,
          coalesce(extract(epoch from :now - min(due_at) filter (where due_at <= :now and not held))::float8, 0) as "oldestDueSeconds"
     from (select w.due_at, w.claim_id, e.id is not null and not w.by_hand as held
             from (select * from webhook_waiting limit :most) as w
             left join webhook_endpoint e on e.tenant_id = w.tenant_id and e.id = w.endpoint_id and e.status <> 'active') as waiting`,
  parameters: { now: time, most: bigint },
  row: {
    due: int.checked,
    /** Deliveries with a lease that has not ended. */
    sending: int.checked,
    later: int.checked,
    /** Deliveries that wait until their endpoint is active again. */
    held: int.checked,
    oldestDueSeconds: float.checked,
  },
});

/** Counts the waiting deliveries, up to a million; the oldest is the oldest of the counted ones. */
export const readBacklog = async ({ database, clock }: Platform) => {
  const [row] = await database.run(countWaiting, { now: clock.now(), most: mostCounted });
  if (!row) throw new Error('nothing was counted');
  return row;
};

type Crowded = RowOf<(typeof crowded)['row']>;

interface Rates {
  delivered: number;
  failed: number;
}

export interface QueueStatus {
  /** Overdue deliveries, and how long the oldest has been due. */
  due: number;
  oldest_due_seconds: number | null;
  sending: number;
  /** Deliveries that wait for their next attempt. */
  later: number;
  /** Deliveries that wait until their endpoint is active again. */
  held: number;
  /** Attempts of the last minutes. */
  recent: Rates & { minutes: number; per_second: number };
  /** The endpoints with the most due deliveries, at most ten. */
  endpoints: Crowded[];
}

const shown = 10;

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
    order by due desc, waiting desc, endpoint_id limit :most`,
  parameters: { now: time, most: bigint },
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

// Attempts are found by team and id: this reads the latest ids of each team instead of all of today's attempts.
const attempts = query({
  name: 'webhooks.recentAttempts',
  why: 'looks into the last ids of each team, by the index that begins with the team',
  sql: `select count(*) filter (where a.delivered)::int as delivered, count(*) filter (where not a.delivered)::int as failed
     from (select distinct tenant_id from webhook_endpoint) as t
    cross join lateral (
      select coalesce(response_code between 200 and 299 and error is null, false) as delivered
        from webhook_attempt
       where tenant_id = t.tenant_id and id between :leastId and :greatestId and started_at >= :since) as a`,
  parameters: { since: time, leastId: uuid, greatestId: uuid },
  row: { delivered: int.checked, failed: int.checked },
});

const minutes = 5;

const recentAttempts = async ({ database }: Platform, now: Date): Promise<QueueStatus['recent']> => {
  const since = later(now, -secondsToMs(minutes * 60));
  const ids = { leastId: leastIdSince(since), greatestId: greatestIdUntil(now) };
  const rows = await database.run(attempts, { since, ...ids });
  const { delivered = 0, failed = 0 } = rows[0] ?? {};
  return { minutes, delivered, failed, per_second: Math.round((delivered + failed) / minutes / 0.6) / 100 };
};

/** The state of event delivery in the whole service. */
export const queueStatus = async (platform: Platform): Promise<QueueStatus> => {
  const now = platform.clock.now();
  const { due, sending, later: next, held, oldestDueSeconds } = await readBacklog(platform);
  return {
    due,
    oldest_due_seconds: due === 0 ? null : oldestDueSeconds,
    sending,
    later: next,
    held,
    recent: await recentAttempts(platform, now),
    endpoints: await platform.database.run(crowded, { now, most: shown }),
  };
};
