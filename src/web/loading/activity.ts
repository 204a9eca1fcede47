import { useEffect, useSyncExternalStore } from 'react';

// Requests for which a person waits: they began right after a click or a key. Requests that the app makes by itself do not count.

const msAfterInput = 1_000;

let inputAt = -Infinity;
let awaited = 0;
const listeners = new Set<() => void>();

const note = (): void => {
  inputAt = performance.now();
};
for (const event of ['click', 'keydown', 'change']) addEventListener(event, note, { capture: true, passive: true });

const count = (change: 1 | -1): void => {
  awaited += change;
  for (const listener of listeners) listener();
};

/** Counts a request as awaited until it ends, if the person has just clicked or typed. */
export const noteAwaited = async <Answer>(request: Promise<Answer>): Promise<Answer> => {
  if (performance.now() - inputAt > msAfterInput) return request;
  count(1);
  try {
    return await request;
  } finally {
    count(-1);
  }
};

/** Counts as awaited while the component is mounted. */
export const useAwaiting = (): void =>
  useEffect(() => {
    count(1);
    return () => count(-1);
  }, []);

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Whether a person waits for an answer of the server. */
export const useIsAwaited = (): boolean => useSyncExternalStore(subscribe, () => awaited > 0);
