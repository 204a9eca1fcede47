import { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import type { Team } from '../../platform/team.ts';
import { takeRun, workOn } from './run.ts';
import type { Place, WorkOptions } from './run.ts';
import type { CrmQuery } from './schema.ts';
import { found, objectionList } from './deal-store.ts';
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
  tryConnection,
} from './connections.ts';
export { resealTokens } from './credentials.ts';
export { addCrmForgettingJob, addLostCrmForgettingJobs, forgetNextOfCrm } from './leftovers.ts';
export { providerNames } from './providers/table.ts';
export { dealList as listDeals, objectionList as listObjections } from './deal-store.ts';
export { runList as listRuns } from './store.ts';
export { storeDeals, storeObjections, storeRuns } from './sync.ts';
export type { PastRun, SyncedDeal } from './sync.ts';

/** The title of an objection's deal is cut after so many characters, so that a page stays small. */
const titleCharacters = 200;

/** Objections as `listObjections` has them, each with the title of its deal. */
export const listObjectionsWithDeals = async (team: Team, query: z.output<typeof CrmQuery>) => {
  const page = await objectionList(team, query);
  const titles = await found.titles(team.platform.database, {
    tenantId: team.id,
    ids: page.data.map(({ deal_id }) => deal_id),
  });
  const titleOf = (dealId: string) => titles.get(dealId)?.slice(0, titleCharacters).toWellFormed() ?? null;
  return { ...page, data: page.data.map((row) => ({ ...row, deal_title: titleOf(row.deal_id) })) };
};

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
