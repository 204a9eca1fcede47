import { limits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { toSnake } from '../../core/spelling.ts';
import { hasApi, type Team } from '../../platform/team.ts';
import { privateCaseBytes, privateCaseLimits } from '../cases/service.ts';
import { mailUsage } from '../mail/budget.ts';
import { invitationsInHour } from '../members/invitations.ts';
import { countByRole } from '../membership/service.ts';
import { usageOf } from '../storage/service.ts';
import { windows } from '../windows/store.ts';
import type { TeamSettings } from './schema.ts';
import { teams } from './store.ts';

/** The rest of the invitations in the current hour, which began with its first one. */
const invitationsLeft = async (team: Team): Promise<TeamSettings['invitations']> => {
  const { database, clock } = team.platform;
  const limit = limits.invitationsPerHour;
  const hour = await windows.current(database, invitationsInHour(team), clock.now());
  if (!hour) return { limit, left: limit, resets_at: null };
  return { limit, left: Math.max(0, limit - hour.used), resets_at: hour.endsAt.toISOString() };
};

/** The settings of a team, its own and the operator's, and how much of its limits is used. */
export const teamSettings = async (team: Team): Promise<TeamSettings> => {
  const { database } = team.platform;
  const [found, roles, storage, privateCases, mails, invitations] = await Promise.all([
    teams.get(database.prisma, team.id),
    countByRole(database.prisma, team),
    usageOf(team),
    privateCaseBytes(team),
    mailUsage(team),
    invitationsLeft(team),
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
    invitations,
    storage: {
      ...storage,
      private_cases: {
        used: privateCases,
        quota: privateCaseLimits.ofAllTogether[row.plan],
        kept_days: privateCaseLimits.daysAfterMembership,
      },
    },
    mails: toSnake(mails),
    privacy: {
      member_detail_enabled: row.memberDetailEnabled,
      leaderboard_enabled: row.leaderboardEnabled,
    },
  };
};
