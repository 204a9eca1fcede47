import { z } from 'zod';
import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { ExportAllowed } from './schema.ts';
import { allowExport } from './service.ts';

export const teamExport = personRouter({
  allow: personProcedure
    .meta({ needs: 'owner', whileInactive: true, summary: 'Get a link for one download of all the team’s data' })
    .input(z.strictObject({}))
    .output(ExportAllowed)
    .mutation(({ ctx }) => allowExport(ctx.team)),
});
