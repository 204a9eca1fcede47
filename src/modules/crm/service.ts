import { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import { takeRun, workOn } from './run.ts';
import type { Place, WorkOptions } from './run.ts';
import { runs } from './store.ts';

export {
  changeConnection,
  connect,
  connectCrm,
  disconnect,
  getConnection,
  listConnections,
  pauseConnection,
  renewToken,
  requestSync,
  resumeConnection,
  syncNow,
  teamOfConnection,
} from './connections.ts';
export { resealTokens } from './credentials.ts';
export { addCrmForgettingJob, addLostCrmForgettingJobs, forgetNextOfCrm } from './leftovers.ts';
export { providerNames } from './providers/table.ts';
export { dealList as listDeals, objectionList as listObjections, runList as listRuns } from './store.ts';
export { storeDeals, storeObjections, syncFailed } from './sync.ts';
export type { SyncedDeal } from './sync.ts';

/** The task of the job queue that syncs a connection, and its job. */
export const syncTask = 'crm_sync';
export const SyncJob = z.object({ tenantId: z.uuid(), connectionId: z.uuid() });

/** Connections that one look finds; the next look finds the others. */
const dueAtOnce = 200;

/** Adds jobs for connections that are due and runs whose worker is gone; how many. */
export const addDueSyncs = ({ database, clock }: Platform): Promise<number> =>
  runs.addDueJobs(database, clock.now(), dueAtOnce);

/** What a job does: begins the run that is due, or takes up one that was left behind. A run that has more to do gets another job. */
export const syncConnection = async (platform: Platform, place: Place, options: WorkOptions): Promise<void> => {
  const taken = await takeRun(platform, place, { requested: false });
  if (taken.state !== 'taken') return;
  if ((await workOn(platform, taken.run, options)) === 'later') await runs.addJob(platform.database, place);
};
