import type { Tx } from '../../db/database.ts';
import { deleteOldDays, deleteOldRows, deletionOf, createPartitions as keep } from '../../db/partitions.ts';
import type { Retention, DroppedPartitions } from '../../db/partitions.ts';
import type { Platform } from '../../platform/team.ts';
import { resealAll } from '../../core/crypto.ts';
import type { SealedRow, Resealed } from '../../core/crypto.ts';
import { purpose } from '../../webhooks/message.ts';
import { old, partitioned, leftDeliveries, waiting } from './delivery-store.ts';
import type { EndpointKey } from './delivery-store.ts';
import { endpoints } from './store.ts';

/** Creates the partitions of the next days for events, deliveries and attempts. */
export const createPartitions = (platform: Platform, options?: { ahead?: number }): Promise<void> =>
  keep(platform, partitioned, options);

/** Deletes old events, deliveries and attempts, the sums of their days, and waiting rows of old deliveries. */
export const deleteOld = async (
  platform: Platform,
  { days, until = Infinity }: Pick<Retention, 'days'> & Partial<Retention>,
): Promise<DroppedPartitions> => {
  const reach = deletionOf(platform, { days, until });
  // Waiting rows are deleted before the deliveries, so that no worker claims a row whose delivery is gone.
  await deleteOldRows(platform.database, old.waiting, reach);
  await deleteOldRows(platform.database, old.teamDays, reach);
  await deleteOldRows(platform.database, old.quarterHours, reach);
  await deleteOldRows(platform.database, old.checks, reach);
  return deleteOldDays(platform, old.days, { days, until });
};

interface KeptSecret extends SealedRow {
  readonly tenantId: string;
}

const nil = '00000000-0000-0000-0000-000000000000';
const beforeAll = { tenantId: nil, id: nil };

/** Encrypts the signing secrets of all endpoints again with the first secret, because they live as long as their endpoints. */
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
  return resealAll<KeptSecret>(platform.vault, store, most);
};

// The deliveries of a deleted endpoint. The request deletes the endpoint and most of its waiting rows. After that its deliveries and
// attempts are in no answer, and a job deletes them in batches. Deleting thousands of rows in the request would keep the team locked.
// Retention alone would allow a team to fill the disk by creating and deleting endpoints.

/** Waiting deliveries that are deleted in the request. */
const waitingAtOnce = 5_000;

/** Deliveries that one transaction of the job deletes, with up to eight attempts each. */
const batchSize = 1_000;

/** Deletes the waiting rows of an endpoint that this transaction deletes, and adds the job for the rest. */
export const leaveBehind = async (tx: Tx, endpoint: EndpointKey): Promise<void> => {
  await waiting.deleteSome(tx, endpoint, waitingAtOnce);
  await leftDeliveries.addJobIn(tx, endpoint);
};

/** Adds the job that continues. */
export const addForgettingJob = async ({ database }: Platform, endpoint: EndpointKey): Promise<void> => {
  await leftDeliveries.addJob(database, endpoint);
};

/** Deletes the next batch; false once nothing is left. */
export const forgetNext = ({ database }: Platform, endpoint: EndpointKey): Promise<boolean> =>
  database.transaction(
    async (tx) => {
      const found = await leftDeliveries.find(tx, endpoint, batchSize);
      if (found.length === 0) {
        await leftDeliveries.deleteCounts(tx, endpoint);
        return false;
      }
      const ids = found.map(({ id }) => id);
      await leftDeliveries.delete(tx, endpoint.tenantId, ids);
      return true;
    },
    { group: endpoint.tenantId },
  );
