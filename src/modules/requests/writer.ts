import { secondsToMs } from '../../core/clock.ts';
import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import { requestLogLimits } from '../../core/limits.ts';
import type { Logger } from '../../core/log.ts';
import { arrayText } from '../../db/query.ts';
import type { Database } from '../../db/database.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import type { RequestDetails } from './details.ts';
import { saveRequests } from './store.ts';

/** An answered request with a valid key. */
export interface AnsweredRequest extends Partial<RequestDetails> {
  readonly tenantId: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly code: string | undefined;
  readonly ms: number;
  /** The gate refused it: a budget was spent, or the team can't use the API. No budget limits how many of these come. */
  readonly refusedAtGate?: boolean;
}

/**
 * Remembers answered requests and writes them in batches, with the sums of each key and day, so that no request waits for it. While the
 * database can't be reached, a limited number is kept and the others are dropped. Entries that can't be written at the end are lost.
 *
 * A flood does not harm other teams. Of the requests that the gate refuses, each key gets a few rows a minute and one more that counts
 * the others. The teams share the waiting entries equally, so one team's requests never displace those of another.
 */
export interface RequestLog {
  note(request: AnsweredRequest): void;
  /** Writes the entries up to now. A row that counts refusals is written when its minute is over. */
  write(): Promise<void>;
  /** Writes everything for the last time, and logs how much is lost. */
  end(): Promise<void>;
}

/** A small number, so that PostgreSQL writes them within a few milliseconds: meanwhile its core serves no other statement. */
const rowsAtOnce = 100;
const maxWaiting = 50_000;

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
  const refusals = new RefusalCounter();
  /** The batch that is being written, or that failed and is tried again first. */
  let batch: readonly Entry[] = [];
  let dropped = 0;
  let isAway = false;
  let writing: Promise<void> | undefined;
  /** The write after the running one. */
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
      paths: arrayText(entries.map(({ path }) => path)),
      queries: arrayText(entries.map(({ query }) => query)),
      addresses: arrayText(entries.map(({ address }) => address)),
      userAgents: arrayText(entries.map(({ userAgent }) => userAgent)),
      problems: arrayText(entries.map(({ problem }) => problem)),
    });

  const noteSuccess = (): void => {
    if (isAway || dropped > 0) log.info({ dropped }, 'the request log is written again');
    isAway = false;
    dropped = 0;
  };

  const noteFailure = (error: unknown): void => {
    if (!isAway) log.warn({ err: error }, 'the request log could not be written; entries wait in memory');
    isAway = true;
  };

  /** Returns true if the entries were written, or refused for good; false if they have to be tried again. */
  const isSettled = async (entries: readonly Entry[]): Promise<boolean> => {
    try {
      await saveBatch(entries);
      noteSuccess();
      return true;
    } catch (error) {
      if (isUnavailable(error)) {
        noteFailure(error);
        return false;
      }
      const lost = entries.reduce((sum, { count }) => sum + count, 0);
      log.error({ err: error, dropped: lost }, 'entries of the request log were refused and are dropped');
      return true;
    }
  };

  const addWaiting = (entry: Entry): void => {
    dropped += waiting.add(entry.tenantId, entry, maxWaiting - batch.length)?.count ?? 0;
  };

  const addCountedRefusals = (before: number): void => {
    for (const entry of refusals.takeBefore(before)) addWaiting(entry);
  };

  /** Writes the entries that wait now, and full batches that fill up meanwhile. */
  const writeWaiting = async (): Promise<void> => {
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
    addCountedRefusals(minuteOf(clock.now()));
    return (writing = writeWaiting().finally(() => (writing = undefined)));
  };

  return {
    note(request) {
      const entry = { ...request, id: newId(), at: clock.now(), count: 1 };
      if (request.refusedAtGate && refusals.counts(entry)) return;
      addWaiting(entry);
      if (waiting.size >= rowsAtOnce && !writing && !isAway) void write();
    },
    write,
    async end() {
      addCountedRefusals(Infinity);
      await write();
      const unwritten = [...batch, ...waiting.take(Infinity)];
      const lost = unwritten.reduce((sum, { count }) => sum + count, dropped);
      if (lost > 0) log.warn({ lost }, 'the end of the request log could not be written');
    },
  };
};

/**
 * A queue of limited size that several owners share. If it is full, an owner with less than its equal share still gets a place, and the
 * newest item of an owner with more is dropped. So an owner with few items never loses one to an owner with many.
 */
export class SharedQueue<Item> {
  readonly #byOwner = new Map<string, Item[]>();
  #size = 0;
  /** An owner that had more than its share the last time, and usually still has. */
  #heaviest = '';

  get size(): number {
    return this.#size;
  }

  /** Adds an item to the queue, which has room for `room` items. Returns the dropped item, which may be the new one. */
  add(owner: string, item: Item, room: number): Item | undefined {
    const own = this.#byOwner.get(owner) ?? [];
    const owners = this.#byOwner.size + (own.length === 0 ? 1 : 0);
    let dropped: Item | undefined;
    if (this.#size >= room) {
      const share = room / owners;
      if (own.length + 1 > share) return item;
      dropped = this.#dropFromHeaviest(share);
    }
    if (own.length === 0) this.#byOwner.set(owner, own);
    own.push(item);
    this.#size += 1;
    return dropped;
  }

  /** Takes up to `most` items from all owners in turn, the oldest of each owner first. */
  take(most: number): Item[] {
    const taken: Item[] = [];
    for (const [owner, items] of this.#byOwner) {
      const left = most - taken.length;
      if (left <= 0) break;
      const share = Math.max(1, Math.floor(left / this.#byOwner.size));
      taken.push(...items.splice(0, Math.min(share, left)));
      // An owner with more items is the last one the next time.
      this.#byOwner.delete(owner);
      if (items.length > 0) this.#byOwner.set(owner, items);
    }
    this.#size -= taken.length;
    return taken;
  }

  /** An owner with more than the share exists, because the queue is full and the owner of the new item has less. */
  #dropFromHeaviest(share: number): Item | undefined {
    if ((this.#byOwner.get(this.#heaviest)?.length ?? 0) <= share) {
      for (const [owner, items] of this.#byOwner) {
        if (items.length <= share) continue;
        this.#heaviest = owner;
        break;
      }
    }
    const items = this.#byOwner.get(this.#heaviest);
    const dropped = items?.pop();
    if (dropped !== undefined) this.#size -= 1;
    if (items?.length === 0) this.#byOwner.delete(this.#heaviest);
    return dropped;
  }
}

/** The calendar minute of a time. It lies within one day, so its refusals belong to the sums of one day. */
const minuteOf = (time: Date): number => Math.floor(time.getTime() / secondsToMs(60));

interface Counted {
  readonly minute: number;
  /** The number of refusals with a row of their own. */
  single: number;
  /** The row that counts the later refusals. Its other values are those of the first of them; its route only if all have the same. */
  rest?: Omit<Entry, 'count' | 'route'> & { count: number; route: string | undefined };
}

/** Counts refusals of the gate. For each key, answer and minute the first few have rows of their own, and the others share one row. */
class RefusalCounter {
  readonly #refusals = new Map<string, Counted>();

  /** Counts a refusal in a shared row, or returns false if it gets a row of its own. */
  counts(refusal: Entry): boolean {
    const minute = minuteOf(refusal.at);
    const answer = `${refusal.keyId} ${refusal.status} ${refusal.code ?? ''} ${minute}`;
    let counted = this.#refusals.get(answer);
    if (!counted) this.#refusals.set(answer, (counted = { minute, single: 0 }));
    if (counted.single < requestLogLimits.refusalsPerMinute) {
      counted.single += 1;
      return false;
    }
    if (counted.rest) {
      counted.rest.count += refusal.count;
      if (counted.rest.route !== refusal.route) counted.rest.route = undefined;
    } else counted.rest = { ...refusal };
    return true;
  }

  /** Takes the shared rows of all minutes before this one. */
  takeBefore(minute: number): Entry[] {
    const ended: Entry[] = [];
    for (const [answer, counted] of this.#refusals) {
      if (counted.minute >= minute) continue;
      this.#refusals.delete(answer);
      if (counted.rest) ended.push(counted.rest);
    }
    return ended;
  }
}
