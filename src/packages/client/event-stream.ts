import type { Call } from './call.ts';
import { ApiError, ConnectionError } from './errors.ts';
import type { Page } from './list.ts';
import { pauseBefore, retryAfterMs, sleep } from './retry.ts';
import type { CallOptions } from './send.ts';

/** A page of the feed of events. Its cursor is never null: a feed has no end. */
export interface FeedPage<T> extends Page<T> {
  next_cursor: string;
  has_more: boolean;
  /** Events after the cursor were deleted because of their age. */
  has_gap: boolean;
}

export interface StreamOptions extends CallOptions {
  /** Called before the stream waits because of a failure of the network or because the service can't answer now. */
  onRetry?: ((error: ApiError | ConnectionError, waitMs: number) => void) | undefined;
}

export interface FeedQuery {
  cursor?: string | undefined;
  wait?: number | undefined;
}

/** How long a request waits for an event. */
const usualWaitSeconds = 20;
/** The minimum time between two requests without events: a service that is stopping answers at once. */
const shortestRoundMs = 1_000;

/** Whether a failure is temporary; any other one ends the stream. The call has already been retried. */
export const passes = (error: unknown): error is ApiError | ConnectionError =>
  error instanceof ConnectionError || (error instanceof ApiError && (error.status === 429 || error.status >= 500));

/**
 * The feed of events, followed until its signal is aborted. `for await` gives each event; `pages()` gives them page by
 * page, with the cursor to store. If a stream is read again, it continues after the last position.
 */
export class EventStream<T> implements AsyncIterable<T> {
  readonly #read: (query: FeedQuery, waitMs: number) => Call<FeedPage<T>>;
  readonly #query: FeedQuery;
  readonly #options: StreamOptions;
  #cursor: string | undefined;

  constructor(
    read: (query: FeedQuery, waitMs: number) => Call<FeedPage<T>>,
    { query = {}, options }: { query?: FeedQuery | undefined; options: StreamOptions },
  ) {
    this.#read = read;
    this.#query = query;
    this.#options = options;
    this.#cursor = query.cursor;
  }

  /**
   * The cursor from which to continue: the end of the last page whose events the loop has read to the end. Pass it to
   * the next stream. Later events are sent again, with the same `id`, so that none is lost.
   */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  async *pages(): AsyncGenerator<FeedPage<T>, void, undefined> {
    const { signal, onRetry } = this.#options;
    const wait = this.#query.wait ?? usualWaitSeconds;
    for (let failures = 0; ;) {
      if (signal?.aborted) return;
      const startedAt = Date.now();
      try {
        const page = await this.#read({ ...this.#query, wait, cursor: this.#cursor }, wait * 1000);
        failures = 0;
        if (page.data.length > 0 || page.has_gap) yield page;
        this.#cursor = page.next_cursor;
        if (page.data.length === 0 && !page.has_more) await this.#pause(startedAt + shortestRoundMs - Date.now());
      } catch (error) {
        if (signal?.aborted) return;
        if (!passes(error)) throw error;
        failures += 1;
        const asked = error instanceof ApiError ? retryAfterMs(error.headers) : undefined;
        const pauseMs = Math.max(shortestRoundMs, pauseBefore(failures + 1, asked));
        onRetry?.(error, pauseMs);
        await this.#pause(pauseMs);
      }
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** Waits, or ends at once when the signal is aborted. */
  async #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#options;
    if (milliseconds > 0) await sleep(milliseconds, signal).catch(() => {});
  }
}
