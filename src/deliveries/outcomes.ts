import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { inHalves } from '../core/batch.ts';
import { secondsToMs } from '../core/clock.ts';
import { makeId } from '../core/ids.ts';
import { deliveryLimits } from '../core/limits.ts';
import { DeliveryStatus } from '../db/generated/enums.ts';
import { bigint, bool, int, jsonb, listOf, oneOf, query, time, uuid, type RowOf } from '../db/query.ts';
import { mayRepeat, repeatUntilReached } from '../db/unavailable.ts';
import type { Platform } from '../platform/team.ts';
import type { ClaimedDelivery } from './claim.ts';
import type { RequestResult } from '../egress/egress.ts';

/**
 * A delivery is in one of four states.
 *
 *   pending ──2xx──▶ ok
 *      │ anything else
 *      ▼
 *   failed ──due, 2xx──▶ ok
 *      │ ▲  └─due, anything else─▶ failed, until the schedule has no further time
 *      │ └──────────────────────────┘
 *      ▼ the schedule ended
 *   gave_up
 *
 *   pending, failed ──the endpoint was paused, the event was deleted, or too many deliveries wait──▶ gave_up
 *   pending, failed ──a ping to a disabled endpoint fails──▶ gave_up
 *
 *   failed, gave_up ──retried by hand──▶ pending ──2xx──▶ ok
 *                                          │ anything else
 *                                          ▼
 *                                        what it was before, with the schedule that it had
 *
 * The job that sends a delivery has a claim on it. Once the claim's lease has ended, another job may claim the
 * delivery. The waiting row has the last claim, and only the job with this claim may write the outcome, also after the
 * lease. After an outcome a delivery is never `pending`, and it has a time for its next attempt if and only if it is
 * `failed` (`stateOf`).
 */

/** An attempt with its claim, and how it ended. */
export interface AttemptOutcome {
  readonly claimed: ClaimedDelivery;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** Whether the request had data that names a person. */
  readonly memberDetail: boolean;
  readonly result: RequestResult;
}

const { attemptsWithDetailsPerDay, shortExcerptCharacters, shortUrlCharacters, slowAfterSeconds } = deliveryLimits;

/** Durations are counted in classes. Class n ends at 1.2^n milliseconds, so a percentile is off by a fifth at most. */
export const durationGrowth = 1.2;
/** Class 0 has everything up to a millisecond. */
const durationClass = `ceil(round((ln(greatest(ms, 1)::float8) / ln(${durationGrowth}::float8))::numeric, 9))::smallint`;

/** The parts of the statement that differ between one team and several. */
interface StatementScope {
  /** SQL: the condition that a row is of the same team as another one. */
  readonly isOf: (alias: string, other: string) => string;
  /** SQL: the condition that an endpoint is among those in `given`. */
  readonly isGiven: string;
  /** SQL: the tables from which an INSERT reads the outcomes whose claim is still held. */
  readonly held: string;
  /** SQL: the column of `held` that has the team's id. */
  readonly teamId: string;
}

/**
 * Judges attempts and writes their outcomes: the attempts, the deliveries' next states, their waiting rows and the
 * endpoints' health, all or nothing. An outcome whose claim is no longer held is left out, so that it never overwrites
 * the result of a worker that has claimed the delivery since.
 */
const writing = ({ isOf, isGiven, held, teamId }: StatementScope) => `with
   -- The attempts. A manual one is a retry by hand. "pause" is the time from the end of this attempt to the next one of the schedule: null
   -- if there is none, or if the event is deleted, so that it can never be sent. The pauses are documented, so there is no jitter: an
   -- endpoint's slots limit how many deliveries that failed together are tried again together.
   given as materialized (
     select g.*, ("startedAt" at time zone 'UTC')::date as day, "startedAt" + ms * interval '1 millisecond' as ended_at,
            resume_status is not null as manual,
            case when event_at is not null then (:retrySeconds::int[])[scheduled + 1] end * interval '1 second' as pause
       from jsonb_to_recordset(:outcomes) as g (
         tenant_id uuid, endpoint_id uuid, delivery_id uuid, claim_id uuid, attempt_id uuid, attempt int, scheduled int,
         resume_status text, resume_at timestamptz, event_at timestamptz, url text, request_headers jsonb, code int, headers jsonb,
         excerpt text, ms int, error text, "errorDe" text, "startedAt" timestamptz, ping bool, ours bool, member_detail bool)),
   -- Each endpoint is locked before its other rows, as everywhere, so a change of it comes completely before or after. An endpoint that
   -- another transaction has locked is left out; its outcomes are written later.
   endpoint as materialized (
     select e.tenant_id, e.id, e.status
       from webhook_endpoint e
      where ${isGiven}
        for no key update skip locked),
   -- Read at once: a look-up for each attempt would read the whole table each time, if PostgreSQL planned it while the table was small.
   team_day as materialized (
     select t.tenant_id, t.day, t.attempts
       from webhook_team_day t
       join (select distinct tenant_id, day from given) as wanted on ${isOf('t', 'wanted')} and t.day = wanted.day),
   -- The next states. If the endpoint was paused meanwhile, there is no next attempt; if it was disabled, none for a ping. "nth" is the
   -- number of the attempt in its team's day: receivers choose what they answer, so the history of a day is limited.
   judged as materialized (
     select given.*,
            case when given.error is null and given.code between 200 and 299 then 'ok'
                 when endpoint.status = 'disabled_failures' or (endpoint.status = 'disabled' and given.ping) then 'gave_up'
                 when given.manual then given.resume_status
                 when given.pause is null then 'gave_up'
                 else 'failed' end as state,
            case when given.manual then given.resume_at else given.ended_at + given.pause end as next_try_at,
            coalesce(team.attempts, 0) + row_number() over (partition by given.tenant_id, given.day order by given."startedAt") as nth
       from given
       join endpoint on endpoint.tenant_id = given.tenant_id and endpoint.id = given.endpoint_id
       left join team_day as team on team.tenant_id = given.tenant_id and team.day = given.day),
   -- The waiting rows that still have the claim: deleted when the delivery is finished,
   finished as (
     delete from webhook_waiting w using judged
      where judged.state <> 'failed'
        and ${isOf('w', 'judged')} and w.delivery_id = judged.delivery_id and w.claim_id = judged.claim_id
     returning judged.*),
   -- and otherwise they wait for the next attempt.
   waiting as (
     update webhook_waiting w
        set claim_id = null, due_at = judged.next_try_at, by_hand = false
       from judged
      where judged.state = 'failed'
        and ${isOf('w', 'judged')} and w.delivery_id = judged.delivery_id and w.claim_id = judged.claim_id
     returning judged.*),
   -- The outcomes whose claim was held.
   held as materialized (
     select *, nth <= ${attemptsWithDetailsPerDay} as detailed, not manual and not ping and nth > :maxAttempts as beyond
       from (select * from finished union all select * from waiting) as written),
   delivery as (
     update webhook_delivery d
        set status = held.state::delivery_status, attempt = held.attempt + 1,
            scheduled = case when held.manual then held.scheduled else held.scheduled + 1 end,
            next_try_at = case held.state when 'failed' then held.next_try_at end, resume_status = null, resume_at = null,
            response_code = held.code, response_ms = held.ms, error = held.error, error_de = held."errorDe",
            member_detail = held.member_detail,
            response_excerpt = case when held.detailed then held.excerpt else left(held.excerpt, ${shortExcerptCharacters}) end
       from held
      where ${isOf('d', 'held')} and d.endpoint_id = held.endpoint_id and d.id = held.delivery_id),
   -- The history.
   attempts as (
     insert into webhook_attempt (tenant_id, id, delivery_id, number, manual, url, request_headers, response_code, response_headers,
                                  response_excerpt, response_ms, error, error_de, started_at, member_detail)
     select ${teamId}, attempt_id, delivery_id, attempt + 1, manual,
            case when detailed then url else left(url, ${shortUrlCharacters}) end, request_headers, code,
            case when detailed then headers end, case when detailed then excerpt end, ms, error, "errorDe", "startedAt", member_detail
       from ${held} where not beyond),
   -- How many attempts the day's history has.
   counted as (
     insert into webhook_team_day as known (tenant_id, day, attempts)
     select ${teamId}, day, count(*) from ${held} where not beyond group by 1, 2 order by 1, 2
         on conflict (tenant_id, day) do update set attempts = known.attempts + excluded.attempts),
   -- The last success of each endpoint among these attempts.
   dated as (
     select *, max(ended_at) filter (where state = 'ok') over (partition by tenant_id, endpoint_id) as success
       from held where not ours),
   -- What the attempts say about each endpoint. "failures" are those after the last success, the first one first.
   health as (
     select tenant_id, endpoint_id, max(success) as success,
            array_agg(ended_at order by ended_at) filter (where state <> 'ok' and ended_at > coalesce(success, '-infinity')) as failures,
            max(ended_at) filter (where ms >= ${secondsToMs(slowAfterSeconds)}) as slow
       from dated
      group by tenant_id, endpoint_id),
   -- The first failure sets "failing_since", the second "failed_again_at"; after both only a success or a slow attempt changes the row.
   endpoints as (
     update webhook_endpoint e
        set last_success_at = greatest(e.last_success_at, health.success),
            failing_since = case when e.failing_since > coalesce(health.success, '-infinity') then e.failing_since
                                 when (health.failures[1] > e.last_success_at) is not false then health.failures[1] end,
            failed_again_at = case when e.failing_since > coalesce(health.success, '-infinity')
                                   then coalesce(e.failed_again_at, health.failures[1])
                                   when (health.failures[1] > e.last_success_at) is not false then health.failures[2] end,
            warned_at = case when e.failing_since <= health.success then null else e.warned_at end,
            slow_at = greatest(e.slow_at, health.slow)
       from health
      where ${isOf('e', 'health')} and e.id = health.endpoint_id
        and (health.success is not null or e.failed_again_at is null or health.slow is not null)),
   -- The numbers for the app's charts: by day,
   days as (
     insert into webhook_endpoint_day as day (tenant_id, endpoint_id, day, delivered, failed, total_ms, slowest_ms)
     select ${teamId}, endpoint_id, day, count(*) filter (where state = 'ok'),
            count(*) filter (where state <> 'ok'), sum(ms), max(ms)
       from ${held} group by 1, 2, 3
         on conflict (tenant_id, endpoint_id, day) do update
        set delivered = day.delivered + excluded.delivered, failed = day.failed + excluded.failed,
            total_ms = day.total_ms + excluded.total_ms, slowest_ms = greatest(day.slowest_ms, excluded.slowest_ms)),
   -- and by quarter of an hour and duration.
   quarter_hours as (
     insert into webhook_quarter_hour as known (tenant_id, endpoint_id, start, delivered, duration, attempts)
     select ${teamId}, endpoint_id, date_bin('15 minutes', "startedAt", 'epoch'), state = 'ok', ${durationClass}, count(*)
       from ${held} group by 1, 2, 3, 4, 5
         on conflict (tenant_id, endpoint_id, start, delivered, duration) do update set attempts = known.attempts + excluded.attempts)
   select delivery_id as "deliveryId", state::delivery_status as status, case state when 'failed' then next_try_at end as "nextTryAt",
          beyond and state <> 'failed' as "isForgotten"
     from held
    union all
   -- Without a status: the endpoint is locked.
   select given.delivery_id, null, null, false
     from given
    where not exists (select from endpoint where endpoint.tenant_id = given.tenant_id and endpoint.id = given.endpoint_id)
      and exists (select from webhook_endpoint e where ${isOf('e', 'given')} and e.id = given.endpoint_id)`;

const why = 'writes seven tables for many deliveries in one statement';
const parameters = { outcomes: jsonb, retrySeconds: listOf(int), maxAttempts: bigint } as const;
const row = {
  deliveryId: uuid.checked,
  /** Null if another transaction has locked the endpoint: the outcome is not written yet. */
  status: oneOf('delivery_status', DeliveryStatus).orNull,
  nextTryAt: time.orNull,
  isForgotten: bool.checked,
} as const;

/**
 * Two things are for a distributed database. The ids are an array, because such a database can't pass on rows that a
 * join has locked. And each INSERT takes the team from a table: otherwise its rows, which it reads from another part of
 * the statement, are sent to all machines, and the statement fails while one machine is away.
 */
const writeOfTeam = query({
  name: 'webhooks.writeOutcomes',
  why,
  sql: writing({
    isOf: (alias) => `${alias}.tenant_id = :tenantId`,
    isGiven: 'e.tenant_id = :tenantId and e.id = any (array(select endpoint_id from given))',
    held: 'held join team on team.id = :tenantId',
    teamId: 'team.id',
  }),
  parameters: { ...parameters, tenantId: uuid },
  row,
});

/** One statement for each team would take three times as long for 100 teams. */
const writeOfTeams = query({
  name: 'webhooks.writeOutcomes of several teams',
  why,
  sql: writing({
    isOf: (alias, other) => `${alias}.tenant_id = ${other}.tenant_id`,
    isGiven: '(e.tenant_id, e.id) in (select tenant_id, endpoint_id from given)',
    held: 'held',
    teamId: 'tenant_id',
  }),
  parameters,
  row,
});

const asRow = ({ claimed, requestHeaders, memberDetail, result }: AttemptOutcome) => ({
  tenant_id: claimed.tenantId,
  endpoint_id: claimed.endpointId,
  delivery_id: claimed.deliveryId,
  claim_id: claimed.claimId,
  attempt_id: makeId(),
  attempt: claimed.attempt,
  scheduled: claimed.scheduled,
  resume_status: claimed.resumeStatus,
  resume_at: claimed.resumeAt,
  event_at: claimed.eventAt,
  url: claimed.url,
  request_headers: requestHeaders,
  ...result,
  ping: claimed.eventType === 'ping',
  // A failure of the service itself does not count against the endpoint.
  ours: result.fault === 'service',
  member_detail: memberDetail,
});

const run = async (
  { database, deliverySchedule: { retrySeconds } }: Platform,
  outcomes: readonly AttemptOutcome[],
  maxAttempts: number,
) => {
  const teams = Map.groupBy(outcomes, ({ claimed }) => claimed.tenantId);
  const limits = { retrySeconds, maxAttempts };
  const json = (some: readonly AttemptOutcome[]) => JSON.stringify(some.map(asRow));
  if (teams.size > 1 && database.parts.spansTeams())
    return database.run(writeOfTeams, { outcomes: json(outcomes), ...limits });
  const written = Array.from(teams, ([tenantId, some]) =>
    database.run(writeOfTeam, { tenantId, outcomes: json(some), ...limits }),
  );
  return (await Promise.all(written)).flat();
};

/**
 * A delivery's state after its outcome was written, and when it is due again if it is `failed`. Undefined: the outcome
 * was not written, because its claim was no longer held. A status of null: it is not written yet, because another
 * transaction has locked the delivery's endpoint.
 */
export type WrittenOutcome =
  | { readonly status: 'ok' | 'gave_up' | null; readonly nextTryAt: null }
  | { readonly status: 'failed'; readonly nextTryAt: string }
  | undefined;

const stateOf = ({ deliveryId, status, nextTryAt }: RowOf<typeof row>): WrittenOutcome => {
  if (status === 'failed') {
    assert(nextTryAt !== null, `the delivery ${deliveryId} failed and is never tried again`);
    return { status, nextTryAt };
  }
  assert(nextTryAt === null, `the delivery ${deliveryId} is tried again, although it has not failed`);
  assert(status !== 'pending', `the delivery ${deliveryId} has an outcome and is pending`);
  return { status, nextTryAt };
};

/**
 * Writes outcomes and returns the result of each, in their order. Finished deliveries beyond the daily limit are
 * deleted with their earlier attempts. If that fails, they stay until retention deletes them.
 */
export const writeOutcomes = async (
  platform: Platform,
  outcomes: readonly AttemptOutcome[],
  maxAttempts: number = deliveryLimits.historyAttemptsPerDay,
): Promise<WrittenOutcome[]> => {
  const rows = await run(platform, outcomes, maxAttempts);
  const forgotten = rows.filter(({ isForgotten }) => isForgotten).map(({ deliveryId }) => deliveryId);
  if (forgotten.length > 0) {
    const { webhookAttempt, webhookDelivery } = platform.database.prisma;
    const tenantId = { in: outcomes.map(({ claimed }) => claimed.tenantId) };
    await Promise.allSettled([
      webhookAttempt.deleteMany({ where: { tenantId, deliveryId: { in: forgotten } } }),
      webhookDelivery.deleteMany({ where: { tenantId, id: { in: forgotten } } }),
    ]);
  }
  const written = new Map(rows.map((one) => [one.deliveryId, stateOf(one)]));
  return outcomes.map(({ claimed }) => written.get(claimed.deliveryId));
};

const tryAgainMs = 50;

/**
 * Writes the outcomes of all jobs of the process, in batches. While the database is unavailable, outcomes are kept, so
 * that delivered events are not sent again. (After an outage or a lock that is longer than the lease, another job may
 * claim and send them.) An outcome that can't be written, or whose endpoint is locked for long, does not delay others.
 */
export const makeOutcomeWriter = (platform: Platform) => {
  let until = Infinity;
  const isKept = () => performance.now() < until;
  const writeWhenAvailable = (outcomes: readonly AttemptOutcome[]) =>
    repeatUntilReached(() => writeOutcomes(platform, outcomes), isKept);
  // The receiver's answer may be the reason why an outcome can't be written. So it is written without the answer's
  // headers and excerpt: otherwise the delivery would be sent for ever.
  const writeBare = ([outcome]: readonly AttemptOutcome[]) =>
    writeWhenAvailable(outcome ? [{ ...outcome, result: { ...outcome.result, headers: null, excerpt: null } }] : []);
  const writeBatch = (outcomes: readonly AttemptOutcome[]) =>
    inHalves(outcomes, { act: writeWhenAvailable, actAlone: writeBare, mayHalve: (error) => !mayRepeat(error) });
  const tenantOf = ({ claimed: { tenantId } }: AttemptOutcome) => tenantId;
  const writeInBatch = platform.database.parts.inBatches(tenantOf, writeBatch, { max: 200, waitMs: 5 });

  return {
    async write(outcome: AttemptOutcome): Promise<WrittenOutcome> {
      for (;;) {
        const result = await writeInBatch(outcome);
        if (result.status === 'rejected') throw result.reason;
        const written = result.value;
        if (written?.status !== null || !isKept()) return written;
        await sleep(tryAgainMs);
      }
    },
    /** Outcomes that can't be written within this time are dropped. */
    stop: (withinMs: number) => void (until = performance.now() + withinMs),
  };
};
