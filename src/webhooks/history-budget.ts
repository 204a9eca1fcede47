import { webhookLimits } from '../core/limits.ts';

/** The counts of a team's day (UTC) in this process. */
interface TeamDay {
  /** The bytes in the table after this process's last write. */
  spent: number;
  /** Bytes added since then that are neither in the table nor part of a running statement. */
  unwritten: number;
  /** The same for attempts. */
  attempts: number;
  unwrittenAttempts: number;
}

/** The parts of an attempt that count in the history. */
interface Kept {
  readonly tenantId: string;
  readonly day: string;
  /** URL and response headers. */
  readonly detailBytes: number;
  readonly excerptBytes: number;
  /**
   * A ping or a retry by hand. It is kept even beyond the number of attempts, because a person waits for the result and an hour has few of
   * them.
   */
  readonly byHand: boolean;
}

/** The decision on an outcome by its team's budget. */
export interface Judgement {
  /** The bytes that the team has used; null: the statement reads them from the table and counts the outcome there. */
  readonly known: number | null;
  /** Earlier bytes of the team that were gathered in memory; the statement adds them to the table. */
  readonly carried: number;
  readonly carriedAttempts: number;
  /** The team has used up its attempts of the day, so this one leaves no history. */
  readonly beyond: boolean;
}

/**
 * The sums of the team's day: the bytes before the statement, and the attempts after it. Null if the statement did not read or write them.
 */
interface Counted {
  readonly spent: number | null;
  readonly attempts: number | null;
}

const { details, excerpts } = webhookLimits.historyBytesPerDay;
/** The amount that a process may gather for a team's day before it is written: very little compared with the budget. */
const countedFromBytes = 8 * 1024;
const countedFromAttempts = 500;
const mostTeams = 10_000;

/**
 * The daily limits of bytes and attempts in a team's history (`webhook_team_day`). Most teams stay far below them, so small amounts are
 * gathered in memory, and the table is read and written only when they add up, once for each team and batch. If a worker is killed, its
 * gathered amounts are not counted: at most 8 KiB and 500 attempts for each team. Several statements may run at once, so a team may exceed
 * its number by the outcomes of running statements. The table always has the attempts of a team that has reached its limit.
 */
export class HistoryBudget {
  readonly #days = new Map<string, TeamDay>();
  readonly #mostAttempts: number;

  constructor(mostAttempts: number = webhookLimits.historyAttemptsPerDay) {
    this.#mostAttempts = mostAttempts;
  }

  /** Decides on the outcomes of a batch, in their order. */
  judge(batch: readonly Kept[]): Judgement[] {
    const added = new Map<string, { bytes: number; attempts: number }>();
    const beyond = batch.map((kept) => {
      const key = this.#keyOf(kept);
      const { bytes, attempts } = added.get(key) ?? { bytes: 0, attempts: 0 };
      const { attempts: before, unwrittenAttempts } = this.#dayOf(key);
      added.set(key, { bytes: bytes + kept.detailBytes + 2 * kept.excerptBytes, attempts: attempts + 1 });
      return !kept.byHand && before + unwrittenAttempts + attempts >= this.#mostAttempts;
    });
    const carried = new Map<string, { carried: number; carriedAttempts: number }>();
    for (const [key, { bytes, attempts }] of added) {
      const day = this.#dayOf(key);
      const gathered = day.unwrittenAttempts + attempts;
      const reached = day.attempts < this.#mostAttempts && day.attempts + gathered >= this.#mostAttempts;
      if (day.unwritten + bytes < countedFromBytes && gathered < countedFromAttempts && !reached) continue;
      carried.set(key, { carried: day.unwritten, carriedAttempts: day.unwrittenAttempts });
      // Only this statement writes the gathered amount: another one may start before it ends.
      day.unwritten = 0;
      day.unwrittenAttempts = 0;
    }
    return batch.map((kept, index) => {
      const key = this.#keyOf(kept);
      const judged = { known: null, carried: 0, carriedAttempts: 0, beyond: beyond[index] ?? false };
      const counted = carried.get(key);
      if (counted) return { ...judged, ...counted };
      const known = this.#dayOf(key).spent;
      const judgement = { ...judged, known };
      this.#gather(key, kept, judgement, 1);
      return judgement;
    });
  }

  /** Called after the statement of a batch, with its counts for each outcome, in their order; null for an outcome that was not written. */
  settled(batch: readonly Kept[], judgements: readonly Judgement[], counted: readonly (Counted | null)[]): void {
    const carried = new Map<string, { judgement: Judgement; isWritten: boolean; isCounted: boolean }>();
    for (const [index, kept] of batch.entries()) {
      const [judgement, result = null] = [judgements[index], counted[index]];
      if (!judgement) continue;
      const key = this.#keyOf(kept);
      if (judgement.known !== null) {
        if (!result) this.#gather(key, kept, judgement, -1);
        continue;
      }
      const of = carried.get(key) ?? { judgement, isWritten: false, isCounted: false };
      carried.set(key, of);
      if (!result) continue;
      of.isWritten = true;
      const day = this.#dayOf(key);
      // Statements may end in a different order than they counted. The table's sums only grow, so the larger value is newer.
      if (result.spent !== null)
        day.spent = Math.max(day.spent, result.spent + kept.detailBytes + 2 * kept.excerptBytes);
      if (result.attempts === null) continue;
      of.isCounted = true;
      day.attempts = Math.max(day.attempts, result.attempts);
    }
    for (const [key, { judgement, isWritten, isCounted }] of carried) {
      const day = this.#dayOf(key);
      if (!isWritten) day.unwritten += judgement.carried;
      if (!isCounted) day.unwrittenAttempts += judgement.carriedAttempts;
    }
  }

  /** Adds an outcome that no statement counts to the gathered amounts, or removes it again. */
  #gather(key: string, { detailBytes, excerptBytes }: Kept, { known, beyond }: Judgement, sign: 1 | -1): void {
    const day = this.#dayOf(key);
    const spent = known ?? 0;
    if (!beyond) day.unwrittenAttempts += sign;
    if (spent < excerpts) day.unwritten += sign * excerptBytes;
    if (spent < details) day.unwritten += sign * (detailBytes + excerptBytes);
  }

  #keyOf({ tenantId, day }: Kept): string {
    return `${day} ${tenantId}`;
  }

  #dayOf(key: string): TeamDay {
    const known = this.#days.get(key);
    if (known) return known;
    const [oldest] = this.#days.keys();
    if (this.#days.size >= mostTeams && oldest !== undefined) this.#days.delete(oldest);
    const day = { spent: 0, unwritten: 0, attempts: 0, unwrittenAttempts: 0 };
    this.#days.set(key, day);
    return day;
  }
}
