import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import type { Logger } from '../../core/log.ts';
import type { Database } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { isUnavailable } from '../../db/unavailable.ts';

/** A request that came with a valid key, as it was answered. */
export interface AnsweredRequest {
  readonly tenantId: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly code: string | undefined;
  readonly ms: number;
}

/**
 * Remembers what was answered and writes it in batches, with the sums of each key's day, so that no request waits for it. The
 * log is not worth a request: while the database is away it keeps only so much and drops the rest, and what it can't write at
 * the end is lost.
 */
export interface RequestLog {
  note(request: AnsweredRequest): void;
  /** Writes what was noted until now. What goes wrong is logged, and never anybody's failure. */
  write(): Promise<void>;
  /** Writes for the last time, and says what is lost. */
  end(): Promise<void>;
}

const rowsAtOnce = 500;
const mostKept = 50_000;

const columns = 'tenant_id, id, key_id, request_id, method, route, status, code, duration_ms, created_at';

// Written at once or not at all, and only once, though the answer to the first try may have been lost. The sums of several
// keys are locked in one order, so that two processes can't deadlock.
const save = statement<Record<never, never>, string[]>(
  `with noted as (
     insert into request_log_entry (${columns})
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::smallint[], $8::text[],
                          $9::int[], $10::timestamptz[])
         on conflict do nothing
     returning tenant_id, key_id, status, created_at)
   insert into api_key_day as sums (tenant_id, key_id, day, requests, limited, refused, failed)
   select tenant_id, key_id, (created_at at time zone 'UTC')::date, count(*), count(*) filter (where status = 429),
          count(*) filter (where status between 400 and 499 and status <> 429), count(*) filter (where status >= 500)
     from noted group by 1, 2, 3 order by 1, 2, 3
       on conflict (tenant_id, key_id, day) do update
      set requests = sums.requests + excluded.requests, limited = sums.limited + excluded.limited,
          refused = sums.refused + excluded.refused, failed = sums.failed + excluded.failed`,
);

interface Entry extends AnsweredRequest {
  readonly id: string;
  readonly at: Date;
}

/**
 * PostgreSQL's text of an array, which for values without control characters is JSON's but for the brackets. The driver's own
 * way takes three times as long, and this is done for every request.
 */
const list = (values: readonly (string | number | Date | undefined)[]): string =>
  `{${JSON.stringify(values).slice(1, -1)}}`;

interface Parts {
  database: Database;
  clock: Clock;
  log: Logger;
}

export const makeRequestLog = ({ database, clock, log }: Parts): RequestLog => {
  let waiting: Entry[] = [];
  let dropped = 0;
  let isAway = false;
  let writing: Promise<void> | undefined;
  /** For what is noted while one batch is on its way. */
  let next: Promise<void> | undefined;

  const saveBatch = (batch: readonly Entry[]) =>
    database.rows(
      save,
      list(batch.map(({ tenantId }) => tenantId)),
      list(batch.map(({ id }) => id)),
      list(batch.map(({ keyId }) => keyId)),
      list(batch.map(({ requestId }) => requestId)),
      list(batch.map(({ method }) => method)),
      list(batch.map(({ route }) => route)),
      list(batch.map(({ status }) => status)),
      list(batch.map(({ code }) => code)),
      list(batch.map(({ ms }) => Math.round(ms))),
      list(batch.map(({ at }) => at)),
    );

  const isBack = (): void => {
    if (isAway || dropped > 0) log.info({ dropped }, 'the request log is written again');
    isAway = false;
    dropped = 0;
  };

  const goesWrong = (error: unknown): void => {
    if (!isAway) log.warn({ err: error }, 'the request log could not be written and is kept meanwhile');
    isAway = true;
  };

  /** Whether it is done with: written, or nothing that another time would change. */
  const isSettled = async (batch: readonly Entry[]): Promise<boolean> => {
    try {
      await saveBatch(batch);
      isBack();
      return true;
    } catch (error) {
      if (isUnavailable(error)) {
        goesWrong(error);
        return false;
      }
      log.error({ err: error, dropped: batch.length }, 'entries of the request log were refused and are dropped');
      return true;
    }
  };

  /** What is there as it begins, and whole batches that come up meanwhile. */
  const writeNoted = async (): Promise<void> => {
    let left = waiting.length;
    while (left > 0 || waiting.length >= rowsAtOnce) {
      const batch = waiting.slice(0, rowsAtOnce);
      if (!(await isSettled(batch))) return;
      waiting = waiting.slice(batch.length);
      left -= batch.length;
    }
  };

  const write = (): Promise<void> => {
    if (writing) return (next ??= writing.then(write));
    next = undefined;
    return (writing = writeNoted().finally(() => (writing = undefined)));
  };

  return {
    note(request) {
      if (waiting.length >= mostKept) {
        dropped += 1;
        return;
      }
      waiting.push({ ...request, id: newId(), at: clock.now() });
      if (waiting.length >= rowsAtOnce && !writing && !isAway) void write();
    },
    write,
    async end() {
      await write();
      const lost = waiting.length + dropped;
      if (lost > 0) log.warn({ lost }, 'the end of the request log could not be written');
    },
  };
};
