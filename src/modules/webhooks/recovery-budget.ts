import { days, later } from '../../core/clock.ts';
import { webhookLimits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Team } from '../../platform/team.ts';

interface Day {
  since: string;
  used: number;
}

// A day starts with the first recovery and ends 24 hours later. It is kept for the team, so new endpoints bring no new budget. The row stays
// locked until the transaction ends. In `rate_window`, windows of more than ten minutes are marked `day …`.
const openDay = statement<Day, [subject: string, now: Date, startedAfter: Date]>(
  `insert into rate_window as day (subject, started_at, used) values ($1, $2, 0)
       on conflict (subject) do update
      set started_at = case when day.started_at > $3 then day.started_at else excluded.started_at end,
          used = case when day.started_at > $3 then day.used else 0 end
   returning started_at as since, used`,
);

const spend = statement<Record<never, never>, [subject: string, count: number]>(
  'update rate_window set used = used + $2 where subject = $1',
);

const subjectOf = (team: Team): string => `day recovered ${team.id}`;

/** How many deliveries the team may still recover today; 429 where there are none. */
export const recoveriesLeft = async (tx: Tx, team: Team): Promise<number> => {
  const now = team.platform.clock.now();
  const most = webhookLimits.recoveredPerTeamPerDay;
  const [day] = await rowsIn(tx, openDay, subjectOf(team), now, later(now, -days(1)));
  if (!day || day.used < most) return most - (day?.used ?? 0);
  const ends = later(new Date(day.since), days(1));
  return fail('rate_limited', {
    retry_after: Math.max(1, Math.ceil((ends.getTime() - now.getTime()) / 1000)),
    detail: `All endpoints of a team together can recover ${most} deliveries within 24 hours.`,
  });
};

/** Counts recovered deliveries, in the transaction that `recoveriesLeft` was asked in. */
export const countRecovered = async (tx: Tx, team: Team, count: number): Promise<void> => {
  await rowsIn(tx, spend, subjectOf(team), count);
};
