import { PageQuery } from '../../platform/paging.ts';
import { Done, done } from '../../platform/values.ts';
import { appRouterOf, operation } from '../../trpc/operation.ts';
import { Case, CaseChange, CasePage, CasePath, NewOwnCase } from './schema.ts';
import { changeCase, createCase, deleteCase, getOwnCase, listOwnCases, shareCase } from './service.ts';
import type { Shelf } from './service.ts';

const shelfOf = ({ userId }: { userId: string }): Shelf => ({ of: 'member', userId });

/** A member's private cases. For all others they do not exist, whatever their role. */
export const ownCases = appRouterOf({
  list: operation(
    'query',
    {
      audience: 'person',
      needs: 'member',
      summary: 'Your private cases, newest first',
      input: PageQuery,
      output: CasePage,
      large: true,
    },
    ({ ctx, input }) => listOwnCases(ctx.team, ctx.person.userId, input),
  ),

  get: operation(
    'query',
    { audience: 'person', needs: 'member', summary: 'One of your private cases', input: CasePath, output: Case },
    ({ ctx, input }) => getOwnCase(ctx.team, ctx.person.userId, input.case_id),
  ),

  create: operation(
    'mutation',
    { audience: 'person', needs: 'member', summary: 'Make a case that only you see', input: NewOwnCase, output: Case },
    ({ ctx, input }) => createCase(ctx.team, { ...input, user_id: ctx.person.userId }, { ownOnly: true }),
  ),

  change: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'member',
      summary: 'Change one of your private cases',
      input: CaseChange,
      output: Case,
    },
    ({ ctx, input: { case_id, ...wanted } }) => changeCase(ctx.team, shelfOf(ctx.person), case_id, wanted),
  ),

  remove: operation(
    'mutation',
    { audience: 'person', needs: 'member', summary: 'Delete one of your private cases', input: CasePath, output: Done },
    async ({ ctx, input }) => {
      await deleteCase(ctx.team, shelfOf(ctx.person), input.case_id);
      return done;
    },
  ),

  share: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'member',
      summary: 'Give one of your private cases to the team',
      input: CasePath,
      output: Case,
    },
    ({ ctx, input }) => shareCase(ctx.team, ctx.person.userId, input.case_id),
  ),
});
