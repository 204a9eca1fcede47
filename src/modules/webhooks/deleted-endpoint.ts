import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';

/**
 * Deleting what an endpoint leaves behind. The endpoint itself and most of what waits for it go in the request. Its deliveries and their
 * attempts are in no answer from then on, and a job deletes them in batches: thousands of rows would keep the team locked, and
 * left until retention they would let a team fill the disk with endpoints that it makes and deletes.
 */
export interface DeletedEndpoint {
  tenantId: string;
  endpointId: string;
}

/** Waiting deliveries that are deleted in the request. */
const waitingAtOnce = 5_000;

/** Deliveries that one transaction of the job deletes, with up to eight attempts each. */
const batchSize = 1_000;

const dropWaiting = statement<Record<never, never>, [tenantId: string, endpointId: string, most: number]>(
  `delete from webhook_waiting
    where tenant_id = $1
      and delivery_id = any (array(select delivery_id from webhook_waiting where tenant_id = $1 and endpoint_id = $2 limit $3))`,
);

const addJob = statement<object, [tenantId: string, endpointId: string]>(
  `select add_rewriting_job('forget_endpoint', json_build_object('tenantId', $1::uuid, 'endpointId', $2::uuid), $1::text || ' ' || $2::text)`,
);

/** Deletes what waits for an endpoint that this transaction deletes, and adds the job for the rest. */
export const leaveBehind = async (tx: Tx, { tenantId, endpointId }: DeletedEndpoint): Promise<void> => {
  await rowsIn(tx, dropWaiting, tenantId, endpointId, waitingAtOnce);
  await rowsIn(tx, addJob, tenantId, endpointId);
};

/** Adds the job that goes on. */
export const addForgettingJob = async (
  { database }: Platform,
  { tenantId, endpointId }: DeletedEndpoint,
): Promise<void> => {
  await database.rows(addJob, tenantId, endpointId);
};

// Never those of an endpoint that exists.
const findSome = statement<{ ids: string[] | null }, [tenantId: string, endpointId: string, size: number]>(
  `select array_agg(id) as ids
     from (select d.id from webhook_delivery d
            where d.tenant_id = $1 and d.endpoint_id = $2
              and not exists (select from webhook_endpoint e where e.tenant_id = $1 and e.id = $2)
            order by d.id limit $3) as found`,
);

type Deletion = [tenantId: string, deliveryIds: readonly string[]];

const deleteWaiting = statement<Record<never, never>, Deletion>(
  'delete from webhook_waiting where tenant_id = $1 and delivery_id = any ($2::uuid[])',
);
const deleteAttempts = statement<Record<never, never>, Deletion>(
  'delete from webhook_attempt where tenant_id = $1 and delivery_id = any ($2::uuid[])',
);
const deleteDeliveries = statement<Record<never, never>, Deletion>(
  'delete from webhook_delivery where tenant_id = $1 and id = any ($2::uuid[])',
);

/** Deletes the next batch; false once nothing is left. */
export const forgetNext = ({ database }: Platform, { tenantId, endpointId }: DeletedEndpoint): Promise<boolean> =>
  database.transaction(
    async (tx) => {
      const [found] = await rowsIn(tx, findSome, tenantId, endpointId, batchSize);
      const ids = found?.ids ?? [];
      if (ids.length === 0) return false;
      for (const deletion of [deleteWaiting, deleteAttempts, deleteDeliveries]) {
        await rowsIn(tx, deletion, tenantId, ids);
      }
      return ids.length === batchSize;
    },
    { group: tenantId },
  );
