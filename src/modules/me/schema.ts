import { z } from 'zod';
import { allScopes } from '../../core/scopes.ts';

export const Me = z
  .object({
    tenant_id: z.string(),
    kind: z.enum(['live']).nullable(),
    scopes: z.array(z.enum(allScopes)).meta({ description: 'What the key may do.' }),
    rate_limit_per_min: z.int().nullable().meta({ description: 'Requests a minute that all keys of the team share.' }),
    privacy: z.object({ member_detail_enabled: z.boolean() }).meta({ id: 'MePrivacy' }),
  })
  .meta({ id: 'Me' });
