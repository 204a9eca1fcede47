import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { createTRPCUntypedClient, httpLink } from '@trpc/client';
import type { AnyRouter, inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { appRouter } from '../../modules/app-router.ts';
import type { publicRouter } from '../../modules/public-router.ts';
import type { entranceRouter } from '../../modules/sign-ins/app.ts';
import { languageNow } from '../language/language.tsx';
import { loadReasons } from '../language/reasons.ts';
import { noteAwaited } from '../loading/activity.ts';
import { noteAnswer } from '../loading/connection.ts';
import { callHeaders, takeFirstAnswer } from '../loading/first-answers.ts';
import { currentTeam } from '../session/current-team.ts';
import { askForProof } from '../session/fresh-proof.ts';
import { parseExact } from './exact-json.ts';
import { problemOf } from './problem.ts';

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

/** Parses a response so that its numbers keep every digit. */
const withExactNumbers = (response: Response): Response =>
  Object.assign(response, { json: async () => parseExact(await response.text()) });

const headers = () => callHeaders(languageNow(), currentTeam());

/** A call whose failure can be shown in words. */
const withWords = async <Answer>(call: Promise<Answer>): Promise<Answer> => {
  try {
    return await call;
  } catch (error) {
    if (problemOf(error)) await loadReasons();
    throw error;
  }
};

/** Calls and hooks for one of the server's routers. A procedure is named by its path, such as `keys.list`, and typed by its declaration. */
const callerOf = <R extends AnyRouter>(name: 'app' | 'api' | 'entrance') => {
  type Inputs = inferRouterInputs<R>;
  type Outputs = inferRouterOutputs<R>;
  type Path = PathOf<Inputs>;

  const client = createTRPCUntypedClient<typeof entranceRouter>({
    links: [
      httpLink({
        url: `/trpc/${name}`,
        fetch: async (url, { signal = null, ...options } = {}) => {
          const first =
            typeof url === 'string' && options.method === 'GET' ? takeFirstAnswer(url, headers()) : undefined;
          return withExactNumbers(await noteAwaited(noteAnswer(first ?? fetch(url, { ...options, signal }))));
        },
        headers,
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
    answerTo(path, await withWords(client.query(path, input, { ...(signal && { signal }) })));
  const mutate = async <P extends Path>(path: P, input: At<Inputs, P>): Promise<At<Outputs, P>> => {
    try {
      return answerTo(path, await withWords(client.mutation(path, input)));
    } catch (error) {
      if (problemOf(error)?.code !== 'proof_required' || !(await askForProof())) throw error;
      return answerTo(path, await withWords(client.mutation(path, input)));
    }
  };

  /** The key of an answer in the cache. Answers about a person's own account are the same in every team. */
  const keyOf = (path: string, input: unknown) =>
    [name, path, languageNow(), name === 'entrance' ? undefined : currentTeam(), input] as const;

  return {
    query,
    mutate,

    /** Loads an answer for a page that is about to be shown. */
    prefetch: <P extends Path>(queries: QueryClient, path: P, input: At<Inputs, P>): Promise<void> =>
      queries.prefetchQuery({ queryKey: keyOf(path, input), queryFn: ({ signal }) => query(path, input, signal) }),

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
          return pageOf(path, await withWords(client.query(path, pageInput, { signal })));
        },
        initialPageParam: '',
        getNextPageParam: (page) => page.next_cursor,
        ...(enabled !== undefined && { enabled }),
      });
      return { ...found, rows: found.data?.pages.flatMap(({ data }) => data) };
    },

    /** Changes something, then loads all shown data again, because nearly every change is visible in several places. */
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
