import { hoursToMs, later } from '../../core/clock.ts';
import { limits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import type { Team as TeamRow } from '../../db/generated/client.ts';
import type { Team } from '../../platform/team.ts';
import { mailUsage } from '../mail/service.ts';
import { countByRole } from '../members/membership.ts';
import { usageOf } from '../storage/service.ts';
import { hasApi } from './plan.ts';
import type { TeamSettings } from './schema.ts';
import { teams } from './store.ts';

/** What is left of the team's invitations, in the hour that began with its first one. */
const invitationsLeft = (row: TeamRow, now: Date): TeamSettings['invitations'] => {
  const limit = limits.invitationsPerHour;
  const startedAt = row.invitationWindowStartedAt;
  const ends = startedAt === null ? now : later(startedAt, hoursToMs(1));
  if (ends <= now) return { limit, left: limit, resets_at: null };
  return { limit, left: Math.max(0, limit - row.invitationsInWindow), resets_at: ends.toISOString() };
};

/** Everything that is set for a team, by itself or by the operator, and how much of it is used. */
export const teamSettings = async (team: Team): Promise<TeamSettings> => {
  const { database, clock } = team.platform;
  const [found, roles, storage, mails] = await Promise.all([
    teams.get(database.prisma, team.id),
    countByRole(database.prisma, team),
    usageOf(team),
    mailUsage(team),
  ]);
  const row = found ?? fail('not_found');
  const { owner, admin, member } = roles;
  return {
    name: row.name,
    language: row.language,
    plan: row.plan,
    status: row.status,
    has_api: hasApi(row.plan),
    seats: { total: row.seats, taken: owner + admin + member },
    members: roles,
    rate_limit_per_min: row.rateLimitPerMin,
    rate_limit_per_key: limits.requestsPerKeyPerMinute,
    invitations: invitationsLeft(row, clock.now()),
    storage,
    mails: { ...mails, resets_at: mails.resets_at.toISOString() },
    privacy: {
      member_detail_enabled: row.memberDetailEnabled,
      leaderboard_enabled: row.leaderboardEnabled,
    },
  };
};
