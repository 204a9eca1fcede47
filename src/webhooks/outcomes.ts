import { setTimeout as sleep } from 'node:timers/promises';
import { inBatches } from '../core/batch.ts';
import { secondsToMs } from '../core/clock.ts';
import { newId } from '../core/ids.ts';
import { webhookLimits } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import { bigint, bool, jsonb, listOf, query, text, uuid } from '../db/query.ts';
import { isUnavailable, retryWhileUnavailable } from '../db/unavailable.ts';
import type { Platform } from '../platform/team.ts';
import type { Claimed } from './claim.ts';
import type { Step } from './delivery-states.ts';
import type { RequestResult } from './egress/egress.ts';

/** The result of an attempt, and the next state of its delivery. */
export interface AttemptOutcome {
  readonly claimed: Claimed;
  readonly step: Step;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly result: RequestResult;
}

/** The result of writing an outcome. */
export interface Settled {
  /** Null if it was not written, because the claim was no longer held. */
  status: Step['status'] | null;
  /** It was not written because another transaction has locked the endpoint. It must be tried again. */
  later: boolean;
}

const {
  historyBytesPerDay: { details, excerpts },
  shortExcerptCharacters,
  shortUrlCharacters,
  slowAfterSeconds,
} = webhookLimits;

/** Durations are counted in classes, of which each ends at one that is this much longer: a percentile is off by a tenth at most. */
export const durationGrowth = 1.2;
/** Class 0 has everything up to a millisecond. */
const durationClass = `ceil(round((ln(greatest(ms, 1)::float8) / ln(${durationGrowth}::float8))::numeric, 9))::smallint`;

/**
 * Writes the outcomes of attempts: attempt row, the delivery's next state, its waiting row and the endpoint's health, all or nothing. An
 * outcome whose claim is no longer held is left out: a worker whose lease has ended can't overwrite the result of another one.
 *
 * - `endpoint`: locked before its other rows, as everywhere, so a change of the endpoint comes completely before or after. Those that
 *   another transaction has locked are left for later.
 * - `judged`: if the endpoint was paused meanwhile, there is no next attempt; if it was disabled, none for a ping. Receivers choose what they
 *   answer, so a team's history has daily limits: `spent` are the bytes before this statement, and attempts `beyond` the day's number leave
 *   no history.
 * - `held`: the outcomes whose waiting row still has the claim. The row is deleted, or waits for the next attempt.
 */
const writeOutcomes = query({
  name: 'webhooks.settle',
  why: 'writes seven tables for many deliveries in one statement',
  sql: `with given as materialized (
     select g.*, (g.started_at at time zone 'UTC')::date as day
       from jsonb_to_recordset(:outcomes) as g (
         tenant_id uuid, endpoint_id uuid, delivery_id uuid, claim_id uuid, attempt_id uuid, status text, attempt int, scheduled int,
         next_try_at timestamptz, manual bool, url text, request_headers jsonb, code int, headers text, excerpt text, ms int, error text,
         started_at timestamptz, ping bool, ours bool, member_detail bool)),
   endpoint as materialized (
     select e.tenant_id, e.id, e.status
       from webhook_endpoint e
      where (e.tenant_id, e.id) in (select tenant_id, endpoint_id from given)
      order by e.tenant_id, e.id
        for no key update skip locked),
   budget as materialized (
     select team.tenant_id, team.day, team.detail_bytes, team.attempts
       from (select distinct tenant_id, day from given) as of_day
      cross join lateral (
        select * from webhook_team_day team where team.tenant_id = of_day.tenant_id and team.day = of_day.day limit 1) as team),
   judged as materialized (
     select given.*, given.started_at + given.ms * interval '1 millisecond' as ended_at,
            case when given.status <> 'failed' then given.status
                 when endpoint.status = 'active' or (endpoint.status = 'disabled' and not given.ping) then 'failed'
                 else 'gave_up' end as final,
            octet_length(given.url) + coalesce(octet_length(given.headers), 0) as detail_bytes,
            coalesce(octet_length(given.excerpt), 0) as excerpt_bytes,
            coalesce(budget.detail_bytes, 0) as spent,
            not given.manual and not given.ping and coalesce(budget.attempts, 0)
              + row_number() over (partition by given.tenant_id, given.day order by given.started_at) > :mostAttempts as beyond
       from given
       join endpoint on endpoint.tenant_id = given.tenant_id and endpoint.id = given.endpoint_id
       left join budget on budget.tenant_id = given.tenant_id and budget.day = given.day),
   finished as (
     delete from webhook_waiting w using judged
      where judged.final <> 'failed'
        and w.tenant_id = judged.tenant_id and w.delivery_id = judged.delivery_id and w.claim_id is not distinct from judged.claim_id
     returning judged.*),
   waiting as (
     update webhook_waiting w
        set claim_id = null, due_at = judged.next_try_at, by_hand = false
       from judged
      where judged.final = 'failed'
        and w.tenant_id = judged.tenant_id and w.delivery_id = judged.delivery_id and w.claim_id is not distinct from judged.claim_id
     returning judged.*),
   held as materialized (select * from finished union all select * from waiting),
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
                                  response_excerpt, response_ms, error, started_at, member_detail)
     select tenant_id, attempt_id, delivery_id, attempt, manual,
            case when spent < ${details} then url else left(url, ${shortUrlCharacters}) end, request_headers, code,
            case when spent < ${details} then headers::jsonb end, case when spent < ${details} then excerpt end, ms, error, started_at,
            member_detail
       from held where not beyond),
   spending as (
     insert into webhook_team_day as team (tenant_id, day, detail_bytes, attempts)
     select tenant_id, day,
            sum(case when spent < ${details} then detail_bytes + excerpt_bytes else 0 end
                + case when spent < ${excerpts} then excerpt_bytes else 0 end),
            count(*) filter (where not beyond)
       from held where spent < ${excerpts} or not beyond group by tenant_id, day order by tenant_id, day
         on conflict (tenant_id, day) do update
        set detail_bytes = team.detail_bytes + excluded.detail_bytes, attempts = team.attempts + excluded.attempts),
   dated as (
     select *, max(ended_at) filter (where final = 'ok') over (partition by tenant_id, endpoint_id) as success
       from held where not ours),
   health as (
     select tenant_id, endpoint_id, max(success) as success,
            min(ended_at) filter (where final <> 'ok' and ended_at > coalesce(success, '-infinity')) as failure,
            max(ended_at) filter (where ms >= ${secondsToMs(slowAfterSeconds)}) as slow
       from dated
      group by tenant_id, endpoint_id),
   endpoints as (
     update webhook_endpoint e
        set last_success_at = greatest(e.last_success_at, health.success),
            failing_since = case when health.success is null then coalesce(e.failing_since, health.failure) else health.failure end,
            warned_at = case when health.success is null then e.warned_at end,
            slow_at = greatest(e.slow_at, health.slow)
       from health
      where e.tenant_id = health.tenant_id and e.id = health.endpoint_id
        and (health.success is not null or e.failing_since is null or health.slow is not null)),
   days as (
     insert into webhook_endpoint_day as day (tenant_id, endpoint_id, day, delivered, failed, total_ms, slowest_ms)
     select tenant_id, endpoint_id, day, count(*) filter (where final = 'ok'),
            count(*) filter (where final <> 'ok'), sum(ms), max(ms)
       from held group by 1, 2, 3
         on conflict (tenant_id, endpoint_id, day) do update
        set delivered = day.delivered + excluded.delivered, failed = day.failed + excluded.failed,
            total_ms = day.total_ms + excluded.total_ms, slowest_ms = greatest(day.slowest_ms, excluded.slowest_ms)),
   quarter_hours as (
     insert into webhook_quarter_hour as known (tenant_id, endpoint_id, start, delivered, duration, attempts)
     select tenant_id, endpoint_id, date_bin('15 minutes', started_at, 'epoch'), final = 'ok', ${durationClass}, count(*)
       from held group by 1, 2, 3, 4, 5
         on conflict (tenant_id, endpoint_id, start, delivered, duration) do update set attempts = known.attempts + excluded.attempts)
   select delivery_id as "deliveryId", final as status, false as later, beyond and final <> 'failed' as "isForgotten"
     from held
    union all
   select given.delivery_id, null, true, false
     from given
    where not exists (select from endpoint where endpoint.tenant_id = given.tenant_id and endpoint.id = given.endpoint_id)
      and exists (select from webhook_endpoint e where e.tenant_id = given.tenant_id and e.id = given.endpoint_id)`,
  parameters: { outcomes: jsonb, mostAttempts: bigint },
  row: { deliveryId: uuid.checked, status: text.orNull, later: bool.checked, isForgotten: bool.checked },
});

/** Finished deliveries that leave no history are deleted, with their earlier attempts. If that fails, they stay until they are old. */
const deleteHistory = ['webhook_attempt where delivery_id', 'webhook_delivery where id'].map((rows) =>
  query({
    name: `webhooks.forgetBeyond ${rows}`,
    why: 'takes any number of ids of several teams in one prepared statement',
    sql: `delete from ${rows} = any(:deliveryIds::uuid[]) and tenant_id = any(:tenantIds::uuid[])`,
    parameters: { deliveryIds: listOf(uuid), tenantIds: listOf(uuid) },
    row: {},
  }),
);

const asRow = ({ claimed, step, requestHeaders, result }: AttemptOutcome) => ({
  tenant_id: claimed.tenantId,
  endpoint_id: claimed.endpointId,
  delivery_id: claimed.deliveryId,
  claim_id: claimed.claimId,
  attempt_id: newId(),
  status: step.status,
  attempt: step.attempt,
  scheduled: step.scheduled,
  next_try_at: step.nextTryAt,
  manual: step.manual,
  url: claimed.url,
  request_headers: requestHeaders,
  code: result.code,
  headers: result.headers && JSON.stringify(result.headers),
  excerpt: result.excerpt,
  ms: result.ms,
  error: result.error,
  started_at: result.startedAt,
  ping: claimed.eventType === 'ping',
  // A failure of the service itself does not count against the endpoint.
  ours: result.fault === 'service',
  member_detail: claimed.memberDetail,
});

/** Writes outcomes and returns the result of each, in their order. */
export const settle = async (
  { database }: Platform,
  outcomes: readonly AttemptOutcome[],
  mostAttempts: number = webhookLimits.historyAttemptsPerDay,
): Promise<Settled[]> => {
  const rows = await database.run(writeOutcomes, { outcomes: JSON.stringify(outcomes.map(asRow)), mostAttempts });
  const written = new Map(rows.map((row) => [row.deliveryId, row]));
  const forgotten = outcomes.filter(({ claimed }) => written.get(claimed.deliveryId)?.isForgotten);
  if (forgotten.length > 0) {
    const ids = {
      deliveryIds: forgotten.map(({ claimed }) => claimed.deliveryId),
      tenantIds: forgotten.map(({ claimed }) => claimed.tenantId),
    };
    await Promise.allSettled(deleteHistory.map((deletion) => database.run(deletion, ids)));
  }
  return outcomes.map(({ claimed }) => {
    const { status = null, later = false } = written.get(claimed.deliveryId) ?? {};
    return { status: status === 'ok' || status === 'failed' || status === 'gave_up' ? status : null, later };
  });
};

const batches = { max: 200, waitMs: 5 };
const tryAgainMs = 250;

/** The outcome without everything that the receiver sent: if a part of it can't be stored, the outcome itself must still be stored. */
const bare = (outcome: AttemptOutcome): AttemptOutcome => ({
  ...outcome,
  requestHeaders: {},
  result: { ...outcome.result, headers: null, excerpt: null },
});

/**
 * Writes the outcomes of all jobs of the process, in batches. While the database is unavailable they are kept, so that delivered events are
 * not sent again. An outcome that can't be written, or whose endpoint is locked for long, does not keep others from being written.
 */
export const outcomeWriter = ({ platform, log }: { platform: Platform; log: Logger }) => {
  let isGivenUp = false;

  const insist = (outcomes: readonly AttemptOutcome[]): Promise<Settled[]> =>
    retryWhileUnavailable(
      () => settle(platform, outcomes),
      () => !isGivenUp,
    );

  const writeAll = inBatches(insist, batches);

  const writeOnce = async (outcome: AttemptOutcome, jobId: string): Promise<Settled> => {
    try {
      return await writeAll(outcome);
    } catch (error) {
      if (isUnavailable(error)) throw error;
    }
    // One outcome of the batch can't be written. Alone, each shows whether it is this one.
    const settled = await insist([outcome]).catch((err: unknown) => {
      log.error({ err, deliveryId: outcome.claimed.deliveryId, jobId }, 'an outcome could not be stored whole');
      return insist([bare(outcome)]);
    });
    return settled[0] ?? { status: null, later: false };
  };

  return {
    /** Returns the delivery's state, or null if the claim was no longer held. */
    async write(outcome: AttemptOutcome, jobId: string): Promise<Settled['status']> {
      for (;;) {
        const { status, later } = await writeOnce(outcome, jobId);
        if (!later || isGivenUp) return status;
        await sleep(tryAgainMs);
      }
    },
    /** Outcomes that can't be written are no longer kept. */
    giveUp: () => void (isGivenUp = true),
  };
};
