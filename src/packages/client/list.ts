import type { Answer, Call } from './call.ts';

/** A page of a list. `next_cursor` is null on the last page. */
export interface Page<T> {
  data: T[];
  next_cursor: string | null;
  /** Only in the feed of events: whether more can be read right now. */
  has_more?: boolean;
}

/**
 * A list of the API. Nothing is requested until you use it:
 *
 * - `for await (const entry of list)` reads every entry, page by page;
 * - `for await (const page of list.pages())` reads every page;
 * - `await list` reads the first page alone;
 * - `await list.all()` reads every entry into an array.
 */
export class List<T, P extends Page<T> = Page<T>> implements PromiseLike<P>, AsyncIterable<T> {
  readonly #read: (cursor?: string) => Call<P>;

  constructor(read: (cursor?: string) => Call<P>) {
    this.#read = read;
  }

  /** The first page with its status and headers. */
  withResponse(): Promise<Answer<P>> {
    return this.#read().withResponse();
  }

  // oxlint-disable-next-line unicorn/no-thenable -- to await it reads the first page
  then<R = P, E = never>(
    onFulfilled?: ((page: P) => R | PromiseLike<R>) | null,
    onRejected?: ((error: unknown) => E | PromiseLike<E>) | null,
  ): Promise<R | E> {
    return this.#read().then(onFulfilled, onRejected);
  }

  /** Every page, from the cursor of the query or the beginning. A page is requested when it is needed. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.#read(cursor);
      yield page;
      // The lists of endpoints, of one endpoint's deliveries and of its checks have one page and no cursor. The feed of
      // events always has a cursor.
      cursor = page.has_more === false ? undefined : (page.next_cursor ?? undefined);
    } while (cursor !== undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** Every entry, or with `max` only the first ones, at most this many. */
  async all(max = Number.POSITIVE_INFINITY): Promise<T[]> {
    const entries: T[] = [];
    for await (const page of this.pages()) {
      entries.push(...page.data);
      if (entries.length >= max) break;
    }
    return entries.slice(0, max);
  }
}
