import { cutDays, deleteOld, reachOf } from '../../db/old-days.ts';
import type { Cutting } from '../../db/old-days.ts';
import { keepPartitions as keep } from '../../db/partitions.ts';
import type { Cut } from '../../db/partitions.ts';
import type { Platform } from '../../platform/platform.ts';
import { resealAll } from '../../platform/reseal.ts';
import type { Kept, Resealed } from '../../platform/reseal.ts';
import { purpose } from '../../webhooks/message.ts';
import { old, partitioned } from './delivery-store.ts';
import { endpoints } from './store.ts';

/** Makes the partitions of the days to come for events, deliveries and attempts. */
export const keepPartitions = (platform: Platform, options?: { ahead?: number }): Promise<void> =>
  keep(platform, partitioned, options);

/** Deletes events, deliveries and attempts that are too old, the sums of their days, and what still waits of them. */
export const cutOld = async (
  platform: Platform,
  { days, until = Infinity }: Pick<Cutting, 'days'> & Partial<Cutting>,
): Promise<Cut> => {
  const reach = reachOf(platform, { days, until });
  // Before the deliveries, so that no worker takes a waiting row whose delivery is gone.
  await deleteOld(platform.database, old.waiting, reach);
  await deleteOld(platform.database, old.teamDays, reach);
  return cutDays(platform, old.days, { days, until });
};

interface KeptSecret extends Kept {
  readonly tenantId: string;
}

const nil = '00000000-0000-0000-0000-000000000000';
const beforeAll = { tenantId: nil, id: nil };

/** Seals the signing secrets of all endpoints with the secret in use: they live as long as their endpoints do. */
export const resealSecrets = (platform: Platform, most?: number): Promise<Resealed> => {
  const { database } = platform;
  const store = {
    purpose,
    next: (last?: KeptSecret) => endpoints.secretsAfter(database, last ?? beforeAll),
    replace: ({ tenantId, id, sealed: former }: KeptSecret, sealed: Uint8Array) =>
      endpoints.replaceSecret(database, { id: tenantId }, id, {
        former: Uint8Array.from(former),
        secret: Uint8Array.from(sealed),
      }),
  };
  return resealAll<KeptSecret>(platform, store, most);
};
