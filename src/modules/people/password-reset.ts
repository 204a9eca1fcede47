import { daysToMs, later } from '../../core/clock.ts';
import { isId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/team.ts';
import { queueMails } from '../mail/service.ts';
import { keptPassword, setPassword } from './credentials.ts';
import { resetMail } from './reset-mail.ts';
import { endSignIns } from './sign-ins.ts';
import { people } from './store.ts';

const purpose = 'password reset';
const resetDays = 1;

/** How long the link in the mail to a new team's owner works: as long as an invitation. */
export const welcomeDays = limits.invitationDays;

/** What is signed: who, until when, and the password that goes, so that a link works once. */
const claimOf = async (tx: Tx, personId: string, expires: string): Promise<string> =>
  `${personId}.${expires}.${await keptPassword(tx, personId)}`;

/** A link that lets its holder set a new password, once and for some days: it names the password that it replaces. */
export const passwordResetLink = async (
  tx: Tx,
  { vault, clock, publicUrl }: Platform,
  personId: string,
  forDays: number = resetDays,
): Promise<string> => {
  const expires = String(later(clock.now(), daysToMs(forDays)).getTime());
  const signature = vault.sign(purpose, await claimOf(tx, personId, expires));
  return `${publicUrl}/reset-password/${personId}.${expires}.${signature}`;
};

/** The parts of the end of such a link, as far as they can be right without asking the database. */
const partsOf = ({ clock }: Platform, token: string) => {
  const [personId = '', expires = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || !isId(personId) || !/^\d{1,15}$/.test(expires)) return undefined;
  return Number(expires) > clock.now().getTime() ? { personId, expires, signature } : undefined;
};

/** Whose password the end of such a link may set; nobody's once it was used or its day is over. */
export const personOfResetLink = async (tx: Tx, platform: Platform, token: string) => {
  const parts = partsOf(platform, token);
  if (!parts) return undefined;
  const { personId, expires, signature } = parts;
  if (!platform.vault.isSigned(purpose, await claimOf(tx, personId, expires), signature)) return undefined;
  return (await people.get(tx, personId)) ?? undefined;
};

/** The same, for the transaction that sets the password: another one with the same link waits here, and then finds it used. */
export const lockPersonOfResetLink = async (tx: Tx, platform: Platform, token: string) => {
  const parts = partsOf(platform, token);
  if (parts) await people.lock(tx, parts.personId);
  return personOfResetLink(tx, platform, token);
};

/** Sets the password with this hash and ends every session: somebody who knew the old one is out. */
export const resetPassword = async (tx: Tx, platform: Platform, personId: string, hashed: string): Promise<void> => {
  await setPassword(tx, platform, personId, hashed);
  await endSignIns(tx, personId);
};

/**
 * Mails a reset link to the person with this email, if there is one who is in a team: their id. Beyond the recipient's limit
 * there is no further mail: those of the day have links that still work.
 */
export const mailResetLink = async (tx: Tx, platform: Platform, email: string): Promise<string | undefined> => {
  const person = await people.activeByEmail(tx, email);
  if (!person) return undefined;
  const link = await passwordResetLink(tx, platform, person.id);
  await queueMails(tx, { platform, id: null }, [
    {
      recipient: person.email,
      language: person.language,
      kind: 'password_reset',
      content: resetMail(person.language, { link, hours: resetDays * 24 }),
    },
  ]);
  return person.id;
};
