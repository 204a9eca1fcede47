import { z } from 'zod';
import { resealAll, type ResealResult } from '../../core/crypto.ts';
import type { Retention } from '../../db/retention.ts';
import { rewritingTask } from '../../platform/jobs.ts';
import type { Platform } from '../../platform/team.ts';
import { teamIds } from '../../platform/team-row.ts';
import { purpose } from '../../deliveries/message.ts';
import { headersPurpose } from '../../deliveries/team-headers.ts';
import { deliveries } from './delivery-store.ts';
import { deleteOldHistory, deleteSumsOf } from './history-store.ts';
import { endpoints } from './store.ts';

/**
 * Deletes old events, deliveries, attempts, receiver checks and sums of attempts, and the waiting rows of old
 * deliveries.
 */
export const deleteOldDeliveries = async (platform: Platform, retention: Retention): Promise<void> =>
  deleteOldHistory(platform, await teamIds(platform.database), retention);

/**
 * Encrypts the signing secrets and headers of all endpoints again with the first `APP_SECRET`, because they are kept as
 * long as their endpoints. `max` limits how many endpoints one call changes.
 */
export const resealSecrets = async ({ database, vault }: Platform, max?: number): Promise<ResealResult> =>
  resealAll(
    {
      rows: await endpoints.secrets(database),
      sealAgain: ({ id, ...former }) => {
        const secret = vault.sealAgain(purpose, id, former.secret);
        const headers = former.headers === null ? undefined : vault.sealAgain(headersPurpose, id, former.headers);
        if (!secret && !headers) return undefined;
        return { ...(secret && { secret }), ...(headers && { headers }) };
      },
      replace: (row, sealed) => endpoints.replaceSecrets(database, row, sealed),
    },
    max,
  );

// The deliveries of a deleted endpoint. The request deletes the endpoint and its waiting rows, up to a maximum. From
// then on no answer of the API contains the endpoint's deliveries and attempts, and a job deletes them in batches.
// Deleting all these rows in the request would keep the team locked for long. If only retention deleted them, a team
// could fill the disk by creating and deleting endpoints.

/**
 * How many deliveries one transaction of the job deletes. With the usual schedule each has up to eight attempts;
 * retries by hand add more.
 */
const batchSize = 1_000;

/** Deletes the rows that a deleted endpoint leaves behind. */
export const endpointDeletion = rewritingTask({
  name: 'delete_endpoint',
  payload: z.object({ tenantId: z.uuid(), endpointId: z.uuid() }),
  next: ({ database }, endpoint) =>
    database.transaction(
      async (tx) => {
        if (await endpoints.get(tx, { id: endpoint.tenantId }, endpoint.endpointId)) return false;
        if ((await deliveries.deleteSome(tx, endpoint, batchSize)) > 0) return true;
        await deleteSumsOf(tx, endpoint);
        return false;
      },
      { group: endpoint.tenantId },
    ),
});
