import { daysToMs, later } from '../../core/clock.ts';
import { isId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import type { Tx } from '../../db/database.ts';
import { lockRow } from '../../db/lock-row.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { mailTemplate, queueMails } from '../mail/service.ts';
import { sessions, verifications } from '../sign-ins/store.ts';
import { people, users, passwords } from './store.ts';

interface NewPerson {
  email: string;
  name?: string | undefined;
  passwordHash?: string | undefined;
  language: Language;
}

/** The person with this email, created if there is none. A given password hash replaces the stored one. */
export const ensurePerson = async (tx: Tx, platform: Platform, { email, name, passwordHash, language }: NewPerson) => {
  const person = await people.ensure(tx, { email, name: name ?? null, language, createdAt: platform.clock.now() });
  if (passwordHash !== undefined) await setPassword(tx, platform, person.id, passwordHash);
  return person;
};

/** The team's user for a person, created if there is none. A person who comes back to a team has the same user. */
export const knowPerson = async (tx: Tx, team: Team, personId: string): Promise<string> =>
  (await users.ensure(tx, team.id, personId)).id;

/** The person of a team's user. */
export const personBehind = (tx: Tx, team: Team, userId: string) => users.personOf(tx, team.id, userId);

export const isKnownEmail = (tx: Tx, email: string): Promise<boolean> => people.isKnown(tx, email);

/** Changes a person's name or language. */
export const changePerson = async (
  tx: Tx,
  personId: string,
  change: { name?: string; language?: Language },
): Promise<void> => {
  await people.update(tx, personId, change);
};

/** Locks a person: others wait who change their sign-in at the same time. */
export const lockPerson = async (tx: Tx, id: string): Promise<void> => {
  await lockRow(tx, 'person', { id }, 'update');
};

/** The id of the person with this email. */
export const personIdOf = async (tx: Tx, email: string): Promise<string | undefined> =>
  (await people.byEmail(tx, email))?.id;

/** All columns of a person. */
export const findPerson = async (tx: Tx, id: string) => (await people.whole(tx, id)) ?? undefined;

/** Replaces a person's password. The caller hashes it before the transaction, because hashing is slow. */
export const setPassword = async (tx: Tx, { clock }: Platform, personId: string, hashed: string): Promise<void> => {
  await passwords.put(tx, personId, hashed, clock.now());
};

/** The stored hash of a person's password; empty if they have none. */
export const storedHash = async (tx: Tx, personId: string): Promise<string> =>
  (await passwords.get(tx, personId))?.password ?? '';

export const hasPassword = async (tx: Tx, personId: string): Promise<boolean> =>
  (await storedHash(tx, personId)) !== '';

/** Whether the person with this email has a password. */
export const hasPasswordByEmail = async (tx: Tx, email: string): Promise<boolean> =>
  ((await passwords.byEmail(tx, email))?.password ?? null) !== null;

/** Deletes a person's known and trusted browsers, and first steps of sign-ins. */
export const forgetBrowsers = async (tx: Tx, personId: string): Promise<void> => {
  await verifications.removeOf(tx, personId);
};

/** Ends all sessions of a person, and forgets their browsers. */
export const endSignIns = async (tx: Tx, personId: string): Promise<void> => {
  await sessions.remove(tx, { personId });
  await forgetBrowsers(tx, personId);
};

// A reset link is signed, not stored. The signature covers the hash of the old password, so the link ends when the password changes.

const purpose = 'password reset';
const resetDays = 1;

/** How long the reset link for a new team's owner works: as long as an invitation. */
export const welcomeDays = limits.invitationDays;

const signedTextOf = async (tx: Tx, personId: string, expires: string): Promise<string> =>
  `${personId}.${expires}.${await storedHash(tx, personId)}`;

/** A link with which a person can set a new password once, within these days. */
export const passwordResetLink = async (
  tx: Tx,
  { vault, clock, publicUrl }: Platform,
  personId: string,
  forDays: number = resetDays,
): Promise<string> => {
  const expires = String(later(clock.now(), daysToMs(forDays)).getTime());
  const signature = vault.sign(purpose, await signedTextOf(tx, personId, expires));
  return `${publicUrl}/reset-password/${personId}.${expires}.${signature}`;
};

/** The parts of a link's token; undefined if it has expired or can't be right. */
const partsOf = ({ clock }: Platform, token: string) => {
  const [personId = '', expires = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || !isId(personId) || !/^\d{1,15}$/.test(expires)) return undefined;
  return Number(expires) > clock.now().getTime() ? { personId, expires, signature } : undefined;
};

/** The person whose password this token may set; undefined if it was used or has expired. */
export const personOfResetLink = async (tx: Tx, platform: Platform, token: string) => {
  const parts = partsOf(platform, token);
  if (!parts) return undefined;
  const { personId, expires, signature } = parts;
  if (!platform.vault.isSigned(purpose, await signedTextOf(tx, personId, expires), signature)) return undefined;
  return (await people.get(tx, personId)) ?? undefined;
};

/** The same under a lock, for the transaction that sets the password. Another one with the same link waits, and then finds it used. */
export const lockPersonOfResetLink = async (tx: Tx, platform: Platform, token: string) => {
  const parts = partsOf(platform, token);
  if (parts) await lockPerson(tx, parts.personId);
  return personOfResetLink(tx, platform, token);
};

/** Replaces a password and ends all sessions, because another person may have known the old one. */
export const resetPassword = async (tx: Tx, platform: Platform, personId: string, hashed: string): Promise<void> => {
  await setPassword(tx, platform, personId, hashed);
  await endSignIns(tx, personId);
};

const resetMail = mailTemplate<{ hours: number }>('password_reset', {
  de: ({ hours }) => ({
    lead: 'Für Ihr Konto wurde ein neues Passwort angefordert.',
    action: 'Neues Passwort festlegen',
    ending: `Der Link ist ${hours} Stunden gültig und kann nur einmal verwendet werden. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail. Ihr Passwort bleibt unverändert.`,
  }),
  en: ({ hours }) => ({
    lead: 'A new password was requested for your account.',
    action: 'Set a new password',
    ending: `The link is valid for ${hours} hours and can be used only once. If you did not request it, ignore this email. Your password stays the same.`,
  }),
});

/**
 * Mails a reset link to the person with this email who is in a team, and returns their id. Beyond the recipient's limit nothing is
 * mailed: the links in the earlier mails of the day still work.
 */
export const mailResetLink = async (tx: Tx, platform: Platform, email: string): Promise<string | undefined> => {
  const person = await people.activeByEmail(tx, email);
  if (!person) return undefined;
  const link = await passwordResetLink(tx, platform, person.id);
  await queueMails(tx, { platform, id: null }, [resetMail(person, link, { hours: resetDays * 24 })]);
  return person.id;
};
