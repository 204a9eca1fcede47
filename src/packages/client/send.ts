import { Call, type Answer } from './call.ts';
import { ApiError, ConnectionError } from './errors.ts';
import type { Problem } from './generated/types.ts';
import { Export, linesOf, type ExportOptions, type ExportQuery, type ExportAnswer } from './export.ts';
import { EventStream, type FeedPage, type FeedQuery, type StreamOptions } from './event-stream.ts';
import { List, type Page } from './list.ts';
import { longestWaitMs, pauseBefore, retryAfterMs, sleep } from './retry.ts';

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Replaces the runtime's `JSON`, for instance to keep every digit of large numbers. */
export interface JsonFormat {
  /** Like `JSON.parse`, the result is not checked: the service answers as its document describes. */
  parse(text: string): ReturnType<typeof JSON.parse>;
  stringify(value: unknown): string;
}

export interface ClientOptions {
  /** A key of the team, `svck_live_…`. */
  key: string;
  /** The URL of the service: its origin, `https://training.example.com`, or the whole address up to `/v1`. */
  baseUrl?: string | undefined;
  /** The language of the `title` of errors and of the catalog. Without it, the service answers in German. */
  language?: 'de' | 'en' | (string & {}) | undefined;
  /** Makes the requests; by default the runtime's `fetch`. */
  fetch?: Fetch | undefined;
  /** The time limit of one attempt, by default 30 seconds. To limit a call with its retries, use a signal. */
  timeoutMs?: number | undefined;
  /** The maximum number of retries, by default 3. */
  retries?: number | undefined;
  json?: JsonFormat | undefined;
}

/** Options of a single call. */
export interface CallOptions extends Pick<ClientOptions, 'language' | 'timeoutMs' | 'retries'> {
  /** Aborts the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface PostOptions extends CallOptions {
  /**
   * The idempotency key, up to 100 characters: within 24 hours, a POST with the same key and body gets the first answer again. By default
   * each call has a new one, which all its attempts share. Use your own key to be safe across restarts of your program.
   */
  idempotencyKey?: string | undefined;
}

interface RequestParts {
  body?: unknown;
  query?: object | undefined;
  options?: PostOptions | undefined;
  /** Whether the body of a successful answer is left unread, so that it can be streamed. */
  streams?: boolean;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

interface Attempt {
  response: Response;
  text: string;
  attempts: number;
}

interface AttemptLimits extends Pick<RequestParts, 'streams'> {
  signal: AbortSignal | undefined;
  timeoutMs: number;
  attempts: number;
}

const usualTimeoutMs = 30_000;

declare const defaultOrigin: string | undefined;
const basePath = '/api/public/v1';

const addressOf = (baseUrl = typeof defaultOrigin === 'string' ? defaultOrigin : 'http://localhost:3000'): string => {
  const { origin, pathname } = new URL(baseUrl);
  return origin + (pathname === '/' ? basePath : pathname.replace(/\/$/, ''));
};

/** An id as a part of a path. */
export const id = (value: string): string => {
  // As parts of a path, these texts would lead to another route.
  if (!value || value === '.' || value === '..') throw new TypeError(`${JSON.stringify(value)} is not an id.`);
  return encodeURIComponent(value);
};

const queryOf = (query: object): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const values: (string | number | boolean | Date | undefined)[] = Array.isArray(value) ? value : [value];
    for (const one of values) {
      if (one !== undefined) parameters.append(name, one instanceof Date ? one.toISOString() : String(one));
    }
  }
  const text = String(parameters);
  return text && `?${text}`;
};

/** How many items a request has at most, and how many bytes of JSON: a body may have 256 KiB. */
const itemsAtOnce = 100;
const bytesAtOnce = 250_000;

const partsOf = (items: readonly unknown[], write: (item: unknown) => string): unknown[][] => {
  const parts: unknown[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = new TextEncoder().encode(write(item)).length + 1;
    const last = parts.at(-1);
    if (last && last.length < itemsAtOnce && bytes + size <= bytesAtOnce) {
      last.push(item);
      bytes += size;
    } else {
      parts.push([item]);
      bytes = size;
    }
  }
  return parts;
};

/** Statuses of temporary failures: the service or a proxy can't answer now, or a rate limit was reached. */
const passing: readonly number[] = [429, 502, 503, 504];

/** Sends requests, and repeats them if that is safe and can help. */
export class Sender {
  readonly #address: string;
  readonly #options: ClientOptions;
  readonly #json: JsonFormat;

  constructor(options: ClientOptions) {
    // A missing environment variable must not cause anonymous requests, and a line break from a file must not cause an
    // invalid header.
    if (!/^[\x21-\x7e]+$/.test(options.key ?? '')) throw new TypeError('`key` must be an API key, svck_live_….');
    this.#address = addressOf(options.baseUrl);
    this.#options = options;
    this.#json = options.json ?? JSON;
  }

  call = <T>(method: Method, path: string, parts: RequestParts): Call<T> =>
    new Call<T>(this.#send(method, path, parts));

  list = <T, P extends Page<T> = Page<T>>(path: string, { query, options }: RequestParts): List<T, P> =>
    // A cursor is valid only with the filters of its list, so the filters are sent with it.
    new List<T, P>((cursor) => this.call<P>('GET', path, { query: cursor ? { ...query, cursor } : query, options }));

  /**
   * Sends items in requests of the allowed size, one after the other. Each request has an idempotency key made from
   * that of the first one.
   */
  many = async <T>(
    path: string,
    { items, options = {} }: { items: readonly unknown[]; options?: PostOptions | undefined },
  ): Promise<T[]> => {
    const { idempotencyKey = crypto.randomUUID() } = options;
    const results: T[] = [];
    for (const [at, part] of partsOf(items, (item) => this.#json.stringify(item)).entries()) {
      const own = { ...options, idempotencyKey: at === 0 ? idempotencyKey : `${idempotencyKey}-${at}` };
      const answer = await this.call<{ results: T[] }>('POST', path, { body: { items: part }, options: own });
      results.push(...answer.results);
    }
    return results;
  };

  stream = <T>(
    path: string,
    { query, options = {} }: { query?: FeedQuery | undefined; options?: StreamOptions | undefined },
  ) =>
    new EventStream<T>(
      (asked, waitMs) => {
        const timeoutMs = waitMs + (options.timeoutMs ?? this.#options.timeoutMs ?? usualTimeoutMs);
        return this.call<FeedPage<T>>('GET', path, { query: asked, options: { ...options, timeoutMs } });
      },
      { query, options },
    );

  rows = <T extends { id: string; updated_at: string }>(
    path: string,
    { query, options = {} }: { query?: ExportQuery | undefined; options?: ExportOptions | undefined },
  ) => {
    const retries = options.retries ?? this.#options.retries;
    return new Export<T>((asked) => this.#open(path, asked, options), { query, options: { ...options, retries } });
  };

  async #open<Line>(path: string, query: ExportQuery, options: CallOptions): Promise<ExportAnswer<Line>> {
    const { response } = await this.#request('GET', path, { query, options, streams: true });
    const { signal, timeoutMs = this.#options.timeoutMs ?? usualTimeoutMs } = options;
    const parse = (text: string): Line => this.#json.parse(text);
    const lines = async function* () {
      for await (const line of linesOf(response, { signal, timeoutMs })) yield parse(line);
    };
    return { lines: lines(), startedAt: Date.parse(response.headers.get('date') ?? '') || Date.now() };
  }

  async #send<T>(method: Method, path: string, parts: RequestParts): Promise<Answer<T>> {
    return this.#answer<T>(await this.#request(method, path, parts));
  }

  /**
   * Every request here may be repeated: a POST has an idempotency key, a PATCH sets the same values again. If the
   * answer to a DELETE was lost, the second attempt gets 404, which counts as success.
   */
  async #request(
    method: Method,
    path: string,
    { body, query = {}, options = {}, streams = false }: RequestParts,
  ): Promise<Attempt> {
    const {
      signal,
      retries = this.#options.retries ?? 3,
      timeoutMs = this.#options.timeoutMs ?? usualTimeoutMs,
    } = options;
    const language = options.language ?? this.#options.language;
    const init: RequestInit = {
      method,
      // A redirect would send the key to another address.
      redirect: 'manual',
      headers: {
        Accept: 'application/json',
        Authorization: `Bearer ${this.#options.key}`,
        ...(language && { 'Accept-Language': language }),
        ...(method === 'POST' && { 'Idempotency-Key': options.idempotencyKey ?? crypto.randomUUID() }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: this.#json.stringify(body) }),
    };
    const url = this.#address + path + queryOf(query);

    let mayHaveActed = false;
    for (let attempts = 1; ; attempts += 1) {
      const isLast = attempts > retries;
      let asked: number | undefined;
      try {
        const attempt = await this.#attempt(url, init, { signal, timeoutMs, attempts, streams });
        const { ok, status, headers } = attempt.response;
        if (ok) return attempt;
        const error = this.#error(attempt);
        if (method === 'DELETE' && status === 404 && error.code === 'not_found' && mayHaveActed) {
          return { ...attempt, text: '{"ok":true}' };
        }
        asked = retryAfterMs(headers);
        const isPassing = passing.includes(status) || (status === 409 && asked !== undefined);
        if (isLast || !isPassing || (asked ?? 0) > longestWaitMs) throw error;
        if (status >= 502 && status <= 504) mayHaveActed = true;
      } catch (error) {
        if (!(error instanceof ConnectionError) || isLast) throw error;
        mayHaveActed = true;
      }
      await sleep(pauseBefore(attempts + 1, asked), signal);
    }
  }

  /**
   * Sends one request and reads its answer within the time limit. With `streams`, the body of a success is not read.
   */
  async #attempt(
    url: string,
    init: RequestInit,
    { signal, timeoutMs, attempts, streams }: AttemptLimits,
  ): Promise<Attempt> {
    const controller = new AbortController();
    const end = () => controller.abort(signal?.reason);
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end, { once: true });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      controller.abort();
    }, timeoutMs);
    try {
      const request = this.#options.fetch ?? fetch;
      const response = await request(url, { ...init, signal: controller.signal });
      return { response, text: streams && response.ok ? '' : await response.text(), attempts };
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      const { origin } = new URL(url);
      if (isLate) {
        const message = `${origin} did not answer within ${timeoutMs} ms.`;
        throw new ConnectionError('timeout', message, { cause, attempts });
      }
      throw new ConnectionError('network', `${origin} can't be reached: ${reasonOf(cause)}`, { cause, attempts });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }

  #answer<T>(attempt: Attempt): Answer<T> {
    const { response, text, attempts } = attempt;
    const { status, headers } = response;
    let data: T;
    try {
      data = this.#json.parse(text);
    } catch {
      throw this.#error(attempt);
    }
    const limit = headers.get('ratelimit-limit');
    const numberOf = (name: string) => Number(headers.get(name));
    return {
      data,
      status,
      headers,
      text,
      attempts,
      requestId: headers.get('x-request-id') ?? undefined,
      replayed: headers.get('idempotent-replayed') === 'true',
      rateLimit:
        limit === null
          ? undefined
          : {
              limit: Number(limit),
              remaining: numberOf('ratelimit-remaining'),
              resetSeconds: numberOf('ratelimit-reset'),
            },
    };
  }

  #error({ response, text, attempts }: Attempt): ApiError {
    const { status, headers } = response;
    const problem = problemOf(headers, text);
    return new ApiError({
      problem: problem ?? {},
      status,
      headers,
      attempts,
      replayed: headers.get('idempotent-replayed') === 'true',
      ...(!problem && { excerpt: text.slice(0, 1_000) }),
    });
  }
}

const problemOf = (headers: Headers, text: string): Problem | undefined => {
  if (!headers.get('content-type')?.startsWith('application/problem+json')) return undefined;
  try {
    const problem: Problem | null = JSON.parse(text);
    return typeof problem?.code === 'string' ? problem : undefined;
  } catch {
    return undefined;
  }
};

/** Node gives the reason only in the `cause` of its error `fetch failed`. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message ? error.cause.message : error.message;
};
