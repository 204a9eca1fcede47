import { answer, toCamel } from '../../core/spelling.ts';
import { ListCount, PageQuery } from '../../platform/paging.ts';
import { Done, doneAfter } from '../../platform/values.ts';
import { adminProcedure, memberProcedure, personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { Case, CaseChange, CaseFilters, CasePage, CasePath, NewOwnCase } from './schema.ts';
import { changeCase, countCases, createCase, deleteCase, getCase, listOwnCases, shareCase } from './service.ts';

const ownerOf = ({ userId }: { userId: string }) => ({ private: true, userId }) as const;

/** Procedures about the team's cases that only the app has. */
export const teamCases = personRouter({
  count: adminProcedure
    .input(CaseFilters)
    .output(ListCount)
    .query(({ ctx, input }) => countCases(ctx.team, input.user_id)),
});

/** A member's private cases. For everybody else, also for the owner and admins, they do not exist. */
export const ownCases = personRouter({
  list: personProcedure
    .meta({ needs: 'member', large: true })
    .input(PageQuery)
    .output(CasePage)
    .query(({ ctx, input }) => answer(listOwnCases(ctx.team, ctx.person.userId, input))),

  get: memberProcedure
    .input(CasePath)
    .output(Case)
    .query(({ ctx, input }) => answer(getCase(ctx.team, ownerOf(ctx.person), input.case_id))),

  create: memberProcedure
    .input(NewOwnCase)
    .output(Case)
    .mutation(({ ctx, input }) =>
      answer(createCase(ctx.team, { ...toCamel(input), userId: ctx.person.userId }, { isPrivate: true })),
    ),

  change: memberProcedure
    .input(CaseChange)
    .output(Case)
    .mutation(({ ctx, input: { case_id, ...content } }) =>
      answer(changeCase(ctx.team, ownerOf(ctx.person), case_id, toCamel(content))),
    ),

  remove: memberProcedure
    .input(CasePath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(deleteCase(ctx.team, ownerOf(ctx.person), input.case_id))),

  share: memberProcedure
    .input(CasePath)
    .output(Case)
    .mutation(({ ctx, input }) => answer(shareCase(ctx.team, ctx.person.userId, input.case_id))),
});
