import { isDeepStrictEqual } from 'node:util';
import { changesOf } from '../../core/changes.ts';
import { memberMessages } from '../../core/messages/people.ts';
import { defanged, quotable } from '../../core/name-text.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { inLockedTeam, type LockedTeam } from '../../platform/team-row.ts';
import { record } from '../audit/service.ts';
import { isVouchedFor } from '../keys/service.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate } from '../mail/template.ts';
import { personBehind } from '../people/store.ts';
import {
  findMember,
  isActive,
  isActiveAdmin,
  withoutRights,
  type Member,
  type Membership,
} from '../membership/service.ts';
import { members } from '../membership/store.ts';

// The roles and rights of members: who may grant and revoke them, and the hand-over of a team to a new owner.

/**
 * Whether the actor may grant or revoke the role admin: an operator, the owner and active admins may, and so may a key
 * that the owner or an active admin created.
 */
const mayGrantAdmin = async (tx: Tx, team: Team): Promise<boolean> => {
  const { actor } = team;
  if (actor.kind === 'operator') return true;
  if (actor.kind === 'service') return false;
  if (actor.kind === 'person') return isActiveAdmin(tx, team, actor.userId);
  return isVouchedFor(tx, team, actor.id);
};

export const requireRightToGrantAdmin = async (tx: Tx, team: Team): Promise<void> => {
  if (await mayGrantAdmin(tx, team)) return;
  fail('insufficient_scope', {
    required_scope: 'users:write',
    detail: memberMessages.adminRole,
  });
};

/** Refuses to take the last active admin from the team. Call it under the team's lock. */
export const requireAnotherAdmin = async (tx: Tx, team: Team, target: Membership): Promise<void> => {
  if (target.role !== 'admin' || target.status !== 'active') return;
  if ((await members.countOtherActiveAdmins(tx, team, target.id)) === 0) fail('last_admin');
};

/** Refuses an external id that an invited or active member has. Call it under the team's lock. */
export const requireFreeExternalId = async (tx: Tx, team: Team, externalId: string | null): Promise<void> => {
  if (externalId !== null && (await members.hasExternalId(tx, team, externalId))) {
    fail('conflict', { detail: memberMessages.externalIdTaken });
  }
};

/** Gives an invited or active member this external id; the owner may have one, too. Call it under the team's lock. */
export const setExternalId = async (
  tx: Tx,
  team: LockedTeam,
  member: Membership,
  externalId: string | null,
): Promise<void> => {
  if (member.externalId === externalId) return;
  await requireFreeExternalId(tx, team, externalId);
  await members.update(tx, team, member.id, { externalId, updatedAt: team.platform.clock.now() });
  record(tx, team, { action: 'member.external_id_changed', target: { type: 'member', id: member.id } });
};

/** Gives an invited or active member the name that the directory has for them. Call it under the team's lock. */
export const setDirectoryName = async (
  tx: Tx,
  team: LockedTeam,
  id: string,
  directoryName: string | null,
): Promise<void> => {
  await members.update(tx, team, id, { directoryName, updatedAt: team.platform.clock.now() });
};

interface MemberChange {
  role: 'admin' | 'member';
  /** If undefined, the external id stays as it is. */
  externalId?: string | null | undefined;
}

/** Changes a member's role and external id. */
export const changeMember = (caller: Team, id: string, { role, externalId }: MemberChange): Promise<Member> =>
  inLockedTeam(caller, async (tx, team) => {
    const member = await findMember(tx, team, id);
    if (member.role === 'owner') fail('owner');
    const changes = changesOf<Pick<Member, 'role' | 'externalId'>>(member, { role, externalId });
    if (Object.keys(changes).length === 0) return withoutRights(member);
    if (changes.role !== undefined) {
      // Every change grants or revokes the role admin, since only two roles can be granted.
      await requireRightToGrantAdmin(tx, team);
      await requireAnotherAdmin(tx, team, member);
    }
    if (changes.externalId !== undefined) await requireFreeExternalId(tx, team, changes.externalId);
    const updatedAt = team.platform.clock.now();
    await members.update(tx, team, id, { ...changes, updatedAt });
    const target = { type: 'member', id } as const;
    if (changes.role !== undefined) {
      record(tx, team, { action: 'member.role_changed', target, data: { from: member.role, to: role } });
    }
    // The audit log does not name the id itself, because it would identify the person longer than an erasure allows.
    if (changes.externalId !== undefined) record(tx, team, { action: 'member.external_id_changed', target });
    return { ...withoutRights(member), ...changes, updatedAt: updatedAt.toISOString() };
  });

/** Gives a member exactly these rights beyond their role. */
export const setRights = (caller: Team, id: string, wanted: readonly string[]): Promise<void> =>
  inLockedTeam(caller, async (tx, team) => {
    const member = await findMember(tx, team, id);
    if (member.role === 'owner') fail('owner', { detail: memberMessages.ownerHasAllRights });
    const from = member.rights.toSorted();
    const to = [...new Set(wanted)].toSorted();
    if (isDeepStrictEqual(from, to)) return;
    await members.setRights(tx, team, id, to);
    record(tx, team, { action: 'member.rights_changed', target: { type: 'member', id }, data: { from, to } });
  });

/** A member who hands the team over, or who gets it. */
interface HandOverParty {
  id: string;
  userId: string;
  email: string;
}

interface HandOver {
  teamName: string;
  /** The name or address of the former owner. */
  former: string;
  /** The name or address of the new owner. */
  owner: string;
}

const receivedMail = mailTemplate<HandOver>('team_received', {
  de: ({ teamName, former }) => ({
    lead: `${former} hat Ihnen das Team „${quotable(teamName)}“ übergeben.`,
    action: 'Team ansehen',
    ending: 'Sie haben jetzt alle Berechtigungen im Team und können sie anderen Mitgliedern erteilen.',
  }),
  en: ({ teamName, former }) => ({
    lead: `${former} transferred the team “${quotable(teamName)}” to you.`,
    action: 'View team',
    ending: 'You now have all permissions in the team and can grant them to other members.',
  }),
});

const handedOverMail = mailTemplate<HandOver>('team_handed_over', {
  de: ({ teamName, owner }) => ({
    lead: `${owner} ist jetzt Inhaber des Teams „${quotable(teamName)}“. Sie bleiben Admin.`,
    action: 'Team ansehen',
    ending: `Wenn Sie das nicht veranlasst haben, wenden Sie sich umgehend an ${owner} oder an den Support.`,
  }),
  en: ({ teamName, owner }) => ({
    lead: `${owner} is now the owner of the team “${quotable(teamName)}”. You stay an admin.`,
    action: 'View team',
    ending: `If this wasn’t you, contact ${owner} or support immediately.`,
  }),
});

/** The owner needs a sign-in, and only active members have one. */
const requireActive = (member: Membership): HandOverParty =>
  isActive(member) ? member : fail('conflict', { detail: memberMessages.newOwnerNotActive });

/**
 * The present owner, who must be the caller. So of two hand-overs at the same time only the first one succeeds. Call it
 * under the team's lock.
 */
const requireOwner = async (tx: Tx, team: LockedTeam): Promise<HandOverParty> => {
  const { actor } = team;
  const { id, userId, email } = await members.owner(tx, team);
  if (userId !== null && actor.kind === 'person' && actor.userId === userId) return { id, userId, email };
  return fail('insufficient_scope', {
    required_scope: 'users:write',
    detail: memberMessages.ownerTransfers,
  });
};

const mailParties = async (
  tx: Tx,
  team: LockedTeam,
  { from, to }: { from: HandOverParty; to: HandOverParty },
): Promise<void> => {
  const former = await personBehind(tx, team, from.userId);
  const owner = await personBehind(tx, team, to.userId);
  // A person without a name is named by their address, in a form that mail programs don't turn into a link.
  const shown = (name: string | null, email: string) => (name === null ? defanged(email) : quotable(name));
  const values = {
    teamName: team.row.name,
    former: shown(former.name, from.email),
    owner: shown(owner.name, to.email),
  };
  const link = `${team.platform.publicUrl}/members?team=${team.id}`;
  await queueMails(tx, team, [
    receivedMail({ email: to.email, language: owner.language }, link, values),
    handedOverMail({ email: from.email, language: former.language }, link, values),
  ]);
};

/** Makes an active member the owner. The former owner becomes an admin, so the team still has an owner and an admin. */
export const handOver = (caller: Team, id: string): Promise<void> =>
  inLockedTeam(caller, async (tx, team) => {
    const from = await requireOwner(tx, team);
    const member = await findMember(tx, team, id);
    if (member.role === 'owner') fail('owner', { detail: memberMessages.alreadyOwner });
    const to = requireActive(member);
    // The former owner changes first, because a team can't have two owners at any time.
    const updatedAt = team.platform.clock.now();
    await members.update(tx, team, from.id, { role: 'admin', updatedAt });
    await members.update(tx, team, to.id, { role: 'owner', rights: [], updatedAt });
    record(tx, team, {
      action: 'team.handed_over',
      target: { type: 'member', id },
      data: { from: from.id, to: to.id },
    });
    await mailParties(tx, team, { from, to });
  });
