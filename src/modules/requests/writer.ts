import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import type { Logger } from '../../core/log.ts';
import { arrayText } from '../../db/query.ts';
import type { Database } from '../../db/database.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import { minuteOf, RefusalCounter } from './refusal-counter.ts';
import { SharedQueue } from './shared-queue.ts';
import { saveRequests } from './store.ts';

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
  /** The gate turned it away: over a limit, or the team may not use the API. No budget bounds how many of these come. */
  readonly refusedAtGate?: boolean;
}

/**
 * Remembers what was answered and writes it in batches, with the sums of each key's day, so that no request waits for it. The
 * log is not worth a request: while the database is away it keeps only so much and drops the rest, and what it can't write at
 * the end is lost.
 *
 * A flood costs nobody else anything: of what the gate refuses, each key gets a few rows a minute and one more that counts the
 * rest; and what is kept is shared among the teams, so that one team's requests never push out another's.
 */
export interface RequestLog {
  note(request: AnsweredRequest): void;
  /** Writes what was noted until now, but not what still counts: that row is written when its minute is over. */
  write(): Promise<void>;
  /** Writes for the last time, and says what is lost. */
  end(): Promise<void>;
}

/** So few that PostgreSQL has them written within some milliseconds: meanwhile its core serves nobody else. */
const rowsAtOnce = 100;
const mostKept = 50_000;

/** A row before it is written. */
interface Entry extends AnsweredRequest {
  readonly id: string;
  readonly at: Date;
  readonly count: number;
}

interface Parts {
  database: Database;
  clock: Clock;
  log: Logger;
}

export const makeRequestLog = ({ database, clock, log }: Parts): RequestLog => {
  const waiting = new SharedQueue<Entry>();
  const refusals = new RefusalCounter<Entry>();
  /** The batch that is on its way, or that could not be written and is tried again first. */
  let batch: readonly Entry[] = [];
  let dropped = 0;
  let isAway = false;
  let writing: Promise<void> | undefined;
  /** For what is noted while one batch is on its way. */
  let next: Promise<void> | undefined;

  const saveBatch = (entries: readonly Entry[]) =>
    saveRequests(database, {
      tenantIds: arrayText(entries.map(({ tenantId }) => tenantId)),
      ids: arrayText(entries.map(({ id }) => id)),
      keyIds: arrayText(entries.map(({ keyId }) => keyId)),
      requestIds: arrayText(entries.map(({ requestId }) => requestId)),
      methods: arrayText(entries.map(({ method }) => method)),
      routes: arrayText(entries.map(({ route }) => route)),
      statuses: arrayText(entries.map(({ status }) => status)),
      codes: arrayText(entries.map(({ code }) => code)),
      durations: arrayText(entries.map(({ ms }) => Math.round(ms))),
      times: arrayText(entries.map(({ at }) => at)),
      counts: arrayText(entries.map(({ count }) => count)),
    });

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
  const isSettled = async (entries: readonly Entry[]): Promise<boolean> => {
    try {
      await saveBatch(entries);
      isBack();
      return true;
    } catch (error) {
      if (isUnavailable(error)) {
        goesWrong(error);
        return false;
      }
      const lost = entries.reduce((sum, { count }) => sum + count, 0);
      log.error({ err: error, dropped: lost }, 'entries of the request log were refused and are dropped');
      return true;
    }
  };

  const keep = (entry: Entry): void => {
    dropped += waiting.add(entry.tenantId, entry, mostKept - batch.length)?.count ?? 0;
  };

  const keepCounted = (before: number): void => {
    for (const entry of refusals.takeBefore(before)) keep(entry);
  };

  /** What is there as it begins, and whole batches that come up meanwhile. */
  const writeNoted = async (): Promise<void> => {
    let left = batch.length + waiting.size;
    while (left > 0 || waiting.size >= rowsAtOnce) {
      if (batch.length === 0) batch = waiting.take(rowsAtOnce);
      if (!(await isSettled(batch))) return;
      left -= batch.length;
      batch = [];
    }
  };

  const write = (): Promise<void> => {
    if (writing) return (next ??= writing.then(write));
    next = undefined;
    keepCounted(minuteOf(clock.now()));
    return (writing = writeNoted().finally(() => (writing = undefined)));
  };

  return {
    note(request) {
      const entry = { ...request, id: newId(), at: clock.now(), count: 1 };
      if (request.refusedAtGate && refusals.counts(entry)) return;
      keep(entry);
      if (waiting.size >= rowsAtOnce && !writing && !isAway) void write();
    },
    write,
    async end() {
      keepCounted(Infinity);
      await write();
      const unwritten = [...batch, ...waiting.take(Infinity)];
      const lost = unwritten.reduce((sum, { count }) => sum + count, dropped);
      if (lost > 0) log.warn({ lost }, 'the end of the request log could not be written');
    },
  };
};
