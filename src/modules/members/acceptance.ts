import { limits } from '../../core/limits.ts';
import { fieldMessages } from '../../core/messages/fields.ts';
import { signInMessages } from '../../core/messages/people.ts';
import { hashPassword } from '../../core/password.ts';
import { fail } from '../../core/problem.ts';
import { lockNumber, takeLock } from '../../db/advisory-lock.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { actIn, lockTeam, type LockedTeam } from '../../platform/team-row.ts';
import { touchAssignmentsOf } from '../assignments/service.ts';
import { record } from '../audit/service.ts';
import { canSignIn, changePerson, ensurePerson, knowPerson, setPassword } from '../people/store.ts';
import { updateListedOf } from '../trainings/service.ts';
import { touchMembersOf } from '../membership/service.ts';
import { members } from '../membership/store.ts';
import { readToken } from './invitations.ts';
import { invitations } from './store.ts';

// Accepting an invitation by its link: a person who can sign in accepts while signed in. A new person chooses a name
// and a password, and so does a person who has left all teams, because nobody can sign in without a team. The link
// proves the mailbox, like a reset link.

/** The invitation with this token while it can be accepted. */
const openInvitation = async (tx: Tx, token: string, now: Date) => {
  const read = readToken(token);
  const found = read && (await invitations.byToken(tx, read));
  if (!found || found.expiresAt <= now) return undefined;
  const { tenantId, memberId, language, expiresAt, member } = found;
  if (member.status !== 'invited' || member.team.status === 'ended') return undefined;
  const { email, team } = member;
  const personKnown = await canSignIn(tx, email);
  return { tenantId, memberId, teamName: team.name, email, language, expiresAt, personKnown };
};

type OpenInvitation = NonNullable<Awaited<ReturnType<typeof openInvitation>>>;

/**
 * The invitation of a link; undefined if it was accepted, withdrawn or replaced, or has expired, or if the team has
 * ended.
 */
export const findInvitation = ({ database, clock }: Platform, token: string): Promise<OpenInvitation | undefined> =>
  openInvitation(database.prisma, token, clock.now());

interface Acceptance {
  token: string;
  name?: string | undefined;
  password?: string | undefined;
  /** The person who is signed in in this browser. */
  signedInPersonId?: string | undefined;
  /** The address from which the invitation is accepted. */
  address?: string | undefined;
}

/** The name and password of a person who can't sign in yet. */
interface NewSignIn {
  name: string;
  passwordHash: string;
}

/** A person who can't sign in yet must give a name and a password. Hashes the password. */
const readNewSignIn = async ({ signIn }: Platform, { name, password }: Acceptance): Promise<NewSignIn> => {
  if (name === undefined) {
    return fail('validation_error', { field: 'name', detail: fieldMessages.characters(1, limits.nameCharacters) });
  }
  if (password === undefined) {
    return fail('validation_error', { field: 'password', detail: signInMessages.passwordLength });
  }
  return { name, passwordHash: await hashPassword(password, signIn.passwordCost) };
};

/** The person who accepts. A person who can sign in must be signed in. Any other person gets a sign-in now. */
const acceptingPerson = async (
  tx: Tx,
  platform: Platform,
  { email, language }: OpenInvitation,
  { newSignIn, signedInPersonId }: { newSignIn: NewSignIn | undefined; signedInPersonId: string | undefined },
): Promise<string> => {
  // If two teams invited the same new person, the person is created once and sets one password.
  await takeLock(tx, lockNumber(`accepting ${email}`));
  const { id } = await ensurePerson(tx, platform, { email, language });
  const known = await canSignIn(tx, email);
  if (!known) {
    const { name, passwordHash } = newSignIn ?? fail('conflict', { detail: signInMessages.accountDeleted });
    await changePerson(tx, id, { name });
    await touchMembersOf(tx, id, platform.clock.now());
    await setPassword(tx, platform, id, passwordHash);
  } else if (signedInPersonId !== id) {
    fail('unauthorized', { detail: signInMessages.otherAddressInvited });
  }
  return id;
};

/** Makes an invited membership the active one of this user. */
export const activate = async (tx: Tx, team: LockedTeam, id: string, userId: string): Promise<void> => {
  const now = team.platform.clock.now();
  await invitations.remove(tx, team, [id]);
  await members.update(tx, team, id, { status: 'active', userId, joinedAt: now, updatedAt: now });
  // Assignments show the member's user.
  await touchAssignmentsOf(tx, team, id, now);
  await updateListedOf(tx, team, userId);
};

/** Makes an invited member active. The link works once: if it is used twice at the same time, one use gets 404. */
export const acceptInvitation = async (
  platform: Platform,
  acceptance: Acceptance,
): Promise<{ personId: string; tenantId: string }> => {
  const { database, clock } = platform;
  const { token } = acceptance;
  const { tenantId, personKnown } = (await openInvitation(database.prisma, token, clock.now())) ?? fail('not_found');
  const unlocked = await actIn(platform, { kind: 'service' }, tenantId);
  // The password is hashed before the team is locked, because hashing is slow.
  const newSignIn = personKnown ? undefined : await readNewSignIn(platform, acceptance);
  return database.transaction(
    async (tx) => {
      const team = await lockTeam(tx, unlocked);
      const open = (await openInvitation(tx, token, clock.now())) ?? fail('not_found');
      const { signedInPersonId } = acceptance;
      const personId = await acceptingPerson(tx, platform, open, { newSignIn, signedInPersonId });
      const userId = await knowPerson(tx, team, personId);
      if (await members.hasUser(tx, team, userId)) fail('conflict', { detail: signInMessages.memberWithOtherAddress });

      const { memberId: id } = open;
      await activate(tx, team, id, userId);
      const asMember: Team = { ...team, actor: { kind: 'person', userId }, address: acceptance.address };
      record(tx, asMember, { action: 'member.accepted', target: { type: 'member', id } });
      return { personId, tenantId };
    },
    { group: tenantId },
  );
};
