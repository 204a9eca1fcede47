import { days, later } from '../../core/clock.ts';
import { dayOf } from '../../core/day.ts';
import { statement } from '../../db/statement.ts';
import type { Team } from '../../platform/team.ts';
import { getKey } from './listing.ts';
import type { KeyDay, UsageWanted } from './schema.ts';

// A day's sums of several keys may be beyond an integer.
const counted = statement<KeyDay, [tenantId: string, first: string, keyId: string | null]>(
  `select day::text as day, sum(requests)::float8 as requests, sum(limited)::float8 as limited, sum(refused)::float8 as refused,
          sum(failed)::float8 as failed
     from api_key_day
    where tenant_id = $1 and day >= $2::date and ($3::uuid is null or key_id = $3)
    group by day`,
);

const quiet = (day: string): KeyDay => ({ day, requests: 0, limited: 0, refused: 0, failed: 0 });

/** What the requests of each of the last days (UTC) came to, today's last: with one key, or with all of the team's. */
export const keyDays = async (team: Team, { key_id, days: wanted }: UsageWanted): Promise<KeyDay[]> => {
  const { database, clock } = team.platform;
  const now = clock.now();
  const shown = Array.from({ length: wanted }, (_, at) => dayOf(later(now, -days(wanted - 1 - at))));
  const keyId = key_id === undefined ? null : (await getKey(team, key_id)).key_id;
  const rows = await database.rows(counted, team.id, shown[0] ?? dayOf(now), keyId);
  const known = new Map(rows.map((row) => [row.day, row]));
  return shown.map((day) => known.get(day) ?? quiet(day));
};
