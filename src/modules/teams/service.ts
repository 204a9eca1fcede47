import { isId, newId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import type { Team as TeamRow } from '../../db/generated/client.ts';
import { statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Actor, Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { ensurePerson, knowPerson } from '../people/service.ts';

export type Plan = TeamRow['plan'];
export type TeamStatus = TeamRow['status'];

/** Plans that the API is part of. */
export const hasApi = (plan: Plan): boolean => plan !== 'basic';

const held = Symbol('held');

/**
 * A team that keeps its switches and its webhook endpoints until the transaction ends, or changes them itself. Only a team
 * that was held or locked here is one.
 */
export interface HeldTeam extends Team {
  readonly [held]: true;
}

/** A team under its lock: with its switches as they are now, and what the rules of membership need of it. */
export interface LockedTeam extends HeldTeam {
  readonly row: Pick<
    TeamRow,
    'name' | 'seats' | 'language' | 'plan' | 'invitationWindowStartedAt' | 'invitationsInWindow'
  >;
}

/**
 * Locks the team for this transaction: whatever counts its members, admins, seats or invitations does so one after the
 * other. Taken first, always, so that two such changes can't deadlock.
 */
export const lockTeam = async (tx: Tx, team: Team): Promise<LockedTeam> => {
  await tx.$executeRaw`select 1 from team where id = ${team.id}::uuid for no key update`;
  const row = await tx.team.findUniqueOrThrow({ where: { id: team.id } });
  return { ...team, privacy: privacyOf(row), row, [held]: true };
};

const hold = statement<Team['privacy'], [id: string]>(
  `select member_detail_enabled as "memberDetail", leaderboard_enabled as leaderboard from team where id = $1 for share`,
);

/**
 * Holds the team's switches as they are until this transaction ends, beside any number of others that do so: what is told of
 * the action is what they allowed, to the endpoints that want it now. Where a lock on the team is needed, it is taken before
 * any other.
 */
export const holdTeam = async (tx: Tx, team: Team): Promise<HeldTeam> => {
  const [row] = await rowsIn(tx, hold, team.id);
  return row ? { ...team, privacy: row, [held]: true } : fail('not_found');
};

/** A team as somebody acts in it who did not come through the gate. */
export const actIn = async (platform: Platform, actor: Actor, id: string): Promise<Team> => {
  const team = isId(id) ? await platform.database.prisma.team.findUnique({ where: { id } }) : undefined;
  return asTeam(platform, actor, team ?? fail('not_found', { detail: `There is no team ${id}.` }));
};

const privacyOf = ({ memberDetailEnabled, leaderboardEnabled }: TeamRow): Team['privacy'] => ({
  memberDetail: memberDetailEnabled,
  leaderboard: leaderboardEnabled,
});

const asTeam = (platform: Platform, actor: Actor, row: TeamRow): Team => ({
  id: row.id,
  privacy: privacyOf(row),
  actor,
  rateLimitPerMin: row.rateLimitPerMin,
  requestId: null,
  platform,
});

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

const summarize = (row: TeamRow): TeamSummary => ({
  tenant_id: row.id,
  name: row.name,
  status: row.status,
  plan: row.plan,
  seats: row.seats,
  rate_limit: row.rateLimitPerMin,
  member_detail_enabled: row.memberDetailEnabled,
  leaderboard_enabled: row.leaderboardEnabled,
});

export interface NewTeam {
  name: string;
  ownerEmail: string;
  ownerName?: string | undefined;
  ownerPassword?: string | undefined;
  plan?: Plan | undefined;
  seats?: number | undefined;
  rateLimit?: number | undefined;
  language?: Language | undefined;
}

interface Owner {
  member_id: string;
  user_id: string;
  email: string;
}

/** Makes a team with its owner, both privacy switches on, as a part of something larger. */
export const foundTeam = async (
  tx: Tx,
  platform: Platform,
  actor: Actor,
  wanted: NewTeam,
): Promise<{ team: Team; owner: Owner }> => {
  const now = platform.clock.now();
  const { plan = 'team', seats = 10, rateLimit = limits.requestsPerTeamPerMinute, language = 'de' } = wanted;
  const row = await tx.team.create({
    data: { id: newId(), name: wanted.name, plan, seats, rateLimitPerMin: rateLimit, language, createdAt: now },
  });
  const team = { ...asTeam(platform, actor, row), tx };
  const person = await ensurePerson(tx, platform, {
    email: wanted.ownerEmail,
    name: wanted.ownerName,
    password: wanted.ownerPassword,
    language,
  });
  const userId = await knowPerson(tx, team, person.id);
  const owner = { id: newId(), userId, email: person.email } as const;
  await tx.member.create({
    data: {
      tenantId: team.id,
      ...owner,
      role: 'owner',
      status: 'active',
      joinedAt: now,
      listedAt: now,
      createdAt: now,
    },
  });
  await record(tx, team, { action: 'team.created', target: { type: 'team', id: team.id }, data: { plan, seats } });
  return { team, owner: { member_id: owner.id, user_id: userId, email: owner.email } };
};

/** Makes a team with its owner. */
export const createTeam = (
  platform: Platform,
  actor: Actor,
  wanted: NewTeam,
): Promise<{ tenant_id: string; owner: Owner }> =>
  platform.database.transaction(async (tx) => {
    const { team, owner } = await foundTeam(tx, platform, actor, wanted);
    return { tenant_id: team.id, owner };
  });

export interface TeamChange {
  status?: TeamStatus | undefined;
  plan?: Plan | undefined;
  seats?: number | undefined;
  rateLimit?: number | undefined;
  memberDetail?: boolean | undefined;
  leaderboard?: boolean | undefined;
}

/** Changes what the operator decides about a team, and its privacy switches. */
export const changeTeam = (team: Team, change: TeamChange): Promise<TeamSummary> =>
  inTransaction(team, async (tx) => {
    await lockTeam(tx, team);
    const data = {
      status: change.status,
      plan: change.plan,
      seats: change.seats,
      rateLimitPerMin: change.rateLimit,
      memberDetailEnabled: change.memberDetail,
      leaderboardEnabled: change.leaderboard,
    };
    const changed = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
    const row = await tx.team.update({ where: { id: team.id }, data: changed });
    if (Object.keys(changed).length > 0) {
      await record(tx, team, { action: 'team.changed', target: { type: 'team', id: team.id }, data: changed });
    }
    return summarize(row);
  });

/** Whether all of these teams are in this database. */
export const teamsExist = async (tx: Tx, ids: readonly string[]): Promise<boolean> =>
  (await tx.team.count({ where: { id: { in: ids.filter(isId) } } })) === ids.length;

export const listTeams = async ({ database }: Platform): Promise<TeamSummary[]> => {
  const rows = await database.prisma.team.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
  return rows.map(summarize);
};

const matching = statement<{ id: string }, [text: string, like: string]>(
  `select id from team
    where name ilike $2 or id::text = $1
       or id in (select tenant_id from member where email ilike $2 or id::text = $1)
       or id in (select tenant_id from api_key where prefix = $1 or id::text = $1)
    order by created_at, id
    limit 100`,
);

/** Teams whose name or a member's email contains the text, or that have it as an id or a key's prefix. */
export const findTeams = async ({ database }: Platform, text: string): Promise<TeamSummary[]> => {
  // A whole key, as a customer may paste it, is known by its prefix.
  const prefix = /^svck_live_([A-Za-z0-9]{12})/.exec(text)?.[1] ?? text;
  const like = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const found = await database.rows(matching, prefix, like);
  const rows = await database.prisma.team.findMany({
    where: { id: { in: found.map(({ id }) => id) } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return rows.map(summarize);
};
