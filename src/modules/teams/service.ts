import { changesOf, valuesOf } from '../../core/changes.ts';
import { emailPart } from '../../core/email-address.ts';
import { isId, makeId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import type { Language } from '../../core/language.ts';
import { accessMessages } from '../../core/messages/people.ts';
import { hashPassword } from '../../core/password.ts';
import { fail } from '../../core/problem.ts';
import { demandsAt, type PlannedDemand, type SignInDemand } from '../../core/sign-in-demand.ts';
import type { Tx } from '../../db/database.ts';
import type { Team as TeamRow } from '../../db/generated/client.ts';
import type { Plan, TeamStatus } from '../../db/generated/enums.ts';
import type { Platform, Actor, Team } from '../../platform/team.ts';
import { asTeam, inLockedTeam, type LockedTeam } from '../../platform/team-row.ts';
import { record } from '../audit/service.ts';
import { addOwner } from '../membership/service.ts';
import { ensurePerson, knowPerson } from '../people/store.ts';
import { reports } from '../reporting/store.ts';
import { mailNewOwner, mailOwnerOfEndedTeam } from './mails.ts';
import { teams } from './store.ts';

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

/** Creates a team and its owner in the caller's transaction. Both privacy switches are on. */
export const foundTeam = async (tx: Tx, platform: Platform, actor: Actor, wanted: NewTeam) => {
  const now = platform.clock.now();
  const { plan = 'team', seats = 10, rateLimit = limits.requestsPerTeamPerMinute, language = 'de' } = wanted;
  const { name } = wanted;
  const row = await teams.insert(tx, {
    id: makeId(),
    name,
    plan,
    seats,
    rateLimitPerMin: rateLimit,
    language,
    createdAt: now,
  });
  const team = { ...asTeam(platform, actor, row), tx };
  const person = await ensurePerson(tx, platform, {
    email: wanted.ownerEmail,
    name: wanted.ownerName,
    passwordHash:
      wanted.ownerPassword === undefined
        ? undefined
        : await hashPassword(wanted.ownerPassword, platform.signIn.passwordCost),
    language,
  });
  const userId = await knowPerson(tx, team, person.id);
  const owner = { id: makeId(), userId, email: person.email } as const;
  await addOwner(tx, team, owner, now);
  record(tx, team, { action: 'team.created', target: { type: 'team', id: team.id }, data: { plan, seats } });
  return { team, owner: { memberId: owner.id, userId, email: owner.email }, person };
};

/** Creates a team and its owner, and mails the owner how to sign in. */
export const createTeam = (platform: Platform, actor: Actor, wanted: NewTeam) =>
  platform.database.transaction(async (tx) => {
    const { team, owner, person } = await foundTeam(tx, platform, actor, wanted);
    await mailNewOwner(tx, team, wanted.name, person);
    return { tenantId: team.id, owner };
  });

export const teamsExist = async (tx: Tx, ids: readonly string[]): Promise<boolean> =>
  (await teams.count(tx, ids.filter(isId))) === ids.length;

export const listTeams = async ({ database }: Platform): Promise<TeamSummary[]> =>
  (await teams.all(database.prisma)).map(summarize);

/**
 * Teams that have the text in their name or a member's email, or as a key's prefix, or as the id of the team, a member
 * or a key.
 */
export const findTeams = async ({ database }: Platform, text: string): Promise<TeamSummary[]> => {
  // A customer may send a whole key to the operator. It is found by its prefix.
  const prefix = /^svck_live_([A-Za-z0-9]{12})/.exec(text)?.[1] ?? text;
  const found = await reports.teamsFound(database, {
    name: text,
    email: emailPart(text),
    exact: prefix,
  });
  return (await teams.some(database.prisma, found)).map(summarize);
};

const summarize = (row: TeamRow) => ({
  tenantId: row.id,
  name: row.name,
  status: row.status,
  plan: row.plan,
  seats: row.seats,
  rateLimit: row.rateLimitPerMin,
  memberDetailEnabled: row.memberDetailEnabled,
  leaderboardEnabled: row.leaderboardEnabled,
});

type TeamSummary = ReturnType<typeof summarize>;

export interface TeamChange {
  name?: string | undefined;
  language?: Language | undefined;
  status?: TeamStatus | undefined;
  plan?: Plan | undefined;
  seats?: number | undefined;
  rateLimit?: number | undefined;
  memberDetail?: boolean | undefined;
  leaderboard?: boolean | undefined;
  remindersEnabled?: boolean | undefined;
}

export const signInDemandsOf = async (tx: Tx, { id, platform }: Team) =>
  demandsAt((await teams.get(tx, id)) ?? fail('not_found'), platform.clock.now());

const unplanned = { plannedDemand: null, plannedFrom: null } as const;

/** Sets how members must sign in to the team: at once, or from a time on. */
export const setSignInDemand = async (
  tx: Tx,
  team: LockedTeam,
  { demand, from }: { demand: SignInDemand; from: Date | undefined },
): Promise<void> => {
  const { signInDemand: current } = demandsAt(team.row, team.platform.clock.now());
  const target = { type: 'team', id: team.id } as const;
  if (from === undefined) {
    await teams.update(tx, team.id, { signInDemand: demand, ...unplanned });
    record(tx, team, { action: 'sign_in.demand_changed', target, data: { from: current, to: demand } });
    return;
  }
  await teams.update(tx, team.id, { signInDemand: current, plannedDemand: demand, plannedFrom: from });
  const data = { from: current, to: demand, holdsFrom: from.toISOString() };
  record(tx, team, { action: 'sign_in.demand_planned', target, data });
};

/** Drops a plan. The team's present demand stays. */
export const callOffSignInDemand = async (tx: Tx, team: LockedTeam, planned: PlannedDemand): Promise<void> => {
  await teams.update(tx, team.id, unplanned);
  const data = { to: planned.demand, holdsFrom: planned.from.toISOString() };
  record(tx, team, { action: 'sign_in.demand_called_off', target: { type: 'team', id: team.id }, data });
};

const describe = (row: TeamRow) => ({
  ...summarize(row),
  language: row.language,
  remindersEnabled: row.remindersEnabled,
});

/**
 * The time at which a team with this status ended; null if it has not. A team whose data is being deleted can't be
 * resumed.
 */
const endOf = ({ row, platform }: LockedTeam, status: TeamStatus | undefined): Date | null => {
  if ((status ?? row.status) !== 'ended') {
    if (row.deletionStartedAt === null) return null;
    return fail('conflict', { detail: accessMessages.dataBeingDeleted });
  }
  return row.endedAt ?? platform.clock.now();
};

/**
 * Changes a team's settings, for the team or the operator. Equal values change nothing. The owner gets a mail when the
 * team ends.
 */
export const changeTeam = (caller: Team, change: TeamChange): Promise<TeamSummary> =>
  inLockedTeam(caller, async (tx, team) => {
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
      remindersEnabled: change.remindersEnabled,
    };
    const set = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
    const row = await teams.update(tx, team.id, set);
    const before = describe(team.row);
    const changes = changesOf(before, describe(row));
    if (Object.keys(changes).length > 0) {
      const data = valuesOf(before, changes);
      record(tx, team, { action: 'team.changed', target: { type: 'team', id: team.id }, data });
    }
    if (endedAt !== null && team.row.endedAt === null) {
      await mailOwnerOfEndedTeam(tx, team, { teamName: row.name, endedAt });
    }
    return summarize(row);
  });
