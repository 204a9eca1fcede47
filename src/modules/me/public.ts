import { exampleIds } from '../../core/example-ids.ts';
import { z } from 'zod';
import { allScopes } from '../../core/scopes.ts';
import { toSnake } from '../../core/spelling.ts';
import { apiKeyProcedure, keyRouter, route } from '../../platform/trpc/procedures.ts';
import { Me } from './schema.ts';

export const me = keyRouter({
  me: apiKeyProcedure
    .meta(
      route('GET /me', {
        operationId: 'getMe',
        scope: null,
        summary: 'Show this key',
        description: 'The team that the key belongs to, the key’s scopes, the team’s limit and its privacy switch.',
        example: {
          output: {
            tenant_id: exampleIds.team,
            kind: 'live',
            scopes: ['users:read'],
            rate_limit_per_min: 600,
            privacy: { member_detail_enabled: true },
          },
        },
      }),
    )
    .input(z.strictObject({}))
    .output(Me)
    .query(({ ctx: { principal, team } }) =>
      toSnake({
        tenantId: team.id,
        kind: 'live' as const,
        scopes: allScopes.filter((scope) => principal.scopes.has(scope)),
        rateLimitPerMin: team.rateLimitPerMin,
        privacy: { memberDetailEnabled: team.privacy.memberDetail },
      }),
    ),
});
