import { z } from 'zod';
import { ScopeName } from '../../platform/values.ts';

const KeyKind = z.enum(['live']).meta({ id: 'KeyKind', description: 'The kind of a key.' });

export const Me = z
  .object({
    tenant_id: z.string().meta({ description: 'The team that the key belongs to.' }),
    kind: KeyKind.nullable().meta({ description: 'The kind of the key.' }),
    scopes: z.array(ScopeName).meta({ description: 'The scopes of the key.' }),
    rate_limit_per_min: z.int().nullable().meta({ description: 'Requests a minute that all keys of the team share.' }),
    privacy: z
      .object({
        member_detail_enabled: z
          .boolean()
          .meta({ description: 'Whether answers and events contain data that names individual people.' }),
      })
      .meta({ id: 'PrivacySettings', description: 'The team’s privacy settings, as far as they concern the API.' }),
  })
  .meta({ id: 'Me', description: 'The key of the request, and its team.' });
