import { days, later } from '../../core/clock.ts';
import { webhookLimits } from '../../core/limits.ts';
import { failUntil } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { windows } from '../windows/store.ts';

// A day starts with the first recovery and ends 24 hours later. It is kept for the team, so new endpoints bring no new budget.
const subjectOf = (team: Team): string => `day recovered ${team.id}`;

const add = (tx: Tx, team: Team, count: number) => {
  const now = team.platform.clock.now();
  return windows.add(tx, { subject: subjectOf(team), now, startedAfter: later(now, -days(1)), count });
};

/** How many deliveries the team may still recover today; 429 where there are none. */
export const recoveriesLeft = async (tx: Tx, team: Team): Promise<number> => {
  const most = webhookLimits.recoveredPerTeamPerDay;
  const day = await add(tx, team, 0);
  if (!day || day.used < most) return most - (day?.used ?? 0);
  const detail = `All endpoints of a team together can recover ${most} deliveries within 24 hours.`;
  return failUntil(later(new Date(day.since), days(1)), team.platform.clock.now(), detail);
};

/** Counts recovered deliveries, in the transaction that `recoveriesLeft` was asked in. */
export const countRecovered = async (tx: Tx, team: Team, count: number): Promise<void> => {
  await add(tx, team, count);
};
