import { daysToMs, later, utcDay } from '../../core/clock.ts';
import type { Language } from '../../core/language.ts';
import { toSnake } from '../../core/spelling.ts';
import type { Team } from '../../platform/team.ts';
import { lastWeeks } from '../analytics/service.ts';
import { listEntries } from '../audit/listing.ts';
import { keyDays } from '../keys/service.ts';
import { overviews } from '../reporting/store.ts';
import { failingEndpoints } from '../webhooks/service.ts';
import type { CountedKind, Overview } from './schema.ts';

// The first page of the app: what the other modules have to say about a team.

type Matter = Overview['attention'][number];

/** The counts of the overview from which the matters are derived, so that both show the same figures. */
type Counts = Pick<Overview, 'seats' | 'invitations_ending' | 'invitations_expired' | 'assignments' | 'requests'> & {
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
const attentionOf = async (team: Team, counts: Counts): Promise<Matter[]> => {
  const { id, platform } = team;
  const { clock, database } = platform;
  const now = clock.now();
  const [keys, endpoints, connections] = await Promise.all([
    overviews.expiringKeys(database, id, { after: now, until: later(now, keyEndsWithinMs), max: shownMatters.keys }),
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
export const showOverview = async (team: Team, language: Language): Promise<Overview> => {
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
    assignments: {
      open: sums.assignments.open,
      overdue: sums.assignments.overdue,
      oldest_due: sums.assignments.oldestDue === null ? null : utcDay(sums.assignments.oldestDue),
    },
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
    latest_training_at: sums.scored.latestAt?.toISOString() ?? null,
    trainings: { this_week: sums.scored.thisWeek, last_week: sums.scored.lastWeek },
    latest: toSnake(latest.data),
  };
};
