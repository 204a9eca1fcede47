import { statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';

/** What waits to be sent. */
interface Backlog {
  due: number;
  /** Under a lease that has not ended. */
  sending: number;
  later: number;
  /** Until its endpoint is active again. */
  held: number;
  oldestDueSeconds: number;
}

/** Whoever has more than this waiting needs no exact number, and the database no more to do. */
const mostCounted = 1_000_000;

const countWaiting = statement<
  { due: string; sending: string; later: string; held: string; oldest: number | null },
  [now: Date, most: number]
>(
  `select count(*) filter (where due_at <= $1 and not held) as due,
          count(*) filter (where due_at > $1 and claim_id is not null) as sending,
          count(*) filter (where due_at > $1 and claim_id is null and not held) as later,
          count(*) filter (where held and (due_at <= $1 or claim_id is null)) as held,
          extract(epoch from $1 - min(due_at) filter (where due_at <= $1 and not held))::float8 as oldest
     from (select w.due_at, w.claim_id, e.id is not null and not w.by_hand as held
             from (select * from webhook_waiting limit $2) as w
             left join webhook_endpoint e on e.tenant_id = w.tenant_id and e.id = w.endpoint_id and e.status <> 'active') as waiting`,
);

/** Counts what waits, up to a million; the oldest is the oldest of these. */
export const readBacklog = async ({ database, clock }: Platform): Promise<Backlog> => {
  const [row] = await database.rows(countWaiting, clock.now(), mostCounted);
  if (!row) throw new Error('nothing was counted');
  return {
    due: Number(row.due),
    sending: Number(row.sending),
    later: Number(row.later),
    held: Number(row.held),
    oldestDueSeconds: row.oldest ?? 0,
  };
};
