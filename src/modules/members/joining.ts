import { newId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import { hashPassword } from '../../core/password.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { ensurePerson, knowPerson } from '../people/service.ts';
import { lockTeam } from '../teams/service.ts';
import type { HeldTeam, LockedTeam } from '../teams/service.ts';
import { raise } from '../../webhooks/outbox.ts';
import { countInvitation, makeInvitation, sendInvitation } from './invitation.ts';
import type { Membership } from './membership.ts';
import { eventOf, present } from './presentation.ts';
import { needRightToGrantAdmin } from './rights.ts';
import type { Member } from './schema.ts';
import { members } from './store.ts';

export interface NewMembership {
  email: string;
  role: 'admin' | 'member';
  rights?: readonly string[];
}

const needUnusedEmail = async (tx: Tx, team: Team, email: string): Promise<void> => {
  if (await members.hasEmail(tx, team, email)) {
    fail('conflict', { detail: 'The email already belongs to a member of this team.' });
  }
};

/** The owner, active and invited members take a seat each. */
const needFreeSeat = async (tx: Tx, team: LockedTeam): Promise<void> => {
  if ((await members.countPresent(tx, team)) >= team.row.seats) fail('seat_limit_reached');
};

const noteJoined = async (tx: Tx, team: HeldTeam, member: Omit<Membership, 'rights'>): Promise<void> => {
  await raise(tx, team, 'member.joined', eventOf(member));
  const { id, role, status } = member;
  await record(tx, team, { action: 'member.joined', target: { type: 'member', id }, data: { role, status } });
};

const createInvited = async (tx: Tx, team: HeldTeam, { email, role, rights = [] }: NewMembership) => {
  const now = team.platform.clock.now();
  const member = { id: newId(), userId: null, email, role, status: 'invited', joinedAt: null } as const;
  await members.insert(tx, team, { ...member, rights: [...rights], invitedAt: now, listedAt: now, createdAt: now });
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

/** An invited member whom nobody mailed, which is what made-up people get: nobody has the link, and no invitation is counted. */
export const addInvitedMember = (caller: Team, wanted: NewMembership): Promise<Member> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    await needUnusedEmail(tx, team, wanted.email);
    await needFreeSeat(tx, team);
    const member = await createInvited(tx, team, wanted);
    await makeInvitation(tx, team, { member, language: team.row.language });
    return present(member);
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
    await members.insert(tx, team, { ...member, rights: [...rights], listedAt: now, createdAt: now });
    await noteJoined(tx, team, member);
    return present(member);
  });

/** Makes a person an active member by their email, whether or not they were known before. */
export const addActivePerson = async (
  caller: Team,
  { password, name, ...membership }: NewMembership & { password?: string | undefined; name?: string | undefined },
): Promise<Member & { user_id: string }> => {
  // Hashed before the team is locked.
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  return inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    const { language } = team.row;
    const person = await ensurePerson(tx, team.platform, { email: membership.email, name, passwordHash, language });
    const userId = await knowPerson(tx, team, person.id);
    return { ...(await addActiveMember({ ...team, tx }, { ...membership, userId })), user_id: userId };
  });
};
