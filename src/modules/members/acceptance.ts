import type { Language } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import { hashPassword } from '../../core/password.ts';
import { fail } from '../../core/problem.ts';
import { lockNumber, takeLock } from '../../db/advisory-lock.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { NameText } from '../../platform/values.ts';
import { record } from '../audit/service.ts';
import { ensurePerson, hasPassword, isKnownPassword, knowPerson, setName, setPassword } from '../people/service.ts';
import { actIn, lockTeam } from '../teams/service.ts';
import { hashOfToken } from './invitation.ts';
import { invitations, members } from './store.ts';

interface OpenInvitation {
  tenantId: string;
  memberId: string;
  teamName: string;
  email: string;
  language: Language;
  expiresAt: Date;
  personKnown: boolean;
}

/** The invitation with this token while it can be accepted. */
const openInvitation = async (
  tx: Tx,
  tokenHash: Uint8Array<ArrayBuffer>,
  now: Date,
): Promise<OpenInvitation | undefined> => {
  const found = await invitations.byToken(tx, tokenHash);
  if (!found || found.expiresAt <= now) return undefined;
  const { tenantId, memberId, language, expiresAt, member } = found;
  if (member.status !== 'invited' || member.team.status === 'ended') return undefined;
  const { email, team } = member;
  const personKnown = await isKnownPassword(tx, email);
  return { tenantId, memberId, teamName: team.name, email, language, expiresAt, personKnown };
};

export interface InvitationShown {
  teamName: string;
  email: string;
  language: Language;
  expiresAt: Date;
  /** Whether somebody signs in with this address already: they accept as themselves, others choose name and password. */
  personKnown: boolean;
}

/** What the bearer of an invitation's link is invited to; undefined once it was accepted, withdrawn, replaced or ran out. */
export const findInvitation = async (
  { database, clock }: Platform,
  token: string,
): Promise<InvitationShown | undefined> => {
  const open = await openInvitation(database.prisma, hashOfToken(token), clock.now());
  if (!open) return undefined;
  const { teamName, email, language, expiresAt, personKnown } = open;
  return { teamName, email, language, expiresAt, personKnown };
};

interface Acceptance {
  token: string;
  name?: string | undefined;
  password?: string | undefined;
  /** Who is signed in where the link was opened. */
  signedInPersonId?: string | undefined;
}

/** What a new person chose. */
interface Chosen {
  name: string;
  passwordHash: string;
}

const needName = (name = ''): string => NameText.safeParse(name).data ?? fail('validation_error', { field: 'name' });

const needPassword = (password = ''): string => {
  const { least, most } = limits.passwordCharacters;
  const length = [...password].length;
  if (length >= least && length <= most) return password;
  return fail('validation_error', { field: 'password', detail: `A password has ${least} to ${most} characters.` });
};

/** Checks everything that costs little before the password is hashed. */
const readChoice = async ({ name, password }: Acceptance): Promise<Chosen> => {
  const valid = { name: needName(name), password: needPassword(password) };
  return { name: valid.name, passwordHash: await hashPassword(valid.password) };
};

/** Who accepts: somebody who is signed in as who was invited, or somebody new, who gets a sign-in by it. */
const personWho = async (
  tx: Tx,
  platform: Platform,
  { email, language }: OpenInvitation,
  { chosen, signedInPersonId }: { chosen: Chosen | undefined; signedInPersonId: string | undefined },
): Promise<string> => {
  // Invited by two teams at once, the same person is made once and sets one password.
  await takeLock(tx, lockNumber(`accepting ${email}`));
  const { id } = await ensurePerson(tx, platform, { email, language });
  const known = await hasPassword(tx, id);
  if (!known) {
    const { name, passwordHash } = chosen ?? fail('conflict', { detail: 'The sign-in of this address is gone.' });
    await setName(tx, id, name);
    await setPassword(tx, platform, id, passwordHash);
  } else if (signedInPersonId !== id) {
    fail('unauthorized', { detail: 'Sign in with the address that was invited.' });
  }
  return id;
};

const needNoOtherMembership = async (tx: Tx, team: Team, userId: string): Promise<void> => {
  if (await members.hasUser(tx, team, userId)) {
    fail('conflict', { detail: 'You are in this team already, with another address.' });
  }
};

/** Makes an invited member an active one. The link is good once: of two who use it at the same time one finds it gone. */
export const acceptInvitation = async (
  platform: Platform,
  acceptance: Acceptance,
): Promise<{ personId: string; tenantId: string }> => {
  const { database, clock } = platform;
  const token = hashOfToken(acceptance.token);
  const { tenantId, personKnown } = (await openInvitation(database.prisma, token, clock.now())) ?? fail('not_found');
  const entered = await actIn(platform, { kind: 'service' }, tenantId);
  // Hashed before the team is locked: others wait for that lock.
  const chosen = personKnown ? undefined : await readChoice(acceptance);
  return database.transaction(
    async (tx) => {
      const team = await lockTeam(tx, entered);
      const now = clock.now();
      const open = (await openInvitation(tx, token, now)) ?? fail('not_found');
      const personId = await personWho(tx, platform, open, { chosen, signedInPersonId: acceptance.signedInPersonId });
      const userId = await knowPerson(tx, team, personId);
      await needNoOtherMembership(tx, team, userId);

      const { memberId: id } = open;
      await invitations.remove(tx, team, id);
      await members.update(tx, team, id, { status: 'active', userId, joinedAt: now });
      const themselves: Team = { ...team, actor: { kind: 'person', userId } };
      await record(tx, themselves, { action: 'member.accepted', target: { type: 'member', id } });
      return { personId, tenantId };
    },
    { group: tenantId },
  );
};
