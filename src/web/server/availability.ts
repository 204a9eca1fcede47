import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { problemOf } from './problem.ts';

// Whether the server answers. An outage begins when a call gets no answer, when only a proxy in front of the server can
// have written the answer, or when the server answers that it stops or has lost its database. The next other answer
// ends the outage. During maintenance the server answers, but refuses every call.

type Availability = { readonly state: 'ready' | 'maintenance' } | { readonly state: 'lost'; readonly since: number };

let current: Availability = { state: 'ready' };
let isLeaving = false;
const listeners = new Set<() => void>();

const set = (next: Availability): void => {
  if (next.state === current.state) return;
  current = next;
  for (const listener of listeners) listener();
};

// When a page is left, the browser aborts all its requests. This is no outage.
addEventListener('pagehide', () => (isLeaving = true));
addEventListener('pageshow', () => (isLeaving = false));

const noteLost = (): void => {
  if (!isLeaving) set({ state: 'lost', since: Date.now() });
};

const isAborted = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

/**
 * Whether a proxy answered because it could not reach the server: with a page, with an empty body, or, like the proxies
 * in docs/deploy/proxy, with a problem document. The server's own answers to calls have the type `application/json`.
 */
const isFromProxy = ({ status, headers }: Response): boolean =>
  [502, 503, 504].includes(status) && headers.get('Content-Type')?.startsWith('application/json') !== true;

/** Sends a request, and records whether the server answered. */
export const noteAnswer = async (request: Promise<Response>): Promise<Response> => {
  try {
    const response = await request;
    if (isFromProxy(response)) noteLost();
    else if (current.state === 'lost') set({ state: 'ready' });
    return response;
  } catch (error) {
    if (!isAborted(error)) noteLost();
    throw error;
  }
};

/**
 * Records if a call was refused for maintenance, or because the server stops or has lost its database. The second case
 * is an outage.
 */
export const noteFailure = (error: unknown): void => {
  const problem = problemOf(error);
  if (problem?.maintenance === true) set({ state: 'maintenance' });
  else if (problem?.code === 'unavailable') noteLost();
};

const isServerReady = async (): Promise<boolean> => {
  try {
    const answer = await fetch('/readyz', { cache: 'no-store' });
    const body: unknown = await answer.json();
    return answer.ok && typeof body === 'object' && body !== null && 'status' in body && body.status === 'ready';
  } catch {
    return false;
  }
};

/** The time between two questions, in milliseconds. It is random, so that the browsers do not all ask at one moment. */
const pause = (): number => 2_000 + Math.random() * 3_000;

/** While `isWaiting` is true, asks the server repeatedly whether it is ready, and then calls `onBack`. */
export const useServerBack = (isWaiting: boolean, onBack: () => void): void => {
  const back = useEffectEvent(onBack);
  useEffect(() => {
    if (!isWaiting) return undefined;
    let isOver = false;
    const ask = async () => {
      if (!(await isServerReady()) || isOver) return;
      set({ state: 'ready' });
      back();
    };
    void ask();
    const timer = setInterval(() => void ask(), pause());
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [isWaiting]);
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useAvailability = (): Availability => useSyncExternalStore(subscribe, () => current);
