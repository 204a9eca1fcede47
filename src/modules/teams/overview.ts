import { daysToMs, later } from '../../core/clock.ts';
import type { Language } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { lastWeeks } from '../analytics/service.ts';
import { listEntries } from '../audit/listing.ts';
import { privateCaseBytes, privateCaseLimits } from '../cases/service.ts';
import { keyDays } from '../keys/service.ts';
import { mailUsage } from '../mail/budget.ts';
import { countByRole, invitationsInHour } from '../members/membership.ts';
import { overviews } from '../reporting/store.ts';
import { usageOf } from '../storage/service.ts';
import { failingEndpoints } from '../webhooks/service.ts';
import { windows } from '../windows/store.ts';
import { hasApi, type Team } from '../../platform/team.ts';
import type { CountedKind, TeamOverview, TeamSettings } from './schema.ts';
import { teams } from './store.ts';

type Matter = TeamOverview['attention'][number];

/** The counts of the overview from which the matters are derived, so that both show the same figures. */
type Counts = Pick<
  TeamOverview,
  'seats' | 'invitations_ending' | 'invitations_expired' | 'assignments' | 'requests'
> & {
  mails_failed: number;
};

/** A key or an invitation that ends within this time needs attention. */
const keyEndsWithinMs = daysToMs(14);
const invitationEndsWithinMs = daysToMs(3);
/** Only mails of the last days: older ones that were not sent can't be sent again. */
const mailsFailedWithinMs = daysToMs(7);

const shownMatters = { keys: 10, endpoints: 5, connections: 5 };

/** Thresholds for the requests of today and yesterday: the share of failures, and the minimum number of requests. */
const alarming = {
  failed: { share: 0.01, least: 5 },
  limited: { share: 0.05, least: 20 },
  refused: { share: 0.2, least: 20 },
} as const;

const matterOfRequests = (days: TeamOverview['requests']): Matter[] => {
  const latest = days.slice(-2);
  const sum = (of: 'requests' | keyof typeof alarming) => latest.reduce((all, day) => all + day[of], 0);
  const requests = sum('requests');
  return (['failed', 'limited', 'refused'] as const).flatMap((answer): Matter[] => {
    const count = sum(answer);
    const { share, least } = alarming[answer];
    return count >= least && count >= share * requests ? [{ kind: 'requests', answer, count, requests }] : [];
  });
};

const counted = (kind: CountedKind, count: number): Matter[] => (count === 0 ? [] : [{ kind, count }]);

/** The matters that the team should look at, the most urgent first. */
const attentionOf = async (team: Team, counts: Counts): Promise<Matter[]> => {
  const { id, platform } = team;
  const { clock, database } = platform;
  const now = clock.now();
  const [keys, endpoints, connections] = await Promise.all([
    overviews.expiringKeys(database, id, { after: now, until: later(now, keyEndsWithinMs), most: shownMatters.keys }),
    failingEndpoints(team),
    overviews.failingConnections(database, id, shownMatters.connections),
  ]);
  const failing = endpoints
    .slice(0, shownMatters.endpoints)
    .map(({ id: endpoint_id, url, status, failingSince }): Matter => {
      const kind = status === 'disabled_failures' ? 'endpoint_paused' : 'endpoint_failing';
      return { kind, endpoint_id, url, failing_since: failingSince.toISOString() };
    });
  const syncs = connections.map(({ id: connection_id, provider, label, status, lastFailedAt }): Matter => {
    const kind = status === 'credentials_refused' ? 'crm_refused' : 'crm_failing';
    return { kind, connection_id, provider, label, failed_at: lastFailedAt?.toISOString() ?? null };
  });
  const expiring = keys.flatMap(({ id: key_id, name, expiresAt }): Matter[] =>
    expiresAt === null ? [] : [{ kind: 'key_expiring', key_id, name, expires_at: expiresAt.toISOString() }],
  );
  const { seats, invitations_ending, invitations_expired, assignments, mails_failed, requests } = counts;
  return [
    ...failing,
    ...syncs,
    ...matterOfRequests(requests),
    ...expiring,
    ...counted('mails_failed', mails_failed),
    ...counted('invitations_expired', invitations_expired),
    ...counted('invitations_ending', invitations_ending),
    ...(seats.taken >= seats.total ? [{ kind: 'seats_full' } as const] : []),
    ...counted('assignments_overdue', assignments.overdue),
  ];
};

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
      invitationsUntil: later(now, invitationEndsWithinMs),
      mailsSince: later(now, -mailsFailedWithinMs),
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
    mails: { ...mails, resets_at: mails.resets_at.toISOString() },
    privacy: {
      member_detail_enabled: row.memberDetailEnabled,
      leaderboard_enabled: row.leaderboardEnabled,
    },
  };
};
