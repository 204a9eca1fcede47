import { z } from 'zod';
import { operation, router } from '../../trpc/operation.ts';
import { Catalog } from './schema.ts';
import { getCatalog } from './service.ts';

export const catalog = router({
  get: operation(
    'GET /catalog',
    {
      audience: 'key',
      operationId: 'getCatalog',
      scope: 'catalog:read',
      summary: 'Read the catalog',
      description:
        'What the team can practise with: the published items, everybody’s and the team’s own, that the team’s policy releases, in the team’s order. Not all items can be combined: see POST /assignments.',
      input: z.strictObject({}),
      output: Catalog,
      example: {
        output: {
          situation: [
            { id: '01990c1e-7a00-7000-8000-000000000030', name: 'Kaltakquise', icon: 'phone-call' },
            { id: '01990c1e-7a00-7000-8000-000000000031', name: 'Bedarfsanalyse', icon: 'ear' },
          ],
          personality: [
            { id: '01990c1e-7a00-7000-8000-000000000040', name: 'Analytisch und faktenorientiert', icon: 'chart-dots' },
          ],
          industry: [{ id: '01990c1e-7a00-7000-8000-000000000050', name: 'Energieversorgung', icon: 'plug' }],
          role: [{ id: '01990c1e-7a00-7000-8000-000000000060', name: 'Einkauf', icon: 'shopping-bag' }],
          methodology: [
            { id: '01990c1e-7a00-7000-8000-000000000070', name: 'SPIN Selling', icon: 'rotate-clockwise-2' },
          ],
        },
      },
    },
    ({ ctx }) => getCatalog(ctx.team, ctx.language),
  ),
});
