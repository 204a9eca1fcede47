import { initTRPC } from '@trpc/server';
import { hashingForPerson } from '../../core/password.ts';
import { companyMessages } from '../../core/messages/company-sign-in.ts';
import { fail } from '../../core/problem.ts';
import { appProblem, errorShapeOf } from '../../platform/trpc/app-problem.ts';
import { examine, nameField, requireFreshProof } from '../../platform/trpc/procedures.ts';
import { hasFreshProof, type Visitor } from './visitor.ts';

// The procedures that need no team: `anyoneProcedure`, and `accountProcedure` for a signed-in person.

/** The context of a procedure that needs no team. Its visitor may or may not be signed in. */
interface VisitContext {
  readonly visitor: Visitor;
  readonly requestId: string;
}

interface VisitMeta {
  /**
   * Refuses calls without a fresh proof (`proof_required`), as procedures of a team do. Only for `accountProcedure`.
   */
  freshProof?: true;
  /**
   * The procedure may also be called in a session that began with a team's company account, because it sees and changes
   * nothing beyond that team.
   */
  withCompanyAccount?: true;
}

const visits = initTRPC
  .context<VisitContext>()
  .meta<VisitMeta>()
  .create({
    errorFormatter: ({ error, shape, ctx }) =>
      errorShapeOf(shape, appProblem(error, ctx && { language: ctx.visitor.language, requestId: ctx.requestId })),
  });

export const visitRouter = visits.router;

/** A procedure for which nobody has to be signed in. */
export const anyoneProcedure = visits.procedure.use(async ({ getRawInput, next }) => {
  await examine(getRawInput);
  return nameField(await next());
});

/** A procedure about the signed-in person's own account. */
export const accountProcedure = anyoneProcedure.use(async ({ ctx, meta, next }) => {
  const signedIn = (await ctx.visitor.signedIn()) ?? fail('unauthorized');
  // The account belongs to the person, who may be in other teams. The provider of one team must not give access to it.
  if (signedIn.companyTeamId !== null && !meta?.withCompanyAccount) {
    fail('conflict', { detail: companyMessages.onlyInTeam });
  }
  if (meta?.freshProof) requireFreshProof(hasFreshProof(ctx.visitor.platform, signedIn));
  return hashingForPerson(signedIn.personId, () => next({ ctx: { signedIn } }));
});
