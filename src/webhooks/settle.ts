import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../core/ids.ts';
import { secondsToMs } from '../core/clock.ts';
import { webhookLimits } from '../core/limits.ts';
import { arrayText, bigint, bool, float, int, jsonb, listOf, listText, query, text, time, uuid } from '../db/query.ts';
import { isLockTimeout, isUnavailable } from '../db/unavailable.ts';
import type { Platform } from '../platform/team.ts';
import type { Claimed } from './claim.ts';
import type { Step } from './delivery-states.ts';
import { durationClassSql } from './durations.ts';
import type { RequestResult } from './egress/egress.ts';
import { HistoryBudget } from './history-budget.ts';

/** The result of an attempt, and the next state of its delivery. */
export interface AttemptOutcome {
  readonly claimed: Claimed;
  readonly step: Step;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly result: RequestResult;
}

/** The result of writing an outcome. */
export interface Settled {
  deliveryId: string;
  /** Null if it was not written, because the claim was no longer held. */
  status: 'ok' | 'failed' | 'gave_up' | null;
  /** It was not written because another transaction has locked the endpoint. It must be tried again. */
  later: boolean;
}

/** How to handle endpoints that other transactions have locked: wait a moment for them, or leave their outcomes for later. */
type Patience = 'wait' | 'skip';

const {
  historyBytesPerDay: { details, excerpts },
  shortExcerptCharacters,
  shortUrlCharacters,
  slowAfterSeconds,
} = webhookLimits;

/** The outcomes that could not be written because their endpoint is locked. There are some only if locked endpoints are skipped. */
const leftForLater = `
   union all
   select given.delivery_id, null, true, null, null
     from given
    where not exists (select from endpoint where endpoint.tenant_id = given.tenant_id and endpoint.id = given.endpoint_id)
      and exists (select from webhook_endpoint e where e.tenant_id = given.tenant_id and e.id = given.endpoint_id)`;

/**
 * Deletes finished deliveries that leave no history, with their earlier attempts. Only batches with such deliveries include it: a delete
 * from partitioned tables has a cost even if it finds nothing.
 */
const withoutHistory = `
   dropped as (
     delete from webhook_delivery d using held
      where held.beyond and held.final <> 'failed'
        and d.tenant_id = held.tenant_id and d.endpoint_id = held.endpoint_id and d.id = held.delivery_id),
   dropped_attempts as (
     delete from webhook_attempt a using held
      where held.beyond and held.final <> 'failed' and held.attempt > 1
        and a.tenant_id = held.tenant_id and a.delivery_id = held.delivery_id),`;

/**
 * Writes the outcomes of attempts: attempt row, the delivery's next state, its waiting row and the endpoint's health, all or nothing. An
 * outcome whose claim is no longer held is left out: a worker whose lease has ended can't overwrite the result of another one.
 *
 * `endpoint`: locked before its other rows, as everywhere, so a change of the endpoint comes completely before or after. `locked`: the
 * statuses in one value, because a join would compare each outcome with each endpoint (connections of a queue have no hash joins). `judged`:
 * if the endpoint was paused meanwhile, there is no next attempt; if it was disabled, none for a ping. `held`: the outcomes whose waiting row
 * still has the claim. The row is deleted, or waits for the next attempt. (With `=` in place of `is not distinct from`, PostgreSQL may use the
 * index of claimed rows, and read all those of the team for each outcome.) `beyond`: attempts beyond their team's number of the day leave no
 * history. Deliveries that will be tried again are updated as usual. `spending`: receivers choose what they answer, so a team's history has
 * a daily budget of bytes (see `HistoryBudget`). Teams' rows are locked in the order of their ids, after the endpoints.
 *
 * Do not add a range of ids to skip partitions: if an endpoint's row had changed while the statement waited for it, PostgreSQL 18 then left
 * out the update of the delivery without an error.
 */
const writeOutcomes = (patience: Patience, { someBeyond }: { someBeyond: boolean }) =>
  query({
    name: `webhooks.settle ${patience}${someBeyond ? ', some beyond' : ''}`,
    why: 'writes eight tables for many deliveries in one statement',
    sql: `with given as materialized (
     select * from unnest(
       :tenantIds::uuid[], :endpointIds::uuid[], :deliveryIds::uuid[], :claimIds::uuid[], :attemptIds::uuid[], :statuses::text[],
       :attempts::int[], :scheduled::int[], :nextTries::timestamptz[], :manual::bool[], :urls::text[], :requestHeaders::jsonb[],
       :codes::int[], :headers::text[], :excerpts::text[], :durations::int[], :errors::text[], :starts::timestamptz[],
       :pings::bool[], :ours::bool[], :memberDetails::bool[], :known::bigint[], :carried::bigint[],
       :carriedAttempts::bigint[], :beyond::bool[])
       as g (tenant_id, endpoint_id, delivery_id, claim_id, attempt_id, status, attempt, scheduled, next_try_at, manual,
             url, request_headers, code, headers, excerpt, ms, error, started_at, ping, ours, member_detail, known, carried,
             carried_attempts, beyond)),
   endpoint as materialized (
     select e.tenant_id, e.id, e.status
       from webhook_endpoint e
      where (e.tenant_id, e.id) in (select tenant_id, endpoint_id from given)
      order by e.tenant_id, e.id
        for no key update ${patience === 'skip' ? 'skip locked' : ''}),
   locked as materialized (select jsonb_object_agg(id, status) as statuses from endpoint),
   judged as materialized (
     select given.*, started_at + ms * interval '1 millisecond' as ended_at, (started_at at time zone 'UTC')::date as day,
            case when given.status <> 'failed' then given.status
                 when endpoint_status = 'active' or (endpoint_status = 'disabled' and not ping) then 'failed'
                 else 'gave_up' end as final,
            octet_length(url) + coalesce(octet_length(headers), 0) as detail_bytes, coalesce(octet_length(excerpt), 0) as excerpt_bytes,
            coalesce(known, (select team.detail_bytes from webhook_team_day team
                              where team.tenant_id = given.tenant_id and team.day = (started_at at time zone 'UTC')::date), 0) as spent
       from given
      cross join lateral (select locked.statuses ->> endpoint_id::text as endpoint_status from locked) as endpoint
      where endpoint_status is not null),
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
      where ${someBeyond ? `(held.final = 'failed' or not held.beyond) and ` : ''}d.tenant_id = held.tenant_id
        and d.endpoint_id = held.endpoint_id and d.id = held.delivery_id),${someBeyond ? withoutHistory : ''}
   attempts as (
     insert into webhook_attempt (tenant_id, id, delivery_id, number, manual, url, request_headers, response_code, response_headers,
                                  response_excerpt, response_ms, error, started_at, member_detail)
     select tenant_id, attempt_id, delivery_id, attempt, manual,
            case when spent < ${details} then url else left(url, ${shortUrlCharacters}) end, request_headers, code,
            case when spent < ${details} then headers::jsonb end, case when spent < ${details} then excerpt end, ms, error, started_at, member_detail
       from held${someBeyond ? ' where not beyond' : ''}),
   spending as (
     insert into webhook_team_day as team (tenant_id, day, detail_bytes, attempts)
     select tenant_id, day,
            sum(case when spent < ${details} then detail_bytes + excerpt_bytes else 0 end
                + case when spent < ${excerpts} then excerpt_bytes else 0 end) + max(case when spent < ${excerpts} then carried else 0 end),
            count(*) filter (where not beyond) + max(carried_attempts)
       from held where known is null and (spent < ${excerpts} or not beyond) group by tenant_id, day order by tenant_id, day
         on conflict (tenant_id, day) do update
        set detail_bytes = team.detail_bytes + excluded.detail_bytes, attempts = team.attempts + excluded.attempts
     returning tenant_id, day, attempts),
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
     select tenant_id, endpoint_id, date_bin('15 minutes', started_at, 'epoch'), final = 'ok', ${durationClassSql('ms')}, count(*)
       from held group by 1, 2, 3, 4, 5
         on conflict (tenant_id, endpoint_id, start, delivered, duration) do update set attempts = known.attempts + excluded.attempts)
   select delivery_id as "deliveryId", final as status, false as later, case when known is null then spent::float8 end as spent,
          (select s.attempts::float8 from spending s where s.tenant_id = held.tenant_id and s.day = held.day) as attempts
     from held${patience === 'skip' ? leftForLater : ''}`,
    parameters: {
      tenantIds: listText(uuid),
      endpointIds: listText(uuid),
      deliveryIds: listText(uuid),
      claimIds: listText(uuid),
      attemptIds: listText(uuid),
      statuses: listText(text),
      attempts: listText(int),
      scheduled: listText(int),
      nextTries: listText(time),
      manual: listText(bool),
      urls: listText(text),
      requestHeaders: listText(jsonb),
      codes: listText(int),
      headers: listText(text),
      // What a receiver sends may have control characters, which only the driver's conversion keeps.
      excerpts: listOf(text.orNull),
      durations: listText(int),
      errors: listOf(text.orNull),
      starts: listText(time),
      pings: listText(bool),
      ours: listText(bool),
      memberDetails: listText(bool),
      known: listText(bigint),
      carried: listText(bigint),
      carriedAttempts: listText(bigint),
      beyond: listText(bool),
    },
    row: {
      deliveryId: uuid.checked,
      status: text.orNull,
      later: bool.checked,
      spent: float.orNull,
      attempts: float.orNull,
    },
  });

const statements = {
  allKept: { wait: writeOutcomes('wait', { someBeyond: false }), skip: writeOutcomes('skip', { someBeyond: false }) },
  someBeyond: { wait: writeOutcomes('wait', { someBeyond: true }), skip: writeOutcomes('skip', { someBeyond: true }) },
};

/** Writes outcomes and returns the result of each, in their order. A failure of the service itself does not count against the endpoint. */
export const settle = async (
  { database }: Platform,
  outcomes: readonly AttemptOutcome[],
  patience: Patience = 'wait',
  budget: HistoryBudget = new HistoryBudget(),
): Promise<Settled[]> => {
  const headers = outcomes.map(({ result }) => result.headers && JSON.stringify(result.headers));
  const column = (read: (outcome: AttemptOutcome) => Parameters<typeof arrayText>[0][number]) =>
    arrayText(outcomes.map(read));
  const kept = outcomes.map(
    ({ claimed: { tenantId, url, eventType }, step, result: { startedAt, excerpt } }, index) => ({
      tenantId,
      day: startedAt.toISOString().slice(0, 10),
      detailBytes: Buffer.byteLength(url) + Buffer.byteLength(headers[index] ?? ''),
      excerptBytes: Buffer.byteLength(excerpt ?? ''),
      byHand: step.manual || eventType === 'ping',
    }),
  );
  const judgements = budget.judge(kept);
  const { allKept, someBeyond } = statements;
  const statement = (judgements.some(({ beyond }) => beyond) ? someBeyond : allKept)[patience];
  const values = {
    tenantIds: column(({ claimed }) => claimed.tenantId),
    endpointIds: column(({ claimed }) => claimed.endpointId),
    deliveryIds: column(({ claimed }) => claimed.deliveryId),
    claimIds: column(({ claimed }) => claimed.claimId),
    attemptIds: column(() => newId()),
    statuses: column(({ step }) => step.status),
    attempts: column(({ step }) => step.attempt),
    scheduled: column(({ step }) => step.scheduled),
    nextTries: column(({ step }) => step.nextTryAt),
    manual: column(({ step }) => step.manual),
    urls: column(({ claimed }) => claimed.url),
    requestHeaders: column(({ requestHeaders }) => JSON.stringify(requestHeaders)),
    codes: column(({ result }) => result.code),
    headers: arrayText(headers),
    excerpts: outcomes.map(({ result }) => result.excerpt),
    durations: column(({ result }) => result.ms),
    errors: outcomes.map(({ result }) => result.error),
    starts: column(({ result }) => result.startedAt),
    pings: column(({ claimed }) => claimed.eventType === 'ping'),
    ours: column(({ result }) => result.fault === 'service'),
    memberDetails: column(({ claimed }) => claimed.memberDetail),
    known: arrayText(judgements.map(({ known }) => known)),
    carried: arrayText(judgements.map(({ carried }) => carried)),
    carriedAttempts: arrayText(judgements.map(({ carriedAttempts }) => carriedAttempts)),
    beyond: arrayText(judgements.map(({ beyond }) => beyond)),
  };
  const counted = Array<{ spent: number | null; attempts: number | null } | null>(outcomes.length).fill(null);
  try {
    const written = new Map((await database.run(statement, values)).map((row) => [row.deliveryId, row]));
    return outcomes.map(({ claimed: { deliveryId } }, index) => {
      const { status: text, later = false, spent = null, attempts = null } = written.get(deliveryId) ?? {};
      const status = text === 'ok' || text === 'failed' || text === 'gave_up' ? text : null;
      if (status) counted[index] = { spent, attempts };
      return { deliveryId, status, later };
    });
  } finally {
    budget.settled(kept, judgements, counted);
  }
};

interface Parts {
  /** With `skip`, the outcomes of endpoints that other transactions have locked are left for later. */
  write: (outcomes: readonly AttemptOutcome[], patience: 'wait' | 'skip') => Promise<Settled[]>;
  /** Called once for each outcome; null if the claim was no longer held. */
  onWritten: (outcome: AttemptOutcome, status: Settled['status']) => void;
  complain: (error: unknown, outcome: AttemptOutcome) => void;
}

const most = 200;
/** The pause between two statements of a busy worker, so that more outcomes share one. */
const restMs = 15;
/**
 * A batch with fewer outcomes is written at once: without a rest, and in a second statement while another one runs. If the worker is killed,
 * the deliveries whose outcomes are not written are sent again, so no outcome should wait without need.
 */
const fewOutcomes = 16;
const pauseMs = { first: 50, longest: 1_000 };
/** The pause before outcomes of a locked endpoint are tried again. */
const asideMs = 250;

/** The outcome without everything that the receiver sent: if a part of it can't be stored, the outcome itself must still be stored. */
const bare = (outcome: AttemptOutcome): AttemptOutcome => ({
  ...outcome,
  requestHeaders: {},
  result: { ...outcome.result, headers: null, excerpt: null },
});

/**
 * Writes outcomes in batches, for all lanes of the process. While a batch is written, the next one gathers, so a busy worker needs fewer
 * statements per delivery. While the database is unavailable, outcomes are kept, so that delivered events are not sent again. An endpoint
 * that another transaction has locked for long delays only its own outcomes.
 */
export const outcomeWriter = ({ write, onWritten, complain }: Parts) => {
  const gathered: AttemptOutcome[] = [];
  /** Outcomes that were not written because another transaction had locked their endpoint. They are tried again after a pause. */
  const aside: AttemptOutcome[] = [];
  const givenUp = new AbortController();
  let writing = false;
  let writingBeside = false;

  const insist = async (batch: readonly AttemptOutcome[], patience: 'wait' | 'skip'): Promise<Settled[]> => {
    for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.longest)) {
      try {
        return await write(batch, patience);
      } catch (error) {
        if (isLockTimeout(error) && patience === 'wait') return insist(batch, 'skip');
        if (!isUnavailable(error) || givenUp.signal.aborted) throw error;
        await sleep(pause);
      }
    }
  };

  const putAside = (outcome: AttemptOutcome) => {
    aside.push(outcome);
    if (aside.length === 1) setTimeout(() => start(), asideMs).unref();
  };

  const report = (batch: readonly AttemptOutcome[], settled: readonly Settled[]) => {
    const known = new Map(settled.map((one) => [one.deliveryId, one]));
    for (const outcome of batch) {
      const { status = null, later = false } = known.get(outcome.claimed.deliveryId) ?? {};
      if (later) putAside(outcome);
      else onWritten(outcome, status);
    }
  };

  /** Writes one outcome alone: if it can't be written, it must not prevent the others from being written. */
  const writeAlone = async (outcome: AttemptOutcome): Promise<void> => {
    const settled = await insist([outcome], 'skip').catch((error: unknown) => {
      complain(error, outcome);
      return insist([bare(outcome)], 'skip').catch(() => []);
    });
    report([outcome], settled);
  };

  const writeBatch = async (batch: readonly AttemptOutcome[], patience: 'wait' | 'skip') => {
    try {
      report(batch, await insist(batch, patience));
    } catch (error) {
      if (isUnavailable(error)) return;
      for (const outcome of batch) await writeAlone(outcome);
    }
  };

  const writeAll = async () => {
    const again = aside.splice(0);
    if (again.length > 0) await writeBatch(again, 'skip');
    while (gathered.length > 0 && !givenUp.signal.aborted) {
      const batch = gathered.splice(0, most);
      await writeBatch(batch, 'wait');
      if (batch.length >= fewOutcomes && gathered.length < most) await sleep(restMs);
    }
  };

  /** Writes a few outcomes in a second statement, while another one runs. */
  const writeBeside = async () => {
    const batch = gathered.splice(0, most);
    if (batch.length > 0) await writeBatch(batch, 'wait');
  };

  const start = () => {
    if (givenUp.signal.aborted) return;
    // In the next turn of the event loop, so that outcomes that end together are written together.
    if (!writing) {
      writing = true;
      setImmediate(() => {
        void writeAll().finally(() => {
          writing = false;
          if (gathered.length > 0) start();
          else if (aside.length > 0) setTimeout(start, asideMs).unref();
        });
      });
    } else if (!writingBeside && gathered.length < fewOutcomes) {
      writingBeside = true;
      setImmediate(() => {
        void writeBeside().finally(() => {
          writingBeside = false;
          if (gathered.length > 0) start();
        });
      });
    }
  };

  return {
    add(outcome: AttemptOutcome) {
      gathered.push(outcome);
      start();
    },
    /** Drops outcomes that are not written yet: their deliveries are sent again when their leases end. */
    giveUp: () => givenUp.abort(),
  };
};
