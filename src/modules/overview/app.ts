import { z } from 'zod';
import { answer } from '../../core/spelling.ts';
import { adminProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { Overview } from './schema.ts';
import { showOverview } from './service.ts';

export const overview = personRouter({
  show: adminProcedure
    .input(z.strictObject({}))
    .output(Overview)
    .query(({ ctx }) => answer(showOverview(ctx.team, ctx.language))),
});
