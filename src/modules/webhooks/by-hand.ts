import { hours, later } from '../../core/clock.ts';
import { webhookLimits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Team } from '../../platform/team.ts';

interface Hours {
  endpoint_since: string;
  endpoint_sent: number;
  team_since: string;
  team_sent: number;
}

// An hour starts with the first request and goes on until it is over. A refusal undoes its own counting. The team's hour is not kept
// with the endpoint, so deleting endpoints and making new ones brings no new hour. In `rate_window`, windows of more than ten minutes are marked `day …`.
const count = statement<Hours, [tenantId: string, id: string, now: Date, startedAfter: Date, subject: string]>(
  `with endpoint as (
     update webhook_endpoint
        set by_hand_since = case when by_hand_since > $4 then by_hand_since else $3 end,
            by_hand_sent = case when by_hand_since > $4 then by_hand_sent + 1 else 1 end
      where tenant_id = $1 and id = $2
     returning by_hand_since as since, by_hand_sent as sent),
   team as (
     insert into rate_window as hour (subject, started_at, used) values ($5, $3, 1)
         on conflict (subject) do update
        set started_at = case when hour.started_at > $4 then hour.started_at else excluded.started_at end,
            used = case when hour.started_at > $4 then hour.used + 1 else 1 end
     returning started_at as since, used as sent)
   select endpoint.since as endpoint_since, endpoint.sent as endpoint_sent, team.since as team_since, team.sent as team_sent
     from endpoint cross join team`,
);

const refuse = (since: string, now: Date, detail: string): never => {
  const ends = later(new Date(since), hours(1));
  return fail('rate_limited', {
    retry_after: Math.max(1, Math.ceil((ends.getTime() - now.getTime()) / 1000)),
    detail,
  });
};

/**
 * Counts something that somebody asked to be sent to an endpoint, and refuses it where there was too much of it this hour: each leaves
 * rows that are kept for weeks. Only right while the endpoint is locked.
 */
export const countByHand = async (tx: Tx, team: Team, endpointId: string): Promise<void> => {
  const now = team.platform.clock.now();
  const [sent] = await rowsIn(tx, count, team.id, endpointId, now, later(now, -hours(1)), `day by hand ${team.id}`);
  const { sentByHandPerHour, sentByHandPerTeamPerHour } = webhookLimits;
  if (sent && sent.endpoint_sent > sentByHandPerHour) {
    const detail = `An endpoint can be tested, retried and replayed to ${sentByHandPerHour} times an hour; recovering what it missed counts once.`;
    refuse(sent.endpoint_since, now, detail);
  }
  if (sent && sent.team_sent > sentByHandPerTeamPerHour) {
    const detail = `All endpoints of a team together can be tested, retried and replayed to ${sentByHandPerTeamPerHour} times an hour.`;
    refuse(sent.team_since, now, detail);
  }
};
