import { FairSemaphore } from '../core/fair-semaphore.ts';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';

const { fromBytes, atOnce, waiting, patienceMs, rememberedMs } = limits.largeReads;

/** What whoever writes an answer owes the read that it came from. */
export interface Answering {
  /** The answer's text is made; it has so many bytes. */
  written?: (bytes: number) => void;
  /** The answer is handed over, or nobody waits for it any more: its memory is free. */
  done?: () => void;
  /** Whether the caller has left: then nothing more is done for the answer. */
  readonly isGone?: () => boolean;
}

interface Read {
  teamId: string;
  /** What is read. */
  name: string;
  /** Its answers may be large whatever the last one was. */
  alwaysLarge: boolean;
  /** Undefined where nobody writes an answer: a caller within the process. */
  answering: Answering | undefined;
}

/**
 * Keeps what one team reads from taking the connections, the memory and the time of all others: a team has few places for reads
 * whose answers are large. A read keeps its place until its answer is handed over; further ones wait for a place, and not for long.
 *
 *   comes ──a place is free──▶ reads ──▶ answers ──handed over, or the caller left──▶ (place free)
 *     │ none is                  ▲
 *     └──▶ waits ──its turn──────┘
 *            └─too many wait, or too long──▶ 429 `rate_limited`
 *
 * A read whose caller left while it waited is not made, and nothing is made of one whose caller left meanwhile.
 *
 * A read counts as large while one of the same name and team gave a large answer within the last minute. All others pass by: small
 * lists cost a look into a map.
 */
export class LargeReads {
  readonly #places = new FairSemaphore({
    perGroup: atOnce,
    waitingPerGroup: waiting,
    patienceMs,
    refusal: () => new Problem('rate_limited', { retry_after: Math.ceil(patienceMs / 1000) }),
  });
  /** Until when a team's reads of a name count as large; the earliest first. */
  readonly #large = new Map<string, number>();

  async read<Answer>({ teamId, name, alwaysLarge, answering }: Read, action: () => Promise<Answer>): Promise<Answer> {
    if (answering) answering.written = (bytes) => this.#note(teamId, name, bytes);
    if (!alwaysLarge && !this.#isLarge(teamId, name)) return action();

    const leave = await this.#places.acquire(teamId);
    try {
      needCaller(answering);
      const answer = await action();
      needCaller(answering);
      if (answering) answering.done = leave;
      else leave();
      return answer;
    } catch (error) {
      leave();
      throw error;
    }
  }

  #note(teamId: string, name: string, bytes: number): void {
    if (bytes < fromBytes) return;
    const now = performance.now();
    for (const [key, until] of this.#large) {
      if (until > now) break;
      this.#large.delete(key);
    }
    const key = `${teamId} ${name}`;
    this.#large.delete(key);
    this.#large.set(key, now + rememberedMs);
  }

  #isLarge(teamId: string, name: string): boolean {
    return this.#large.size > 0 && (this.#large.get(`${teamId} ${name}`) ?? 0) > performance.now();
  }
}

/** Ends a read whose caller has left. Nobody sees the refusal. */
const needCaller = (answering: Answering | undefined): void => {
  if (answering?.isGone?.()) throw new Problem('rate_limited', { retry_after: 1 });
};
