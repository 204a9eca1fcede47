import { days, later } from '../../core/clock.ts';
import { auditLimits } from '../../core/limits.ts';
import type { Platform } from '../../platform/platform.ts';
import { teamIds } from '../teams/service.ts';
import { deletedAtOnce, entries } from './store.ts';

/**
 * Deletes what a team's audit log has beyond its newest entries, so that writes at the full rate do not fill the disk. Whatever a team does,
 * nothing of the last days is deleted: nobody can flush the log to hide what they did.
 */
export const cutAuditLogs = async (
  { database, clock }: Platform,
  { until, entries: kept = auditLimits.entries }: { until: number; entries?: number },
): Promise<void> => {
  const recent = later(clock.now(), -days(auditLimits.days));
  for (const id of await teamIds(database)) {
    const time = await entries.timeBeyond(database, id, kept);
    if (!time) continue;
    const tooOld = new Date(Math.min(time.getTime(), recent.getTime()));
    let gone = deletedAtOnce;
    while (gone === deletedAtOnce && performance.now() < until) gone = await entries.deleteOldest(database, id, tooOld);
    if (performance.now() >= until) return;
  }
};
