import type { Platform } from '../../platform/platform.ts';
import { lockUser } from '../people/service.ts';
import { pendingListings } from './store.ts';

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

/** Rewrites the next batch of a user's trainings; false once there is nothing left to do. */
export const relistNext = ({ database }: Platform, user: PendingUser): Promise<boolean> =>
  database.transaction(
    async (tx) => {
      // The user's row first, as the triggers do: no training is started and no membership begins or ends meanwhile.
      await lockUser(tx, user);
      const pending = await pendingListings.get(tx, user);
      if (!pending) return false;
      const written = await pendingListings.relistSome(tx, { ...user, listed: !pending.hidden, size: batchSize });
      if (written === batchSize) return true;
      await pendingListings.remove(tx, user);
      return false;
    },
    { group: user.tenantId },
  );

/** Adds the job that goes on with it. */
export const addListingJob = async ({ database }: Platform, user: PendingUser): Promise<void> => {
  await pendingListings.addJob(database, user);
};

/** Adds the job of every pending listing, in case one gave up: a job that waits already is only replaced. */
export const addLostListingJobs = async ({ database }: Platform): Promise<void> => {
  await pendingListings.addLostJobs(database);
};
