import { z } from 'zod';
import { newId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/platform.ts';

export { letter } from './letter.ts';

export const MailBody = z.object({ subject: z.string(), text: z.string(), html: z.string() });
export type MailBody = z.output<typeof MailBody>;

interface NewMail {
  recipient: string;
  language: Language;
  kind: string;
  body: MailBody;
}

/** The job that sends a mail; the worker's task list has a task of this name. */
export const sendMailTask = 'send_mail';

/** What a mail's body is sealed for. */
export const mailPurpose = 'mail';

/** Whose mail it is: a team's, or nobody's where it goes to a person as such. */
interface Sender {
  readonly platform: Platform;
  readonly id: string | null;
}

/** Puts a mail on its way in this transaction: it is sent exactly if what it tells of was committed. */
export const queueMail = async (
  tx: Tx,
  sender: Sender,
  { recipient, language, kind, body }: NewMail,
): Promise<void> => {
  const { vault, clock } = sender.platform;
  const id = newId();
  await tx.mail.create({
    data: {
      tenantId: sender.id,
      id,
      recipient,
      language,
      kind,
      body: vault.seal(mailPurpose, id, JSON.stringify(body)),
      createdAt: clock.now(),
    },
  });
  await tx.$executeRaw`select graphile_worker.add_job(${sendMailTask}, json_build_object('mailId', ${id}::text))`;
};

export interface Mail {
  id: string;
  recipient: string;
  kind: string;
  language: Language;
  createdAt: Date;
  sentAt: Date | null;
  error: string | null;
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
  const mail = await platform.database.prisma.mail.findUnique({ where: { id } });
  return mail && mail.sentAt === null ? unseal(platform, mail) : undefined;
};

export const noteMailSent = async ({ database, clock }: Platform, id: string): Promise<void> => {
  await database.prisma.mail.update({ where: { id }, data: { sentAt: clock.now(), error: null } });
};

export const noteMailFailed = async ({ database }: Platform, id: string, error: string): Promise<void> => {
  // A mail server may say anything; PostgreSQL keeps no NUL.
  const readable = error.replaceAll('\0', '').slice(0, 1_000);
  await database.prisma.mail.update({ where: { id }, data: { error: readable } });
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

/** The newest mails, for an operator without a mail server. */
export const listMails = async (platform: Platform, count: number): Promise<Mail[]> => {
  const mails = await platform.database.prisma.mail.findMany({
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: count,
  });
  return mails.map((mail) => unsealIfPossible(platform, mail));
};
