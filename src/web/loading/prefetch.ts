import type { QueryClient } from '@tanstack/react-query';
import type { LazyComponent } from './lazy.tsx';

// Loads pages before they are opened: their code, and the data that they loaded the last time. Never for people who save data.

declare global {
  interface Navigator {
    /** Not all browsers support this. */
    connection?: { saveData?: boolean; effectiveType?: string };
  }
}

/** Whether to load a page that is about to be opened, because the pointer is on its link. */
export const mayLoadNext = (): boolean => navigator.connection?.saveData !== true;

/** Whether to load pages that may be opened later. On a slow connection this would delay the current page. */
const mayLoadMore = (): boolean => mayLoadNext() && /^(?:4g)?$/.test(navigator.connection?.effectiveType ?? '');

/** The queries of each path's page, by their hashes. */
const queriesOf = new Map<string, Set<string>>();

/** Records the queries of each page. Returns a function that stops it. */
export const watchQueries = (queries: QueryClient): (() => void) =>
  queries.getQueryCache().subscribe((event) => {
    if (event.type !== 'observerAdded') return;
    const { pathname } = location;
    const known = queriesOf.get(pathname) ?? new Set();
    queriesOf.set(pathname, known.add(event.query.queryHash));
  });

const freshForMs = 10_000;

/** Loads a page that is probably opened next. */
export const prefetchPage = (queries: QueryClient, path: string, { preload }: LazyComponent): void => {
  if (!mayLoadNext()) return;
  void preload();
  for (const hash of queriesOf.get(path) ?? []) {
    const query = queries.getQueryCache().get(hash);
    const isKnown = query?.options.queryFn !== undefined && query.state.fetchStatus === 'idle';
    if (isKnown && query.isStaleByTime(freshForMs)) void query.fetch().catch(() => undefined);
  }
};

const quietMs = 4_000;

/** Loads code piece by piece while the browser is idle and loading is allowed. Returns a function that stops it. */
export const prefetchWhenIdle = (
  parts: readonly { preload: () => Promise<void> }[],
  mayLoad = mayLoadMore,
): (() => void) => {
  let isEnded = false;
  const whenIdle = (): Promise<void> =>
    new Promise((resolve) =>
      'requestIdleCallback' in window ? requestIdleCallback(() => resolve()) : setTimeout(resolve, 200),
    );
  const loadAll = async (): Promise<void> => {
    for (const { preload } of parts) {
      await whenIdle();
      if (isEnded || !mayLoad()) return;
      await preload();
    }
  };
  const timer = setTimeout(() => void loadAll(), quietMs);
  return () => {
    isEnded = true;
    clearTimeout(timer);
  };
};
