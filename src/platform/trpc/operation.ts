import type { AnyProcedure, AnyRouter } from '@trpc/server';
import { z } from 'zod';
import type { ProblemCode } from '../../core/problem.ts';
import { isRecord } from '../../core/json.ts';
import type { Scope } from '../../core/scopes.ts';

// The public operations: the procedures with a REST path. Their metadata is all that the REST adapter, the OpenAPI document, the docs, the
// tools of assistants and the test matrices know about them.

export const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];
type Route = `${Method} /${string}`;

type Example = Readonly<Record<string, unknown>>;

/** The scope and the privacy setting without which a call is refused. */
interface Needs {
  scope?: Scope;
  /** The answer is about individual people, so it is refused while member details are off. */
  privacy?: 'member-detail';
}

/** A query parameter that decides what a caller needs, in addition to what every caller of the operation needs. */
interface NeedsByValue {
  parameter: string;
  needs: Readonly<Record<string, Needs>>;
}

interface Declared {
  /** A verb and a resource, such as `listTrainings`. Generated clients name their methods after it. */
  operationId: string;
  /** The scope that the caller needs; null if every valid key may call it. */
  scope: Scope | null;
  /** The answer is about individual people, so it is refused while member details are off. */
  privacy?: 'member-detail';
  needsBy?: NeedsByValue;
  status?: 200 | 201 | 202;
  /** The created resource has a path of its own, which the answer's `Location` contains. */
  located?: true;
  /** Problems in addition to those of every operation. */
  errors?: readonly ProblemCode[];
  summary: string;
  description: string;
  /** A test checks that it is valid. */
  example: { input?: Example; output: Example };
  /** The answers may be large, even if the last one was small, because rows have free-form values. Only for GET. */
  large?: true;
}

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
  operation: Declared & { route: Route; errors: readonly ProblemCode[]; status: 200 | 201 | 202 };
}

const isMethod = (text: string): text is Method => methods.some((method) => method === text);

/** Makes the metadata of a public operation, for `keyProcedure.meta(…)`. */
export const route = (named: Route, declared: Declared): OperationMeta => {
  const [method = '', path = ''] = named.split(' /');
  if (!isMethod(method)) throw new Error(`not a route: ${named}`);
  const { operationId, summary, description, status = 200, errors } = declared;

  const codes = new Set<ProblemCode>(errors);
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

/** The scopes that a call needs, and whether it needs member details. `value`: that of the parameter of `needsBy`, not checked yet. */
export const needsOf = (
  { scope, privacy, needsBy }: Pick<Declared, 'scope' | 'privacy' | 'needsBy'>,
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

/** All public operations of a router. The adapter, the OpenAPI document and the test matrices are made from this list. */
export const operationsOf = (router: AnyRouter): Operation[] =>
  proceduresOf(router).map(([name, procedure]) => {
    const meta: unknown = procedure._def.meta;
    if (!isOperationMeta(meta)) throw new Error(`the procedure ${name} has no route`);
    return { name, procedure, ...schemasOf([name, procedure]), ...meta };
  });
