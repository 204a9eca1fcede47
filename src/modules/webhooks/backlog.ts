import { statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';

/** What waits to be sent. */
interface Backlog {
  due: number;
  /** Under a lease that has not ended. */
  sending: number;
  later: number;
  /** Behind an endpoint that gets nothing now. */
  paused: number;
  oldestDueSeconds: number;
}

/** Whoever has more than this waiting needs no exact number, and the database no more to do. */
const mostCounted = 1_000_000;

const countWaiting = statement<
  { due: string; sending: string; later: string; paused: string; oldest: number | null },
  [now: Date, most: number]
>(
  `select count(*) filter (where due_at <= $1) as due,
          count(*) filter (where due_at > $1 and claim_id is not null) as sending,
          count(*) filter (where due_at > $1 and claim_id is null and due_at < 'infinity') as later,
          count(*) filter (where due_at = 'infinity') as paused,
          extract(epoch from $1 - min(due_at) filter (where due_at <= $1))::float8 as oldest
     from (select due_at, claim_id from webhook_waiting limit $2) as waiting`,
);

/** Counts what waits, up to a million; the oldest is the oldest of these. */
export const readBacklog = async ({ database, clock }: Platform): Promise<Backlog> => {
  const [row] = await database.rows(countWaiting, clock.now(), mostCounted);
  if (!row) throw new Error('nothing was counted');
  return {
    due: Number(row.due),
    sending: Number(row.sending),
    later: Number(row.later),
    paused: Number(row.paused),
    oldestDueSeconds: row.oldest ?? 0,
  };
};
