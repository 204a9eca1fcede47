import { setTimeout as sleep } from 'node:timers/promises';
import { later } from '../core/clock.ts';
import { sha256 } from '../core/crypto.ts';
import { webhookLimits } from '../core/limits.ts';
import { DeliveryStatus } from '../db/generated/enums.ts';
import {
  behindOuterJoin,
  bool,
  bytes,
  foundIn,
  int,
  arrayText,
  json,
  listOf,
  listText,
  oneOf,
  query,
  text,
  time,
  uuid,
} from '../db/query.ts';
import { runIn } from '../db/database.ts';
import type { Tx } from '../db/database.ts';
import type { RowOf } from '../db/query.ts';
import type { Platform } from '../platform/team.ts';

/** Longer than an attempt can take with everything around it: a worker still alive when its lease ends must have lost the database. */
export const leaseMs = 30_000;

/** One run of a lane's job, as its worker and the queue's table know it. */
export interface LaneRun {
  readonly jobId: string;
  /** The pool of graphile-worker that runs it. */
  readonly pool: string;
  /** When the pool took the job, in milliseconds since 1970. */
  readonly since: number;
}

/** The id of the claims of a lane's run. It is derived from the run, so that others can end the claims of a worker that was killed. */
export const claimIdOf = ({ jobId, pool, since }: LaneRun): string => {
  const digest = sha256(JSON.stringify([jobId, pool, since])).toString('hex');
  return [0, 8, 12, 16, 20].map((from, index, all) => digest.slice(from, all[index + 1] ?? 32)).join('-');
};

/** A delivery that only one lane may send until its lease ends, or its worker has ended. */
export interface Claimed {
  tenantId: string;
  deliveryId: string;
  claimId: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  attempt: number;
  scheduled: number;
  resumeStatus: 'failed' | 'gave_up' | null;
  resumeAt: string | null;
  url: string;
  secret: Uint8Array;
  apiVersion: string;
  /** Whether the team shows member details at the time of this claim: only then the attempt contains them. */
  memberDetail: boolean;
  /** Null if the event was deleted because of its age. */
  eventAt: string | null;
  data: unknown;
}

/** A lane with free places for deliveries. */
export interface Asking {
  readonly tenantId: string;
  readonly endpointId: string;
  /** The claim of this run of the lane. Its own deliveries neither count as waiting nor as under way: `used` says how many are. */
  readonly claimId: string;
  /** The endpoint's places that this lane uses. */
  readonly used: number;
  readonly places: number;
}

/** The result of a claim. */
export interface Look {
  readonly claimed: readonly Claimed[];
  /** The time at which the lane's next row is due; for rows that others are sending, the end of their lease. */
  readonly nextDue: Date | undefined;
  /** Whether the endpoint fails or was slow recently. */
  readonly throttled: boolean | undefined;
}

/** Whether an endpoint `e` is throttled; `now` is an SQL expression. */
export const isThrottled = (now: string): string =>
  `(e.failing_since is not null or coalesce(e.slow_at > ${now} - interval '${webhookLimits.slowForSeconds} seconds', false))`;

const laneColumns = {
  laneId: uuid,
  throttled: bool,
  nextDue: time.orNull,
  url: text,
  secret: bytes,
  apiVersion: text,
  memberDetail: bool,
} as const;

const claimedColumns = {
  tenantId: uuid,
  deliveryId: uuid,
  claimId: uuid,
  endpointId: uuid,
  eventId: uuid,
  eventType: text,
  attempt: int,
  scheduled: int,
  resumeStatus: oneOf('delivery_status', DeliveryStatus).orNull,
  resumeAt: time.orNull,
  eventAt: time.orNull,
  data: json.orNull,
} as const;

/**
 * Claims the due deliveries of many lanes at once, for each lane up to its free places.
 *
 * `lane`: an endpoint's places minus those that this lane uses and the deliveries that others have claimed; a throttled endpoint has a quarter
 * of the places. An
 * endpoint that is not active gets only pings and retries by hand. `first`: its earliest rows, one more than it may take: the due time of
 * the first row that is left is when the lane continues. `locked`: the rows are chosen before they are locked. If two processes claim for
 * the same lane at once, they choose mostly the same rows and one of them gets them. Together they exceed the endpoint's places only if rows
 * with an earlier due time come in that moment, and by these rows at most.
 */
const claimDue = query({
  name: 'webhooks.claim',
  why: 'claims for many lanes in one statement, with row locks',
  sql: `with asked as materialized (
     select * from unnest(:tenantIds::uuid[], :endpointIds::uuid[], :claimIds::uuid[], :used::int[], :places::int[])
                as a (tenant_id, endpoint_id, claim_id, used, places)),
   endpoint as materialized (
     select asked.*, e.status = 'active' as active, ${isThrottled(':now::timestamptz')} as throttled
       from asked
      cross join lateral (
        select * from webhook_endpoint e where e.tenant_id = asked.tenant_id and e.id = asked.endpoint_id limit 1) as e),
   lane as materialized (
     select tenant_id, endpoint_id, claim_id, active, throttled,
            greatest(0, least(places, case when throttled then greatest(1, :perEndpoint::int / 4) else :perEndpoint::int end
              - used - (select count(*)::int from webhook_waiting s
                         where s.tenant_id = endpoint.tenant_id and s.endpoint_id = endpoint.endpoint_id
                           and s.claim_id <> endpoint.claim_id and s.due_at > :now))) as places
       from endpoint),
   first as materialized (
     select lane.tenant_id, lane.endpoint_id, lane.claim_id, lane.throttled, w.delivery_id, w.due_at,
            w.due_at <= :now and row_number() over (partition by lane.tenant_id, lane.endpoint_id order by w.due_at) <= lane.places as chosen
       from lane
      cross join lateral (
        (select w.delivery_id, w.due_at
           from webhook_waiting w
          where lane.active and w.tenant_id = lane.tenant_id and w.endpoint_id = lane.endpoint_id
            and w.claim_id is distinct from lane.claim_id
          order by w.due_at
          limit lane.places + 1)
        union all
        (select w.delivery_id, w.due_at
           from webhook_waiting w
          where not lane.active and w.tenant_id = lane.tenant_id and w.endpoint_id = lane.endpoint_id and w.by_hand
            and w.claim_id is distinct from lane.claim_id
          order by w.due_at
          limit lane.places + 1)) as w),
   locked as materialized (
     select w.tenant_id, w.delivery_id, first.claim_id
       from first
       join webhook_waiting w on w.tenant_id = first.tenant_id and w.delivery_id = first.delivery_id
      where first.chosen and w.due_at <= :now
        for update of w skip locked),
   claimed as (
     update webhook_waiting w set claim_id = locked.claim_id, due_at = :leaseUntil, has_job = true
       from locked
      where w.tenant_id = locked.tenant_id and w.delivery_id = locked.delivery_id
     returning w.tenant_id, w.delivery_id, w.endpoint_id, w.claim_id),
   looked as (
     select tenant_id, endpoint_id, bool_or(throttled) as throttled, min(due_at) filter (where not chosen) as next_due
       from first group by tenant_id, endpoint_id)
   select looked.endpoint_id as "laneId", looked.throttled, looked.next_due as "nextDue", e.url, e.secret, e.api_version as "apiVersion",
          t.member_detail_enabled as "memberDetail",
          null::uuid as "tenantId", null::uuid as "deliveryId", null::uuid as "claimId", null::uuid as "endpointId",
          null::uuid as "eventId", null as "eventType", null::int as attempt, null::int as scheduled,
          null::delivery_status as "resumeStatus", null::timestamptz as "resumeAt", null::timestamptz as "eventAt",
          null::jsonb as data
     from looked
    cross join lateral (
      select * from webhook_endpoint e where e.tenant_id = looked.tenant_id and e.id = looked.endpoint_id limit 1) as e
    cross join lateral (select * from team t where t.id = looked.tenant_id limit 1) as t
   union all
   select null, null, null, null, null, null, null,
          claimed.tenant_id, claimed.delivery_id, claimed.claim_id, claimed.endpoint_id, d.event_id, d.event_type, d.attempt, d.scheduled,
          d.resume_status, d.resume_at, v.created_at, v.data
     from claimed
    cross join lateral (
      select * from webhook_delivery d
       where d.tenant_id = claimed.tenant_id and d.endpoint_id = claimed.endpoint_id and d.id = claimed.delivery_id
       limit 1) as d
     left join lateral (
      select * from webhook_event v where v.tenant_id = claimed.tenant_id and v.id = d.event_id limit 1) as v on true`,
  parameters: {
    now: time,
    leaseUntil: time,
    perEndpoint: int,
    tenantIds: listText(uuid),
    endpointIds: listText(uuid),
    claimIds: listText(uuid),
    used: listText(int),
    places: listText(int),
  },
  // A row is either of a lane or of a claimed delivery, and has null in the columns of the other.
  row: { ...behindOuterJoin(laneColumns), ...behindOuterJoin(claimedColumns) },
});

/**
 * Only a delivery that failed or was given up is retried by hand; the database has a check for it. One wrong row must not fail the claims of
 * all lanes: it is sent as an attempt of the schedule, whose outcome clears the values.
 */
const resumeOf = ({
  resumeStatus,
  resumeAt,
}: RowOf<typeof claimedColumns>): Pick<Claimed, 'resumeStatus' | 'resumeAt'> =>
  resumeStatus === 'ok' || resumeStatus === 'pending'
    ? { resumeStatus: null, resumeAt: null }
    : { resumeStatus, resumeAt };

/** Claims for lanes, each of another endpoint. Lanes without waiting rows, or whose endpoint is deleted, are not in the result. */
export const claim = async (
  { database, clock }: Platform,
  asking: readonly Asking[],
  perEndpoint: number,
): Promise<Map<string, Look>> => {
  const now = clock.now();
  const rows = await database.run(claimDue, {
    now,
    leaseUntil: later(now, leaseMs),
    perEndpoint,
    tenantIds: arrayText(asking.map(({ tenantId }) => tenantId)),
    endpointIds: arrayText(asking.map(({ endpointId }) => endpointId)),
    claimIds: arrayText(asking.map(({ claimId }) => claimId)),
    used: arrayText(asking.map(({ used }) => used)),
    places: arrayText(asking.map(({ places }) => places)),
  });
  const lanes = new Map<string, Look & { claimed: Claimed[] }>();
  const endpoints = new Map<string, Pick<Claimed, 'url' | 'secret' | 'apiVersion' | 'memberDetail'>>();
  for (const { laneId, throttled, nextDue, url, secret, apiVersion, memberDetail } of foundIn(laneColumns, rows)) {
    lanes.set(laneId, { claimed: [], nextDue: nextDue === null ? undefined : new Date(nextDue), throttled });
    endpoints.set(laneId, { url, secret, apiVersion, memberDetail });
  }
  for (const row of foundIn(claimedColumns, rows)) {
    const endpoint = endpoints.get(row.endpointId);
    if (endpoint) lanes.get(row.endpointId)?.claimed.push({ ...row, ...resumeOf(row), ...endpoint });
  }
  return lanes;
};

const endClaims = query({
  name: 'webhooks.endClaims',
  why: 'locks many rows, and leaves those out that are being written',
  sql: `with left_behind as materialized (
     select tenant_id, delivery_id from webhook_waiting where claim_id = any(:claimIds::uuid[]) for update skip locked)
   update webhook_waiting w set claim_id = null, due_at = w.due_at - interval '${leaseMs} milliseconds'
     from left_behind
    where w.tenant_id = left_behind.tenant_id and w.delivery_id = left_behind.delivery_id`,
  parameters: { claimIds: listOf(uuid) },
  row: {},
});

/**
 * Ends the claims of runs whose workers have ended: the deliveries are due again, from the time at which they were claimed. Until then they
 * would use the places of their endpoints.
 */
export const endClaimsOf = async (tx: Tx, runs: readonly LaneRun[]): Promise<void> => {
  if (runs.length > 0) await runIn(tx, endClaims, { claimIds: runs.map(claimIdOf) });
};

/** The result if nothing waits. It is unknown whether the endpoint is throttled. */
const nothing: Look = { claimed: [], nextDue: undefined, throttled: undefined };
/** Lanes in one statement. With more of them, a new lane would wait long for its claim. */
const mostAtOnce = 128;
/** A statement for this many lanes is one of a busy worker. */
const manyLanes = 8;
/** The pause between two statements, so that more lanes share one. */
const restMs = { usual: 2, busy: 10 };

/**
 * Claims for the lanes of this process, one statement at a time. Requests that come while one runs go into the next one, so a busy worker
 * needs fewer statements per delivery.
 */
export const claimer = (claimFor: (asking: readonly Asking[]) => Promise<Map<string, Look>>) => {
  const waiting: { asking: Asking; resolve: (look: Look) => void; reject: (error: unknown) => void }[] = [];
  let running = false;

  const runAll = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostAtOnce);
      try {
        const looks = await claimFor(batch.map(({ asking }) => asking));
        for (const { asking, resolve } of batch) resolve(looks.get(asking.endpointId) ?? nothing);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      await sleep(batch.length < manyLanes ? restMs.usual : restMs.busy);
    }
  };

  const start = () => {
    running = true;
    // In the next turn of the event loop, so that lanes that start together share a statement.
    setImmediate(() => {
      void runAll().finally(() => {
        running = false;
        if (waiting.length > 0) start();
      });
    });
  };

  return (asking: Asking): Promise<Look> =>
    new Promise((resolve, reject) => {
      waiting.push({ asking, resolve, reject });
      if (!running) start();
    });
};
