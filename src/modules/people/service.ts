import { daysToMs, later } from '../../core/clock.ts';
import { isId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/team.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate } from '../mail/template.ts';
import { activePerson, findPerson, lockPerson, storedHash } from './store.ts';

// A reset link is signed, not stored. The signature covers the hash of the old password, so the link ends when the
// password changes.

const purpose = 'password reset';
const resetDays = 1;

/** How long the reset link for a new team's owner works: as long as an invitation. */
export const welcomeDays = limits.invitationDays;

const signedTextOf = async (tx: Tx, personId: string, expires: string): Promise<string> =>
  `${personId}.${expires}.${await storedHash(tx, personId)}`;

/** A link with which a person can set a new password once, within this number of days. */
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

/** The parts of a link's token; undefined if it has expired or is malformed. */
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
  return (await findPerson(tx, personId)) ?? undefined;
};

/**
 * Like `personOfResetLink`, but locks the person first, for the transaction that sets the password. Another transaction
 * with the same link waits, and then finds that the link was used.
 */
export const lockPersonOfResetLink = async (tx: Tx, platform: Platform, token: string) => {
  const parts = partsOf(platform, token);
  if (parts) lockPerson(tx, parts.personId);
  return personOfResetLink(tx, platform, token);
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
 * Mails a reset link to the person with this email who is in a team, and returns their id. Beyond the recipient's limit
 * no mail is sent, because the links in the earlier mails of the day still work.
 */
export const mailResetLink = async (tx: Tx, platform: Platform, email: string): Promise<string | undefined> => {
  const person = await activePerson(tx, email);
  if (!person) return undefined;
  const link = await passwordResetLink(tx, platform, person.id);
  await queueMails(tx, { platform, id: null }, [resetMail(person, link, { hours: resetDays * 24 })]);
  return person.id;
};
