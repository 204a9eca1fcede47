import { z } from 'zod';
import { appRouterOf, operation } from '../../trpc/operation.ts';
import { ExportAllowed } from './schema.ts';
import { allowExport } from './service.ts';

export const teamExport = appRouterOf({
  allow: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'owner',
      whileInactive: true,
      summary: 'Get a link for one download of all the team’s data',
      input: z.strictObject({}),
      output: ExportAllowed,
    },
    ({ ctx }) => allowExport(ctx.team),
  ),
});
