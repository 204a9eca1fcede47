import { webhookLimits } from '../../core/limits.ts';
import { newId } from '../../core/ids.ts';
import type { Exchange } from '../../egress/egress.ts';
import { statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Claimed } from './claim.ts';
import type { Step } from './delivery-states.ts';

/** An attempt that was made, and where it leaves its delivery. */
export interface Outcome {
  readonly claimed: Claimed;
  readonly step: Step;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly exchange: Exchange;
}

/** What became of an outcome. */
export interface Settled {
  deliveryId: string;
  /** Null where it was not written: the claim was no longer held. */
  status: 'ok' | 'failed' | 'gave_up' | null;
  /** It was not written because somebody else held the endpoint: to be tried again. */
  later: boolean;
}

/** What to do about endpoints that somebody else holds: wait a moment for them, or leave theirs for later. */
type Patience = 'wait' | 'skip';

const {
  historyBytesPerDay: { details, excerpts },
  shortExcerptCharacters,
  shortUrlCharacters,
} = webhookLimits;

/**
 * Writes what came of attempts: attempt row, the delivery's state, its place in the queue and the endpoint's health, all or
 * nothing. What is no longer held by the claim it was sent under is left out.
 *
 * No range of ids narrows the partitions down, tempting as it is: where an endpoint's row had changed while it was waited for,
 * PostgreSQL 18 then left out the update of the delivery, and said nothing.
 *
 * The endpoint is locked before anything of it, as everywhere: a change of the endpoint comes before or after, never between.
 * Paused meanwhile, there is no next try; disabled, none for a ping.
 *
 * Receivers choose what they answer, so a team's history has a daily budget of bytes (`webhook_team_day`). It is read before the batch and
 * counted with it: batches that are written at once may exceed it by what they hold. Rows of teams are locked in the order of their
 * ids, and after the endpoints.
 */
const writeOutcomes = (patience: Patience) =>
  statement<Settled, unknown[]>(
    `with given as materialized (
     select * from unnest(
       $1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::int[], $8::int[], $9::timestamptz[], $10::bool[],
       $11::text[], $12::jsonb[], $13::int[], $14::text[], $15::text[], $16::int[], $17::text[], $18::timestamptz[], $19::bool[], $20::bool[])
       as g (tenant_id, endpoint_id, delivery_id, claim_id, attempt_id, status, attempt, scheduled, next_try_at, manual,
             url, request_headers, code, headers, excerpt, ms, error, started_at, ping, ours)),
   endpoint as materialized (
     select e.tenant_id, e.id, e.status
       from webhook_endpoint e
      where (e.tenant_id, e.id) in (select tenant_id, endpoint_id from given)
      order by e.tenant_id, e.id
        for no key update ${patience === 'skip' ? 'skip locked' : ''}),
   held as materialized (
     select given.*, started_at + ms * interval '1 millisecond' as ended_at, endpoint.status as endpoint_status,
            case when given.status <> 'failed' then given.status
                 when endpoint.status = 'active' or (endpoint.status = 'disabled' and not ping) then 'failed'
                 else 'gave_up' end as final,
            octet_length(url) + coalesce(octet_length(headers), 0) as detail_bytes, coalesce(octet_length(excerpt), 0) as excerpt_bytes,
            (started_at at time zone 'UTC')::date as day,
            coalesce((select team.detail_bytes from webhook_team_day team
                       where team.tenant_id = given.tenant_id and team.day = (started_at at time zone 'UTC')::date), 0) as spent
       from given
       join endpoint on endpoint.tenant_id = given.tenant_id and endpoint.id = given.endpoint_id
       join webhook_waiting w on w.tenant_id = given.tenant_id and w.delivery_id = given.delivery_id and w.claim_id = given.claim_id
        for update of w),
   finished as (
     delete from webhook_waiting w using held
      where w.tenant_id = held.tenant_id and w.delivery_id = held.delivery_id and held.final <> 'failed'),
   waiting as (
     update webhook_waiting w
        set claim_id = null, due_at = held.next_try_at, by_hand = false
       from held
      where w.tenant_id = held.tenant_id and w.delivery_id = held.delivery_id and held.final = 'failed'),
   delivery as (
     update webhook_delivery d
        set status = held.final::delivery_status, attempt = held.attempt, scheduled = held.scheduled,
            next_try_at = case held.final when 'failed' then held.next_try_at end, resume_status = null, resume_at = null,
            response_code = held.code,
            response_excerpt = case when held.spent < ${excerpts} then held.excerpt else left(held.excerpt, ${shortExcerptCharacters}) end,
            response_ms = held.ms, error = held.error
       from held
      where d.tenant_id = held.tenant_id and d.endpoint_id = held.endpoint_id and d.id = held.delivery_id),
   attempts as (
     insert into webhook_attempt (tenant_id, id, delivery_id, number, manual, url, request_headers, response_code, response_headers,
                                  response_excerpt, response_ms, error, started_at)
     select tenant_id, attempt_id, delivery_id, attempt, manual,
            case when spent < ${details} then url else left(url, ${shortUrlCharacters}) end, request_headers, code,
            case when spent < ${details} then headers::jsonb end, case when spent < ${details} then excerpt end, ms, error, started_at
       from held),
   spending as (
     insert into webhook_team_day as team (tenant_id, day, detail_bytes)
     select tenant_id, day, sum(case when spent < ${details} then detail_bytes + excerpt_bytes else 0 end + excerpt_bytes)
       from held where spent < ${excerpts} group by tenant_id, day order by tenant_id, day
         on conflict (tenant_id, day) do update set detail_bytes = team.detail_bytes + excluded.detail_bytes),
   latest as (
     select tenant_id, endpoint_id, max(ended_at) filter (where final = 'ok') as success
       from held where not ours group by tenant_id, endpoint_id),
   health as (
     select latest.tenant_id, latest.endpoint_id, latest.success,
            min(held.ended_at) filter (where held.final <> 'ok' and not held.ours and held.ended_at > coalesce(latest.success, '-infinity')) as failure
       from latest
       join held on held.tenant_id = latest.tenant_id and held.endpoint_id = latest.endpoint_id
      group by latest.tenant_id, latest.endpoint_id, latest.success),
   endpoints as (
     update webhook_endpoint e
        set last_success_at = greatest(e.last_success_at, health.success),
            failing_since = case when health.success is null then coalesce(e.failing_since, health.failure) else health.failure end,
            warned_at = case when health.success is null then e.warned_at end
       from health
      where e.tenant_id = health.tenant_id and e.id = health.endpoint_id
        and (health.success is not null or e.failing_since is null)),
   days as (
     insert into webhook_endpoint_day as day (tenant_id, endpoint_id, day, delivered, failed, total_ms, slowest_ms)
     select tenant_id, endpoint_id, day, count(*) filter (where final = 'ok'),
            count(*) filter (where final <> 'ok'), sum(ms), max(ms)
       from held group by 1, 2, 3
         on conflict (tenant_id, endpoint_id, day) do update
        set delivered = day.delivered + excluded.delivered, failed = day.failed + excluded.failed,
            total_ms = day.total_ms + excluded.total_ms, slowest_ms = greatest(day.slowest_ms, excluded.slowest_ms))
   select g.delivery_id as "deliveryId", held.final as status,
          held.final is null and exists (
            select from webhook_endpoint e
             where e.tenant_id = g.tenant_id and e.id = g.endpoint_id
               and not exists (select from endpoint where endpoint.tenant_id = e.tenant_id and endpoint.id = e.id)) as later
     from given g
     left join held on held.delivery_id = g.delivery_id`,
  );

const statements = { wait: writeOutcomes('wait'), skip: writeOutcomes('skip') };

const column = <T>(outcomes: readonly Outcome[], read: (outcome: Outcome) => T): T[] => outcomes.map(read);

/** Writes outcomes; gives what became of each. A failure that is our own fault is none of the endpoint's. */
export const settle = (
  { database }: Platform,
  outcomes: readonly Outcome[],
  patience: Patience = 'wait',
): Promise<Settled[]> => {
  return database.rows(
    statements[patience],
    column(outcomes, ({ claimed }) => claimed.tenantId),
    column(outcomes, ({ claimed }) => claimed.endpointId),
    column(outcomes, ({ claimed }) => claimed.deliveryId),
    column(outcomes, ({ claimed }) => claimed.claimId),
    column(outcomes, () => newId()),
    column(outcomes, ({ step }) => step.status),
    column(outcomes, ({ step }) => step.attempt),
    column(outcomes, ({ step }) => step.scheduled),
    column(outcomes, ({ step }) => step.nextTryAt),
    column(outcomes, ({ step }) => step.manual),
    column(outcomes, ({ claimed }) => claimed.url),
    column(outcomes, ({ requestHeaders }) => JSON.stringify(requestHeaders)),
    column(outcomes, ({ exchange }) => exchange.code),
    column(outcomes, ({ exchange }) => exchange.headers && JSON.stringify(exchange.headers)),
    column(outcomes, ({ exchange }) => exchange.excerpt),
    column(outcomes, ({ exchange }) => exchange.ms),
    column(outcomes, ({ exchange }) => exchange.error),
    column(outcomes, ({ exchange }) => exchange.startedAt),
    column(outcomes, ({ claimed }) => claimed.eventType === 'ping'),
    column(outcomes, ({ exchange }) => exchange.fault === 'service'),
  );
};
