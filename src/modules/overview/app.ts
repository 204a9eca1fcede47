import { z } from 'zod';
import { answer } from '../../core/spelling.ts';
import { adminProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { Done, doneAfter } from '../../platform/values.ts';
import { chooseWeeklyMail, wantsWeeklyMail } from '../membership/service.ts';
import { Overview, WeeklyMail } from './schema.ts';
import { showOverview } from './service.ts';

export const overview = personRouter({
  show: adminProcedure
    .input(z.strictObject({}))
    .output(Overview)
    .query(({ ctx }) => answer(showOverview(ctx.team, ctx.language))),

  weeklyMail: adminProcedure
    .input(z.strictObject({}))
    .output(WeeklyMail)
    .query(async ({ ctx }) => ({ wanted: await wantsWeeklyMail(ctx.team, ctx.person.memberId) })),

  setWeeklyMail: adminProcedure
    .input(WeeklyMail)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(chooseWeeklyMail(ctx.team, ctx.person.memberId, input.wanted))),
});
