import { statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';
import { resealAll } from '../../platform/reseal.ts';
import type { Kept, Resealed } from '../../platform/reseal.ts';
import { purpose } from './secret.ts';

interface KeptSecret extends Kept {
  readonly tenantId: string;
}

const batch = 500;
const nil = '00000000-0000-0000-0000-000000000000';
const beforeAll = { tenantId: nil, id: nil };

const next = statement<KeptSecret, [tenantId: string, id: string]>(
  `select tenant_id as "tenantId", id, secret as sealed from webhook_endpoint
    where (tenant_id, id) > ($1, $2) order by tenant_id, id limit ${batch}`,
);

const replace = statement<{ id: string }, [tenantId: string, id: string, former: Uint8Array, sealed: Uint8Array]>(
  'update webhook_endpoint set secret = $4 where tenant_id = $1 and id = $2 and secret = $3 returning id',
);

/** Seals the signing secrets of all endpoints with the secret in use: they live as long as their endpoints do. */
export const resealSecrets = (platform: Platform): Promise<Resealed> => {
  const { database } = platform;
  return resealAll<KeptSecret>(platform, {
    purpose,
    next: (last) => {
      const { tenantId, id } = last ?? beforeAll;
      return database.rows(next, tenantId, id);
    },
    replace: async ({ tenantId, id, sealed: former }, sealed) =>
      (await database.rows(replace, tenantId, id, former, sealed)).length > 0,
  });
};
