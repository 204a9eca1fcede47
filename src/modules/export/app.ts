import { z } from 'zod';
import { answer } from '../../core/spelling.ts';
import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { allowExport } from './service.ts';
import { Time } from '../../platform/values.ts';

export const ExportAllowed = z.object({
  path: z.string().meta({ description: 'The path from which the browser can download the ZIP once.' }),
  expires_at: Time,
});

export const teamExport = personRouter({
  allow: personProcedure
    .meta({ needs: 'owner', whileInactive: true })
    .input(z.strictObject({}))
    .output(ExportAllowed)
    .mutation(({ ctx }) => answer(allowExport(ctx.team))),
});
