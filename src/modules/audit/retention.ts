import { days, later } from '../../core/clock.ts';
import { auditLimits } from '../../core/limits.ts';
import { statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';

// In another order each time, so that no team is always the last.
const teams = statement<{ id: string }, []>('select id from team order by random()');

/** When the newest entry was made that a team has too many. */
const firstTooMany = statement<{ created_at: string }, [tenantId: string, kept: number]>(
  `select created_at from audit_entry where tenant_id = $1 order by created_at desc, id desc offset $2 limit 1`,
);

/** Few enough that each statement is short. */
const batch = 5_000;

const cut = statement<{ gone: number }, [tenantId: string, until: Date]>(
  `with gone as (
     delete from audit_entry
      where tenant_id = $1
        and id = any (array(select id from audit_entry where tenant_id = $1 and created_at <= $2
                             order by created_at, id limit ${batch} for update skip locked))
     returning 1)
   select count(*)::int as gone from gone`,
);

/**
 * Deletes what a team's audit log has beyond its newest entries, so that writes at the full rate do not fill the disk. Whatever a team does,
 * nothing of the last days is deleted: nobody can flush the log to hide what they did. The teams take turns, a batch each, so one
 * team's millions do not keep the other logs from being cut.
 */
export const cutAuditLogs = async (
  { database, clock }: Platform,
  { until, entries = auditLimits.entries }: { until: number; entries?: number },
): Promise<void> => {
  const recent = later(clock.now(), -days(auditLimits.days));
  let long: { id: string; tooOld: Date }[] = [];
  const cutBatch = async (log: { id: string; tooOld: Date }): Promise<void> => {
    const [cutNow] = await database.rows(cut, log.id, log.tooOld);
    if (cutNow?.gone === batch) long.push(log);
  };
  for (const { id } of await database.rows(teams)) {
    if (performance.now() >= until) return;
    const [first] = await database.rows(firstTooMany, id, entries);
    if (first) await cutBatch({ id, tooOld: new Date(Math.min(Date.parse(first.created_at), recent.getTime())) });
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
