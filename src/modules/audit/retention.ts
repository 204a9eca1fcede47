import { daysToMs, later } from '../../core/clock.ts';
import { auditLimits } from './limits.ts';
import type { Platform } from '../../platform/team.ts';
import { teamIds } from '../teams/service.ts';
import { deletedAtOnce, entries } from './store.ts';

const inRandomOrder = <T>(values: readonly T[]): T[] =>
  values
    .map((value) => ({ value, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ value }) => value);

/**
 * Deletes the oldest entries of long audit logs, so that writes at the full rate do not fill the disk. Entries of the last days are never
 * deleted, so nobody can flush the log to hide an action. The teams take turns, one batch each, so that one very long log does not delay
 * the others.
 */
export const cutAuditLogs = async (
  { database, clock }: Platform,
  { until, entries: kept = auditLimits.entries }: { until: number; entries?: number },
): Promise<void> => {
  const recent = later(clock.now(), -daysToMs(auditLimits.days));
  let long: { id: string; tooOld: Date }[] = [];
  const cutBatch = async (log: { id: string; tooOld: Date }): Promise<void> => {
    if ((await entries.deleteOldest(database, log.id, log.tooOld)) === deletedAtOnce) long.push(log);
  };
  // In a random order, so that no team is always the last.
  for (const id of inRandomOrder(await teamIds(database))) {
    if (performance.now() >= until) return;
    const time = await entries.timeBeyond(database, id, kept);
    if (time) await cutBatch({ id, tooOld: new Date(Math.min(time.getTime(), recent.getTime())) });
  }
  while (long.length > 0) {
    const round = long;
    long = [];
    for (const log of round) {
      if (performance.now() >= until) return;
      await cutBatch(log);
    }
  }
};
