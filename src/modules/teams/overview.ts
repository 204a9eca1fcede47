import { later, hoursToMs } from '../../core/clock.ts';
import type { Language } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import { privateCaseLimits } from '../cases/limits.ts';
import { fail } from '../../core/problem.ts';
import type { Team as TeamRow } from '../../db/generated/client.ts';
import type { Team } from '../../platform/team.ts';
import { lastWeeks } from '../analytics/service.ts';
import { listEntries } from '../audit/service.ts';
import { privateCaseBytes } from '../cases/service.ts';
import { keyDays } from '../keys/service.ts';
import { mailUsage } from '../mail/service.ts';
import { countByRole } from '../members/membership.ts';
import { overviews } from '../reporting/overview-store.ts';
import { usageOf } from '../storage/service.ts';
import { attentionOf, invitationEndsWithin, mailsFailedWithin } from './attention.ts';
import { hasApi } from './plan.ts';
import type { TeamOverview, TeamSettings } from './schema.ts';
import { teams } from './store.ts';

const shownDays = 14;
const latestShown = 8;

/** The current state of the team in a few numbers. */
export const teamOverview = async (team: Team, language: Language): Promise<TeamOverview> => {
  const { id, platform } = team;
  const { clock, database } = platform;
  const now = clock.now();
  const [lastMonday = '', monday = ''] = lastWeeks(now, 2);
  const [sums, requests, latest] = await Promise.all([
    overviews.teamCounts(database, id, {
      now,
      invitationsUntil: later(now, invitationEndsWithin),
      mailsSince: later(now, -mailsFailedWithin),
      mondays: [new Date(lastMonday), new Date(monday)],
    }),
    keyDays(team, { days: shownDays }),
    listEntries(team, { limit: latestShown }, language),
  ]);
  const counts = {
    seats: sums.seats,
    invitations_open: sums.invitations.open,
    invitations_ending: sums.invitations.ending,
    invitations_ending_at: sums.invitations.endingAt?.toISOString() ?? null,
    invitations_expired: sums.invitations.expired,
    requests,
    assignments: sums.assignments,
  };
  return {
    attention: await attentionOf(team, { ...counts, mails_failed: sums.mailsFailed }),
    keys: { active: sums.keys.active, last_used_at: sums.keys.lastUsedAt?.toISOString() ?? null },
    endpoints: {
      active: sums.endpoints.get('active') ?? 0,
      disabled: sums.endpoints.get('disabled') ?? 0,
      paused: sums.endpoints.get('disabled_failures') ?? 0,
    },
    ...counts,
    trainings: { this_week: sums.scored.thisWeek, last_week: sums.scored.lastWeek },
    latest: latest.data,
  };
};

/** The rest of the invitations in the current hour, which began with its first one. */
const invitationsLeft = (row: TeamRow, now: Date): TeamSettings['invitations'] => {
  const limit = limits.invitationsPerHour;
  const startedAt = row.invitationWindowStartedAt;
  const ends = startedAt === null ? now : later(startedAt, hoursToMs(1));
  if (ends <= now) return { limit, left: limit, resets_at: null };
  return { limit, left: Math.max(0, limit - row.invitationsInWindow), resets_at: ends.toISOString() };
};

/** The settings of a team, its own and the operator's, and how much of its limits is used. */
export const teamSettings = async (team: Team): Promise<TeamSettings> => {
  const { database, clock } = team.platform;
  const [found, roles, storage, privateCases, mails] = await Promise.all([
    teams.get(database.prisma, team.id),
    countByRole(database.prisma, team),
    usageOf(team),
    privateCaseBytes(team),
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
    storage: {
      ...storage,
      private_cases: {
        used: privateCases,
        quota: privateCaseLimits.ofAllTogether[row.plan],
        kept_days: privateCaseLimits.daysAfterMembership,
      },
    },
    mails: { ...mails, resets_at: mails.resets_at.toISOString() },
    privacy: {
      member_detail_enabled: row.memberDetailEnabled,
      leaderboard_enabled: row.leaderboardEnabled,
    },
  };
};
