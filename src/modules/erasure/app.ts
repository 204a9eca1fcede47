import { z } from 'zod';
import { Done, doneAfter } from '../../platform/values.ts';
import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { MemberPath } from '../members/schema.ts';
import { listFormer } from '../members/service.ts';
import { FormerMemberPage, FormerMemberQuery, RunningErasures } from './schema.ts';
import { eraseFormerMember, listRunning } from './service.ts';

export const formerMembers = personRouter({
  list: personProcedure
    .meta({ needs: 'admin', summary: 'Former members of the team' })
    .input(FormerMemberQuery)
    .output(FormerMemberPage)
    .query(({ ctx, input }) => listFormer(ctx.team, input)),

  running: personProcedure
    .meta({ needs: 'owner', summary: 'Unfinished erasures of the team' })
    .input(z.strictObject({}))
    .output(RunningErasures)
    .query(async ({ ctx }) => ({ data: await listRunning(ctx.team) })),

  erase: personProcedure
    .meta({ needs: 'owner', freshProof: true, summary: 'Erase a former member from the team’s data' })
    .input(MemberPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(eraseFormerMember(ctx.team, input.member_id))),
});
