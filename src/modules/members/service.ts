import { isId, newId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { revokeAssignmentsOf } from '../assignments/service.ts';
import { record } from '../audit/service.ts';
import { ensurePerson, knowPerson, passwordResetLink, personBehind } from '../people/service.ts';
import { lockTeam } from '../teams/service.ts';
import type { HeldTeam, LockedTeam } from '../teams/service.ts';
import { raise } from '../webhooks/service.ts';
import { countInvitation, sendInvitation } from './invitation.ts';
import { presentMember } from './listing.ts';
import { needRightToGrantAdmin } from './rights.ts';
import type { Member } from './schema.ts';

export { getMember, listMembers } from './listing.ts';
export { roster } from './roster.ts';

/** A membership that has not ended, as the rules look at it. */
interface Membership {
  id: string;
  userId: string | null;
  email: string;
  role: Member['role'];
  status: Member['status'];
  joinedAt: Date | null;
}

export interface NewMembership {
  email: string;
  role: 'admin' | 'member';
  rights?: readonly string[];
}

const present = ({ userId, joinedAt, ...member }: Membership): Member =>
  presentMember({ ...member, user_id: userId, joined_at: joinedAt?.toISOString() ?? null });

/** Only these two can be given; the owner's role is handed over, never granted. */
export const grantableRole = (role: string): 'admin' | 'member' =>
  role === 'admin' || role === 'member' ? role : fail('validation_error', { field: 'role' });

const findMember = async (tx: Tx, team: Team, id: string): Promise<Membership> => {
  const member = isId(id)
    ? await tx.member.findUnique({ where: { tenantId_id: { tenantId: team.id, id } } })
    : undefined;
  if (!member || member.status === 'ended') return fail('not_found');
  return { ...member, status: member.status };
};

/** Refuses to leave the team without an active admin. Only right while the team is locked. */
const keepOneAdmin = async (tx: Tx, team: Team, target: Membership): Promise<void> => {
  if (target.role !== 'admin' || target.status !== 'active') return;
  const others = await tx.member.count({
    where: { tenantId: team.id, role: 'admin', status: 'active', id: { not: target.id } },
  });
  if (others === 0) fail('last_admin');
};

const needUnusedEmail = async (tx: Tx, team: Team, email: string): Promise<void> => {
  const known = await tx.member.count({ where: { tenantId: team.id, email, status: { not: 'ended' } } });
  if (known > 0) fail('conflict', { detail: 'The email already belongs to a member of this team.' });
};

/** The owner, active and invited members take a seat each. */
const needFreeSeat = async (tx: Tx, team: LockedTeam): Promise<void> => {
  const taken = await tx.member.count({ where: { tenantId: team.id, status: { not: 'ended' } } });
  if (taken >= team.row.seats) fail('seat_limit_reached');
};

const eventOf = ({ id, role, userId }: Membership) => ({
  data: { member_id: id, role },
  personal: userId === null ? {} : { user_id: userId },
});

const noteJoined = async (tx: Tx, team: HeldTeam, member: Membership): Promise<void> => {
  await raise(tx, team, 'member.joined', eventOf(member));
  const { id, role, status } = member;
  await record(tx, team, { action: 'member.joined', target: { type: 'member', id }, data: { role, status } });
};

const createInvited = async (tx: Tx, team: HeldTeam, { email, role, rights = [] }: NewMembership) => {
  const now = team.platform.clock.now();
  const member = { id: newId(), userId: null, email, role, status: 'invited', joinedAt: null } as const;
  await tx.member.create({
    data: { tenantId: team.id, ...member, rights: [...rights], invitedAt: now, listedAt: now, createdAt: now },
  });
  await noteJoined(tx, team, member);
  return member;
};

/** Invites somebody by email: the membership exists from now on and takes a seat, whether or not they ever accept. */
export const inviteMember = (
  caller: Team,
  { lang, ...wanted }: NewMembership & { lang?: Language | null | undefined },
): Promise<Member> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    if (wanted.role === 'admin') await needRightToGrantAdmin(tx, team);
    await needUnusedEmail(tx, team, wanted.email);
    await needFreeSeat(tx, team);
    await countInvitation(tx, team);

    const member = await createInvited(tx, team, wanted);
    await sendInvitation(tx, team, { member, teamName: team.row.name, language: lang ?? team.row.language });
    return present(member);
  });

/** An invited member whom nobody mailed, which is what made-up people get: there is no link, and no invitation is counted. */
export const addInvitedMember = (caller: Team, wanted: NewMembership): Promise<Member> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    await needUnusedEmail(tx, team, wanted.email);
    await needFreeSeat(tx, team);
    return present(await createInvited(tx, team, wanted));
  });

/** Makes somebody an active member at once, without an invitation: what an operator may do. */
export const addActiveMember = (
  caller: Team,
  { userId, email, role, rights = [] }: NewMembership & { userId: string },
) =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    await needUnusedEmail(tx, team, email);
    await needFreeSeat(tx, team);

    const now = team.platform.clock.now();
    const member = { id: newId(), userId, email, role, status: 'active', joinedAt: now } as const;
    await tx.member.create({
      data: { tenantId: team.id, ...member, rights: [...rights], listedAt: now, createdAt: now },
    });
    await noteJoined(tx, team, member);
    return present(member);
  });

/** Makes a person an active member by their email, whether or not they were known before. */
export const addActivePerson = (
  caller: Team,
  { password, name, ...membership }: NewMembership & { password?: string | undefined; name?: string | undefined },
): Promise<Member & { user_id: string }> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    const { language } = team.row;
    const person = await ensurePerson(tx, team.platform, { email: membership.email, name, password, language });
    const userId = await knowPerson(tx, team, person.id);
    return { ...(await addActiveMember({ ...team, tx }, { ...membership, userId })), user_id: userId };
  });

/** A link with which a member sets a new password. It lets its bearer in, so that it was given out is recorded. */
export const passwordLink = (team: Team, id: string): Promise<string> =>
  inTransaction(team, async (tx) => {
    const { userId } = await findMember(tx, team, id);
    if (userId === null)
      return fail('conflict', { detail: 'Who has not accepted the invitation has no password yet.' });
    const person = await personBehind(tx, team, userId);
    await record(tx, team, { action: 'member.password_link_made', target: { type: 'member', id } });
    return passwordResetLink(team.platform, person);
  });

/** Changes a member's role. */
export const changeRole = (caller: Team, id: string, role: 'admin' | 'member'): Promise<Member> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    const member = await findMember(tx, team, id);
    if (member.role === 'owner') fail('owner');
    // Of two different roles that can be granted, one is admin: any change grants or revokes it.
    if (member.role === role) return present(member);
    await needRightToGrantAdmin(tx, team);
    await keepOneAdmin(tx, team, member);
    await tx.member.update({ where: { tenantId_id: { tenantId: team.id, id } }, data: { role } });
    await record(tx, team, {
      action: 'member.role_changed',
      target: { type: 'member', id },
      data: { from: member.role, to: role },
    });
    return present({ ...member, role });
  });

/** Ends a membership: their assignments are revoked and `member.removed` is raised, all or nothing. */
export const removeMember = (caller: Team, id: string): Promise<void> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    const member = await findMember(tx, team, id);
    if (member.role === 'owner') fail('owner');
    if (member.role === 'admin') await needRightToGrantAdmin(tx, team);
    await keepOneAdmin(tx, team, member);
    await tx.member.update({
      where: { tenantId_id: { tenantId: team.id, id } },
      data: { status: 'ended', endedAt: team.platform.clock.now() },
    });
    await tx.invitation.deleteMany({ where: { tenantId: team.id, memberId: id } });
    const revoked = await revokeAssignmentsOf(tx, team, id);
    await raise(tx, team, 'member.removed', eventOf(member));
    await record(tx, team, {
      action: 'member.removed',
      target: { type: 'member', id },
      data: { role: member.role, assignments_revoked: revoked },
    });
  });
