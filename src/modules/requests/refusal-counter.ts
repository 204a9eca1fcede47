import { secondsToMs } from '../../core/clock.ts';
import { requestLogLimits } from '../../core/limits.ts';

interface Refusal {
  readonly keyId: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly at: Date;
  /** How many requests it stands for. */
  readonly count: number;
}

/** The minute of the calendar in which a time lies. A minute lies within one day, so what is counted in it has one day's sums. */
export const minuteOf = (time: Date): number => Math.floor(time.getTime() / secondsToMs(60));

interface Counted<Item> {
  readonly minute: number;
  /** How many got a row of their own. */
  single: number;
  /** Stands for all that came after these; its other values are those of the first of them. */
  rest?: Item & { count: number };
}

/** Counts what the gate refuses: of each key, answer and minute the first few get rows of their own, all others share one. */
export class RefusalCounter<Item extends Refusal> {
  readonly #refusals = new Map<string, Counted<Item>>();

  /** Whether the refusal is counted here. Otherwise it gets a row of its own. */
  counts(refusal: Item): boolean {
    const minute = minuteOf(refusal.at);
    const answer = `${refusal.keyId} ${refusal.status} ${refusal.code ?? ''} ${minute}`;
    let counted = this.#refusals.get(answer);
    if (!counted) this.#refusals.set(answer, (counted = { minute, single: 0 }));
    if (counted.single < requestLogLimits.refusalsPerMinute) {
      counted.single += 1;
      return false;
    }
    if (counted.rest) counted.rest.count += refusal.count;
    else counted.rest = { ...refusal };
    return true;
  }

  /** Takes the shared rows of the minutes before this one. */
  takeBefore(minute: number): Item[] {
    const ended: Item[] = [];
    for (const [answer, counted] of this.#refusals) {
      if (counted.minute >= minute) continue;
      this.#refusals.delete(answer);
      if (counted.rest) ended.push(counted.rest);
    }
    return ended;
  }
}
