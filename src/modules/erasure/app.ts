import { z } from 'zod';
import { Done, done } from '../../platform/values.ts';
import { appRouterOf, operation } from '../../trpc/operation.ts';
import { MemberPath } from '../members/schema.ts';
import { FormerMemberPage, FormerMemberQuery, RunningErasures } from './schema.ts';
import { eraseFormerMember, listFormer, listRunning } from './service.ts';

export const formerMembers = appRouterOf({
  list: operation(
    'query',
    {
      audience: 'person',
      needs: 'owner',
      summary: 'Former members of the team',
      input: FormerMemberQuery,
      output: FormerMemberPage,
    },
    ({ ctx, input }) => listFormer(ctx.team, input),
  ),

  running: operation(
    'query',
    {
      audience: 'person',
      needs: 'owner',
      summary: 'Unfinished erasures of the team',
      input: z.strictObject({}),
      output: RunningErasures,
    },
    async ({ ctx }) => ({ data: await listRunning(ctx.team) }),
  ),

  erase: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'owner',
      freshProof: true,
      summary: 'Erase a former member from the team’s data',
      input: MemberPath,
      output: Done,
    },
    async ({ ctx, input }) => {
      await eraseFormerMember(ctx.team, input.member_id);
      return done;
    },
  ),
});
