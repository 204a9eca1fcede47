import { initTRPC, TRPCError } from '@trpc/server';
import type {
  AnyProcedure,
  AnyRouter,
  TRPCMutationProcedure as MutationProcedure,
  TRPCQueryProcedure as QueryProcedure,
} from '@trpc/server';
import type { z } from 'zod';
import { fail, Problem, refusalOfField } from '../core/problem.ts';
import type { ProblemCode } from '../core/problem.ts';
import type { AsJson } from '../core/raw-json.ts';
import type { Scope } from '../core/scopes.ts';
import { flawsOfValue } from '../core/storable.ts';
import { redactorOf } from '../platform/personal.ts';
import { appProblem, errorShapeOf } from './app-problem.ts';
import type { Need } from '../platform/team.ts';
import type { KeyContext, PersonContext, VisitContext, Visitor } from './context.ts';

// The one builder of procedures. Each names its audience and gets the steps that no procedure of that audience may skip:
//
//   audience   called by                  admission                       around the action
//   key        keys over REST, the app    scope, privacy switch           idempotency of POST; places for reads
//   person     the app                    a need, met by role and rights  places for reads
//   anyone     the app's entrance         none                            budgets of changes
//
// The steps run in this order: admission, a check of the raw input, the strict input, the action, the checked output, and the removal of
// personal fields. The REST adapter and /trpc both call the procedure, so there is no other way to run an action.

export const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;
export type Method = (typeof methods)[number];
export type Route = `${Method} /${string}`;

interface Row<Input extends z.ZodObject, Output extends z.ZodObject> {
  summary: string;
  input: Input;
  output: Output;
}

/** A public operation, as a row of the API's tables. Adapter, document, docs and test matrices read it. */
interface KeyRow<Input extends z.ZodObject, Output extends z.ZodObject, Found> extends Row<Input, Output> {
  audience: 'key';
  /** A verb and a resource, such as `listTrainings`. Generated clients name their methods after it. */
  operationId: string;
  /** The scope that the caller needs; null if every valid key may call it. */
  scope: Scope | null;
  /** The answer is about individual people, so it is refused while member details are off. */
  privacy?: 'member-detail';
  status?: 200 | 201 | 202;
  /** The created resource has a path of its own, which the answer's `Location` contains. */
  located?: true;
  /** Problems in addition to those of every operation. */
  errors?: readonly ProblemCode[];
  description: string;
  example: { input?: AsJson<z.input<Input>>; output: AsJson<z.output<Output>> };
  /** The answers may be large, even if the last one was small, because rows have free-form values. Only for GET. */
  large?: true;
  /**
   * Slow I/O (DNS) that must run before the transaction starts. It also runs for repeated requests, and it must not throw: refusals belong
   * into the action. For a GET: waiting, before the read gets its place among the team's reads. It may throw.
   */
  lookUp?: (call: KeyCall<Input>) => Promise<Found>;
}

interface PersonRow<Input extends z.ZodObject, Output extends z.ZodObject> extends Row<Input, Output> {
  audience: 'person';
  needs: Need;
  /**
   * Refuses with `proof_required` unless the person has shown their password or a passkey in this session a short time ago: for what a thief
   * of a session must not do. A function says for which inputs.
   */
  freshProof?: true | ((call: PersonCall<Input>) => boolean | Promise<boolean>);
  /** Also for a team that is suspended or has ended, until the deletion of its data starts. */
  whileInactive?: true;
  /** The answers may be large, even if the last one was small, because rows have free-form values. Only for queries. */
  large?: true;
}

/** A procedure about the signed-in person's own account. It needs no team. */
interface AccountRow<Input extends z.ZodObject, Output extends z.ZodObject> extends Row<Input, Output> {
  audience: 'person';
  needs: 'sign-in';
  /** As for procedures of a team, for every input. */
  freshProof?: true;
  /** It hashes a password, which needs a place in the queue for that. Only for mutations. */
  hashes?: true;
  /** It ends access that may be stolen (signing out, a new password). Each session has its own budget for these. Only for mutations. */
  safety?: true;
}

interface VisitRow<Input extends z.ZodObject, Output extends z.ZodObject> extends Row<Input, Output> {
  audience: 'anyone';
  /** It hashes a password, which needs a place in the queue for that. Only for mutations. */
  hashes?: true;
  /** It ends access that may be stolen (signing out, a new password). Each session has its own budget for these. Only for mutations. */
  safety?: true;
}

type AnyKeyRow = KeyRow<z.ZodObject, z.ZodObject, unknown>;
type AnyPersonRow = PersonRow<z.ZodObject, z.ZodObject>;
type AnyEntranceRow = VisitRow<z.ZodObject, z.ZodObject> | AccountRow<z.ZodObject, z.ZodObject>;

/** The metadata of a public operation: `openapi` is for trpc-to-openapi, `operation` for everything else. */
export interface OperationMeta {
  openapi: {
    method: Method;
    path: `/${string}`;
    operationId: string;
    summary: string;
    description: string;
    tags: string[];
    errorResponses: [];
  };
  operation: AnyKeyRow & { route: Route; errors: readonly ProblemCode[]; status: 200 | 201 | 202 };
}

/** The metadata of a procedure for persons of a team. */
export interface AppMeta {
  operation: AnyPersonRow;
}

type Meta = OperationMeta | AppMeta | { operation: AnyEntranceRow };

/** The values of a call, checked and converted by the input's schema. */
interface Given<Input extends z.ZodObject> {
  input: z.output<Input>;
}
interface KeyCall<Input extends z.ZodObject> extends Given<Input> {
  ctx: KeyContext;
}
interface PersonCall<Input extends z.ZodObject> extends Given<Input> {
  ctx: PersonContext;
}
interface VisitCall<Input extends z.ZodObject, V extends Visitor> extends Given<Input> {
  visitor: V;
  asStranger: VisitContext['asStranger'];
}
interface AccountCall<Input extends z.ZodObject, V extends Visitor> extends VisitCall<Input, V> {
  signedIn: NonNullable<Awaited<ReturnType<V['signedIn']>>>;
}

type Act<Call, Output extends z.ZodObject> = (call: Call) => Promise<z.input<Output>> | z.input<Output>;

type Kind = 'query' | 'mutation';

interface Types<Input extends z.ZodObject, Output extends z.ZodObject> {
  input: z.input<Input>;
  output: z.output<Output>;
  meta: Meta;
}

type ProcedureOf<Start, Input extends z.ZodObject, Output extends z.ZodObject> = Start extends
  | 'query'
  | `GET /${string}`
  ? QueryProcedure<Types<Input, Output>>
  : MutationProcedure<Types<Input, Output>>;

type AnyContext = KeyContext | PersonContext | VisitContext;

const readerOf = (ctx: AnyContext) =>
  'visitor' in ctx
    ? { language: ctx.visitor.language, requestId: ctx.requestId }
    : { language: ctx.language, requestId: ctx.team.requestId ?? '' };

const kitFor = <Context extends AnyContext>() =>
  initTRPC
    .context<Context>()
    .meta<Meta>()
    .create({
      errorFormatter: ({ error, ctx, shape }) => {
        const { language, requestId } = ctx ? readerOf(ctx) : { language: 'de' as const, requestId: '' };
        return errorShapeOf(shape, appProblem(error, language, requestId));
      },
    });

const kit = kitFor<AnyContext>();

/** A router of public operations. */
export const { router } = kitFor<KeyContext>();

/** A router of the app's own procedures, for persons of a team. */
export const appRouterOf = kitFor<PersonContext>().router;

/**
 * The steps that differ between audiences. They are methods, because methods may narrow the types of their parameters: the type of the
 * router decides which context a procedure gets.
 */
interface Steps {
  kind: Kind;
  meta: Meta;
  /** Refuses a caller before the input is read. */
  admit(this: void, ctx: AnyContext): void;
  /** Runs the action with what its audience adds around it. */
  run(this: void, ctx: AnyContext, input: unknown): Promise<unknown>;
}

/** Refuses values that no field may have, before the schema is checked. */
const examine = (raw: unknown): void => {
  const errors = flawsOfValue(raw);
  const [first] = errors;
  if (!first) return;
  throw new TRPCError({
    code: 'BAD_REQUEST',
    message: first.message,
    cause: new Problem('validation_error', { errors }),
  });
};

const parsed = (input: z.ZodObject, raw: unknown): Record<string, unknown> => {
  const read = input.safeParse(raw);
  if (read.success) return read.data;
  throw new TRPCError({ code: 'BAD_REQUEST', cause: refusalOfField(read.error) ?? read.error });
};

/**
 * Everything except the action is one step for tRPC, because tRPC copies the call's options at each step: with `.input()` and `.output()` as
 * separate steps a call takes 15 µs of CPU instead of 7. The schemas are still declared for tools that read them, such as trpc-to-openapi.
 */
const build = ({ kind, meta, admit, run }: Steps): AnyProcedure => {
  const { input, output } = meta.operation;
  const redact = redactorOf(output);
  const steps = kit.procedure.meta(meta).use(async ({ ctx, getRawInput, next }) => {
    admit(ctx);
    const raw = await getRawInput();
    if (!('isExamined' in ctx && ctx.isExamined === true)) examine(raw);
    const result = await next({ input: parsed(input, raw) });
    if (!result.ok) return result;
    const checked = output.parse(result.data);
    const hides = redact && 'team' in ctx && !ctx.team.privacy.memberDetail;
    return { ...result, data: hides ? redact(checked) : checked };
  });
  const resolve = ({ ctx, input: values }: { ctx: AnyContext; input: unknown }) => run(ctx, values);
  const procedure = kind === 'query' ? steps.query(resolve) : steps.mutation(resolve);
  Object.assign(procedure._def, { inputs: [input], output });
  return procedure;
};

interface Read {
  /** Reads with the same name have answers of about the same size. */
  name: string;
  alwaysLarge: boolean;
}

/** Runs a read in one of the team's places. Large answers have few places, and all reads share the connections with other teams. */
const inPlace = (
  { team, answering }: KeyContext | PersonContext,
  { name, alwaysLarge }: Read,
  read: () => Promise<unknown>,
): Promise<unknown> => {
  const { largeReads, database } = team.platform;
  return largeReads.read({ teamId: team.id, name, alwaysLarge, answering }, () => database.reading(team.id, read));
};

const isMethod = (text: string): text is Method => methods.some((method) => method === text);

const splitRoute = (route: string): { method: Method; path: `/${string}` } => {
  const [method = '', path = ''] = route.split(' ');
  if (!isMethod(method) || !path.startsWith('/')) throw new Error(`not a route: ${route}`);
  return { method, path: `/${path.slice(1)}` };
};

const tagOf = (path: string): string => path.split('/')[1] ?? '';

/** The problems of an operation in addition to those of every operation. */
const problemsOf = (method: Method, row: Pick<AnyKeyRow, 'scope' | 'privacy' | 'errors'>): ProblemCode[] => {
  const codes = new Set<ProblemCode>(row.errors);
  if (row.scope !== null) codes.add('insufficient_scope');
  if (row.privacy) codes.add('privacy_restricted');
  if (method === 'POST') codes.add('conflict').add('idempotency_mismatch');
  return [...codes];
};

const requireFreshProof = (isFresh: boolean): void => {
  if (!isFresh)
    throw new TRPCError({ code: 'PRECONDITION_FAILED', message: 'This needs a fresh password or passkey.' });
};

/** An action of any audience. It is a method, like `Steps`: the steps of an audience call it with that audience's call. */
interface Action {
  act(this: void, call: AnyCall): unknown;
}
type AnyAct = Action['act'];
type AnyCall =
  | { ctx: KeyContext; input: unknown; found: unknown }
  | { ctx: PersonContext; input: unknown }
  | { visitor: Visitor; asStranger: VisitContext['asStranger']; input: unknown; signedIn?: unknown };

const forKeys = (route: string, row: AnyKeyRow, act: AnyAct): Steps => {
  const { method, path } = splitRoute(route);
  const { operationId, scope, privacy, summary, description, lookUp } = row;

  const read = { name: `${method} ${path}`, alwaysLarge: row.large === true };

  const answer = async (ctx: KeyContext, input: Record<string, unknown>, found: unknown): Promise<unknown> => {
    if (method === 'GET') return inPlace(ctx, read, async () => act({ ctx, input, found }));
    const { once } = ctx;
    if (method !== 'POST' || !once) return act({ ctx, input, found });
    return once(async (team) => act({ ctx: { ...ctx, team }, input, found }));
  };

  return {
    kind: method === 'GET' ? 'query' : 'mutation',
    meta: {
      openapi: { method, path, operationId, summary, description, tags: [tagOf(path)], errorResponses: [] },
      operation: { ...row, route: `${method} ${path}`, errors: problemsOf(method, row), status: row.status ?? 200 },
    },
    admit({ principal, team }: KeyContext) {
      if (scope !== null && !principal.scopes.has(scope)) {
        fail('insufficient_scope', { required_scope: scope, detail: `This operation needs the scope ${scope}.` });
      }
      if (privacy && !team.privacy.memberDetail) fail('privacy_restricted');
    },
    async run(ctx: KeyContext, input: Record<string, unknown>) {
      return answer(ctx, input, lookUp && (await lookUp({ ctx, input })));
    },
  };
};

const forPersons = (kind: Kind, row: AnyPersonRow, act: AnyAct): Steps => ({
  kind,
  meta: { operation: row },
  admit({ refusalOf, hasFreshProof }: PersonContext) {
    const refusal = refusalOf(row.needs);
    if (refusal !== undefined) throw new TRPCError({ code: 'FORBIDDEN', message: refusal });
    if (row.freshProof === true) requireFreshProof(hasFreshProof);
  },
  async run(ctx: PersonContext, input: Record<string, unknown>) {
    const { freshProof } = row;
    if (typeof freshProof === 'function' && (await freshProof({ ctx, input }))) requireFreshProof(ctx.hasFreshProof);
    if (kind === 'mutation') return act({ ctx, input });
    return inPlace(ctx, { name: row.summary, alwaysLarge: row.large === true }, async () => act({ ctx, input }));
  },
});

const forVisitors = (kind: Kind, row: AnyEntranceRow, act: AnyAct): Steps => ({
  kind,
  meta: { operation: row },
  admit() {},
  async run({ visitor, asStranger, change, hasFreshProof }: VisitContext, input) {
    const action = async () => {
      const call = { visitor, asStranger, input };
      if (row.audience === 'anyone') return act(call);
      const signedIn = (await visitor.signedIn()) ?? fail('unauthorized');
      if (row.freshProof === true) requireFreshProof(hasFreshProof(signedIn));
      return act({ ...call, signedIn });
    };
    return kind === 'query' ? action() : change({ hashes: row.hashes === true, safety: row.safety === true }, action);
  },
});

const make = (start: Route | Kind, row: AnyKeyRow | AnyPersonRow | AnyEntranceRow, act: AnyAct): AnyProcedure => {
  const kind = start === 'query' ? 'query' : 'mutation';
  switch (row.audience) {
    case 'key':
      return build(forKeys(start, row, act));
    case 'person':
      return build(row.needs === 'sign-in' ? forVisitors(kind, row, act) : forPersons(kind, row, act));
    case 'anyone':
      return build(forVisitors(kind, row, act));
    default:
      throw new Error(`${start}: a procedure names its audience`);
  }
};

/**
 * Makes a procedure for keys, or for persons of a team.
 *
 * @param start the route of a public operation; for all others, whether it only reads
 * @param row its metadata, the audience first
 * @param act its action, which runs after all checks of the row
 */
export function operation<
  Start extends Route,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Found = undefined,
>(
  start: Start,
  row: KeyRow<Input, Output, Found>,
  act: Act<KeyCall<Input> & { found: Found }, Output>,
): ProcedureOf<Start, Input, Output>;
export function operation<Start extends Kind, Input extends z.ZodObject, Output extends z.ZodObject>(
  start: Start,
  row: PersonRow<Input, Output>,
  act: Act<PersonCall<Input>, Output>,
): ProcedureOf<Start, Input, Output>;
export function operation(
  start: Route | Kind,
  row: AnyKeyRow | AnyPersonRow,
  act: (call: never) => unknown,
): AnyProcedure {
  return make(start, row, act);
}

/** The same for procedures without a team, for the module sign-ins and its type of visitor. */
export const entranceFor = <V extends Visitor>() => {
  function visitOperation<Start extends Kind, Input extends z.ZodObject, Output extends z.ZodObject>(
    start: Start,
    row: VisitRow<Input, Output>,
    act: Act<VisitCall<Input, V>, Output>,
  ): ProcedureOf<Start, Input, Output>;
  function visitOperation<Start extends Kind, Input extends z.ZodObject, Output extends z.ZodObject>(
    start: Start,
    row: AccountRow<Input, Output>,
    act: Act<AccountCall<Input, V>, Output>,
  ): ProcedureOf<Start, Input, Output>;
  function visitOperation(start: Kind, row: AnyEntranceRow, act: (call: never) => unknown): AnyProcedure {
    return make(start, row, act);
  }
  return { operation: visitOperation, router: kitFor<VisitContext<V>>().router };
};

type AnyAppRow = AnyPersonRow | AnyEntranceRow;

const isAppMeta = (meta: unknown): meta is { operation: AnyAppRow } =>
  typeof meta === 'object' && meta !== null && 'operation' in meta && !('openapi' in meta);

const namesWhere = (routerOfAll: AnyRouter, isMeant: (row: AnyAppRow) => boolean): ReadonlySet<string> =>
  new Set(
    Object.entries<AnyProcedure>(routerOfAll._def.procedures).flatMap(([name, { _def }]) => {
      const meta: unknown = _def.meta;
      return isAppMeta(meta) && isMeant(meta.operation) ? [name] : [];
    }),
  );

/** The names of a router's procedures that are marked as `safety`. */
export const safetyCallsOf = (routerOfAll: AnyRouter): ReadonlySet<string> =>
  namesWhere(routerOfAll, (row) => 'safety' in row && row.safety);

/** The names of a router's procedures that are marked as `whileInactive`. */
export const callsWhileInactiveOf = (routerOfAll: AnyRouter): ReadonlySet<string> =>
  namesWhere(routerOfAll, (row) => 'whileInactive' in row && row.whileInactive);

/** A public operation of a router. */
export interface Operation extends OperationMeta {
  /** The procedure's name in the router, such as `members.list`. */
  name: string;
  procedure: AnyProcedure;
}

const isOperationMeta = (meta: unknown): meta is OperationMeta =>
  typeof meta === 'object' && meta !== null && 'operation' in meta && 'openapi' in meta;

/** All public operations of a router. The adapter, the OpenAPI document and the test matrices are made from this list. */
export const operationsOf = (routerOfAll: AnyRouter): Operation[] =>
  Object.entries<AnyProcedure>(routerOfAll._def.procedures).map(([name, procedure]) => {
    const meta: unknown = procedure._def.meta;
    if (!isOperationMeta(meta)) throw new Error(`${name} has no route: its audience is not 'key'`);
    return { name, procedure, ...meta };
  });
