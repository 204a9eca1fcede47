import { isId } from '../core/ids.ts';
import { english, type Language } from '../core/language.ts';
import { accessMessages } from '../core/messages/people.ts';
import { fail } from '../core/problem.ts';
import { runLater, type Database, type Tx } from '../db/database.ts';
import type { Prisma, Team as TeamRow } from '../db/generated/client.ts';
import { Plan, TeamStatus } from '../db/generated/enums.ts';
import { lockRow } from '../db/lock-row.ts';
import { bool, oneOf, query, uuid } from '../db/query.ts';
import { apiIsOn, inTransaction, type Actor, type Platform, type Team } from './team.ts';

// The parts of a team's row that modules need: to act in the team, to lock it, and a few columns. The module `teams`
// owns the row and alone writes it.

const find = (tx: Tx, id: string): Promise<TeamRow | null> => tx.team.findFirst({ where: { id } });

/** A team with an actor that was not admitted by the gate: a person, the operator or the service. */
export const actIn = async (platform: Platform, actor: Actor, id: string, tx?: Tx): Promise<Team> => {
  const row = isId(id) ? await find(tx ?? platform.database.prisma, id) : undefined;
  return asTeam(platform, actor, row ?? fail('not_found', { detail: english(`There is no team ${id}.`) }));
};

export const asTeam = (platform: Platform, actor: Actor, row: TeamRow): Team => ({
  id: row.id,
  privacy: privacyOf(row),
  actor,
  rateLimitPerMin: row.rateLimitPerMin,
  requestId: null,
  platform,
});

const privacyOf = ({ memberDetailEnabled, leaderboardEnabled }: TeamRow): Team['privacy'] => ({
  memberDetail: memberDetailEnabled,
  leaderboard: leaderboardEnabled,
});

const locked = Symbol('locked');

/**
 * A team whose row this transaction has locked (`FOR SHARE` or stronger), so that no other transaction changes its
 * switches and its webhook endpoints. Only such a team can raise events.
 */
export interface ShareLockedTeam extends Team {
  readonly [locked]: true;
  /** Whether the team is active and its plan has the API. Otherwise it raises no events. */
  readonly apiIsOn: boolean;
}

/** A team whose row this transaction has locked exclusively, with all its present columns. */
export interface LockedTeam extends ShareLockedTeam {
  readonly row: TeamRow;
}

/**
 * Locks the team for this transaction. Everything that counts members, admins, seats or invitations runs under this
 * lock, one transaction after the other. It is the first lock on rows of the team, so that two transactions of a team
 * can't deadlock. An `Idempotency-Key` may be locked before the team, but never after it.
 */
export const lockTeam = async (tx: Tx, team: Team): Promise<LockedTeam> => {
  const { id } = team;
  lockRow(tx, 'team', { id });
  const row = await tx.team.findUniqueOrThrow({ where: { id } });
  return { ...team, privacy: privacyOf(row), row, apiIsOn: apiIsOn(row), [locked]: true };
};

/** Runs an action in a transaction that begins with the lock of the team. */
export const inLockedTeam = <T>(caller: Team, action: (tx: Tx, team: LockedTeam) => Promise<T>): Promise<T> =>
  inTransaction(caller, async (tx) => action(tx, await lockTeam(tx, caller)));

const lockShared = query({
  name: 'teams.lockShared',
  why: 'locks and reads in one round trip: it comes with every write',
  sql: `select member_detail_enabled as "memberDetail", leaderboard_enabled as leaderboard, plan, status
          from team where id = :id for share`,
  parameters: { id: uuid },
  row: {
    memberDetail: bool,
    leaderboard: bool,
    plan: oneOf('plan', Plan),
    status: oneOf('team_status', TeamStatus),
  },
});

/**
 * Locks the team's row with `FOR SHARE`, so that its switches and endpoints can't change until this transaction ends:
 * raising events depends on them. Any number of transactions can hold this lock at the same time. Like `lockTeam` it
 * comes before all other locks.
 */
export const lockTeamShared = async (tx: Tx, team: Team): Promise<ShareLockedTeam> => lockTeamSharedLater(tx, team)();

/**
 * Like `lockTeamShared`, but the lock is sent before the transaction's next statement, in the same round trip. The
 * returned function waits for the locked team.
 */
export const lockTeamSharedLater = (tx: Tx, team: Team): (() => Promise<ShareLockedTeam>) => {
  const read = runLater(tx, lockShared, { id: team.id });
  return async () => {
    const row = (await read())[0] ?? fail('not_found');
    const { memberDetail, leaderboard } = row;
    return { ...team, privacy: { memberDetail, leaderboard }, apiIsOn: apiIsOn(row), [locked]: true };
  };
};

/** Runs an action in a transaction that begins with the shared lock of the team. */
export const inShareLockedTeam = <T>(caller: Team, action: (tx: Tx, team: ShareLockedTeam) => Promise<T>): Promise<T> =>
  inTransaction(caller, async (tx) => action(tx, await lockTeamShared(tx, caller)));

/** Refuses actions that belong to the API, also in the app, while the team is not active or its plan lacks the API. */
export const requireApi = (team: ShareLockedTeam): void => {
  if (!team.apiIsOn) fail('api_disabled', { detail: accessMessages.apiIsOff });
};

/** Whether a team that this transaction has not locked is active and its plan has the API. */
export const teamHasApi = async (tx: Tx, id: string): Promise<boolean> => {
  const row = await find(tx, id);
  return row !== null && apiIsOn(row);
};

export const teamName = async (tx: Tx, { id }: Pick<Team, 'id'>): Promise<string> =>
  (await tx.team.findUniqueOrThrow({ where: { id }, select: { name: true } })).name;

export const teamLanguage = async (tx: Tx, { id }: Pick<Team, 'id'>): Promise<Language> =>
  (await tx.team.findUniqueOrThrow({ where: { id }, select: { language: true } })).language;

export const planOf = async (tx: Tx, { id }: Pick<Team, 'id'>): Promise<Plan> =>
  (await find(tx, id))?.plan ?? fail('not_found');

const withReminders = { status: 'active', remindersEnabled: true } as const;

/** Whether the team wants the service to remind its members of assignments. */
export const wantsReminders = async (tx: Tx, { id }: Pick<Team, 'id'>): Promise<boolean> =>
  (await tx.team.count({ where: { id, ...withReminders } })) > 0;

export const teamsWithReminders = (database: Database): Promise<string[]> => teamIds(database, withReminders);

/**
 * The ids of all teams, or of some, in a random order, so that work that ends early does not always leave out the same
 * teams.
 */
export const teamIds = async ({ prisma }: Database, where: Prisma.TeamWhereInput = {}): Promise<string[]> =>
  (await prisma.team.findMany({ where, select: { id: true }, orderBy: { id: 'asc' } }))
    .map(({ id }) => ({ id, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ id }) => id);
