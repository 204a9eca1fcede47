import { daysToMs, later, secondsToMs } from '../../core/clock.ts';
import { endpointLimits } from '../webhooks/limits.ts';
import type { Team } from '../../platform/team.ts';
import { overviews } from '../reporting/overview-store.ts';
import type { CountedKind, TeamOverview } from './schema.ts';

type Matter = TeamOverview['attention'][number];

/** The counts of the overview from which the matters are derived, so that both show the same figures. */
type Counts = Pick<
  TeamOverview,
  'seats' | 'invitations_ending' | 'invitations_expired' | 'assignments' | 'requests'
> & {
  mails_failed: number;
};

/** A key or an invitation that ends within this time needs attention. */
const keyEndsWithin = daysToMs(14);
export const invitationEndsWithin = daysToMs(3);
/** Only mails of the last days: older ones that were not sent can't be sent again. */
export const mailsFailedWithin = daysToMs(7);
const endpointFailsFor = secondsToMs(endpointLimits.alarmAfterSeconds);

const shown = { keys: 10, endpoints: 5, connections: 5 };

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
export const attentionOf = async ({ id, platform }: Team, counts: Counts): Promise<Matter[]> => {
  const { clock, database } = platform;
  const now = clock.now();
  const [keys, endpoints, connections] = await Promise.all([
    overviews.expiringKeys(database, id, { after: now, until: later(now, keyEndsWithin), most: shown.keys }),
    overviews.failingEndpoints(database, id, { failingBefore: later(now, -endpointFailsFor), most: shown.endpoints }),
    overviews.failingConnections(database, id, shown.connections),
  ]);
  const failing = endpoints.flatMap(({ id: endpoint_id, url, status, failingSince }): Matter[] => {
    if (failingSince === null) return [];
    const kind = status === 'disabled_failures' ? 'endpoint_paused' : 'endpoint_failing';
    return [{ kind, endpoint_id, url, failing_since: failingSince.toISOString() }];
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
