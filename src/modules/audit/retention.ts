import { days, later } from '../../core/clock.ts';
import { auditLimits } from '../../core/limits.ts';
import { statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';

const teams = statement<{ id: string }, []>('select id from team order by id');

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
 * nothing of the last days is deleted: nobody can flush the log to hide what they did.
 */
export const cutAuditLogs = async (
  { database, clock }: Platform,
  { until, entries = auditLimits.entries }: { until: number; entries?: number },
): Promise<void> => {
  const recent = later(clock.now(), -days(auditLimits.days));
  for (const { id } of await database.rows(teams)) {
    const [first] = await database.rows(firstTooMany, id, entries);
    if (!first) continue;
    const tooOld = new Date(Math.min(Date.parse(first.created_at), recent.getTime()));
    let gone = batch;
    while (gone === batch && performance.now() < until) gone = (await database.rows(cut, id, tooOld))[0]?.gone ?? 0;
    if (performance.now() >= until) return;
  }
};
