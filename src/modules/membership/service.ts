import { isId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import type { Database, Tx } from '../../db/database.ts';
import type { Role } from '../../db/generated/enums.ts';
import type { Team } from '../../platform/team.ts';
import type * as schema from './schema.ts';
import { members, type MemberRow } from './store.ts';

// Defines who is a member and who is an active member. Other modules ask it, so it imports none of them. How
// memberships begin, change and end is in the module `members`, which acts on assignments, trainings and the catalog.
//
// Memberships begin and end under the team's lock. So the results stay right until the end of a transaction that has
// locked the team (`lockTeamShared`, `lockTeam`).

/** A membership that has not ended, with the fields that the public API shows. */
export interface Member extends MemberRow {
  status: schema.Member['status'];
}

/** A `Member` with the rights beyond the role. */
export interface Membership extends Member {
  rights: readonly string[];
}

/** An active membership: its person has accepted, so there is a user. */
interface ActiveMembership extends Membership {
  userId: string;
  status: 'active';
}

type StoredMember = NonNullable<Awaited<ReturnType<typeof members.find>>>;

const present = ({ status, ...row }: StoredMember): Membership | undefined =>
  status === 'ended' ? undefined : { ...row, status };

/** The invited or active member with this id; undefined if there is none in this team. */
export const memberOf = async (tx: Tx, team: Team, id: string): Promise<Membership | undefined> => {
  const row = isId(id) ? await members.find(tx, team, id) : undefined;
  return row && present(row);
};

/**
 * Like `memberOf`, but the row is read together with the transaction's next statement. The returned function waits for
 * the row.
 */
export const memberLater = (tx: Tx, team: Team, id: string): (() => Promise<Membership | undefined>) => {
  const read = isId(id) ? members.findLater(tx, team, id) : undefined;
  return async () => {
    const [row] = (await read?.()) ?? [];
    return row && present(row);
  };
};

/** The public API shows no rights. */
export const withoutRights = ({ rights: _rights, ...member }: Membership): Member => member;

/** The invited or active member with this id, or 404. */
export const findMember = async (tx: Tx, team: Team, id: string): Promise<Membership> =>
  (await memberOf(tx, team, id)) ?? fail('not_found');

/** The last person who was an active member with this address, and their account at the team's identity provider. */
export const lastUserWith = async (
  tx: Tx,
  team: Team,
  email: string,
): Promise<{ userId: string; companySubject: string | null } | undefined> => {
  const { userId = null, companySubject = null } = (await members.lastUserWith(tx, team, email)) ?? {};
  return userId === null ? undefined : { userId, companySubject };
};

/** A member of the team, invited or active. */
export const getMember = async (team: Team, id: string): Promise<Member> => {
  const member = isId(id) ? await members.get(team.platform.database, team, id) : undefined;
  if (!member || member.status === 'ended') return fail('not_found');
  return { ...member, status: member.status };
};

/** Readers of changes get the person's memberships in all teams again, because the name has changed. */
export const touchMembersOf = async (tx: Tx, personId: string, now: Date): Promise<void> => {
  await members.touchOfPerson(tx, personId, now);
};

export const isActive = (member: Membership | undefined): member is ActiveMembership =>
  member?.status === 'active' && member.userId !== null;

export const isActiveUser = async (tx: Tx, team: Pick<Team, 'id'>, userId: string): Promise<boolean> =>
  isId(userId) && (await members.activeOfUser(tx, team, userId)) !== null;

export const activeUsers = async (tx: Tx, team: Team): Promise<ReadonlySet<string | null>> =>
  new Set(await members.activeUsers(tx, team));

/** The users of the active ones among these members, by the members' ids. */
export const usersOfActive = async (
  tx: Tx,
  team: Team,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const found = await members.activeAmong(tx, team, [...new Set(ids)].filter(isId));
  return new Map(found.flatMap(({ id, userId }): [string, string][] => (userId === null ? [] : [[id, userId]])));
};

/** Whether this user is the owner or an active admin. */
export const isActiveAdmin = async (tx: Tx, team: Team, userId: string): Promise<boolean> => {
  const member = await members.activeOfUser(tx, team, userId);
  return member?.role === 'owner' || member?.role === 'admin';
};

/** The team's owner and active admins, each with the language for mails. An active member always has a user. */
export const adminsOf = async (tx: Tx, team: Team): Promise<{ email: string; userId: string; language: Language }[]> =>
  (await members.activeAdmins(tx, team)).flatMap(({ email, userId, user }) =>
    userId === null ? [] : [{ email, userId, language: user?.person.language ?? 'de' }],
  );

/** The team's owner, with the language for mails; undefined only in a team that is being deleted. */
export const ownerOf = async (tx: Tx, team: Team): Promise<{ email: string; language: Language } | undefined> => {
  const owner = (await members.activeAdmins(tx, team)).find(({ role }) => role === 'owner');
  return owner && { email: owner.email, language: owner.user?.person.language ?? 'de' };
};

/** Whether a member wants the weekly mail. Each member chooses this for themselves. */
export const wantsWeeklyMail = (team: Team, memberId: string): Promise<boolean> =>
  members.wantsWeeklyMail(team.platform.database.prisma, team, memberId);

export const chooseWeeklyMail = async (team: Team, memberId: string, wanted: boolean): Promise<void> => {
  await members.setWeeklyMail(team.platform.database.prisma, team, memberId, wanted);
};

/** The active teams with a member who is to get the weekly mail of this Monday. */
export const teamsAwaitingWeeklyMail = (database: Database, monday: Date): Promise<string[]> =>
  members.teamsAwaitingWeeklyMail(database, monday);

/**
 * The members who are to get the weekly mail of this Monday: the owner and active admins who want it and have not got
 * it yet, each with the language for mails.
 */
export const awaitingWeeklyMail = async (
  tx: Tx,
  team: Team,
  monday: Date,
): Promise<{ id: string; email: string; language: Language }[]> =>
  (await members.awaitingWeeklyMail(tx, team, monday)).map(({ id, email, user }) => ({
    id,
    email,
    language: user?.person.language ?? 'de',
  }));

/** Notes that a member gets the weekly mail of this Monday. False: the member is no longer to get it. */
export const claimWeeklyMail = (tx: Tx, team: Team, memberId: string, monday: Date): Promise<boolean> =>
  members.claimWeeklyMail(tx, team, memberId, monday);

/** The number of invited and active members by role. */
export const countByRole = async (tx: Tx, team: Team): Promise<Record<Role, number>> => {
  const counts = { owner: 0, admin: 0, member: 0 };
  for (const { role, _count } of await members.countByRole(tx, team)) counts[role] = _count;
  return counts;
};

export const addOwner = async (
  tx: Tx,
  team: Team,
  owner: { id: string; userId: string; email: string },
  now: Date,
): Promise<void> => {
  const since = { joinedAt: now, listedAt: now, createdAt: now, updatedAt: now };
  await members.insert(tx, team, { ...owner, role: 'owner', status: 'active', ...since });
};
