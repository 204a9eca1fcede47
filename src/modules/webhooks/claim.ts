import { newId } from '../../core/ids.ts';
import { later } from '../../core/clock.ts';
import { statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';

/** Longer than an attempt can take with everything around it: whoever still lives when it ends has lost the database. */
export const leaseMs = 30_000;

/** A delivery that this process alone may send, until its lease ends. */
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
  /** The endpoint's last attempt failed. */
  failing: boolean;
  /** Null where the event was cut by age. */
  eventAt: string | null;
  data: unknown;
}

/** Any number will do, as long as it is this one alone. */
const turnLock = 7_402_116;

/**
 * Who claims does so alone, so that the number sent to an endpoint at once is what all processes together send. A process
 * that finds another claiming gets no turn and asks again.
 *
 * `lane` finds the endpoints that anything waits for, each with the earliest: one look into the index for each endpoint,
 * however many deliveries wait for it. A lane that fails gets a quarter of the places, and all that fail together at most
 * `$5`: what hangs until it times out must not take everybody's. Healthy ones go first, whoever waits longest before the others,
 * but an eighth of the room is kept for those that fail, or they could never show that they are back. Of an endpoint that is
 * not active only what was asked for by hand is sent.
 */
const claimDue = statement<
  { mine: boolean } & (Claimed | { deliveryId: null }),
  [now: Date, leaseUntil: Date, claimId: string, room: number, roomForFailing: number, perEndpoint: number]
>(
  `with recursive
   turn as materialized (select pg_try_advisory_xact_lock(${turnLock}) as mine),
   lane as (
     (select w.tenant_id, w.endpoint_id, w.due_at
        from webhook_waiting w
       where (select mine from turn)
       order by w.tenant_id, w.endpoint_id, w.due_at
       limit 1)
     union all
     select further.*
       from lane
      cross join lateral (
        select w.tenant_id, w.endpoint_id, w.due_at
          from webhook_waiting w
         where (w.tenant_id, w.endpoint_id) > (lane.tenant_id, lane.endpoint_id)
         order by w.tenant_id, w.endpoint_id, w.due_at
         limit 1) as further),
   open as materialized (
     select lane.*, e.status = 'active' as active, e.failing_since is not null as failing,
            case when e.failing_since is null then $6::int else greatest(1, $6::int / 4) end
              - (select count(*) from webhook_waiting s
                  where s.tenant_id = lane.tenant_id and s.endpoint_id = lane.endpoint_id
                    and s.claim_id is not null and s.due_at > $1) as places
       from lane
       join webhook_endpoint e on e.tenant_id = lane.tenant_id and e.id = lane.endpoint_id
      where lane.due_at <= $1
        and (e.status = 'active' or exists (
          select from webhook_waiting b
           where b.tenant_id = lane.tenant_id and b.endpoint_id = lane.endpoint_id and b.due_at <= $1 and b.by_hand))),
   ranked as materialized (
     select open.*, row_number() over (partition by failing order by due_at) as rank from open where places > 0),
   due as materialized (select * from ranked where rank <= $4::int),
   wanted as materialized (
     select w.tenant_id, w.delivery_id, due.failing, w.due_at,
            row_number() over (partition by due.failing order by w.due_at) as rank
       from due
      cross join lateral (
        (select w.tenant_id, w.delivery_id, w.due_at
           from webhook_waiting w
          where due.active and w.tenant_id = due.tenant_id and w.endpoint_id = due.endpoint_id and w.due_at <= $1
          order by w.due_at
          limit due.places)
        union all
        (select w.tenant_id, w.delivery_id, w.due_at
           from webhook_waiting w
          where not due.active and w.tenant_id = due.tenant_id and w.endpoint_id = due.endpoint_id and w.due_at <= $1 and w.by_hand
          order by w.due_at
          limit due.places)) as w),
   share as (
     select least(count(*), $5::int, greatest(1, $4::int / 8)) as failing from wanted where failing),
   chosen as materialized (
     select wanted.tenant_id, wanted.delivery_id
       from wanted, share
      where case when wanted.failing then wanted.rank <= $5::int else wanted.rank <= $4::int - share.failing end
      order by wanted.failing, wanted.due_at
      limit $4::int),
   locked as materialized (
     select w.tenant_id, w.delivery_id
       from webhook_waiting w
       join chosen on chosen.tenant_id = w.tenant_id and chosen.delivery_id = w.delivery_id
      where w.due_at <= $1
        for update of w skip locked),
   claimed as (
     update webhook_waiting w set claim_id = $3, due_at = $2
       from locked
      where w.tenant_id = locked.tenant_id and w.delivery_id = locked.delivery_id
     returning w.tenant_id, w.delivery_id, w.endpoint_id)
   select turn.mine, sent.*
     from turn
     left join (
       select claimed.tenant_id as "tenantId", claimed.delivery_id as "deliveryId", $3::uuid as "claimId",
              e.id as "endpointId", d.event_id as "eventId", d.event_type as "eventType", d.attempt, d.scheduled,
              d.resume_status as "resumeStatus", d.resume_at as "resumeAt", e.url, e.secret, e.api_version as "apiVersion",
              e.failing_since is not null as failing, v.created_at as "eventAt", v.data
         from claimed
        cross join lateral (
          select * from webhook_endpoint e where e.tenant_id = claimed.tenant_id and e.id = claimed.endpoint_id limit 1) as e
        cross join lateral (
          select * from webhook_delivery d
           where d.tenant_id = claimed.tenant_id and d.endpoint_id = claimed.endpoint_id and d.id = claimed.delivery_id
           limit 1) as d
         left join lateral (
          select * from webhook_event v where v.tenant_id = claimed.tenant_id and v.id = d.event_id limit 1) as v on true
     ) as sent on true`,
);

interface Room {
  room: number;
  roomForFailing: number;
  perEndpoint: number;
}

/** Takes what is due, up to the room there is; undefined while another process is claiming. */
export const claim = async (
  { database, clock }: Platform,
  { room, roomForFailing, perEndpoint }: Room,
): Promise<Claimed[] | undefined> => {
  const now = clock.now();
  const rows = await database.rows(claimDue, now, later(now, leaseMs), newId(), room, roomForFailing, perEndpoint);
  if (rows.some(({ mine }) => !mine)) return undefined;
  return rows.filter((row) => row.deliveryId !== null);
};
