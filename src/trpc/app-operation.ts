import { initTRPC, TRPCError } from '@trpc/server';
import type {
  AnyProcedure,
  TRPCMutationProcedure as MutationProcedure,
  TRPCQueryProcedure as QueryProcedure,
} from '@trpc/server';
import type { z } from 'zod';
import type { Language } from '../core/language.ts';
import { keyRight } from '../modules/keys/service.ts';
import { redactorOf } from '../platform/personal.ts';
import type { Answering } from '../platform/large-reads.ts';
import type { Team } from '../platform/team.ts';
import { appProblem, toldAs } from './app-problem.ts';
import { needSoundInput } from './sound-input.ts';

/** An active member of the team, signed in. */
export interface Person {
  readonly memberId: string;
  readonly userId: string;
  readonly role: 'owner' | 'admin' | 'member';
  /** What they may do beyond their role. */
  readonly rights: readonly string[];
}

/** What every procedure of the app gets: who is signed in, and the team that they look at. */
export interface AppContext {
  readonly person: Person;
  readonly team: Team;
  readonly language: Language;
  /** Given where an adapter writes the answer, which says how large it became and when it is handed over. */
  readonly answering?: Answering | undefined;
}

/**
 * Whom a procedure is for: everybody in the team; the owner and admins; the owner and those admins whom the owner gave the
 * right to make keys; the owner alone.
 */
export type Need = keyof typeof needs;

const isAdmin = ({ role }: Person): boolean => role !== 'member';

const needs = {
  member: { isMet: () => true, refusal: '' },
  admin: { isMet: isAdmin, refusal: 'Only the owner and admins of the team may do this.' },
  keys: {
    isMet: (person: Person) => person.role === 'owner' || (isAdmin(person) && person.rights.includes(keyRight)),
    refusal: `Only the owner and admins with the right ${keyRight} may do this.`,
  },
  owner: { isMet: ({ role }: Person) => role === 'owner', refusal: 'Only the owner of the team may do this.' },
} as const;

/** What this person may call: the app shows what is in it, every procedure checks it anew. */
export const needsMetBy = (person: Person): Need[] => allNeeds.filter((need) => needs[need].isMet(person));

export const allNeeds = ['member', 'admin', 'keys', 'owner'] as const satisfies readonly Need[];

interface AppRow<Input extends z.ZodObject, Output extends z.ZodObject> {
  needs: Need;
  summary: string;
  input: Input;
  output: Output;
  /** Its answers may be large whatever the last one was: free-form values in every row. Only of a query. */
  large?: true;
}

export interface AppMeta {
  app: AppRow<z.ZodObject, z.ZodObject>;
}

const kit = initTRPC
  .context<AppContext>()
  .meta<AppMeta>()
  .create({
    errorFormatter: ({ error, ctx, shape }) =>
      toldAs(shape, appProblem(error, ctx?.language ?? 'de', ctx?.team.requestId ?? '')),
  });

export const appRouterOf = kit.router;

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
      const { isMet, refusal } = needs[row.needs];
      if (!isMet(ctx.person)) throw new TRPCError({ code: 'FORBIDDEN', message: refusal });
      await needSoundInput(getRawInput);
      return next();
    })
    .input(row.input)
    .output(row.output);
  /** A read whose answers are large takes one of the team's places, as over the API. */
  const answerInPlace = async (ctx: AppContext, input: Record<string, unknown>) =>
    type === 'query'
      ? ctx.team.platform.largeReads.read(
          { teamId: ctx.team.id, name: row.summary, alwaysLarge: row.large === true, answering: ctx.answering },
          () => ctx.team.platform.database.reading(ctx.team.id, async () => act({ ctx, input })),
        )
      : act({ ctx, input });
  const resolve = async ({ ctx, input }: { ctx: AppContext; input: Record<string, unknown> }) => {
    const answer = await answerInPlace(ctx, input);
    return row.output.parse(redact && !ctx.team.privacy.memberDetail ? redact(answer) : answer);
  };
  return type === 'query' ? procedure.query(resolve) : procedure.mutation(resolve);
}
