import { initTRPC } from '@trpc/server';
import type {
  AnyProcedure,
  TRPCMutationProcedure as MutationProcedure,
  TRPCQueryProcedure as QueryProcedure,
} from '@trpc/server';
import type { z } from 'zod';
import { fail } from '../core/problem.ts';
import type { Visitor } from '../modules/sessions/service.ts';
import type { SignedIn } from '../modules/sessions/schema.ts';
import { appProblem, toldAs } from './app-problem.ts';
import { needSoundInput } from './sound-input.ts';

/** What every procedure of the entrance gets: somebody at the door, who may be signed in already. */
export interface EntranceContext {
  readonly visitor: Visitor;
  readonly requestId: string;
  /** Runs a change at the entrance, or refuses it: by its budgets, or because too many wait. */
  change<T>(change: { hashes: boolean }, action: () => Promise<T>): Promise<T>;
  /** Runs the rest of a change like that of somebody who is not known. */
  readonly asStranger: <T>(action: () => Promise<T>) => Promise<T>;
}

/** Whom a procedure is for: anybody who found the door, or whoever is signed in, in whatever team. */
export type EntranceNeed = 'anybody' | 'signed-in';

interface EntranceRow<Input extends z.ZodObject, Output extends z.ZodObject> {
  needs: EntranceNeed;
  summary: string;
  input: Input;
  output: Output;
  /** Whether a password is hashed: it then needs a place in the queue for that. Only of a mutation. */
  hashes?: true;
}

export interface EntranceMeta {
  entrance: EntranceRow<z.ZodObject, z.ZodObject>;
}

const kit = initTRPC
  .context<EntranceContext>()
  .meta<EntranceMeta>()
  .create({
    errorFormatter: ({ error, ctx, shape }) =>
      toldAs(shape, appProblem(error, ctx?.visitor.language ?? 'de', ctx?.requestId ?? '')),
  });

export const entranceRouterOf = kit.router;

interface Call<Input extends z.ZodObject> {
  visitor: Visitor;
  asStranger: EntranceContext['asStranger'];
  input: z.output<Input>;
}

type Answer<Output extends z.ZodObject> = Promise<z.input<Output>> | z.input<Output>;

interface Types<Input extends z.ZodObject, Output extends z.ZodObject> {
  input: z.input<Input>;
  output: z.output<Output>;
  meta: EntranceMeta;
}

type Kind = 'query' | 'mutation';

const build = (
  kind: Kind,
  row: EntranceRow<z.ZodObject, z.ZodObject>,
  act: (call: Call<z.ZodObject>) => Answer<z.ZodObject>,
): AnyProcedure => {
  const procedure = kit.procedure
    .meta({ entrance: row })
    .use(async ({ getRawInput, next }) => {
      await needSoundInput(getRawInput);
      return next();
    })
    .input(row.input)
    .output(row.output);
  const resolve = async ({ ctx, input }: { ctx: EntranceContext; input: Record<string, unknown> }) => {
    const run = async () => act({ visitor: ctx.visitor, asStranger: ctx.asStranger, input });
    return kind === 'query' ? run() : ctx.change({ hashes: row.hashes === true }, run);
  };
  return kind === 'query' ? procedure.query(resolve) : procedure.mutation(resolve);
};

/** A procedure that anybody may call. */
export function openOperation<Input extends z.ZodObject, Output extends z.ZodObject>(
  kind: 'query',
  row: Omit<EntranceRow<Input, Output>, 'needs'>,
  act: (call: Call<Input>) => Answer<Output>,
): QueryProcedure<Types<Input, Output>>;
export function openOperation<Input extends z.ZodObject, Output extends z.ZodObject>(
  kind: 'mutation',
  row: Omit<EntranceRow<Input, Output>, 'needs'>,
  act: (call: Call<Input>) => Answer<Output>,
): MutationProcedure<Types<Input, Output>>;
export function openOperation(
  kind: Kind,
  row: Omit<EntranceRow<z.ZodObject, z.ZodObject>, 'needs'>,
  act: (call: Call<z.ZodObject>) => Answer<z.ZodObject>,
): AnyProcedure {
  return build(kind, { ...row, needs: 'anybody' }, act);
}

/** A procedure for whoever is signed in, about themselves. */
export function ownOperation<Input extends z.ZodObject, Output extends z.ZodObject>(
  kind: 'query',
  row: Omit<EntranceRow<Input, Output>, 'needs'>,
  act: (call: Call<Input> & { signedIn: SignedIn }) => Answer<Output>,
): QueryProcedure<Types<Input, Output>>;
export function ownOperation<Input extends z.ZodObject, Output extends z.ZodObject>(
  kind: 'mutation',
  row: Omit<EntranceRow<Input, Output>, 'needs'>,
  act: (call: Call<Input> & { signedIn: SignedIn }) => Answer<Output>,
): MutationProcedure<Types<Input, Output>>;
export function ownOperation(
  kind: Kind,
  row: Omit<EntranceRow<z.ZodObject, z.ZodObject>, 'needs'>,
  act: (call: Call<z.ZodObject> & { signedIn: SignedIn }) => Answer<z.ZodObject>,
): AnyProcedure {
  return build(kind, { ...row, needs: 'signed-in' }, async (call) =>
    act({ ...call, signedIn: (await call.visitor.signedIn()) ?? fail('unauthorized') }),
  );
}
