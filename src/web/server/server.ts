import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createTRPCUntypedClient, httpLink } from '@trpc/client';
import type { AnyRouter, inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { appRouter } from '../../modules/app-router.ts';
import type { publicRouter } from '../../modules/public-router.ts';
import type { entranceRouter } from '../../modules/sign-ins/app.ts';
import { languageNow } from '../language/language.tsx';
import { currentTeam } from '../session/current-team.ts';
import { parseExact } from './exact-json.ts';

/** The path of a procedure: `keys.list` for the procedure `list` of the router `keys`. */
type PathOf<R> = { [N in keyof R & string]: `${N}.${keyof R[N] & string}` }[keyof R & string];

type At<R, P> = P extends `${infer N}.${infer M}`
  ? N extends keyof R
    ? M extends keyof R[N]
      ? R[N][M]
      : never
    : never
  : never;

interface QueryOptions<Answer> {
  enabled?: boolean;
  /** Shows the previous answer until the new one is loaded. */
  keepPrevious?: boolean;
  /** After how many milliseconds to load again, depending on the current answer. */
  refetchInterval?: (answer: Answer) => number | false;
}

interface PageOf<Row> {
  data: Row[];
  next_cursor: string | null;
}
type RowOf<Answer> = Answer extends PageOf<infer Row> ? Row : never;

/** Makes a response keep every digit of its numbers. */
const withExactNumbers = (response: Response): Response =>
  Object.assign(response, { json: async () => parseExact(await response.text()) });

/** Calls and hooks for one of the server's routers. A procedure is named by its path, such as `keys.list`, and typed by its declaration. */
const callerOf = <R extends AnyRouter>(name: 'app' | 'api' | 'entrance') => {
  type Inputs = inferRouterInputs<R>;
  type Outputs = inferRouterOutputs<R>;
  type Path = PathOf<Inputs>;

  const client = createTRPCUntypedClient<typeof entranceRouter>({
    links: [
      httpLink({
        url: `/trpc/${name}`,
        fetch: async (url, { signal = null, ...options } = {}) =>
          withExactNumbers(await fetch(url, { ...options, signal })),
        headers: () => {
          const team = currentTeam();
          return { 'Accept-Language': languageNow(), ...(team !== undefined && { 'X-Team': team }) };
        },
      }),
    ],
  });

  // An answer has the type that its procedure declares: app and server are released together, and the server checks its output.
  function answerTo<P extends Path>(path: P, answer: unknown): At<Outputs, P>;
  function answerTo(_path: string, answer: unknown): unknown {
    return answer;
  }
  type ListPath = { [P in Path]: At<Outputs, P> extends PageOf<unknown> ? P : never }[Path];
  function pageOf<P extends ListPath>(path: P, answer: unknown): PageOf<RowOf<At<Outputs, P>>>;
  function pageOf(_path: string, answer: unknown): unknown {
    return answer;
  }
  const query = async <P extends Path>(path: P, input: At<Inputs, P>, signal?: AbortSignal): Promise<At<Outputs, P>> =>
    answerTo(path, await client.query(path, input, { ...(signal && { signal }) }));
  const mutate = async <P extends Path>(path: P, input: At<Inputs, P>): Promise<At<Outputs, P>> =>
    answerTo(path, await client.mutation(path, input));

  /** Everything that an answer depends on. Answers about a person's own account are the same in every team. */
  const keyOf = (path: string, input: unknown) =>
    [name, path, languageNow(), name === 'entrance' ? undefined : currentTeam(), input] as const;

  return {
    query,
    mutate,

    /** Loads an answer, and loads it again after each change. */
    useQuery: <P extends Path>(
      path: P,
      input: At<Inputs, P>,
      { enabled, keepPrevious, refetchInterval }: QueryOptions<At<Outputs, P>> = {},
    ) =>
      useQuery<At<Outputs, P>>({
        queryKey: keyOf(path, input),
        queryFn: ({ signal }) => query(path, input, signal),
        ...(enabled !== undefined && { enabled }),
        ...(refetchInterval && {
          refetchInterval: ({ state: { data } }) => (data === undefined ? false : refetchInterval(data)),
        }),
        ...(keepPrevious === true && { placeholderData: keepPreviousData }),
      }),

    /** Loads a list page by page. */
    usePages: <P extends ListPath>(
      path: P,
      input: Omit<At<Inputs, P>, 'cursor'>,
      { enabled }: { enabled?: boolean } = {},
    ) => {
      const found = useInfiniteQuery({
        queryKey: [...keyOf(path, input), 'pages'],
        queryFn: async ({ pageParam, signal }) => {
          const pageInput = { ...input, ...(pageParam !== '' && { cursor: pageParam }) };
          return pageOf(path, await client.query(path, pageInput, { signal }));
        },
        initialPageParam: '',
        getNextPageParam: (page) => page.next_cursor,
        ...(enabled !== undefined && { enabled }),
      });
      return { ...found, rows: found.data?.pages.flatMap(({ data }) => data) };
    },

    /** Changes something, then loads again all that is shown: nearly every change is visible in more than one place. */
    useMutation: <P extends Path>(path: P) => {
      const queries = useQueryClient();
      return useMutation<At<Outputs, P>, Error, At<Inputs, P>>({
        mutationFn: (input) => mutate(path, input),
        onSuccess: () => queries.invalidateQueries(),
      });
    },
  };
};

/** The procedures that only the app has. */
export const app = callerOf<typeof appRouter>('app');

/** The procedures of the public API, for the signed-in person. */
export const api = callerOf<typeof publicRouter>('api');

/** Signing in, and the person's own account. */
export const entrance = callerOf<typeof entranceRouter>('entrance');
