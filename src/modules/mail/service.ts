import { z } from 'zod';
import { hoursToMs, later } from '../../core/clock.ts';
import { isId, newId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/team.ts';
import { countMails } from './budget.ts';
import type { Refusal } from './budget.ts';
import { mailKinds } from './kinds.ts';
import type { MailKind } from './kinds.ts';
import type { MailContent } from './letter.ts';
import { mails } from './store.ts';

export { forgetOldMailCounts, mailUsage } from './budget.ts';
export { letter } from './letter.ts';
export type { MailContent } from './letter.ts';

const MailBody = z.object({ subject: z.string(), text: z.string(), html: z.string() });
type MailBody = z.output<typeof MailBody>;

interface NewMail {
  recipient: string;
  language: Language;
  kind: MailKind;
  content: MailContent;
}

/** The job that sends a mail; the worker's task list has a task of this name. */
export const sendMailTask = 'send_mail';

/** The flags of a job that sends mail: its team and the recipient's domain. A worker limits how many mails of each it sends at once. */
export const mailFlags = ({ tenantId, recipient }: { tenantId: string | null; recipient: string }): string[] => [
  'mail',
  `mail-domain:${recipient.slice(recipient.lastIndexOf('@') + 1).toLowerCase()}`,
  ...(tenantId === null ? [] : ['mail-of-teams', `mail-team:${tenantId}`]),
];

/** What a mail's body is sealed for. */
export const mailPurpose = 'mail';

/** Whose mail it is: a team's, or nobody's where it goes to a person as such. */
interface Sender {
  readonly platform: Platform;
  readonly id: string | null;
}

/**
 * Queues mails in this transaction, so that each is sent exactly if what it reports was committed. The n-th answer says why the
 * n-th mail was left out; undefined: it is queued. The counts that it goes by stay locked until the transaction ends: call it
 * once, as the transaction's last step.
 */
export const queueMails = async (
  tx: Tx,
  sender: Sender,
  newMails: readonly NewMail[],
): Promise<(Refusal | undefined)[]> => {
  const { vault, clock } = sender.platform;
  const wanted = newMails.map(({ recipient, kind }) => ({ recipient, budget: mailKinds[kind].budget }));
  const refusals = await countMails(tx, sender.platform, sender.id, wanted);
  const queued = newMails
    .filter((_, index) => refusals[index] === undefined)
    .map(({ recipient, language, kind, content }) => {
      const id = newId();
      const body: MailBody = { subject: mailKinds[kind].subject[language], ...content };
      return {
        tenantId: sender.id,
        id,
        recipient,
        language,
        kind,
        body: vault.seal(mailPurpose, id, JSON.stringify(body)),
        createdAt: clock.now(),
      };
    });
  if (queued.length === 0) return refusals;
  await mails.insert(tx, queued);
  const ids = queued.map(({ id }) => id);
  await mails.addJobs(tx, {
    task: sendMailTask,
    ids,
    // No flag has a space in it.
    flags: queued.map((mail) => mailFlags(mail).join(' ')),
    tenantId: sender.id,
    since: later(clock.now(), -hoursToMs(1)),
  });
  return refusals;
};

export interface Mail {
  id: string;
  /** Null where it goes to a person as such. */
  tenantId: string | null;
  recipient: string;
  kind: string;
  language: Language;
  createdAt: Date;
  sentAt: Date | null;
  error: string | null;
  /** When the last try failed; null once it is sent. */
  failedAt: Date | null;
  /** Tries that failed. */
  tries: number;
  body: MailBody;
}

interface Sealed extends Omit<Mail, 'body'> {
  body: Uint8Array;
}

const unseal = ({ vault }: Platform, { body, ...mail }: Sealed): Mail => ({
  ...mail,
  body: MailBody.parse(JSON.parse(vault.open(mailPurpose, mail.id, body))),
});

/** A mail that still has to be sent. */
export const findWaitingMail = async (platform: Platform, id: string): Promise<Mail | undefined> => {
  const mail = await mails.get(platform.database.prisma, id);
  return mail && mail.sentAt === null ? unseal(platform, mail) : undefined;
};

/** Puts a mail's job off for a moment. The job that runs is the former one: it ends without having sent anything. */
export const postponeMail = async ({ database }: Platform, mail: Mail): Promise<void> => {
  await mails.postponeJob(database, { task: sendMailTask, id: mail.id, flags: mailFlags(mail) });
};

export const noteMailSent = async ({ database, clock }: Platform, id: string): Promise<void> => {
  await mails.update(database.prisma, id, { sentAt: clock.now(), error: null, failedAt: null });
};

export const noteMailFailed = async ({ database, clock }: Platform, id: string, error: string): Promise<void> => {
  // A mail server may say anything; PostgreSQL keeps no NUL.
  const readable = error.replaceAll('\0', '').slice(0, 1_000);
  await mails.update(database.prisma, id, { error: readable, failedAt: clock.now(), tries: { increment: 1 } });
};

/** In place of what was sent long ago and is sealed with a secret that was dropped since: it must not hide the others. */
const unreadable: MailBody = {
  subject: '(unreadable)',
  text: 'It was encrypted with a secret that is no longer configured.',
  html: '',
};

const unsealIfPossible = (platform: Platform, mail: Sealed): Mail => {
  try {
    return unseal(platform, mail);
  } catch {
    return { ...mail, body: unreadable };
  }
};

/** The newest mails that could not be sent, each with the time of its next try; null: it is not tried again. */
export const listFailedMails = async (
  platform: Platform,
  count: number,
): Promise<(Mail & { nextTryAt: Date | null })[]> => {
  const { database } = platform;
  const failed = await mails.failed(database.prisma, count);
  const next = new Map(
    (
      await mails.nextTries(
        database,
        failed.map(({ id }) => id),
      )
    ).map(({ id, at }) => [id, at]),
  );
  return failed.map((mail) => {
    const at = next.get(mail.id);
    return { ...unsealIfPossible(platform, mail), nextTryAt: at === undefined ? null : new Date(at) };
  });
};

/** Has mails that could not be sent tried again now, with all their tries anew: one, or all of them. How many. */
export const retryFailedMails = async (platform: Platform, id?: string): Promise<number> => {
  const { database } = platform;
  if (id !== undefined) {
    const mail = isId(id) ? await mails.get(database.prisma, id) : null;
    if (!mail) return fail('not_found', { detail: `There is no mail ${id}.` });
    if (mail.sentAt !== null) return fail('conflict', { detail: 'The mail was sent.' });
    await mails.addJobAgain(database, { task: sendMailTask, id, flags: mailFlags(mail) });
    return 1;
  }
  const failed = await mails.failed(database.prisma);
  for (const mail of failed) {
    await mails.addJobAgain(database, { task: sendMailTask, id: mail.id, flags: mailFlags(mail) });
  }
  return failed.length;
};

/** The newest mails, for an operator without a mail server. */
export const listMails = async (platform: Platform, count: number): Promise<Mail[]> =>
  (await mails.newest(platform.database.prisma, count)).map((mail) => unsealIfPossible(platform, mail));
