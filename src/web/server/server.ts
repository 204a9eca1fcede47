import {
  hashKey,
  MutationCache,
  QueryCache,
  QueryClient,
  useInfiniteQuery,
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
} from '@tanstack/react-query';
import { createTRPCClient } from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import type { appRouter } from '../../modules/app-router.ts';
import type { publicRouter } from '../../modules/public-router.ts';
import type { entranceRouter } from '../../modules/sign-ins/app.ts';
import { currentLanguage } from '../language/language.tsx';
import { currentTeam } from '../session/current-team.ts';
import { answerKey } from './answer-key.ts';
import { linksTo } from './links.ts';
import { noteFailure } from './availability.ts';
import { problemOf } from './problem.ts';
import { isTriedAgain, retryDelay } from './retries.ts';

/** After `unauthorized`, loads the signed-in person again: `SignedInOnly` then opens the sign-in page. */
const onError = (error: unknown): void => {
  noteFailure(error);
  if (problemOf(error)?.code === 'unauthorized') void queries.invalidateQueries(entrance.entrance.who.queryFilter());
};

const queryKeyHashFn = (key: QueryKey): string =>
  hashKey(answerKey(key, { language: currentLanguage(), team: currentTeam() }));

/** For a figure that is loaded repeatedly while the page is open and visible. */
export const whileOpen = { refetchInterval: 30_000 } as const;

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      queryKeyHashFn,
      staleTime: 10_000,
      retry: isTriedAgain,
      retryDelay,
      // Without a connection, requests fail at once and the page says so, instead of waiting silently.
      networkMode: 'always',
    },
    mutations: {
      networkMode: 'always',
      // Loads all shown data again, because nearly every change is visible in several places. A mutation can have its
      // own `onSuccess` instead.
      onSuccess: () => queries.invalidateQueries(),
    },
  },
});

/** The inputs and answers of the procedures, by router and name. */
export type AppInputs = inferRouterInputs<typeof appRouter>;
export type AppOutputs = inferRouterOutputs<typeof appRouter>;
export type ApiOutputs = inferRouterOutputs<typeof publicRouter>;
export type EntranceOutputs = inferRouterOutputs<typeof entranceRouter>;

/** Calls outside of TanStack Query, for each of the server's routers. */
export const client = {
  app: createTRPCClient<typeof appRouter>({ links: linksTo('app') }),
  api: createTRPCClient<typeof publicRouter>({ links: linksTo('api') }),
  entrance: createTRPCClient<typeof entranceRouter>({ links: linksTo('entrance') }),
};

interface WithKeyPrefix {
  keyPrefix: true;
}

export const app = createTRPCOptionsProxy<typeof appRouter, WithKeyPrefix>({
  queryClient: queries,
  client: client.app,
  keyPrefix: 'app',
});

/** The procedures of the public API, for the signed-in person. */
export const api = createTRPCOptionsProxy<typeof publicRouter, WithKeyPrefix>({
  queryClient: queries,
  client: client.api,
  keyPrefix: 'api',
});

/** Signing in, and the person's own account. */
export const entrance = createTRPCOptionsProxy<typeof entranceRouter, WithKeyPrefix>({
  queryClient: queries,
  client: client.entrance,
  keyPrefix: 'entrance',
});

interface PageOf<Row> {
  data: Row[];
  next_cursor: string | null;
}

/** For the `infiniteQueryOptions` of a list. */
export const nextPage = { getNextPageParam: (page: PageOf<unknown>) => page.next_cursor };

/** Loads a list page by page. */
export const usePages = <Row, Failure, Key extends QueryKey>(
  list: UseInfiniteQueryOptions<PageOf<Row>, Failure, InfiniteData<PageOf<Row>, string | null>, Key, string | null>,
) => {
  const found = useInfiniteQuery(list);
  return { ...found, rows: found.data?.pages.flatMap(({ data }) => data) };
};
