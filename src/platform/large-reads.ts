import { FairSemaphore } from '../core/fair-semaphore.ts';
import { ownShareInUse } from '../core/own-share.ts';
import { fail } from '../core/problem.ts';
import { TtlMap } from '../core/ttl-map.ts';
import { largeReadLimits } from '../core/limits.ts';

const { fromBytes, atOnce, waiting, timeoutMs, rememberedMs } = largeReadLimits;

/** The answer to a request, for the read that produces it and for the code that writes it. */
export class AnswerProgress {
  #waitedMs: number | undefined;
  #streamsSince: number | undefined;
  /** Whether the client has disconnected, so that no more work is done for the answer. */
  readonly isGone: () => boolean;
  #noteSize: ((bytes: number) => void) | undefined;
  #leaveSlot: (() => void) | undefined;

  constructor(isGone = () => false) {
    this.isGone = isGone;
  }

  /**
   * How long the request waited on purpose, or how long its answer is streamed. This time does not count in its
   * duration.
   */
  get waitedMs(): number | undefined {
    return this.#streamsSince === undefined ? this.#waitedMs : performance.now() - this.#streamsSince;
  }

  set waitedMs(milliseconds: number | undefined) {
    this.#waitedMs = milliseconds;
  }

  /** From now on the answer is streamed. */
  streams(): void {
    this.#streamsSince = performance.now();
  }

  /** For the read: called with the size of the answer in bytes. */
  onWritten(noteSize: (bytes: number) => void): void {
    this.#noteSize = noteSize;
  }

  /** For the read: the answer occupies a slot until it is done. */
  holdSlot(leave: () => void): void {
    this.#leaveSlot = leave;
  }

  /** For the writer: the answer has this many bytes. */
  written(bytes: number): void {
    this.#noteSize?.(bytes);
  }

  /** For the writer: the answer is sent or its client has left, so its memory is free. */
  done(): void {
    this.#leaveSlot?.();
  }
}

interface ReadOfTeam {
  teamId: string;
  /** The name of the list or resource. */
  name: string;
  /** The answer may be large even if the last answer of this name was small. */
  alwaysLarge: boolean;
  /** Undefined if the caller is in this process, so that no answer is written. */
  answerProgress: AnswerProgress | undefined;
}

/**
 * Limits how many large answers a team reads at once, so that one team can't take the connections, memory and time of
 * others. A read keeps its slot until its answer is sent; further reads wait for a slot for a short time.
 *
 *   arrives ──a slot is free──▶ reads ──▶ answers ──sent, or the client left──▶ (slot released)
 *     │ no slot is free          ▲
 *     └──▶ waits ──its turn───────┘
 *            └─too many wait, or it waited too long──▶ 429 `rate_limited`
 *
 * If the client leaves while its read waits, the read is not made. If it leaves during the read, no answer is written.
 *
 * A read counts as large if its list or resource is `alwaysLarge`, or if a read of the same name and team had a large
 * answer within the last minute. All other reads are not limited: a small list costs only a look into a map.
 */
export class LargeReads {
  readonly #slots = new FairSemaphore({
    perGroup: atOnce,
    waitingPerGroup: waiting,
    timeoutMs,
    refusal: () => ownShareInUse(Math.ceil(timeoutMs / 1000)),
  });
  /** Teams and names with a large answer within the last minute. */
  readonly #large = new TtlMap<true>({ capacity: 10_000, ttlMs: rememberedMs });

  async read<Answer>(
    { teamId, name, alwaysLarge, answerProgress }: ReadOfTeam,
    action: () => Promise<Answer>,
  ): Promise<Answer> {
    answerProgress?.onWritten((bytes) => this.#note(teamId, name, bytes));
    if (!alwaysLarge && !this.#isLarge(teamId, name)) return action();

    const leave = await this.#slots.acquire(teamId);
    try {
      requireCaller(answerProgress);
      const answer = await action();
      requireCaller(answerProgress);
      if (answerProgress) answerProgress.holdSlot(leave);
      else leave();
      return answer;
    } catch (error) {
      leave();
      throw error;
    }
  }

  #note(teamId: string, name: string, bytes: number): void {
    if (bytes >= fromBytes) this.#large.set(`${teamId} ${name}`, true);
  }

  #isLarge(teamId: string, name: string): boolean {
    return this.#large.has(`${teamId} ${name}`);
  }
}

/** Ends a read whose client has left. The client does not see the refusal. */
const requireCaller = (answerProgress: AnswerProgress | undefined): void => {
  if (answerProgress?.isGone()) fail('rate_limited', { retry_after: 1 });
};
