import {
  initTRPC,
  TRPCError,
  type AnyProcedure,
  type AnyRouter,
  type TRPCCreateRouterOptions,
  type TRPCDefaultErrorShape,
} from '@trpc/server';
import type { OpenApiMeta } from 'trpc-to-openapi';
import { z } from 'zod';
import { accessMessages } from '../../core/messages/people.ts';
import { isRecord } from '../../core/json.ts';
import { refusalOfField } from '../../core/flaws.ts';
import { fail, Problem, type ProblemCode, type SpokenFlaw } from '../../core/problem.ts';
import type { Scope } from '../../core/scopes.ts';
import { flawsOfValue } from '../../core/storable.ts';
import { forTeam } from '../../db/row-security.ts';
import { redactorOf } from '../values.ts';
import type { Need, Team } from '../team.ts';
import { appProblem, errorShapeOf, NotAllowed } from './app-problem.ts';
import type { InTeam, KeyContext, PersonContext } from './context.ts';

// The procedures from which modules make theirs. Their middlewares read the metadata and run for every call:
//
//   procedure         called by                  admission
//   apiKeyProcedure   keys over REST, the app    scope, privacy switch
//   personProcedure   the app                    a need, met by role and rights; a fresh proof
//                                                (adminProcedure and the like are personProcedure with a need)
//
// Then they check the raw input, and a read waits for a slot. After that come the procedure's own `.input()`, its
// action and `.output()`. At the end personal fields are removed from the answer. The REST adapter and /trpc both call
// the procedure, so there is no other way to run an action. The procedures that need no team are in modules/sign-ins.

// The metadata of public operations, the procedures with a REST path. It is all that the REST adapter, the OpenAPI
// document, the docs, the tools of assistants and the test matrices know about them.

const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];
type Route = `${Method} /${string}`;

type Example = Readonly<Record<string, unknown>>;

/** The scope and the privacy setting without which a call is refused. */
interface CallNeeds {
  scope?: Scope;
  /** The answer is about individual people, so it is refused while member details are off. */
  privacy?: 'member-detail';
}

/**
 * A query parameter whose value decides what a call needs in addition to the needs of every call of the operation.
 */
interface NeedsByValue {
  parameter: string;
  needs: Readonly<Record<string, CallNeeds>>;
}

interface OperationDeclaration {
  /** A verb and a resource, such as `listTrainings`. Generated clients name their methods after it. */
  operationId: string;
  /** The scope that the caller needs; null if every valid key may call it. */
  scope: Scope | null;
  /** The answer is about individual people, so it is refused while member details are off. */
  privacy?: 'member-detail';
  needsBy?: NeedsByValue;
  status?: 200 | 201 | 202;
  /** The created resource has a path of its own, which is the answer's `Location`. */
  located?: true;
  /** The field of the body with a list of items. The action reads each item, and answers it, separately. */
  itemsIn?: string;
  /** Problems in addition to those that every operation has, and to `not_found`, which every path with an id has. */
  errors?: readonly ProblemCode[];
  summary: string;
  description: string;
  /** A test checks that the example is valid. */
  example: { input?: Example; output: Example };
  /** The answers may be large, even if the last one was small, because rows have free-form values. Only for GET. */
  large?: true;
  /**
   * A call gives a page of an export (`listExportOf`). Over REST the answer has all pages, as lines of JSON: the adapter
   * calls the procedure for each.
   */
  streamed?: true;
}

type OpenApi = NonNullable<OpenApiMeta['openapi']>;

/** The metadata of an operation for keys. An operation of another protocol than REST has only these fields. */
export interface KeyOperationMeta extends OpenApiMeta<object> {
  operation: Pick<OperationDeclaration, 'scope' | 'privacy' | 'needsBy' | 'itemsIn' | 'large'> & {
    /** The operation's name in refusals and limits. */
    route: string;
  };
}

/** The metadata of a public operation: `openapi` is for trpc-to-openapi, `operation` for everything else. */
export interface OperationMeta extends KeyOperationMeta {
  openapi: OpenApi & Required<Pick<OpenApi, 'operationId' | 'summary' | 'description' | 'tags'>> & { method: Method };
  operation: OperationDeclaration & { route: Route; errors: readonly ProblemCode[]; status: 200 | 201 | 202 };
}

const isMethod = (text: string): text is Method => methods.some((method) => method === text);

/** Makes the metadata of a public operation, for `apiKeyProcedure.meta(…)`. */
export const route = (named: Route, declared: OperationDeclaration): OperationMeta => {
  const [method = '', path = ''] = named.split(' /');
  if (!isMethod(method)) throw new Error(`not a route: ${named}`);
  const { operationId, summary, description, status = 200, errors = [] } = declared;

  const codes = new Set<ProblemCode>(path.includes('{') ? ['not_found'] : []);
  for (const code of errors) codes.add(code);
  const calls = [
    needsOf(declared),
    ...Object.keys(declared.needsBy?.needs ?? {}).map((value) => needsOf(declared, value)),
  ];
  if (calls.some(({ scopes }) => scopes.length > 0)) codes.add('insufficient_scope');
  if (calls.some(({ privacy }) => privacy)) codes.add('privacy_restricted');
  if (method === 'POST') codes.add('conflict').add('idempotency_mismatch');

  const tags = [path.split('/')[0] ?? ''];
  return {
    openapi: { method, path: `/${path}`, operationId, summary, description, tags, errorResponses: [] },
    operation: { ...declared, route: named, errors: [...codes], status },
  };
};

/**
 * The scopes that a call needs, and whether it needs member details. `value`: the value of the parameter of `needsBy`,
 * which is not checked yet.
 */
export const needsOf = (
  { scope, privacy, needsBy }: Pick<OperationDeclaration, 'scope' | 'privacy' | 'needsBy'>,
  value?: unknown,
): { scopes: Scope[]; privacy: boolean } => {
  const isKnown = needsBy !== undefined && typeof value === 'string' && Object.hasOwn(needsBy.needs, value);
  const further = isKnown ? needsBy.needs[value] : undefined;
  const scopes = [scope ?? [], further?.scope ?? []].flat();
  return { scopes: [...new Set(scopes)], privacy: (privacy ?? further?.privacy) !== undefined };
};

/** All procedures of a router by their names, such as `members.list`. */
export const proceduresOf = (router: AnyRouter): [name: string, procedure: AnyProcedure][] =>
  Object.entries<AnyProcedure>(router._def.procedures);

/** The procedures of a router of operations, each by its name. */
export const namedProcedures = <Router extends AnyRouter>(router: Router): Router['_def']['procedures'] =>
  router._def.procedures;

/** The schemas of a procedure. Every procedure has both. */
export const schemasOf = ([name, { _def }]: [string, AnyProcedure]): { input: z.ZodObject; output: z.ZodObject } => {
  const [input]: unknown[] = _def.inputs;
  const output = 'output' in _def ? _def.output : undefined;
  if (input instanceof z.ZodObject && output instanceof z.ZodObject) return { input, output };
  throw new Error(`the procedure ${name} needs an .input(…) and an .output(…) that are objects`);
};

/** The names of a router's procedures whose metadata has this mark. */
export const namesMarked = (router: AnyRouter, mark: 'whileInactive'): ReadonlySet<string> =>
  new Set(
    proceduresOf(router).flatMap(([name, { _def }]) => {
      const meta: unknown = _def.meta;
      return isRecord(meta) && meta[mark] === true ? [name] : [];
    }),
  );

/** A public operation of a router. */
export interface Operation extends OperationMeta {
  /** The procedure's name in the router, such as `members.list`. */
  name: string;
  procedure: AnyProcedure;
  input: z.ZodObject;
  output: z.ZodObject;
}

const isOperationMeta = (meta: unknown): meta is OperationMeta =>
  isRecord(meta) && 'operation' in meta && 'openapi' in meta;

/**
 * All public operations of a router. The adapter, the OpenAPI document and the test matrices are made from this list.
 */
export const operationsOf = (router: AnyRouter): Operation[] =>
  proceduresOf(router).map(([name, procedure]) => {
    const meta: unknown = procedure._def.meta;
    if (!isOperationMeta(meta)) throw new Error(`the procedure ${name} has no route`);
    return { name, procedure, ...schemasOf([name, procedure]), ...meta };
  });

// The metadata of the app's own procedures

/** The metadata of a procedure for persons of a team. */
export interface PersonMeta {
  needs: Need;
  /**
   * Refuses with `proof_required` unless the person has shown their password or a passkey in this session a short time
   * ago. For actions that the thief of a session must not do. If only some inputs need it, the action calls
   * `requireFreshProof`.
   */
  freshProof?: true;
  /**
   * The procedure may also be called for a team that is suspended or has ended, until the deletion of its data starts.
   */
  whileInactive?: true;
  /** The answers may be large, even if the last one was small, because rows have free-form values. Only for queries. */
  large?: true;
}

interface FailedCall {
  error: TRPCError;
  shape: TRPCDefaultErrorShape;
  ctx: InTeam | undefined;
}

const errorFormatter = ({ error, shape, ctx }: FailedCall) =>
  errorShapeOf(shape, appProblem(error, ctx && { language: ctx.language, requestId: ctx.team.requestId ?? '' }));

const keys = initTRPC.context<KeyContext>().meta<KeyOperationMeta>().create({ errorFormatter });
const persons = initTRPC.context<PersonContext>().meta<PersonMeta>().create({ errorFormatter });

/** The metadata of a procedure. A router refuses a procedure without it, and so does every call. */
export const declared = <Meta>(meta: Meta | undefined): Meta => {
  if (meta === undefined) throw new Error('a procedure has no metadata, so nobody checks who may call it');
  return meta;
};

export const requireFreshProof = (isFresh: boolean): void => {
  if (isFresh) return;
  throw new TRPCError({
    code: 'PRECONDITION_FAILED',
    cause: new NotAllowed('proof_required', accessMessages.proofNeeded),
  });
};

type CallOutcome = { ok: true; data: unknown } | { ok: false; error: TRPCError };

/** Whether a flaw is one of an item, and not of the whole request. */
export const isOfItem = ({ path }: Pick<SpokenFlaw, 'path'>, itemsIn: string | undefined): boolean =>
  itemsIn !== undefined && path[0] === itemsIn && path.length > 1;

/** Refuses values that no field may have, before the schema checks them. */
export const examine = async (getRawInput: () => Promise<unknown>, itemsIn?: string): Promise<void> => {
  const errors = flawsOfValue(await getRawInput()).filter((flaw) => !isOfItem(flaw, itemsIn));
  if (errors.length === 0) return;
  // The error has the code that tRPC itself uses if a schema does not accept the input.
  throw new TRPCError({ code: 'BAD_REQUEST', cause: new Problem('validation_error', { errors }) });
};

/** If the schema has refused the input because of a field that it names, the problem names this field, too. */
export const nameField = <Result extends CallOutcome>(result: Result): Result => {
  const cause = !result.ok && result.error.code === 'BAD_REQUEST' ? result.error.cause : undefined;
  const refusal = cause instanceof z.ZodError ? refusalOfField(cause) : undefined;
  if (refusal) throw new TRPCError({ code: 'BAD_REQUEST', cause: refusal });
  return result;
};

interface NamedRead {
  /** Reads with the same name have answers of about the same size. */
  name: string;
  alwaysLarge: boolean;
}

/**
 * Runs a read in one of the team's slots. Large answers have few slots. All reads share the connections with other
 * teams.
 */
const inReadSlot = <Result extends CallOutcome>(
  { team, answerProgress }: InTeam,
  { name, alwaysLarge }: NamedRead,
  next: () => Promise<Result>,
): Promise<Result> => {
  const { largeReads, database } = team.platform;
  const read = async () => {
    const result = await next();
    // Thrown, so that the slot is released.
    if (!result.ok) throw result.error;
    return result;
  };
  return largeReads.read({ teamId: team.id, name, alwaysLarge, answerProgress }, () => database.reading(team.id, read));
};

// Personal fields

type RedactAnswer = ReturnType<typeof redactorOf>;

/**
 * How to hide the personal fields in a procedure's answers. A middleware does not see the schema of the output, so an
 * operation is found by its metadata, which it shares with no other, and a procedure of the app by its path.
 */
const redactors = new Map<unknown, { output: z.ZodObject; redact: RedactAnswer }>();

const withRedactors = <Router extends AnyRouter>(router: Router, by: 'metadata' | 'path'): Router => {
  for (const [path, procedure] of proceduresOf(router)) {
    const { output } = schemasOf([path, procedure]);
    const meta: unknown = procedure._def.meta;
    if (typeof meta !== 'object' || meta === null) throw new Error(`the procedure ${path} has no metadata`);
    const key = by === 'path' ? path : meta;
    const known = redactors.get(key);
    if (known && known.output !== output) throw new Error(`the procedure ${path} shares its ${by} with another one`);
    if (!known) redactors.set(key, { output, redact: redactorOf(output) });
  }
  return router;
};

const knownAs = (key: unknown) => {
  const known = redactors.get(key);
  if (!known) throw new Error('a procedure is in no router, so nobody knows the fields of its answers');
  return known;
};

/**
 * Removes personal fields from an answer while the team has switched off member details. `key`: the key in `redactors`.
 */
const redactAnswer = <Result extends CallOutcome>({ team }: InTeam, key: unknown, result: Result): Result => {
  if (!result.ok || team.privacy.memberDetail) return result;
  const { redact } = knownAs(key);
  return redact ? { ...result, data: redact(result.data) } : result;
};

/** A router of public operations. */
export const keyRouter = <Procedures extends TRPCCreateRouterOptions>(procedures: Procedures) =>
  withRedactors(keys.router(procedures), 'metadata');

/** A router of some of the app's own procedures, for persons of a team. */
export const personRouter = persons.router;

/** The router of all of the app's own procedures for persons of a team. */
export const wholePersonRouter = <Procedures extends TRPCCreateRouterOptions>(procedures: Procedures) =>
  withRedactors(persons.router(procedures), 'path');

// For keys, and for persons who call the same operations

/**
 * Runs an action that a client may repeat with an idempotency key. A repeated call does not run it, and gets the answer
 * of the first call. The action gets the team with the open transaction, so slow I/O must come before it.
 */
type RunOnce = <Answer>(action: (team: Team) => Promise<Answer>) => Promise<Answer>;

/**
 * An answer that is kept for an `Idempotency-Key`, in the form of its schema. It is thrown, so that tRPC does not check
 * it: a kept answer is given again as it was, even if a later release has added a field to the schema.
 */
class KeptAnswer extends Error {
  readonly answer: unknown;

  constructor(answer: unknown) {
    super('the answer is kept');
    this.answer = answer;
  }
}

const onceOf = ({ team, once }: KeyContext, about: KeyOperationMeta): RunOnce =>
  once
    ? async (action) => {
        const { output } = knownAs(about);
        throw new KeptAnswer(await once(async (acting) => output.parse(await action(acting))));
      }
    : (action) => action(team);

const keptIn = (result: CallOutcome): KeptAnswer | undefined => {
  const cause = result.ok ? undefined : result.error.cause;
  return cause instanceof KeptAnswer ? cause : undefined;
};

/** The value of the parameter that decides what a call needs. It is not checked yet. */
const decidingValue = async (
  { deciding }: KeyContext,
  { needsBy }: KeyOperationMeta['operation'],
  getRawInput: () => Promise<unknown>,
): Promise<unknown> => {
  if (!needsBy) return undefined;
  if (deciding) return deciding.value;
  const input = await getRawInput();
  return isRecord(input) ? input[needsBy.parameter] : undefined;
};

const inSlotOf = <Result extends CallOutcome>(
  ctx: KeyContext,
  { operation }: KeyOperationMeta,
  next: () => Promise<Result>,
) => inReadSlot(ctx, { name: operation.route, alwaysLarge: operation.large === true }, next);

/** Waits for a slot among the team's reads. */
export const withReadSlot = keys.middleware(({ ctx, meta, next }) => inSlotOf(ctx, declared(meta), () => next()));

/** Claims the stream of the answer, after the input of the first page was checked. */
export const claimingStream = keys.middleware(async ({ ctx, next }) => {
  await ctx.claimStream?.();
  return next();
});

/** One middleware does everything, because tRPC copies the options of a call for each middleware. */
const operationProcedure = ({ waits }: { waits: boolean }) =>
  keys.procedure.use(async ({ ctx, meta, type, getRawInput, next }) => {
    const { principal, team } = ctx;
    const about = declared(meta);
    const value = await decidingValue(ctx, about.operation, getRawInput);
    const { scopes, privacy } = needsOf(about.operation, value);
    const missing = scopes.find((scope) => !principal.scopes.has(scope));
    if (missing) fail('insufficient_scope', { required_scope: missing, detail: accessMessages.scopeNeeded(missing) });
    if (privacy && !team.privacy.memberDetail) fail('privacy_restricted');
    await examine(getRawInput, about.operation.itemsIn);
    const act = async () => nameField(await next({ ctx: { once: onceOf(ctx, about) } }));
    const result = await forTeam(team.id, type === 'query' && !waits ? () => inSlotOf(ctx, about, act) : act);
    const kept = keptIn(result);
    const answered = kept ? { marker: result.marker, ok: true as const, data: kept.answer } : result;
    return redactAnswer(ctx, about, answered);
  });

/** An operation of the public API. Its metadata is made by `route(…)`; the action of a POST runs in `ctx.once`. */
export const apiKeyProcedure = operationProcedure({ waits: false });

/**
 * For operations that add `withReadSlot` themselves, because their read must wait for its slot after its input was
 * checked.
 */
export const apiKeyProcedureWithoutSlot = operationProcedure({ waits: true });

// For persons of a team

/** A procedure of the app, for a person of a team. */
export const personProcedure = persons.procedure.use(async ({ ctx, meta, path, type, getRawInput, next }) => {
  const about = declared(meta);
  const refusal = ctx.refusalOf(about.needs);
  if (refusal) throw new TRPCError({ code: 'FORBIDDEN', cause: new NotAllowed('forbidden', refusal) });
  if (about.freshProof) requireFreshProof(ctx.hasFreshProof);
  await examine(getRawInput);
  const read = { name: path, alwaysLarge: about.large === true };
  const run = () => (type === 'query' ? inReadSlot(ctx, read, () => next()) : next());
  return redactAnswer(ctx, path, nameField(await forTeam(ctx.team.id, run)));
});

export const memberProcedure = personProcedure.meta({ needs: 'member' });
export const adminProcedure = personProcedure.meta({ needs: 'admin' });
export const ownerProcedure = personProcedure.meta({ needs: 'owner' });
/** A procedure for the owner, and for admins with the right to manage keys. */
export const keyManagerProcedure = personProcedure.meta({ needs: 'keys' });
