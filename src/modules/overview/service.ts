import { daysToMs, later, utcDay } from '../../core/clock.ts';
import type { Language } from '../../core/language.ts';
import type { Camel } from '../../core/spelling.ts';
import type { Team } from '../../platform/team.ts';
import { lastWeeks } from '../analytics/service.ts';
import { listEntries } from '../audit/listing.ts';
import { keyDays } from '../keys/service.ts';
import { overviews } from '../reporting/store.ts';
import { failingEndpoints } from '../webhooks/service.ts';
import type { CountedKind, Overview } from './schema.ts';

// The first page of the app: the figures of the other modules about a team.

type Matter = Camel<Overview['attention'][number]>;

/** The counts from which the matters are derived, so that the overview and its matters show the same figures. */
type OverviewCounts = Pick<
  Camel<Overview>,
  'seats' | 'invitationsEnding' | 'invitationsExpired' | 'assignments' | 'requests'
> & { mailsFailed: number };

/** A key or an invitation that ends within this time needs attention. */
const keyEndsWithinMs = daysToMs(14);
const invitationEndsWithinMs = daysToMs(3);
/** Only failed mails of this time are counted: the worker no longer tries to send older ones. */
const mailsFailedWithinMs = daysToMs(7);

const shownMatters = { keys: 10, endpoints: 5, connections: 5 };

/** Thresholds for the requests of today and yesterday: the share of failures, and the minimum number of requests. */
const alarming = {
  failed: { share: 0.01, min: 5 },
  limited: { share: 0.05, min: 20 },
  refused: { share: 0.2, min: 20 },
} as const;

const matterOfRequests = (days: Overview['requests']): Matter[] => {
  const latest = days.slice(-2);
  const sum = (of: 'requests' | keyof typeof alarming) => latest.reduce((all, day) => all + day[of], 0);
  const requests = sum('requests');
  return (['failed', 'limited', 'refused'] as const).flatMap((answer): Matter[] => {
    const count = sum(answer);
    const { share, min } = alarming[answer];
    return count >= min && count >= share * requests ? [{ kind: 'requests', answer, count, requests }] : [];
  });
};

const counted = (kind: CountedKind, count: number): Matter[] => (count === 0 ? [] : [{ kind, count }]);

/** The matters that the team should look at, the most urgent first. */
const attentionOf = async (team: Team, counts: OverviewCounts): Promise<Matter[]> => {
  const { id, platform } = team;
  const { clock, database } = platform;
  const now = clock.now();
  const [reported, keys, endpoints, connections] = await Promise.all([
    overviews.reportedKeys(database, id, { now, max: shownMatters.keys }),
    overviews.expiringKeys(database, id, { after: now, until: later(now, keyEndsWithinMs), max: shownMatters.keys }),
    failingEndpoints(team),
    overviews.failingConnections(database, id, shownMatters.connections),
  ]);
  const failing = endpoints
    .slice(0, shownMatters.endpoints)
    .map(({ id: endpointId, url, status, failingSince }): Matter => {
      const kind = status === 'disabled_failures' ? 'endpoint_paused' : 'endpoint_failing';
      return { kind, endpointId, url, failingSince: failingSince.toISOString() };
    });
  const syncs = connections.map(({ id: connectionId, provider, label, status, lastFailedAt }): Matter => {
    const kind = status === 'credentials_refused' ? 'crm_refused' : 'crm_failing';
    return { kind, connectionId, provider, label, failedAt: lastFailedAt?.toISOString() ?? null };
  });
  const found = reported.flatMap(({ id: keyId, name, reportedAt }): Matter[] =>
    reportedAt === null ? [] : [{ kind: 'key_reported', keyId, name, reportedAt: reportedAt.toISOString() }],
  );
  const expiring = keys.flatMap(({ id: keyId, name, expiresAt }): Matter[] =>
    expiresAt === null ? [] : [{ kind: 'key_expiring', keyId, name, expiresAt: expiresAt.toISOString() }],
  );
  const { seats, invitationsEnding, invitationsExpired, assignments, mailsFailed, requests } = counts;
  return [
    ...found,
    ...failing,
    ...syncs,
    ...matterOfRequests(requests),
    ...expiring,
    ...counted('mails_failed', mailsFailed),
    ...counted('invitations_expired', invitationsExpired),
    ...counted('invitations_ending', invitationsEnding),
    ...(seats.taken >= seats.total ? [{ kind: 'seats_full' } as const] : []),
    ...counted('assignments_overdue', assignments.overdue),
  ];
};

const shownDays = 14;
const latestShown = 8;

/** The current state of the team in a few numbers. */
export const showOverview = async (team: Team, language: Language) => {
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
    invitationsOpen: sums.invitations.open,
    invitationsEnding: sums.invitations.ending,
    invitationsEndingAt: sums.invitations.endingAt,
    invitationsExpired: sums.invitations.expired,
    requests,
    assignments: {
      open: sums.assignments.open,
      overdue: sums.assignments.overdue,
      oldestDue: sums.assignments.oldestDue === null ? null : utcDay(sums.assignments.oldestDue),
    },
  };
  return {
    attention: await attentionOf(team, { ...counts, mailsFailed: sums.mailsFailed }),
    keys: sums.keys,
    endpoints: {
      active: sums.endpoints.get('active') ?? 0,
      disabled: sums.endpoints.get('disabled') ?? 0,
      paused: sums.endpoints.get('disabled_failures') ?? 0,
    },
    ...counts,
    latestTrainingAt: sums.scored.latestAt,
    trainings: { thisWeek: sums.scored.thisWeek, lastWeek: sums.scored.lastWeek },
    latest: latest.data,
  };
};
