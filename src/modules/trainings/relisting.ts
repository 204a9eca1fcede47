import { rowsIn } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';

/**
 * Rewriting `listed` of a user's trainings in batches, where they are too many for the transaction in which the user was
 * removed from the team or joined it again. The trigger on `member` writes the `pending_listing` and adds the job.
 *
 * Trainings of a user who was removed are hidden at once: reads look at the pending rows. Of a user who joined again a training
 * is found by its id at once and is in the lists once its batch is written. A removal or a return in between only
 * changes the direction, which each batch reads anew.
 */

/** How many trainings a batch rewrites: a transaction of some tens of milliseconds. */
const batchSize = 1_000;

export interface PendingUser {
  tenantId: string;
  userId: string;
}

// The user's row first, as the triggers do: no training is started and no membership begins or ends meanwhile.
const lockUser = statement<{ id: string }, [tenantId: string, userId: string]>(
  `select id from team_user where tenant_id = $1 and id = $2 for no key update`,
);

const findPending = statement<{ hidden: boolean }, [tenantId: string, userId: string]>(
  `select hidden from pending_listing where tenant_id = $1 and user_id = $2`,
);

// The newest first: lists begin with them.
const relistSome = statement<{ count: number }, [tenantId: string, userId: string, listed: boolean, size: number]>(
  `with wrong as (
     select id from training where tenant_id = $1 and user_id = $2 and listed = not $3::boolean
      order by created_at desc, id desc limit $4),
   written as (
     update training set listed = $3 from wrong where training.tenant_id = $1 and training.id = wrong.id returning 1)
   select count(*)::int as count from written`,
);

const forget = statement<object, [tenantId: string, userId: string]>(
  `delete from pending_listing where tenant_id = $1 and user_id = $2`,
);

/** Rewrites the next batch of a user's trainings; false once there is nothing left to do. */
export const relistNext = ({ database }: Platform, { tenantId, userId }: PendingUser): Promise<boolean> =>
  database.transaction(
    async (tx) => {
      await rowsIn(tx, lockUser, tenantId, userId);
      const [pending] = await rowsIn(tx, findPending, tenantId, userId);
      if (!pending) return false;
      const [written] = await rowsIn(tx, relistSome, tenantId, userId, !pending.hidden, batchSize);
      if (written?.count === batchSize) return true;
      await rowsIn(tx, forget, tenantId, userId);
      return false;
    },
    { group: tenantId },
  );

const addJob = statement<object, [tenantId: string, userId: string]>(`select add_listing_job($1, $2)`);

/** Adds the job that goes on with it. */
export const addListingJob = async ({ database }: Platform, { tenantId, userId }: PendingUser): Promise<void> => {
  await database.rows(addJob, tenantId, userId);
};

const addLostJobs = statement<object, []>(`select add_listing_job(tenant_id, user_id) from pending_listing limit 1000`);

/** Adds the job of every pending listing, in case one gave up: a job that waits already is only replaced. */
export const addLostListingJobs = async ({ database }: Platform): Promise<void> => {
  await database.rows(addLostJobs);
};
