import { hours, later } from '../../core/clock.ts';
import { limits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { statement } from '../../db/statement.ts';
import type { Team } from '../../platform/team.ts';
import { mailUsage } from '../mail/service.ts';
import { usageOf } from '../storage/service.ts';
import { hasApi } from './plan.ts';
import type { TeamSettings } from './schema.ts';

interface SettingsRow extends Pick<TeamSettings, 'name' | 'language' | 'plan' | 'status' | 'rate_limit_per_min'> {
  seats: number;
  taken: number;
  admins: number;
  owners: number;
  member_detail_enabled: boolean;
  leaderboard_enabled: boolean;
  invitation_window_started_at: string | null;
  invitations_in_window: number;
}

const settings = statement<SettingsRow, [id: string]>(
  `select name, language, plan, status, seats, rate_limit_per_min, member_detail_enabled, leaderboard_enabled,
          invitation_window_started_at, invitations_in_window, taken, admins, owners
     from team cross join (
       select count(*)::integer as taken, count(*) filter (where role = 'admin')::integer as admins,
              count(*) filter (where role = 'owner')::integer as owners
         from member where tenant_id = $1 and status <> 'ended') as present
    where id = $1`,
);

/** What is left of the team's invitations, in the hour that began with its first one. */
const invitationsLeft = (row: SettingsRow, now: Date): TeamSettings['invitations'] => {
  const limit = limits.invitationsPerHour;
  const startedAt = row.invitation_window_started_at;
  const ends = startedAt === null ? now : later(new Date(startedAt), hours(1));
  if (ends <= now) return { limit, left: limit, resets_at: null };
  return { limit, left: Math.max(0, limit - row.invitations_in_window), resets_at: ends.toISOString() };
};

/** Everything that is set for a team, by itself or by the operator, and how much of it is used. */
export const teamSettings = async (team: Team): Promise<TeamSettings> => {
  const { database, clock } = team.platform;
  const [[row = fail('not_found')], storage, mails] = await Promise.all([
    database.rows(settings, team.id),
    usageOf(team),
    mailUsage(team),
  ]);
  return {
    name: row.name,
    language: row.language,
    plan: row.plan,
    status: row.status,
    has_api: hasApi(row.plan),
    seats: { total: row.seats, taken: row.taken },
    members: { owner: row.owners, admin: row.admins, member: row.taken - row.owners - row.admins },
    rate_limit_per_min: row.rate_limit_per_min,
    rate_limit_per_key: limits.requestsPerKeyPerMinute,
    invitations: invitationsLeft(row, clock.now()),
    storage,
    mails: { ...mails, resets_at: mails.resets_at.toISOString() },
    privacy: {
      member_detail_enabled: row.member_detail_enabled,
      leaderboard_enabled: row.leaderboard_enabled,
    },
  };
};
