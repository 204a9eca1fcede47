/** An answer of the API with its headers and other metadata. */
export interface Answer<T> {
  readonly data: T;
  readonly status: number;
  readonly headers: Headers;
  /** The id of the request. Include it when you contact support. */
  readonly requestId: string | undefined;
  /** The budget with the fewest requests left. */
  readonly rateLimit: RateLimit | undefined;
  /** Whether this is the stored answer of an earlier POST with the same idempotency key. */
  readonly replayed: boolean;
  /** The number of attempts. */
  readonly attempts: number;
  /** The body as received. */
  readonly text: string;
}

export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** A call of the API. Await it for the data alone, or `withResponse()` for status and headers too. */
export class Call<T> implements Promise<T> {
  readonly #answer: Promise<Answer<T>>;
  readonly [Symbol.toStringTag] = 'Call';

  constructor(answer: Promise<Answer<T>>) {
    this.#answer = answer;
  }

  withResponse(): Promise<Answer<T>> {
    return this.#answer;
  }

  // The promise of the data is created only here. Otherwise its error would be reported as unhandled if a caller only
  // awaits `withResponse()`.
  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise
  then<R = T, E = never>(
    onFulfilled?: ((data: T) => R | PromiseLike<R>) | null,
    onRejected?: ((error: unknown) => E | PromiseLike<E>) | null,
  ): Promise<R | E> {
    return this.#answer.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  catch<E = never>(onRejected?: ((error: unknown) => E | PromiseLike<E>) | null): Promise<T | E> {
    return this.then(null, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then(null, null).finally(onFinally);
  }
}
