import { initTRPC, TRPCError } from '@trpc/server';
import type {
  AnyProcedure,
  TRPCMutationProcedure as MutationProcedure,
  TRPCQueryProcedure as QueryProcedure,
} from '@trpc/server';
import type { z } from 'zod';
import type { Language } from '../core/language.ts';
import { redactorOf } from '../platform/personal.ts';
import type { Team } from '../platform/team.ts';
import { needSoundInput } from './sound-input.ts';

/** An active member of the team, signed in. */
export interface Person {
  readonly memberId: string;
  readonly userId: string;
  readonly role: 'owner' | 'admin' | 'member';
}

/** What every procedure of the app gets: who is signed in, and the team that they look at. */
export interface AppContext {
  readonly person: Person;
  readonly team: Team;
  readonly language: Language;
}

/** Whom a procedure is for: everybody in the team, or the owner and admins. */
export type Need = 'member' | 'admin';

interface AppRow<Input extends z.ZodObject, Output extends z.ZodObject> {
  needs: Need;
  summary: string;
  input: Input;
  output: Output;
}

export interface AppMeta {
  app: AppRow<z.ZodObject, z.ZodObject>;
}

const kit = initTRPC.context<AppContext>().meta<AppMeta>().create();

export const appRouterOf = kit.router;

const satisfies = (need: Need, { role }: Person): boolean => need === 'member' || role !== 'member';

type Act<Input extends z.ZodObject, Output extends z.ZodObject> = (call: {
  ctx: AppContext;
  input: z.output<Input>;
}) => Promise<z.input<Output>> | z.input<Output>;

interface Types<Input extends z.ZodObject, Output extends z.ZodObject> {
  input: z.input<Input>;
  output: z.output<Output>;
  meta: AppMeta;
}

/**
 * The one builder of procedures that only the app has. It adds what none may forget: who may call it, the strict input, the
 * checked output, and taking out what is personal while the team hides it.
 */
export function appOperation<Input extends z.ZodObject, Output extends z.ZodObject>(
  type: 'query',
  row: AppRow<Input, Output>,
  act: Act<Input, Output>,
): QueryProcedure<Types<Input, Output>>;
export function appOperation<Input extends z.ZodObject, Output extends z.ZodObject>(
  type: 'mutation',
  row: AppRow<Input, Output>,
  act: Act<Input, Output>,
): MutationProcedure<Types<Input, Output>>;
export function appOperation(
  type: 'query' | 'mutation',
  row: AppRow<z.ZodObject, z.ZodObject>,
  act: Act<z.ZodObject, z.ZodObject>,
): AnyProcedure {
  const redact = redactorOf(row.output);
  const procedure = kit.procedure
    .meta({ app: row })
    .use(async ({ ctx, getRawInput, next }) => {
      if (!satisfies(row.needs, ctx.person)) {
        throw new TRPCError({ code: 'FORBIDDEN', message: 'Only the owner and admins of the team may do this.' });
      }
      await needSoundInput(getRawInput);
      return next();
    })
    .input(row.input)
    .output(row.output);
  const resolve = async ({ ctx, input }: { ctx: AppContext; input: Record<string, unknown> }) => {
    const answer = await act({ ctx, input });
    return row.output.parse(redact && !ctx.team.privacy.memberDetail ? redact(answer) : answer);
  };
  return type === 'query' ? procedure.query(resolve) : procedure.mutation(resolve);
}
