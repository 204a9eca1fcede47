import { cutDays, deleteOld, reachOf } from '../../db/old-days.ts';
import type { Cutting } from '../../db/old-days.ts';
import { keepPartitions as keep } from '../../db/partitions.ts';
import type { Cut, Partitioned } from '../../db/partitions.ts';
import { statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';
import { resealAll } from '../../platform/reseal.ts';
import type { Kept, Resealed } from '../../platform/reseal.ts';
import { purpose } from '../../webhooks/message.ts';

/** Rows of deliveries change until they are done: room for that beside each spares their indexes. */
export const partitioned: readonly Partitioned[] = [
  { table: 'webhook_event' },
  { table: 'webhook_delivery', storage: 'with (fillfactor = 70)' },
  { table: 'webhook_attempt' },
];

/** Makes the partitions of the days to come for events, deliveries and attempts. */
export const keepPartitions = (platform: Platform, options?: { ahead?: number }): Promise<void> =>
  keep(platform, partitioned, options);

const waiting = { table: 'webhook_waiting', isOld: 'delivery_id < first_id_of($1::date)' };

/** Cuts events, deliveries and attempts that are too old, the sums of their days, and what still waits of them. */
export const cutOld = async (
  platform: Platform,
  { days, until = Infinity }: Pick<Cutting, 'days'> & Partial<Cutting>,
): Promise<Cut> => {
  const reach = reachOf(platform, { days, until });
  // Before the deliveries, so that none is taken to be sent that is gone.
  await deleteOld(platform.database, waiting, reach);
  await deleteOld(platform.database, { table: 'webhook_team_day', isOld: 'day < $1::date' }, reach);
  return cutDays(platform, { parents: partitioned, sums: 'webhook_endpoint_day' }, { days, until });
};

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
