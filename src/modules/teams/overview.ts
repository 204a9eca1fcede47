import { days, later } from '../../core/clock.ts';
import type { Language } from '../../core/language.ts';
import { statement } from '../../db/statement.ts';
import type { Team } from '../../platform/team.ts';
import { listEntries } from '../audit/service.ts';
import type { TeamOverview } from './schema.ts';

const shownDays = 14;
const expiringWithin = days(14);
const latestShown = 8;

interface Counts {
  keys_active: number;
  key_last_used_at: string | null;
  endpoints_active: number;
  endpoints_disabled: number;
  endpoints_paused: number;
  seats: number;
  taken: number;
  invitations_open: number;
  invitations_expired: number;
  assignments_open: number;
  assignments_overdue: number;
  this_week: number;
  last_week: number;
}

// One statement, so that all of it is of one moment. Scores count for the week in which their session started.
const counts = statement<Counts, [tenantId: string, now: Date]>(
  `with this_week as materialized (select date_trunc('week', $2::timestamptz at time zone 'UTC')::date as monday),
   scored as materialized (
     select week, sum(scores)::integer as scores
       from this_week, member join training_week using (tenant_id, user_id)
            cross join lateral (select sum(n) as scores from unnest(totalled) as n) as days
      where tenant_id = $1 and status = 'active' and status <> 'ended' and week in (monday, monday - 7)
      group by week)
   select keys_active, key_last_used_at, endpoints_active, endpoints_disabled, endpoints_paused,
          invitations_open, invitations_expired, seats,
          (select count(*)::integer from member where tenant_id = $1 and status <> 'ended') as taken,
          assignments_open, assignments_overdue,
          coalesce((select scores from scored where week = monday), 0) as this_week,
          coalesce((select scores from scored where week = monday - 7), 0) as last_week
     from this_week cross join team cross join (
            select count(*) filter (where revoked_at is null and (expires_at is null or expires_at > $2))::integer as keys_active,
                   max(last_used_at) as key_last_used_at
              from api_key where tenant_id = $1) as keys
          cross join (
            select count(*) filter (where status = 'active')::integer as endpoints_active,
                   count(*) filter (where status = 'disabled')::integer as endpoints_disabled,
                   count(*) filter (where status = 'disabled_failures')::integer as endpoints_paused
              from webhook_endpoint where tenant_id = $1) as endpoints
          cross join (
            select count(*) filter (where expires_at > $2)::integer as invitations_open,
                   count(*) filter (where expires_at <= $2)::integer as invitations_expired
              from invitation where tenant_id = $1) as invitations
          cross join (
            select count(*)::integer as assignments_open,
                   count(*) filter (where due_date < ($2 at time zone 'UTC')::date)::integer as assignments_overdue
              from assignment
             where tenant_id = $1 and status in ('open', 'in_progress')
               and (changed_since_removal
                    or member_id <> all (array(select member_id from pending_revocation where tenant_id = $1)))) as assignments
    where team.id = $1`,
);

type Expiring = TeamOverview['keys']['expiring'][number];

// One that was rotated is meant to end.
const expiring = statement<Expiring, [tenantId: string, now: Date, until: Date]>(
  `select id as key_id, name, expires_at from api_key
    where tenant_id = $1 and revoked_at is null and expires_at > $2 and expires_at <= $3 and rotated_to_id is null
    order by expires_at, id limit 10`,
);

type Failing = TeamOverview['endpoints']['failing'][number];

const failing = statement<Failing, [tenantId: string]>(
  `select id as endpoint_id, url, status, failing_since from webhook_endpoint
    where tenant_id = $1 and status <> 'disabled' and failing_since is not null
    order by failing_since, id limit 5`,
);

type Day = TeamOverview['requests'][number];

// Key by key: each one's last days lie together.
const requests = statement<Day, [tenantId: string, first: string]>(
  `select day::text as day, sum(requests)::float8 as requests, sum(limited)::float8 as limited,
          sum(refused)::float8 as refused, sum(failed)::float8 as failed
     from api_key cross join lateral (
       select day, requests, limited, refused, failed from api_key_day
        where api_key_day.tenant_id = $1 and key_id = api_key.id and day >= $2::date) as days
    where tenant_id = $1
    group by day`,
);

const lastDays = (now: Date): string[] =>
  Array.from({ length: shownDays }, (_, index) =>
    later(now, days(index + 1 - shownDays))
      .toISOString()
      .slice(0, 10),
  );

/** How the team is getting on, at a glance. */
export const teamOverview = async (team: Team, language: Language): Promise<TeamOverview> => {
  const { id, platform } = team;
  const { clock, database } = platform;
  const now = clock.now();
  const wantedDays = lastDays(now);
  const [[sums], keys, endpoints, requested, latest] = await Promise.all([
    database.rows(counts, id, now),
    database.rows(expiring, id, now, later(now, expiringWithin)),
    database.rows(failing, id),
    database.rows(requests, id, wantedDays[0] ?? ''),
    listEntries(team, { limit: latestShown }, language),
  ]);
  if (!sums) throw new Error('a team that somebody acts in has no row');
  const requestsOf = new Map(requested.map((day) => [day.day, day]));
  return {
    keys: { active: sums.keys_active, expiring: keys, last_used_at: sums.key_last_used_at },
    endpoints: {
      active: sums.endpoints_active,
      disabled: sums.endpoints_disabled,
      paused: sums.endpoints_paused,
      failing: endpoints,
    },
    seats: { total: sums.seats, taken: sums.taken },
    invitations_open: sums.invitations_open,
    invitations_expired: sums.invitations_expired,
    requests: wantedDays.map((day) => requestsOf.get(day) ?? { day, requests: 0, limited: 0, refused: 0, failed: 0 }),
    trainings: { this_week: sums.this_week, last_week: sums.last_week },
    assignments: { open: sums.assignments_open, overdue: sums.assignments_overdue },
    latest: latest.data,
  };
};
