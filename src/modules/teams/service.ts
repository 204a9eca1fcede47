import { emailPart } from '../../core/email-address.ts';
import { isId, newId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import { hashPassword } from '../../core/password.ts';
import { fail } from '../../core/problem.ts';
import type { Database, Tx } from '../../db/database.ts';
import { containing } from '../../db/query.ts';
import type { Team as TeamRow } from '../../db/generated/client.ts';
import type { Platform, Actor, Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { addOwner } from '../members/membership.ts';
import { ensurePerson, knowPerson } from '../people/service.ts';
import { reports } from '../reporting/store.ts';
import { summarize } from './change.ts';
import type { TeamSummary } from './change.ts';
import { privacyOf } from './held.ts';
import { mailNewOwner } from './mails.ts';
import type { Plan } from './plan.ts';
import { teams } from './store.ts';

export { changeTeam } from './change.ts';
export type { TeamChange } from './change.ts';
export { holdTeam, lockTeam, needApi, noteInvitation } from './held.ts';
export type { HeldTeam, LockedTeam } from './held.ts';
export { teamOverview } from './overview.ts';
export { hasApi } from './plan.ts';
export type { Plan } from './plan.ts';
export { teamSettings } from './settings.ts';

/** A team as somebody acts in it who did not come through the gate. */
export const actIn = async (platform: Platform, actor: Actor, id: string): Promise<Team> => {
  const team = isId(id) ? await teams.get(platform.database.prisma, id) : undefined;
  return asTeam(platform, actor, team ?? fail('not_found', { detail: `There is no team ${id}.` }));
};

const asTeam = (platform: Platform, actor: Actor, row: TeamRow): Team => ({
  id: row.id,
  privacy: privacyOf(row),
  actor,
  rateLimitPerMin: row.rateLimitPerMin,
  requestId: null,
  platform,
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
): Promise<{ team: Team; owner: Owner; person: { id: string; email: string; language: Language } }> => {
  const now = platform.clock.now();
  const { plan = 'team', seats = 10, rateLimit = limits.requestsPerTeamPerMinute, language = 'de' } = wanted;
  const { name } = wanted;
  const row = await teams.insert(tx, {
    id: newId(),
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
    passwordHash: wanted.ownerPassword === undefined ? undefined : await hashPassword(wanted.ownerPassword),
    language,
  });
  const userId = await knowPerson(tx, team, person.id);
  const owner = { id: newId(), userId, email: person.email } as const;
  await addOwner(tx, team, owner, now);
  await record(tx, team, { action: 'team.created', target: { type: 'team', id: team.id }, data: { plan, seats } });
  return { team, owner: { member_id: owner.id, user_id: userId, email: owner.email }, person };
};

/** Makes a team with its owner, who gets a mail with what they need to sign in. */
export const createTeam = (
  platform: Platform,
  actor: Actor,
  wanted: NewTeam,
): Promise<{ tenant_id: string; owner: Owner }> =>
  platform.database.transaction(async (tx) => {
    const { team, owner, person } = await foundTeam(tx, platform, actor, wanted);
    await mailNewOwner(tx, team, wanted.name, person);
    return { tenant_id: team.id, owner };
  });

/** Whether all of these teams are in this database. */
export const teamsExist = async (tx: Tx, ids: readonly string[]): Promise<boolean> =>
  (await teams.count(tx, ids.filter(isId))) === ids.length;

export const teamName = (tx: Tx, { id }: Pick<Team, 'id'>): Promise<string> => teams.name(tx, id);

/** The ids of all teams. */
export const teamIds = ({ prisma }: Database): Promise<string[]> => teams.ids(prisma);

export const listTeams = async ({ database }: Platform): Promise<TeamSummary[]> =>
  (await teams.all(database.prisma)).map(summarize);

/** Teams whose name or a member's email contains the text, or that have it as an id or a key's prefix. */
export const findTeams = async ({ database }: Platform, text: string): Promise<TeamSummary[]> => {
  // A whole key, as a customer may paste it, is known by its prefix.
  const prefix = /^svck_live_([A-Za-z0-9]{12})/.exec(text)?.[1] ?? text;
  const found = await reports.teamsFound(database, {
    text: prefix,
    like: containing(text),
    emailLike: containing(emailPart(text)),
  });
  return (await teams.some(database.prisma, found)).map(summarize);
};
