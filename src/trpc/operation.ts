import { initTRPC } from '@trpc/server';
import type {
  AnyProcedure,
  TRPCMutationProcedure as MutationProcedure,
  TRPCQueryProcedure as QueryProcedure,
} from '@trpc/server';
import type { z } from 'zod';
import { flawsOf } from '../core/flaws.ts';
import { fail } from '../core/problem.ts';
import type { ProblemCode } from '../core/problem-catalogue.ts';
import type { AsJson } from '../core/raw-json.ts';
import type { Scope } from '../core/scopes.ts';
import { answerOnce } from '../modules/idempotency/service.ts';
import { redactorOf } from '../platform/personal.ts';
import type { Context } from './context.ts';
import { appProblem, toldAs } from './app-problem.ts';
import { needSoundInput } from './sound-input.ts';

export const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;
export type Method = (typeof methods)[number];
export type Route = `${Method} /${string}`;

/** An operation as its row in the API's tables says it. Adapter, document, docs and test matrices read this. */
export interface OperationRow<Input extends z.ZodObject, Output extends z.ZodObject, Found = undefined> {
  /** What the caller must be allowed; null asks for nothing beyond a valid key. */
  scope: Scope | null;
  /** The route tells about single people and is closed while the team hides them. */
  privacy?: 'member-detail';
  status?: 200 | 201 | 202;
  /** What it creates can be read under its own path: the answer names that in `Location`. */
  located?: true;
  /** Problems beyond those that every operation can give. */
  errors?: readonly ProblemCode[];
  summary: string;
  description: string;
  input: Input;
  output: Output;
  example: { input?: AsJson<z.input<Input>>; output: AsJson<z.output<Output>> };
  /** Its answers may be large whatever the last one was: free-form values in every row. Only of GET. */
  large?: true;
  /**
   * What only machines elsewhere can tell. Asked before any transaction is open, also by a POST that turns out to be a repeated
   * one: it refuses nothing, the operation does.
   */
  lookUp?: (call: Call<Input>) => Promise<Found>;
}

export interface OperationMeta {
  openapi: {
    method: Method;
    path: `/${string}`;
    summary: string;
    description: string;
    tags: string[];
    errorResponses: [];
  };
  operation: {
    route: Route;
    summary: string;
    description: string;
    scope: Scope | null;
    privacy?: 'member-detail';
    status: 200 | 201 | 202;
    located?: true;
    errors: readonly ProblemCode[];
    input: z.ZodObject;
    output: z.ZodObject;
    example: { input?: object; output: object };
    run: Run;
  };
}

/** Does the operation for a caller whose input is still to be read: it is read only once the caller may call. */
export type Run = (ctx: Context, readInput: () => Promise<unknown>) => Promise<unknown>;

/** The problems of an operation beyond those that every one can give. */
const problemsOf = (
  method: Method,
  row: Pick<OperationRow<z.ZodObject, z.ZodObject>, 'scope' | 'privacy' | 'errors'>,
) => {
  const codes = new Set<ProblemCode>(row.errors);
  if (row.scope !== null) codes.add('insufficient_scope');
  if (row.privacy) codes.add('privacy_restricted');
  if (method === 'POST') codes.add('conflict').add('idempotency_mismatch');
  return [...codes];
};

const kit = initTRPC
  .context<Context>()
  .meta<OperationMeta>()
  .create({
    errorFormatter: ({ error, ctx, shape }) =>
      toldAs(shape, appProblem(error, ctx?.language ?? 'de', ctx?.team.requestId ?? '')),
  });

export const { router } = kit;

const isMethod = (text: string): text is Method => methods.some((method) => method === text);

const splitRoute = (route: Route): { method: Method; path: `/${string}` } => {
  const [method = '', path = ''] = route.split(' ');
  if (!isMethod(method) || !path.startsWith('/')) throw new Error(`not a route: ${route}`);
  return { method, path: `/${path.slice(1)}` };
};

const tagOf = (path: string): string => path.split('/')[1] ?? '';

interface Call<Input extends z.ZodObject> {
  ctx: Context;
  input: z.output<Input>;
}

/** What the operation does, once everything that its row asks for holds. */
type Act<Input extends z.ZodObject, Output extends z.ZodObject, Found = undefined> = (
  call: Call<Input> & { found: Found },
) => Promise<z.input<Output>> | z.input<Output>;

interface Types<Input extends z.ZodObject, Output extends z.ZodObject> {
  input: z.input<Input>;
  output: z.output<Output>;
  meta: OperationMeta;
}

/**
 * The one builder of public operations. It adds what no operation may forget, in this order: the scope, the privacy
 * switch, the strict input, doing a repeated POST only once, the checked output, and taking out what is personal.
 *
 * It makes a tRPC procedure, for the app, and beside it `run`, the same steps for the REST adapter: tRPC copies its options
 * at every step, which costs a small request as much as everything else that this process does for it.
 */
export function operation<Input extends z.ZodObject, Output extends z.ZodObject, Found = undefined>(
  route: `GET /${string}`,
  row: OperationRow<Input, Output, Found>,
  act: Act<Input, Output, Found>,
): QueryProcedure<Types<Input, Output>>;
export function operation<Input extends z.ZodObject, Output extends z.ZodObject, Found = undefined>(
  route: `${Exclude<Method, 'GET'>} /${string}`,
  row: OperationRow<Input, Output, Found>,
  act: Act<Input, Output, Found>,
): MutationProcedure<Types<Input, Output>>;
export function operation(
  route: Route,
  row: OperationRow<z.ZodObject, z.ZodObject, unknown>,
  act: Act<z.ZodObject, z.ZodObject, unknown>,
): AnyProcedure {
  const { method, path } = splitRoute(route);
  const { scope, privacy, summary, description, input, output, lookUp } = row;
  const redact = redactorOf(output);

  const admit = ({ principal, team }: Context): void => {
    if (scope !== null && !principal.scopes.has(scope)) {
      fail('insufficient_scope', { required_scope: scope, detail: `This operation needs the scope ${scope}.` });
    }
    if (privacy && !team.privacy.memberDetail) fail('privacy_restricted');
  };

  const answerWith = (ctx: Context, values: Record<string, unknown>, found: unknown) => {
    const { repeatable } = ctx;
    if (method !== 'POST' || !repeatable) return act({ ctx, input: values, found });
    return answerOnce(ctx.team, repeatable, async (team) => act({ ctx: { ...ctx, team }, input: values, found }));
  };

  const answer = (ctx: Context, values: Record<string, unknown>): unknown =>
    lookUp
      ? lookUp({ ctx, input: values }).then((found) => answerWith(ctx, values, found))
      : answerWith(ctx, values, undefined);

  const present = (ctx: Context, full: unknown) => {
    const checked = output.parse(full);
    return redact && !ctx.team.privacy.memberDetail ? redact(checked) : checked;
  };

  /** A read whose answers are large takes one of the team's places; what changes something is bounded by itself. */
  const answerInPlace = async (ctx: Context, values: Record<string, unknown>): Promise<unknown> =>
    method === 'GET'
      ? ctx.team.platform.largeReads.read(
          { teamId: ctx.team.id, name: route, alwaysLarge: row.large === true, answering: ctx.answering },
          () => ctx.team.platform.database.reading(ctx.team.id, async () => answer(ctx, values)),
        )
      : answer(ctx, values);

  const run: Run = async (ctx, readInput) => {
    admit(ctx);
    const read = input.safeParse(await readInput());
    if (!read.success) return fail('validation_error', { errors: flawsOf(read.error) });
    return present(ctx, await answerInPlace(ctx, read.data));
  };

  const procedure = kit.procedure
    .meta({
      openapi: { method, path, summary, description, tags: [tagOf(path)], errorResponses: [] },
      operation: { ...row, route, errors: problemsOf(method, row), status: row.status ?? 200, run },
    })
    .use(async ({ ctx, getRawInput, next }) => {
      admit(ctx);
      await needSoundInput(getRawInput);
      return next();
    })
    .input(input)
    .output(output);
  const resolve = async ({ ctx, input: values }: Call<z.ZodObject>) =>
    output.parse(present(ctx, await answerInPlace(ctx, values)));
  return method === 'GET' ? procedure.query(resolve) : procedure.mutation(resolve);
}
