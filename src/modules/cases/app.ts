import { ListCount, PageQuery } from '../../platform/paging.ts';
import { Done, doneAfter } from '../../platform/values.ts';
import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { Case, CaseChange, CaseFilters, CasePage, CasePath, NewOwnCase } from './schema.ts';
import { changeCase, countCases, createCase, deleteCase, getCase, listOwnCases, shareCase } from './service.ts';

const shelfOf = ({ userId }: { userId: string }) => ({ private: true, userId }) as const;

/** The team's cases, beyond the public API. */
export const teamCases = personRouter({
  count: personProcedure
    .meta({ needs: 'admin', summary: 'How many cases the team has, or one of its users' })
    .input(CaseFilters)
    .output(ListCount)
    .query(({ ctx, input }) => countCases(ctx.team, input.user_id)),
});

/** A member's private cases. For all others they do not exist, whatever their role. */
export const ownCases = personRouter({
  list: personProcedure
    .meta({ needs: 'member', summary: 'Your private cases, newest first', large: true })
    .input(PageQuery)
    .output(CasePage)
    .query(({ ctx, input }) => listOwnCases(ctx.team, ctx.person.userId, input)),

  get: personProcedure
    .meta({ needs: 'member', summary: 'One of your private cases' })
    .input(CasePath)
    .output(Case)
    .query(({ ctx, input }) => getCase(ctx.team, shelfOf(ctx.person), input.case_id)),

  create: personProcedure
    .meta({ needs: 'member', summary: 'Make a case that only you see' })
    .input(NewOwnCase)
    .output(Case)
    .mutation(({ ctx, input }) => createCase(ctx.team, { ...input, user_id: ctx.person.userId }, { ownOnly: true })),

  change: personProcedure
    .meta({ needs: 'member', summary: 'Change one of your private cases' })
    .input(CaseChange)
    .output(Case)
    .mutation(({ ctx, input: { case_id, ...wanted } }) => changeCase(ctx.team, shelfOf(ctx.person), case_id, wanted)),

  remove: personProcedure
    .meta({ needs: 'member', summary: 'Delete one of your private cases' })
    .input(CasePath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(deleteCase(ctx.team, shelfOf(ctx.person), input.case_id))),

  share: personProcedure
    .meta({ needs: 'member', summary: 'Give one of your private cases to the team' })
    .input(CasePath)
    .output(Case)
    .mutation(({ ctx, input }) => shareCase(ctx.team, ctx.person.userId, input.case_id)),
});
