import type { Language } from '../../core/language.ts';
import type { Team as TeamRow } from '../../db/generated/client.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { fail } from '../../core/problem.ts';
import { record } from '../audit/service.ts';
import { lockTeam } from './held.ts';
import type { LockedTeam } from './held.ts';
import { mailOwnerOfEndedTeam } from './mails.ts';
import type { Plan, TeamStatus } from './plan.ts';
import { teams } from './store.ts';

export interface TeamSummary {
  tenant_id: string;
  name: string;
  status: TeamStatus;
  plan: Plan;
  seats: number;
  rate_limit: number;
  member_detail_enabled: boolean;
  leaderboard_enabled: boolean;
}

export const summarize = (row: TeamRow): TeamSummary => ({
  tenant_id: row.id,
  name: row.name,
  status: row.status,
  plan: row.plan,
  seats: row.seats,
  rate_limit: row.rateLimitPerMin,
  member_detail_enabled: row.memberDetailEnabled,
  leaderboard_enabled: row.leaderboardEnabled,
});

export interface TeamChange {
  name?: string | undefined;
  language?: Language | undefined;
  status?: TeamStatus | undefined;
  plan?: Plan | undefined;
  seats?: number | undefined;
  rateLimit?: number | undefined;
  memberDetail?: boolean | undefined;
  leaderboard?: boolean | undefined;
}

type Described = Record<string, string | number | boolean>;

const describe = (row: TeamRow): Described => ({ ...summarize(row), language: row.language });

/** What of a team changed, before and after; undefined: nothing. */
const difference = (before: Described, after: Described) => {
  const fields = Object.keys(after).filter((field) => before[field] !== after[field]);
  if (fields.length === 0) return undefined;
  const of = (all: Described) => Object.fromEntries(Object.entries(all).filter(([field]) => fields.includes(field)));
  return { before: of(before), after: of(after) };
};

/** When a team with the wanted status ended: null while it has not. A team whose data is being deleted has no way back. */
const endOf = ({ row, platform }: LockedTeam, status: TeamStatus | undefined): Date | null => {
  if ((status ?? row.status) !== 'ended') {
    if (row.deletionStartedAt === null) return null;
    return fail('conflict', { detail: 'The data of the team is being deleted: it can not be resumed.' });
  }
  return row.endedAt ?? platform.clock.now();
};

/** Changes what a team, or the operator, decides about it; what is so already is no change. Its owner is mailed when it ends. */
export const changeTeam = (caller: Team, change: TeamChange): Promise<TeamSummary> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    const endedAt = endOf(team, change.status);
    const wanted = {
      endedAt,
      name: change.name,
      language: change.language,
      status: change.status,
      plan: change.plan,
      seats: change.seats,
      rateLimitPerMin: change.rateLimit,
      memberDetailEnabled: change.memberDetail,
      leaderboardEnabled: change.leaderboard,
    };
    const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
    const row = await teams.update(tx, team.id, given);
    const data = difference(describe(team.row), describe(row));
    if (data) await record(tx, team, { action: 'team.changed', target: { type: 'team', id: team.id }, data });
    if (endedAt !== null && team.row.endedAt === null) {
      await mailOwnerOfEndedTeam(tx, team, { teamName: row.name, endedAt });
    }
    return summarize(row);
  });
