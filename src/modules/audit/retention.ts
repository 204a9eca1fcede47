import { daysToMs, later } from '../../core/clock.ts';
import { auditLimits } from '../../core/limits.ts';
import type { Platform } from '../../platform/team.ts';
import { teamIds } from '../../platform/team-row.ts';
import { deletedAtOnce, entries } from './store.ts';

/**
 * Deletes the oldest entries of long audit logs, so that writes at the full rate do not fill the disk. Entries of the
 * last `auditLimits.days` days are never deleted, so nobody can hide an action by filling the log.
 */
export const deleteOldAuditEntries = async (
  { database, clock }: Platform,
  { until, entries: kept = auditLimits.entries }: { until: number; entries?: number },
): Promise<void> => {
  const recent = later(clock.now(), -daysToMs(auditLimits.days));
  for (const id of await teamIds(database)) {
    if (performance.now() >= until) return;
    const time = await entries.timeBeyond(database, id, kept);
    if (!time) continue;
    const tooOld = new Date(Math.min(time.getTime(), recent.getTime()));
    let deleted = deletedAtOnce;
    while (deleted === deletedAtOnce && performance.now() < until) {
      deleted = await entries.deleteOldest(database, id, tooOld);
    }
  }
};
