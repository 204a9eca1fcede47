import { hours, later } from '../../core/clock.ts';
import { webhookLimits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Team } from '../../platform/team.ts';

interface Hour {
  since: string;
  sent: number;
}

// The hour that runs goes on, any other starts now. What is beyond the limit is counted once and for nothing: the refusal undoes it.
const count = statement<Hour, [tenantId: string, id: string, now: Date, startedAfter: Date]>(
  `update webhook_endpoint
      set by_hand_since = case when by_hand_since > $4 then by_hand_since else $3 end,
          by_hand_sent = case when by_hand_since > $4 then by_hand_sent + 1 else 1 end
    where tenant_id = $1 and id = $2
   returning by_hand_since as since, by_hand_sent as sent`,
);

/**
 * Counts something that somebody asked to be sent to an endpoint, and refuses it where there was too much of it this hour: each leaves
 * rows that are kept for weeks. Only right while the endpoint is locked.
 */
export const countByHand = async (tx: Tx, team: Team, endpointId: string): Promise<void> => {
  const now = team.platform.clock.now();
  const [hour] = await rowsIn(tx, count, team.id, endpointId, now, later(now, -hours(1)));
  if (!hour || hour.sent <= webhookLimits.sentByHandPerHour) return;
  const ends = later(new Date(hour.since), hours(1));
  fail('rate_limited', {
    retry_after: Math.max(1, Math.ceil((ends.getTime() - now.getTime()) / 1000)),
    detail: `An endpoint can be tested, retried and replayed to ${webhookLimits.sentByHandPerHour} times an hour; recovering what it missed counts once.`,
  });
};
