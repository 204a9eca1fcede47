import { limits, privateCaseLimits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { hasApi, type Team } from '../../platform/team.ts';
import { privateCaseBytes } from '../cases/service.ts';
import { hasDirectory } from '../directory/service.ts';
import { mailUsage } from '../mail/budget.ts';
import { invitationsInHour } from '../members/invitations.ts';
import { countByRole } from '../membership/service.ts';
import { usageOf } from '../storage/service.ts';
import { windows } from '../windows/store.ts';
import { teams } from './store.ts';

/** How many invitations are left in the current hour, which began with its first invitation. */
const invitationsLeft = async (team: Team) => {
  const { database, clock } = team.platform;
  const limit = limits.invitationsPerHour;
  const hour = await windows.current(database, invitationsInHour(team), clock.now());
  if (!hour) return { limit, left: limit, resetsAt: null };
  return { limit, left: Math.max(0, limit - hour.used), resetsAt: hour.endsAt };
};

/** The settings of a team, also those that only the operator changes, and how much of its limits is used. */
export const teamSettings = async (team: Team) => {
  const { database } = team.platform;
  const [found, roles, storage, privateCases, mails, invitations, withDirectory] = await Promise.all([
    teams.get(database.prisma, team.id),
    countByRole(database.prisma, team),
    usageOf(team),
    privateCaseBytes(team),
    mailUsage(team),
    invitationsLeft(team),
    hasDirectory(team),
  ]);
  const row = found ?? fail('not_found');
  const { owner, admin, member } = roles;
  return {
    name: row.name,
    language: row.language,
    plan: row.plan,
    status: row.status,
    hasApi: hasApi(row.plan),
    hasDirectory: withDirectory,
    seats: { total: row.seats, taken: owner + admin + member },
    members: roles,
    rateLimitPerMin: row.rateLimitPerMin,
    rateLimitPerKey: limits.requestsPerKeyPerMinute,
    invitations,
    storage: {
      ...storage,
      privateCases: {
        used: privateCases,
        quota: privateCaseLimits.ofAllTogether[row.plan],
        keptDays: privateCaseLimits.daysAfterMembership,
      },
    },
    mails,
    privacy: {
      memberDetailEnabled: row.memberDetailEnabled,
      leaderboardEnabled: row.leaderboardEnabled,
    },
    remindersEnabled: row.remindersEnabled,
  };
};
