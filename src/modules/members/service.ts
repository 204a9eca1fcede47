import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { revokeAssignmentsOf } from '../assignments/service.ts';
import { record } from '../audit/service.ts';
import { forgetMemberPolicy } from '../catalog/service.ts';
import { passwordResetLink, personBehind } from '../people/service.ts';
import { lockTeam } from '../teams/service.ts';
import { raise } from '../../webhooks/outbox.ts';
import { findMember } from './membership.ts';
import type { Membership } from './membership.ts';
import { eventOf, present } from './presentation.ts';
import { needRightToGrantAdmin } from './rights.ts';
import type { Member } from './schema.ts';
import { invitations, members } from './store.ts';

export { acceptInvitation, findInvitation } from './acceptance.ts';
export { setRights } from './given-rights.ts';
export { handOver } from './hand-over.ts';
export { invitePeople, resendInvitation } from './invitations.ts';
export { addActiveMember, addActivePerson, addInvitedMember, inviteMember } from './joining.ts';
export type { NewMembership } from './joining.ts';
export { getMember, listMembers } from './listing.ts';
export { namesOf } from './names.ts';
export { roster } from './roster.ts';
export { listTeam, teamMember } from './team-list.ts';

/** Only these two can be given; the owner's role is handed over, never granted. */
export const grantableRole = (role: string): 'admin' | 'member' =>
  role === 'admin' || role === 'member' ? role : fail('validation_error', { field: 'role' });

/** Refuses to leave the team without an active admin. Only right while the team is locked. */
const keepOneAdmin = async (tx: Tx, team: Team, target: Membership): Promise<void> => {
  if (target.role !== 'admin' || target.status !== 'active') return;
  if ((await members.countOtherActiveAdmins(tx, team, target.id)) === 0) fail('last_admin');
};

/** A link with which a member sets a new password. It lets its bearer in, so that it was given out is recorded. */
export const passwordLink = (team: Team, id: string): Promise<string> =>
  inTransaction(team, async (tx) => {
    const { userId } = await findMember(tx, team, id);
    if (userId === null)
      return fail('conflict', { detail: 'Who has not accepted the invitation has no password yet.' });
    const person = await personBehind(tx, team, userId);
    await record(tx, team, { action: 'member.password_link_made', target: { type: 'member', id } });
    return passwordResetLink(tx, team.platform, person.id);
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
    await members.update(tx, team, id, { role });
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
    await members.update(tx, team, id, { status: 'ended', endedAt: team.platform.clock.now() });
    await invitations.remove(tx, team, id);
    await forgetMemberPolicy(tx, team, id);
    const revoked = await revokeAssignmentsOf(tx, team, id);
    await raise(tx, team, 'member.removed', eventOf(member));
    await record(tx, team, {
      action: 'member.removed',
      target: { type: 'member', id },
      data: { role: member.role, assignments_revoked: revoked },
    });
  });
