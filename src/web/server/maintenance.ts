import { useSyncExternalStore } from 'react';
import { isServerReady, noteLostConnection } from '../loading/connection.ts';
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

/**
 * Covers the app if a call failed because of maintenance. If the server stops or has lost its database, that counts as an outage instead.
 */
export const noteFailure = (error: unknown): void => {
  const problem = problemOf(error);
  if (problem?.maintenance === true) set(true);
  else if (problem?.code === 'unavailable') noteLostConnection();
};

/** A random pause, so that not all browsers return at the same moment. */
const pauseMs = (): number => 3_000 + Math.random() * 3_000;

/** Polls until the server is back, then calls `onBack`. Returns a function that stops polling. */
export const waitForServer = (onBack: () => void): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isEnded = false;
  const ask = async (): Promise<void> => {
    const back = await isServerReady();
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
