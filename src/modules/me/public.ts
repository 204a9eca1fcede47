import { exampleIds } from '../../core/example-ids.ts';
import { z } from 'zod';
import { allScopes } from '../../core/scopes.ts';
import { operation, router } from '../../trpc/operation.ts';
import { Me } from './schema.ts';

export const me = router({
  me: operation(
    'GET /me',
    {
      audience: 'key',
      operationId: 'getMe',
      scope: null,
      summary: 'Show this key',
      description: 'The team the key belongs to, what the key may do, and the team’s privacy switches.',
      input: z.strictObject({}),
      output: Me,
      example: {
        output: {
          tenant_id: exampleIds.team,
          kind: 'live',
          scopes: ['users:read'],
          rate_limit_per_min: 600,
          privacy: { member_detail_enabled: true },
        },
      },
    },
    ({ ctx: { principal, team } }) => ({
      tenant_id: team.id,
      kind: 'live' as const,
      scopes: allScopes.filter((scope) => principal.scopes.has(scope)),
      rate_limit_per_min: team.rateLimitPerMin,
      privacy: { member_detail_enabled: team.privacy.memberDetail },
    }),
  ),
});
