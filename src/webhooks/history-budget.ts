import { webhookLimits } from '../core/limits.ts';

/** A team's day (UTC) as this process sees it. */
interface TeamDay {
  /** What the table had when it was last written from here. */
  spent: number;
  /** Kept since, and not counted in the table. */
  unwritten: number;
}

/** What an attempt would add to the history. */
interface Kept {
  readonly tenantId: string;
  readonly day: string;
  /** URL and response headers. */
  readonly detailBytes: number;
  readonly excerptBytes: number;
}

/** How an outcome is judged against its team's budget. */
export interface Judgement {
  /** What the team has spent; null: the statement reads it from the table and counts the outcome there. */
  readonly known: number | null;
  /** With the others that are counted there: what was kept before and not counted. */
  readonly carried: number;
}

const { details, excerpts } = webhookLimits.historyBytesPerDay;
/** What a process may keep of a team's day before it counts it: next to nothing beside the budget. */
const countedFromBytes = 8 * 1024;
const mostTeams = 10_000;

/**
 * The daily budget of bytes that a team's history may grow by (`webhook_team_day`). Most teams come nowhere near it, so small amounts
 * are gathered in memory and the table is read and written only when they add up, once for each team and batch. What a killed worker
 * had gathered is not counted: at most 8 KiB for each team.
 */
export class HistoryBudget {
  readonly #days = new Map<string, TeamDay>();

  /** Judges the outcomes of a batch, in their order. */
  judge(batch: readonly Kept[]): Judgement[] {
    const added = new Map<string, number>();
    for (const kept of batch) {
      const key = this.#keyOf(kept);
      added.set(key, (added.get(key) ?? 0) + kept.detailBytes + 2 * kept.excerptBytes);
    }
    const carried = new Map<string, number>();
    for (const [key, bytes] of added) {
      const day = this.#dayOf(key);
      if (day.unwritten + bytes < countedFromBytes) continue;
      carried.set(key, day.unwritten);
      day.unwritten = 0;
    }
    return batch.map((kept) => {
      const key = this.#keyOf(kept);
      const counted = carried.get(key);
      if (counted !== undefined) return { known: null, carried: counted };
      const day = this.#dayOf(key);
      if (day.spent < excerpts) day.unwritten += kept.excerptBytes;
      if (day.spent < details) day.unwritten += kept.detailBytes + kept.excerptBytes;
      return { known: day.spent, carried: 0 };
    });
  }

  /** What the statement read from the table. */
  learn(kept: Kept, spent: number): void {
    const day = this.#dayOf(this.#keyOf(kept));
    day.spent = Math.max(day.spent, spent + kept.detailBytes + 2 * kept.excerptBytes);
  }

  #keyOf({ tenantId, day }: Kept): string {
    return `${day} ${tenantId}`;
  }

  #dayOf(key: string): TeamDay {
    const known = this.#days.get(key);
    if (known) return known;
    const [oldest] = this.#days.keys();
    if (this.#days.size >= mostTeams && oldest !== undefined) this.#days.delete(oldest);
    const day = { spent: 0, unwritten: 0 };
    this.#days.set(key, day);
    return day;
  }
}
