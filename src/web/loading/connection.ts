// Whether the server answers. An outage begins with a call that gets no answer, or one that only a proxy in front of the server can have
// written; the next real answer ends it.

let lostAt: number | undefined;
let isLeaving = false;
const listeners = new Set<() => void>();

const set = (at: number | undefined): void => {
  if ((at === undefined) === (lostAt === undefined)) return;
  lostAt = at;
  for (const listener of listeners) listener();
};

// When a page is left, the browser aborts all its requests.
addEventListener('pagehide', () => (isLeaving = true));
addEventListener('pageshow', () => (isLeaving = false));

export const noteLostConnection = (): void => {
  if (!isLeaving) set(Date.now());
};

const isAborted = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

/** Whether a proxy answered because it could not reach the server. */
const isFromProxy = ({ status, headers }: Response): boolean =>
  [502, 503, 504].includes(status) && headers.get('Content-Type')?.includes('json') !== true;

/** Sends a request, and records whether the server answered. */
export const noteAnswer = async (request: Promise<Response>): Promise<Response> => {
  try {
    const response = await request;
    if (isFromProxy(response)) noteLostConnection();
    else set(undefined);
    return response;
  } catch (error) {
    if (!isAborted(error)) noteLostConnection();
    throw error;
  }
};

/** Calls the listener when an outage begins or ends. Returns a function that removes the listener. */
export const onConnectionChange = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The start of the outage; undefined while the server answers. */
export const lostConnectionAt = (): number | undefined => lostAt;

/** Checks whether the server is ready again. */
export const isServerReady = async (): Promise<boolean> => {
  try {
    const answer = await fetch('/readyz', { cache: 'no-store' });
    const body: unknown = await answer.json();
    return answer.ok && typeof body === 'object' && body !== null && 'status' in body && body.status === 'ready';
  } catch {
    return false;
  }
};

/** Ends the outage: `/readyz` has answered. */
export const noteReady = (): void => set(undefined);
