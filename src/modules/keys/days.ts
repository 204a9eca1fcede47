import { daysToMs, later, dayOf } from '../../core/clock.ts';
import type { Team } from '../../platform/team.ts';
import { getKey } from './listing.ts';
import type { KeyDay, UsageWanted } from './schema.ts';
import { keys } from './store.ts';

const quiet = (day: string): KeyDay => ({ day, requests: 0, limited: 0, refused: 0, failed: 0 });

/** What the requests of each of the last days (UTC) came to, today's last: with one key, or with all of the team's. */
export const keyDays = async (team: Team, { key_id, days: wanted }: UsageWanted): Promise<KeyDay[]> => {
  const { database, clock } = team.platform;
  const now = clock.now();
  const shown = Array.from({ length: wanted }, (_, at) => dayOf(later(now, -daysToMs(wanted - 1 - at))));
  const keyId = key_id === undefined ? null : (await getKey(team, key_id)).key_id;
  const rows = await keys.sumsByDay(database, team, { first: shown[0] ?? dayOf(now), keyId });
  const known = new Map(rows.map((row) => [row.day, row]));
  return shown.map((day) => known.get(day) ?? quiet(day));
};
