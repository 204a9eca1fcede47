import { isId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import type { Member } from './schema.ts';
import { members } from './store.ts';

// Whether somebody is a member, and whether an active one. Every module asks here, so this file imports no module but its own.
//
// Within a transaction that holds the team (`holdTeam`, `lockTeam`) the answer stays right until the transaction ends: memberships
// begin and end under the team's lock.

/** A membership that has not ended: invited or active. */
export interface Membership {
  id: string;
  userId: string | null;
  email: string;
  role: Member['role'];
  status: Member['status'];
  joinedAt: Date | null;
  rights: readonly string[];
}

/** An active membership: its person has accepted, so there is a user. */
export interface ActiveMembership extends Membership {
  userId: string;
  status: 'active';
}

/** The member with this id, invited or active; undefined for a membership that ended and for anything that is no id of this team. */
export const memberOf = async (tx: Tx, team: Team, id: string): Promise<Membership | undefined> => {
  const member = isId(id) ? await members.find(tx, team, id) : undefined;
  if (!member || member.status === 'ended') return undefined;
  const { status, joinedAt } = member;
  return { ...member, status, joinedAt: joinedAt === null ? null : new Date(joinedAt) };
};

/** The same; 404 where there is none. */
export const findMember = async (tx: Tx, team: Team, id: string): Promise<Membership> =>
  (await memberOf(tx, team, id)) ?? fail('not_found');

export const isActive = (member: Membership | undefined): member is ActiveMembership =>
  member?.status === 'active' && member.userId !== null;

/** Whether this user is an active member. */
export const isActiveUser = async (tx: Tx, team: Team, userId: string): Promise<boolean> =>
  isId(userId) && (await members.activeOfUser(tx, team, userId)) !== undefined;

/** Whether this user is the owner or an active admin. */
export const isActiveAdmin = async (tx: Tx, team: Team, userId: string): Promise<boolean> => {
  const member = await members.activeOfUser(tx, team, userId);
  return member?.role === 'owner' || member?.role === 'admin';
};

/** The team's owner and active admins, each with the language they read. An active member has a user. */
export const adminsOf = async (tx: Tx, team: Team): Promise<{ email: string; userId: string; language: Language }[]> =>
  (await members.activeAdmins(tx, team)).flatMap(({ email, userId, user }) =>
    userId === null ? [] : [{ email, userId, language: user?.person.language ?? 'de' }],
  );

/** The team's owner, with the language they read; undefined only in a team that is being deleted. */
export const ownerOf = async (tx: Tx, team: Team): Promise<{ email: string; language: Language } | undefined> => {
  const owner = (await members.activeAdmins(tx, team)).find(({ role }) => role === 'owner');
  return owner && { email: owner.email, language: owner.user?.person.language ?? 'de' };
};

/** How many invited and active members have each role. */
export const countByRole = async (tx: Tx, team: Team): Promise<Record<Member['role'], number>> => {
  const counts = { owner: 0, admin: 0, member: 0 };
  for (const { role, _count } of await members.countByRole(tx, team)) counts[role] = _count;
  return counts;
};

/** Adds the owner of a team that is being founded. */
export const addOwner = async (
  tx: Tx,
  team: Team,
  owner: { id: string; userId: string; email: string },
  now: Date,
): Promise<void> => {
  const since = { joinedAt: now, listedAt: now, createdAt: now };
  await members.insert(tx, team, { ...owner, role: 'owner', status: 'active', ...since });
};
