import type { Team } from '../../platform/team.ts';
import { reports } from '../reporting/store.ts';
import { bestFirst, entryOf, fewestMembers, whyHidden } from './ranking.ts';
import type { Leaderboard } from './schema.ts';
import { readSums } from './sums.ts';

const namesOf = async ({ id, platform }: Team, userIds: string[]): Promise<Map<string, string>> => {
  const rows = await reports.namesOfActive(platform.database, id, userIds);
  return new Map(rows.map(({ user_id, name }) => [user_id, name]));
};

/** A board of more is read by nobody; the reader's own entry is always on it. */
const shownAtMost = 1_000;

/** The members whom the team's analytics show, by the same rules and with the same numbers, each with their name. */
export const leaderboardOf = async (team: Team, userId: string): Promise<Leaderboard> => {
  const { members } = await readSums(team);
  const reason = whyHidden(members, team.privacy);
  if (reason !== null) return { shown: false, reason, needed: fewestMembers, entries: [] };

  const entries = members
    .map((member) => ({ user_id: member.userId, ...entryOf(member) }))
    // Who is equal in everything still has one place at every look.
    .toSorted((a, b) => bestFirst(a, b) || (a.user_id < b.user_id ? -1 : 1));
  const shown = entries.filter((entry, at) => at < shownAtMost || entry.user_id === userId);
  const named = await namesOf(
    team,
    shown.map(({ user_id }) => user_id),
  );
  return {
    shown: true,
    reason: null,
    needed: fewestMembers,
    entries: shown.map((entry) => ({
      rank: 1 + entries.findIndex(({ avg_score }) => avg_score === entry.avg_score),
      user_id: entry.user_id,
      // Who left just now has none.
      name: named.get(entry.user_id) ?? null,
      sessions: entry.sessions,
      avg_score: entry.avg_score,
      trend_delta: entry.trend_delta,
      is_you: entry.user_id === userId,
    })),
  };
};
