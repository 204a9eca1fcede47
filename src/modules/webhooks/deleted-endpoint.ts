import { runIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { bigint, listOf, nothing, query, uuid } from '../../db/query.ts';
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

const dropWaiting = query({
  name: 'webhooks.dropWaiting',
  why: 'deletes a bounded number of rows',
  sql: `delete from webhook_waiting
         where tenant_id = :tenantId
           and delivery_id = any (array(select delivery_id from webhook_waiting
                                         where tenant_id = :tenantId and endpoint_id = :endpointId limit :most))`,
  parameters: { tenantId: uuid, endpointId: uuid, most: bigint },
  row: {},
});

const addJob = query({
  name: 'webhooks.addForgettingJob',
  why: 'adds a job of graphile-worker',
  sql: `select add_rewriting_job('forget_endpoint', json_build_object('tenantId', :tenantId::uuid, 'endpointId', :endpointId::uuid),
                                 :tenantId::text || ' ' || :endpointId::text) as added`,
  parameters: { tenantId: uuid, endpointId: uuid },
  row: { added: nothing },
});

/** Deletes what waits for an endpoint that this transaction deletes, and adds the job for the rest. */
export const leaveBehind = async (tx: Tx, { tenantId, endpointId }: DeletedEndpoint): Promise<void> => {
  await runIn(tx, dropWaiting, { tenantId, endpointId, most: waitingAtOnce });
  await runIn(tx, addJob, { tenantId, endpointId });
};

/** Adds the job that goes on. */
export const addForgettingJob = async (
  { database }: Platform,
  { tenantId, endpointId }: DeletedEndpoint,
): Promise<void> => {
  await database.run(addJob, { tenantId, endpointId });
};

// Never those of an endpoint that exists.
const findSome = query({
  name: 'webhooks.deliveriesLeft',
  why: 'finds deliveries whose endpoint is gone: no relation says so',
  sql: `select d.id from webhook_delivery d
         where d.tenant_id = :tenantId and d.endpoint_id = :endpointId
           and not exists (select from webhook_endpoint e where e.tenant_id = :tenantId and e.id = :endpointId)
         order by d.id limit :size`,
  parameters: { tenantId: uuid, endpointId: uuid, size: bigint },
  row: { id: uuid },
});

const deletion = (table: string, column: string) =>
  query({
    name: `webhooks.forget ${table}`,
    why: 'takes any number of ids in one prepared statement; Prisma plans a new text for each number',
    sql: `delete from ${table} where tenant_id = :tenantId and ${column} = any (:ids::uuid[])`,
    parameters: { tenantId: uuid, ids: listOf(uuid) },
    row: {},
  });

const deletions = [
  deletion('webhook_waiting', 'delivery_id'),
  deletion('webhook_attempt', 'delivery_id'),
  deletion('webhook_delivery', 'id'),
];

/** Deletes the next batch; false once nothing is left. */
export const forgetNext = ({ database }: Platform, { tenantId, endpointId }: DeletedEndpoint): Promise<boolean> =>
  database.transaction(
    async (tx) => {
      const found = await runIn(tx, findSome, { tenantId, endpointId, size: batchSize });
      const ids = found.map(({ id }) => id);
      if (ids.length === 0) return false;
      for (const forget of deletions) await runIn(tx, forget, { tenantId, ids });
      return ids.length === batchSize;
    },
    { group: tenantId },
  );
