import { exampleIds } from '../../core/example-ids.ts';
import { z } from 'zod';
import { apiKeyProcedure, keyRouter, route } from '../../platform/trpc/procedures.ts';
import { Catalog } from './schema.ts';
import { getCatalog } from './service.ts';

export const catalog = keyRouter({
  get: apiKeyProcedure
    .meta(
      route('GET /catalog', {
        operationId: 'getCatalog',
        scope: 'catalog:read',
        summary: 'Read the catalog',
        description:
          'The items that the team can practise with: all published ones that its policy releases, those of the service and its own, in its order. Not all can be combined: see POST /assignments.',
        example: {
          output: {
            situation: [
              { id: exampleIds.situation, name: 'Kaltakquise', icon: 'phone-call' },
              { id: exampleIds.otherSituation, name: 'Bedarfsanalyse', icon: 'ear' },
            ],
            personality: [{ id: exampleIds.personality, name: 'Analytisch und faktenorientiert', icon: 'chart-dots' }],
            industry: [{ id: exampleIds.industry, name: 'Energieversorgung', icon: 'plug' }],
            role: [{ id: exampleIds.role, name: 'Einkauf', icon: 'shopping-bag' }],
            methodology: [{ id: exampleIds.methodology, name: 'SPIN Selling', icon: 'rotate-clockwise-2' }],
          },
        },
      }),
    )
    .input(z.strictObject({}))
    .output(Catalog)
    .query(({ ctx }) => getCatalog(ctx.team, ctx.language)),
});
