import { useSyncExternalStore } from 'react';
import { problemOf } from './problem.ts';

// During maintenance the server refuses every call. The app then covers its pages, whose forms keep their contents, and polls until
// the server is back.

let isOn = false;
const listeners = new Set<() => void>();

const set = (on: boolean): void => {
  if (on === isOn) return;
  isOn = on;
  for (const listener of listeners) listener();
};

/** Covers the app if a call failed because of maintenance. */
export const noteFailure = (error: unknown): void => {
  if (problemOf(error)?.maintenance === true) set(true);
};

/** Asks the server whether it is ready again. */
const isBack = async (): Promise<boolean> => {
  try {
    const answer = await fetch('/readyz', { cache: 'no-store' });
    const body: unknown = await answer.json();
    return answer.ok && typeof body === 'object' && body !== null && 'status' in body && body.status === 'ready';
  } catch {
    return false;
  }
};

/** A random pause, so that not all browsers come back at the same moment. */
const pauseMs = (): number => 3_000 + Math.random() * 3_000;

/** Polls until the server is back, then calls `onBack`. Returns a function that stops polling. */
export const waitForServer = (onBack: () => void): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isEnded = false;
  const ask = async (): Promise<void> => {
    const back = await isBack();
    if (isEnded) return;
    if (!back) {
      timer = setTimeout(() => void ask(), pauseMs());
      return;
    }
    set(false);
    onBack();
  };
  timer = setTimeout(() => void ask(), pauseMs());
  return () => {
    isEnded = true;
    clearTimeout(timer);
  };
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useMaintenance = (): boolean => useSyncExternalStore(subscribe, () => isOn);
