import { later } from '../core/clock.ts';
import { deliveryLimits } from '../core/limits.ts';
import { DeliveryStatus } from '../db/generated/enums.ts';
import { behindOuterJoin, bool, bytes, foundIn, int, oneOf, query, text, time, uuid, type RowOf } from '../db/query.ts';
import type { Platform } from '../platform/team.ts';

/**
 * Longer than an attempt can take, with its waits for slots. When the lease ends, any job may claim the delivery and
 * send it again.
 */
export const leaseMs = 30_000;

/** Whether an endpoint `e` is throttled; `now` is an SQL expression. */
export const isThrottled = (now: string): string =>
  `(e.failing_since is not null or coalesce(e.slow_at > ${now} - interval '${deliveryLimits.slowForSeconds} seconds', false))`;

const endpointColumns = {
  url: text.checked,
  secret: bytes.checked,
  /** The team's own headers, encrypted. */
  headers: bytes.orNull,
  apiVersion: text.checked,
  /** Whether the team shows member details now. Only then does the attempt contain them. */
  memberDetail: bool.checked,
  /** Whether the endpoint fails or was slow recently. */
  throttled: bool.checked,
} as const;

const deliveryColumns = {
  deliveryId: uuid,
  /** When the delivery was due before the claim. */
  dueAt: time,
  eventId: uuid,
  eventType: text,
  attempt: int,
  scheduled: int,
  resumeStatus: oneOf('delivery_status', DeliveryStatus).orNull,
  resumeAt: time.orNull,
  eventAt: time.orNull,
  data: text.orNull,
} as const;

/**
 * Claims an endpoint's due deliveries, up to its free slots: those that have been due longest come first. The slots
 * limit how many attempts to an endpoint run at once. A row's `due_at` says when it may be claimed: when it is due, or,
 * if it has a claim, when the lease ends. A claim takes a slot until its outcome is written or its lease ends, whatever
 * process made it. A throttled endpoint has a quarter of the slots. An endpoint that is not active gets only pings and
 * retries by hand.
 *
 * Two jobs that claim at the same moment choose the same rows. The update of the second waits for the first, and then
 * skips the rows that the first has claimed. Together they exceed the slots only if several deliveries are due at the
 * same time, or if one becomes due between the two claims.
 */
const claimDue = query({
  name: 'webhooks.claim',
  why: 'chooses, claims and reads rows of five tables in one round trip',
  sql: `with endpoint as materialized (
     select e.url, e.secret, e.headers, e.api_version, team.member_detail_enabled, e.status = 'active' as active,
            ${isThrottled(':now::timestamptz')} as throttled,
            greatest(0, case when ${isThrottled(':now::timestamptz')} then greatest(1, :perEndpoint::int / 4) else :perEndpoint::int end
              - (select count(*)::int from webhook_waiting w
                  where w.tenant_id = :tenantId and w.endpoint_id = :endpointId and w.claim_id is not null and w.due_at > :now)) as free
       from webhook_endpoint e
       join team on team.id = :tenantId
      where e.tenant_id = :tenantId and e.id = :endpointId),
   due as materialized (
     select w.delivery_id, w.due_at
       from webhook_waiting w
      where w.tenant_id = :tenantId and w.endpoint_id = :endpointId and w.due_at <= :now
        and (w.by_hand or (select active from endpoint))
      order by w.due_at limit coalesce((select free from endpoint), 0)),
   claimed as (
     update webhook_waiting w set claim_id = :claimId, due_at = :leaseUntil
      where w.tenant_id = :tenantId and w.delivery_id = any(array(select delivery_id from due)) and w.due_at <= :now
     returning w.delivery_id)
   select endpoint.url, endpoint.secret, endpoint.headers, endpoint.api_version as "apiVersion",
          endpoint.member_detail_enabled as "memberDetail", endpoint.throttled,
          (select count(*) from due) = endpoint.free as "isFull",
          (select w.due_at from webhook_waiting w
            where endpoint.active and w.tenant_id = :tenantId and w.endpoint_id = :endpointId and w.due_at > :now and w.claim_id is null
            order by w.due_at limit 1) as "nextDue",
          d.id as "deliveryId", due.due_at as "dueAt", d.event_id as "eventId", d.event_type as "eventType", d.attempt, d.scheduled,
          d.resume_status as "resumeStatus", d.resume_at as "resumeAt", v.created_at as "eventAt", v.data
     from endpoint
     left join (claimed join due using (delivery_id)) on true
     left join lateral (
      select * from webhook_delivery d
       where d.tenant_id = :tenantId and d.endpoint_id = :endpointId and d.id = claimed.delivery_id limit 1) as d on true
     left join lateral (
      select * from webhook_event v where v.tenant_id = :tenantId and v.id = d.event_id limit 1) as v on true`,
  parameters: {
    tenantId: uuid,
    endpointId: uuid,
    claimId: uuid,
    now: time,
    leaseUntil: time,
    perEndpoint: int,
  },
  // A row for each claimed delivery. If none was claimed, one row without a delivery.
  row: { ...endpointColumns, isFull: bool.checked, nextDue: time.orNull, ...behindOuterJoin(deliveryColumns) },
});

/** A delivery that only one job may send until its lease ends. */
export interface ClaimedDelivery extends RowOf<typeof endpointColumns>, RowOf<typeof deliveryColumns> {
  tenantId: string;
  endpointId: string;
  claimId: string;
  leaseUntil: Date;
}

/**
 * Claims the due deliveries of an endpoint; none if the endpoint was deleted. `isFull`: no slot is left, so more may be
 * due. `nextDue`: when the next delivery of an active endpoint will be due, if one waits.
 */
export const claim = async (
  { database, clock }: Platform,
  { perEndpoint, ...of }: { tenantId: string; endpointId: string; claimId: string; perEndpoint: number },
): Promise<{ claimed: ClaimedDelivery[]; isFull: boolean; nextDue: Date | null }> => {
  const now = clock.now();
  const leaseUntil = later(now, leaseMs);
  const rows = await database.run(claimDue, { ...of, perEndpoint, now, leaseUntil });
  const { isFull = false, nextDue = null } = rows[0] ?? {};
  return {
    claimed: foundIn(deliveryColumns, rows).map((row) => ({ ...row, ...of, leaseUntil })),
    isFull,
    nextDue: nextDue === null ? null : new Date(nextDue),
  };
};

/** Ends the claim of a delivery that was not sent. The delivery is due at its former time, so it keeps its turn. */
export const release = async (
  { database }: Platform,
  { tenantId, deliveryId, claimId, dueAt }: ClaimedDelivery,
): Promise<void> => {
  await database.prisma.webhookWaiting.updateMany({
    where: { tenantId, deliveryId, claimId },
    data: { claimId: null, dueAt },
  });
};
