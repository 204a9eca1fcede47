import type { Platform } from '../../platform/platform.ts';
import type { Place } from './run.ts';
import { leftovers } from './store.ts';

/**
 * Deleting what a disconnected connection leaves behind: objections, deals, runs, and in the end the connection. Nothing of it is in any
 * answer, and a job deletes it in batches: a hundred thousand rows would keep a request waiting.
 */
const batchSize = 5_000;

/** Deletes the next batch; false once nothing is left. */
export const forgetNextOfCrm = ({ database }: Platform, place: Place): Promise<boolean> =>
  database.transaction(
    async (tx) => (await leftovers.isDisconnected(tx, place)) && (await leftovers.dropNext(tx, place, batchSize)),
    { group: place.tenantId },
  );

/** Adds the job that goes on. */
export const addCrmForgettingJob = async ({ database }: Platform, place: Place): Promise<void> => {
  await leftovers.addJobAgain(database, place);
};

/** Adds the jobs of all connections that are still to be deleted, in case one was lost. */
export const addLostCrmForgettingJobs = async ({ database }: Platform): Promise<void> => {
  await leftovers.addAllJobs(database);
};
