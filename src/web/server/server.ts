import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createTRPCUntypedClient, httpLink } from '@trpc/client';
import type { AnyRouter, inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { appRouter } from '../../modules/app-router.ts';
import type { publicRouter } from '../../modules/public-router.ts';
import type { entranceRouter } from '../../modules/sessions/app.ts';
import { languageNow } from '../language/language.tsx';
import { currentTeam } from '../session/current-team.ts';
import { parseExact } from './exact-json.ts';

/** What only the app has. */
export const app = callerOf<typeof appRouter>('app');

/** What the public API has, for whoever is signed in. */
export const api = callerOf<typeof publicRouter>('api');

/** Signing in, and oneself. */
export const entrance = callerOf<typeof entranceRouter>('entrance');

/** `keys.list` for the procedure `list` of the router `keys`. */
type PathOf<R> = { [N in keyof R & string]: `${N}.${keyof R[N] & string}` }[keyof R & string];

type At<R, P> = P extends `${infer N}.${infer M}`
  ? N extends keyof R
    ? M extends keyof R[N]
      ? R[N][M]
      : never
    : never
  : never;

interface Asking<Answer> {
  enabled?: boolean;
  /** Keeps the former answer on show until the new one is there. */
  keep?: boolean;
  /** Milliseconds until it is asked for again, by what it says now. */
  refetchInterval?: (answer: Answer) => number | false;
}

interface PageOf<Row> {
  data: Row[];
  next_cursor: string | null;
}
type RowOf<Answer> = Answer extends PageOf<infer Row> ? Row : never;

/** An answer whose numbers keep every digit. */
const exactly = (response: Response): Response =>
  Object.assign(response, { json: async () => parseExact(await response.text()) });

/** The hooks that ask one of the server's routers: typed by its own procedures, each named by its path. */
const callerOf = <R extends AnyRouter>(name: 'app' | 'api' | 'entrance') => {
  type Inputs = inferRouterInputs<R>;
  type Outputs = inferRouterOutputs<R>;
  type Path = PathOf<Inputs>;

  const client = createTRPCUntypedClient<typeof entranceRouter>({
    links: [
      httpLink({
        url: `/trpc/${name}`,
        fetch: async (url, { signal = null, ...options } = {}) => exactly(await fetch(url, { ...options, signal })),
        headers: () => {
          const team = currentTeam();
          return { 'Accept-Language': languageNow(), ...(team !== undefined && { 'X-Team': team }) };
        },
      }),
    ],
  });

  /** What the server says has the type that its procedure declares: both are one program, and the server checked it. */
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

  /** Whatever an answer depends on. What is one's own is the same in every team. */
  const keyOf = (path: string, input: unknown) =>
    [name, path, languageNow(), name === 'entrance' ? undefined : currentTeam(), input] as const;

  return {
    ask: query,
    do: mutate,

    /** Asks, and asks anew when something was changed. */
    useAnswer: <P extends Path>(
      path: P,
      input: At<Inputs, P>,
      { enabled, keep, refetchInterval }: Asking<At<Outputs, P>> = {},
    ) =>
      useQuery<At<Outputs, P>>({
        queryKey: keyOf(path, input),
        queryFn: ({ signal }) => query(path, input, signal),
        ...(enabled !== undefined && { enabled }),
        ...(refetchInterval && {
          refetchInterval: ({ state: { data } }) => (data === undefined ? false : refetchInterval(data)),
        }),
        ...(keep === true && { placeholderData: keepPreviousData }),
      }),

    /** A list that goes on from cursor to cursor. */
    usePages: <P extends ListPath>(
      path: P,
      input: Omit<At<Inputs, P>, 'cursor'>,
      { enabled }: { enabled?: boolean } = {},
    ) => {
      const found = useInfiniteQuery({
        queryKey: [...keyOf(path, input), 'pages'],
        queryFn: async ({ pageParam, signal }) => {
          const asked = { ...input, ...(pageParam !== '' && { cursor: pageParam }) };
          return pageOf(path, await client.query(path, asked, { signal }));
        },
        initialPageParam: '',
        getNextPageParam: (page) => page.next_cursor,
        ...(enabled !== undefined && { enabled }),
      });
      return { ...found, rows: found.data?.pages.flatMap(({ data }) => data) };
    },

    /** Changes something; whatever is on show is asked for anew, since nearly every change shows in more than one place. */
    useChange: <P extends Path>(path: P) => {
      const queries = useQueryClient();
      return useMutation<At<Outputs, P>, Error, At<Inputs, P>>({
        mutationFn: (input) => mutate(path, input),
        onSuccess: () => queries.invalidateQueries(),
      });
    },
  };
};
