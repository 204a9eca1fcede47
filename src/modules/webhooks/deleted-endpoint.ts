import type { Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { leftDeliveries, waiting } from './delivery-store.ts';
import type { EndpointKey } from './delivery-store.ts';

// What happens to the deliveries of a deleted endpoint. The request deletes the endpoint and most of what waits for it. From then on
// its deliveries and their attempts are in no answer, and a job deletes them in batches. The request does not, since thousands of rows
// would keep the team locked. Retention does not, since a team could fill the disk with endpoints that it makes and deletes.

/** Waiting deliveries that are deleted in the request. */
const waitingAtOnce = 5_000;

/** Deliveries that one transaction of the job deletes, with up to eight attempts each. */
const batchSize = 1_000;

/** Deletes what waits for an endpoint that this transaction deletes, and adds the job for the rest. */
export const leaveBehind = async (tx: Tx, endpoint: EndpointKey): Promise<void> => {
  await waiting.deleteSome(tx, endpoint, waitingAtOnce);
  await leftDeliveries.addJobIn(tx, endpoint);
};

/** Adds the job that goes on. */
export const addForgettingJob = async ({ database }: Platform, endpoint: EndpointKey): Promise<void> => {
  await leftDeliveries.addJob(database, endpoint);
};

/** Deletes the next batch; false once nothing is left. */
export const forgetNext = ({ database }: Platform, endpoint: EndpointKey): Promise<boolean> =>
  database.transaction(
    async (tx) => {
      const found = await leftDeliveries.find(tx, endpoint, batchSize);
      if (found.length === 0) return false;
      const ids = found.map(({ id }) => id);
      await leftDeliveries.delete(tx, endpoint.tenantId, ids);
      return ids.length === batchSize;
    },
    { group: endpoint.tenantId },
  );
