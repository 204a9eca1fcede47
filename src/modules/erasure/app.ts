import { z } from 'zod';
import { answer, toSnake } from '../../core/spelling.ts';
import { Done, doneAfter } from '../../platform/values.ts';
import { adminProcedure, ownerProcedure, personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { MemberPath } from '../members/schema.ts';
import { listFormer } from '../members/service.ts';
import { FormerMemberPage, FormerMemberQuery, RunningErasures } from './schema.ts';
import { eraseFormerMember, listRunning } from './service.ts';

export const formerMembers = personRouter({
  list: adminProcedure
    .input(FormerMemberQuery)
    .output(FormerMemberPage)
    .query(({ ctx, input }) => answer(listFormer(ctx.team, input))),

  running: ownerProcedure
    .input(z.strictObject({}))
    .output(RunningErasures)
    .query(async ({ ctx }) => toSnake({ data: await listRunning(ctx.team) })),

  erase: personProcedure
    .meta({ needs: 'owner', freshProof: true })
    .input(MemberPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(eraseFormerMember(ctx.team, input.member_id))),
});
