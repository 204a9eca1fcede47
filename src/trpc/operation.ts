import { initTRPC } from '@trpc/server';
import { middlewareMarker } from '@trpc/server/unstable-core-do-not-import';
import type { z } from 'zod';
import { fail } from '../core/problem.ts';
import type { ProblemCode } from '../core/problem-catalogue.ts';
import type { Scope } from '../core/scopes.ts';
import { answerOnce } from '../modules/idempotency/service.ts';
import { redactorOf } from '../platform/personal.ts';
import type { Context } from './context.ts';

export const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;
export type Method = (typeof methods)[number];
export type Route = `${Method} /${string}`;

/** An operation as its row in the API's tables says it. Adapter, document, docs and test matrices read this. */
export interface OperationRow<Input extends z.ZodObject, Output extends z.ZodObject> {
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
  example: { input?: z.input<Input>; output: z.output<Output> };
}

export interface OperationMeta {
  openapi: { method: Method; path: `/${string}`; summary: string; description: string; tags: string[]; errorResponses: [] };
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
  };
}

/** The problems of an operation beyond those that every one can give. */
const problemsOf = (method: Method, row: Pick<OperationRow<z.ZodObject, z.ZodObject>, 'scope' | 'privacy' | 'errors'>) => {
  const codes = new Set<ProblemCode>(row.errors);
  if (row.scope !== null) codes.add('insufficient_scope');
  if (row.privacy) codes.add('privacy_restricted');
  if (method === 'POST') codes.add('conflict').add('idempotency_mismatch');
  return [...codes];
};

const kit = initTRPC.context<Context>().meta<OperationMeta>().create();

export const { router } = kit;

const isMethod = (text: string): text is Method => methods.some((method) => method === text);

const splitRoute = (route: Route): { method: Method; path: `/${string}` } => {
  const [method = '', path = ''] = route.split(' ');
  if (!isMethod(method) || !path.startsWith('/')) throw new Error(`not a route: ${route}`);
  return { method, path: `/${path.slice(1)}` };
};

const tagOf = (path: string): string => path.split('/')[1] ?? '';

/**
 * The one builder of public operations. It adds what no operation may forget, in this order: the scope, the privacy
 * switch, the strict input, doing a repeated POST only once, the checked output, and taking out what is personal.
 */
export const operation = <Input extends z.ZodObject, Output extends z.ZodObject>(
  route: Route,
  row: OperationRow<Input, Output>,
) => {
  const { method, path } = splitRoute(route);
  const { scope, privacy, summary, description, input, output } = row;
  const redact = redactorOf(output);

  const guarded = kit.procedure
    .meta({
      openapi: { method, path, summary, description, tags: [tagOf(path)], errorResponses: [] },
      operation: { ...row, route, errors: problemsOf(method, row), status: row.status ?? 200 },
    })
    .use(async ({ ctx, next }) => {
      if (scope !== null && !ctx.principal.scopes.has(scope)) {
        fail('insufficient_scope', { required_scope: scope, detail: `This operation needs the scope ${scope}.` });
      }
      const hidden = !ctx.team.privacy.memberDetail;
      if (privacy && hidden) fail('privacy_restricted');
      const result = await next();
      return redact && hidden && result.ok ? { ...result, data: redact(result.data) } : result;
    })
    .input(input);
  if (method !== 'POST') return guarded.output(output);

  return guarded
    .use(async ({ ctx, next }) => {
      const { team, repeatable } = ctx;
      if (!repeatable) return next();
      const data = await answerOnce(team, repeatable, async (once) => {
        const result = await next({ ctx: { team: once } });
        if (!result.ok) throw result.error.cause ?? result.error;
        return result.data;
      });
      return { ok: true, marker: middlewareMarker, data };
    })
    .output(output);
};
