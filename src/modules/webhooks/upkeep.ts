import { cutDays, deleteOld, keptByDay, oldRows, reachOf } from '../../db/old-days.ts';
import type { Cutting } from '../../db/old-days.ts';
import { keepPartitions as keep } from '../../db/partitions.ts';
import type { Cut, Partitioned } from '../../db/partitions.ts';
import { bytes, query, uuid } from '../../db/query.ts';
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

const old = keptByDay('webhooks', partitioned, 'webhook_endpoint_day');
const oldWaiting = oldRows('webhooks', 'webhook_waiting', 'delivery_id < first_id_of(:firstKept::date)');
const oldSums = oldRows('webhooks', 'webhook_team_day', 'day < :firstKept::date');

/** Cuts events, deliveries and attempts that are too old, the sums of their days, and what still waits of them. */
export const cutOld = async (
  platform: Platform,
  { days, until = Infinity }: Pick<Cutting, 'days'> & Partial<Cutting>,
): Promise<Cut> => {
  const reach = reachOf(platform, { days, until });
  // Before the deliveries, so that none is taken to be sent that is gone.
  await deleteOld(platform.database, oldWaiting, reach);
  await deleteOld(platform.database, oldSums, reach);
  return cutDays(platform, old, { days, until });
};

interface KeptSecret extends Kept {
  readonly tenantId: string;
}

const batch = 500;
const nil = '00000000-0000-0000-0000-000000000000';
const beforeAll = { tenantId: nil, id: nil };

const next = query({
  name: 'webhooks.nextSecrets',
  why: 'compares two columns as a pair, so that the index gives the position',
  sql: `select tenant_id as "tenantId", id, secret as sealed from webhook_endpoint
         where (tenant_id, id) > (:tenantId, :id) order by tenant_id, id limit ${batch}`,
  parameters: { tenantId: uuid, id: uuid },
  row: { tenantId: uuid, id: uuid, sealed: bytes },
});

/** Seals the signing secrets of all endpoints with the secret in use: they live as long as their endpoints do. */
export const resealSecrets = (platform: Platform): Promise<Resealed> => {
  const { database } = platform;
  return resealAll<KeptSecret>(platform, {
    purpose,
    next: (last) => {
      const { tenantId, id } = last ?? beforeAll;
      return database.run(next, { tenantId, id });
    },
    replace: async ({ tenantId, id, sealed: former }, sealed) => {
      const { count } = await database.prisma.webhookEndpoint.updateMany({
        where: { tenantId, id, secret: Uint8Array.from(former) },
        data: { secret: Uint8Array.from(sealed) },
      });
      return count > 0;
    },
  });
};
