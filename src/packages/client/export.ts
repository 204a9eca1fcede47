import { ApiError, ConnectionError } from './errors.ts';
import { passes, type StreamOptions } from './event-stream.ts';
import { longestWaitMs, pauseBefore, retryAfterMs, sleep } from './retry.ts';

export type ExportOptions = StreamOptions;

export interface ExportQuery {
  cursor?: string | undefined;
  updated_since?: string | Date | undefined;
}

/** The fields that every row has. */
interface ExportedRow {
  id: string;
  updated_at: string;
}

interface ReadLimits {
  signal: AbortSignal | undefined;
  /** How long to wait for the next part. */
  timeoutMs: number;
}

const brokenOff = (cause: unknown) => new ConnectionError('network', 'The export broke off.', { cause, attempts: 1 });

/** The complete lines of an answer. */
export async function* linesOf(
  { body }: Response,
  { signal, timeoutMs }: ReadLimits,
): AsyncGenerator<string, void, undefined> {
  if (!body) throw brokenOff(undefined);
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  const decoder = new TextDecoder();
  let begun = '';
  signal?.addEventListener('abort', stop, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      timer = setTimeout(stop, timeoutMs);
      const { done, value } = await reader.read();
      clearTimeout(timer);
      if (done) break;
      const [first = '', ...others] = decoder.decode(value, { stream: true }).split('\n');
      const lines = [begun + first, ...others];
      begun = lines.pop() ?? '';
      yield* lines;
    }
  } catch (cause) {
    throw brokenOff(cause);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    stop();
  }
}

/** The answer to a request for an export, and the time at which it began, by the clock of the service. */
export interface ExportAnswer<T> {
  lines: AsyncIterable<T>;
  startedAt: number;
}

interface LastLine {
  cursor: string;
}

const isEnd = (line: ExportedRow | LastLine): line is LastLine => !('id' in line);

/** The time in which a row may appear later than its `updated_at` says. */
const overlapMs = 300_000;

/**
 * All rows of a list. `for await` gives each row; after the last one, `cursor` is where the next export continues. If
 * the connection breaks, the loop continues with the missing rows. A row may then come again, with the same `id`.
 */
export class Export<T extends ExportedRow> implements AsyncIterable<T> {
  readonly #read: (query: ExportQuery) => Promise<ExportAnswer<T | LastLine>>;
  readonly #query: ExportQuery;
  readonly #options: ExportOptions;
  #cursor: string | undefined;

  constructor(
    read: (query: ExportQuery) => Promise<ExportAnswer<T | LastLine>>,
    { query = {}, options }: { query?: ExportQuery | undefined; options: ExportOptions },
  ) {
    this.#read = read;
    this.#query = query;
    this.#options = options;
  }

  /**
   * Pass it to the next export, which then has the rows that have changed since. Undefined until all rows were read.
   */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const { signal, retries = 3, onRetry } = this.#options;
    let query = this.#query;
    for (let failures = 0; ;) {
      let last: T | undefined;
      let began = 0;
      try {
        const { lines, startedAt } = await this.#read(query);
        began = startedAt;
        for await (const line of lines) {
          if (isEnd(line)) {
            this.#cursor = line.cursor;
            return;
          }
          failures = 0;
          last = line;
          yield line;
        }
        throw brokenOff(undefined);
      } catch (error) {
        signal?.throwIfAborted();
        failures += 1;
        const asked = error instanceof ApiError ? retryAfterMs(error.headers) : undefined;
        if (!passes(error) || failures > retries || (asked ?? 0) > longestWaitMs) throw error;
        // A row that was committed late may have an earlier `updated_at` than the last one.
        if (last) {
          const time = Math.min(Date.parse(last.updated_at), began - overlapMs);
          query = { ...query, updated_since: new Date(time) };
        }
        const pauseMs = pauseBefore(failures + 1, asked);
        onRetry?.(error, pauseMs);
        await sleep(pauseMs, signal);
      }
    }
  }
}
