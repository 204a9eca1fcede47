import { setTimeout as sleep } from 'node:timers/promises';
import { secondsToMs } from '../../../core/clock.ts';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { sizeOfJson } from '../../../core/json.ts';
import { crmLimits } from '../../../core/limits.ts';
import { syncMessages } from '../../../core/messages/crm.ts';
import type { Egress } from '../../../egress/egress.ts';
import type { WholeAnswer } from '../../../egress/outgoing-request.ts';
import { Failure, Forbidden, TooLarge } from '../../../egress/failure.ts';
import { parseExactly } from '../../../core/exact-json.ts';
import { SyncFailure } from './failure.ts';
import type { CrmHttp, CrmRequest } from './provider.ts';

/** The time limits and pauses of a run, in milliseconds. Tests use shorter ones. */
export interface RunTimes {
  readonly timeout: number;
  readonly pausesBetweenTries: readonly number[];
  readonly waits: { readonly max: number; readonly longest: number; readonly usual: number };
}

const { timeout, pausesBetweenTries, waits, largePages } = crmLimits;

const usualPatience: RunTimes = {
  timeout: secondsToMs(timeout),
  pausesBetweenTries: pausesBetweenTries.map(secondsToMs),
  waits: { max: waits.max, longest: secondsToMs(waits.longest), usual: secondsToMs(waits.usual) },
};

interface HttpParts {
  readonly egress: Egress;
  /** The team for which the requests are made. */
  readonly teamId: string;
  /** Aborted when the worker stops or has lost the run. */
  readonly signal: AbortSignal;
  readonly patience?: RunTimes | undefined;
  /** The limits of an answer. */
  readonly page?: PageLimits | undefined;
  /** How often earlier workers of the run have waited. */
  readonly waitsBefore?: number | undefined;
}

interface PageLimits {
  readonly bytes: number;
  readonly values: number;
  readonly depth: number;
}

/** The HTTP of one run. */
export interface RunHttp extends CrmHttp {
  /** How often the run has waited because the CRM required it, in all workers. */
  readonly waits: number;
  /** Must be called when a page was stored or has failed, so that another large page may be read. */
  pageDone(): void;
}

/** Large pages need much memory, so a process parses and stores only a few at once. */
const largePlaces = new FairSemaphore({
  slots: largePages.atOnce,
  perGroup: 1,
  refusal: () => new Error('no place for a large page'),
});

const headerOf = ({ headers }: WholeAnswer, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
};

/** The milliseconds to wait by `Retry-After`, which has seconds or a date. */
const retryAfter = (answer: WholeAnswer): number | undefined => {
  const text = headerOf(answer, 'retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return secondsToMs(Number(text));
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

const unlessMalformed = <Value>(read: () => Value): Value => {
  try {
    return read();
  } catch {
    throw new SyncFailure('malformed', syncMessages.notJson);
  }
};

/** Measures before parsing: a text of 10 MiB can have so many values that parsing takes all memory and many seconds. */
const parse = ({ body }: WholeAnswer, { values, depth }: PageLimits): unknown => {
  const text = unlessMalformed(() => utf8.decode(body));
  const size = sizeOfJson(text);
  if (size.depth > depth) {
    throw new SyncFailure('limit', syncMessages.tooDeep(depth));
  }
  if (Math.max(size.values, size.keys) > values) {
    throw new SyncFailure('limit', syncMessages.tooManyValues(values));
  }
  return unlessMalformed(() => parseExactly(text));
};

const refusal = ({ code }: WholeAnswer): SyncFailure => {
  if (code === 401 || code === 403) {
    return new SyncFailure('credentials_refused', syncMessages.tokenRefused(code), code);
  }
  const isRedirect = code >= 300 && code <= 399;
  return new SyncFailure('unavailable', isRedirect ? syncMessages.redirect(code) : syncMessages.status(code), code);
};

/** Rejects as soon as the signal is aborted. The awaited work continues in the background. */
const unlessStopped = async <T>(signal: AbortSignal, work: Promise<T>): Promise<T> => {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
    work.catch(() => undefined);
  }
};

/** The HTTP client of one run. Waits are counted over the whole run. */
export const makeCrmHttp = ({
  egress,
  teamId,
  signal,
  patience = usualPatience,
  page = crmLimits.page,
  waitsBefore = 0,
}: HttpParts): RunHttp => {
  let waitsSoFar = waitsBefore;
  let leaveLarge: (() => void) | undefined;
  let lastSentAt = -Infinity;

  const pause = async (milliseconds: number): Promise<void> => {
    await sleep(milliseconds, undefined, { signal });
  };

  const keepGap = async ({ gapMs = 0 }: CrmRequest): Promise<void> => {
    const left = lastSentAt + gapMs - performance.now();
    if (left > 0) await pause(left);
    lastSentAt = performance.now();
  };

  const send = ({ method, url, headers, body }: CrmRequest): Promise<WholeAnswer> =>
    egress.fetch({
      method,
      url: url.href,
      headers: {
        Accept: 'application/json',
        'User-Agent': 'Team-Customer-API',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      timeout: patience.timeout,
      maxBytes: page.bytes,
    });

  /** One try: the answer, or the reason why there is none. */
  const tryOnce = async (request: CrmRequest): Promise<WholeAnswer | Failure> => {
    try {
      return await unlessStopped(signal, send(request));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TooLarge) throw new SyncFailure('limit', error.told);
      if (!(error instanceof Failure)) throw error;
      if (error instanceof Forbidden) throw new SyncFailure('unavailable', error.told);
      return error;
    }
  };

  /** Waits if the answer requires it; false if it does not. */
  const waitIfRequired = async (answer: WholeAnswer): Promise<boolean> => {
    const wanted = retryAfter(answer);
    if (answer.code !== 429 && (answer.code !== 503 || wanted === undefined)) return false;
    if (waitsSoFar >= patience.waits.max) {
      const reason = syncMessages.stillStatus(answer.code, patience.waits.max);
      throw new SyncFailure('unavailable', reason, answer.code);
    }
    waitsSoFar += 1;
    await pause(Math.min(wanted ?? patience.waits.usual, patience.waits.longest));
    return true;
  };

  const answerOf = async (request: CrmRequest): Promise<WholeAnswer> => {
    const pauses = patience.pausesBetweenTries.values();
    for (;;) {
      await keepGap(request);
      const answer = await tryOnce(request);
      if (!(answer instanceof Failure)) {
        if (answer.code >= 200 && answer.code <= 299) return answer;
        if (await waitIfRequired(answer)) continue;
        if (answer.code < 500) throw refusal(answer);
      }
      const next = pauses.next();
      if (next.done) throw answer instanceof Failure ? new SyncFailure('unavailable', answer.told) : refusal(answer);
      await pause(next.value);
    }
  };

  return {
    get waits() {
      return waitsSoFar;
    },
    json: async (request) => {
      const answer = await answerOf(request);
      if (answer.body.length > largePages.fromBytes) leaveLarge ??= await largePlaces.acquire(teamId);
      return parse(answer, page);
    },
    pageDone: () => {
      leaveLarge?.();
      leaveLarge = undefined;
    },
  };
};
