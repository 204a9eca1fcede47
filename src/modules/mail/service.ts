import { z } from 'zod';
import { hoursToMs, later } from '../../core/clock.ts';
import { isId, makeId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { storableText } from '../../core/storable.ts';
import type { Tx } from '../../db/database.ts';
import type { Mail as MailRow } from '../../db/generated/client.ts';
import { deleteOldRows, firstKept, type Retention } from '../../db/retention.ts';
import { jobs, type Job } from '../../platform/jobs.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { resealAll, type ResealResult } from '../../core/crypto.ts';
import { english } from '../../core/language.ts';
import { countMails, type MailRefusal } from './budget.ts';
import { mails } from './store.ts';
import type { MailKind, NewMail } from './template.ts';

const MailBody = z.object({
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  unsubscribe: z.string().optional(),
});
type MailBody = z.output<typeof MailBody>;

/** The name of the job that sends a mail, in the worker's task list too. */
export const sendMailTask = 'send_mail';

/**
 * The flags of a mail's job. A worker limits how many jobs with the same flag run at once: mails, mails of teams, mails
 * of one team, and mails to one domain.
 */
export const mailFlags = ({ tenantId, recipient }: Pick<Mail, 'tenantId' | 'recipient'>): string[] => [
  'mail',
  `mail-domain:${recipient.slice(recipient.lastIndexOf('@') + 1).toLowerCase()}`,
  ...(tenantId === null ? [] : ['mail-of-teams', `mail-team:${tenantId}`]),
];

const mailJob = (mail: Pick<Mail, 'id' | 'tenantId' | 'recipient'>): Job => ({
  task: sendMailTask,
  payload: { mailId: mail.id },
  key: `mail ${mail.id}`,
  flags: mailFlags(mail),
});

/** The largest priority number of a mail, because the queue can't store numbers above 32,767. */
const lastPriority = 30_000;

/** The purpose with which a mail's body is encrypted. */
const mailPurpose = 'mail';

/** The team that sends a mail; without an id the mail is about a person's own account. */
interface MailSender {
  readonly platform: Platform;
  readonly id: string | null;
}

/**
 * Queues mails in this transaction, so that they are sent if and only if it commits. The n-th result says why the n-th
 * mail was refused; undefined: it is queued. The counts of the budgets stay locked until the transaction ends, so call
 * this once, as its last step.
 */
export const queueMails = async (
  tx: Tx,
  sender: MailSender,
  newMails: readonly NewMail[],
): Promise<(MailRefusal | undefined)[]> => {
  const { vault, clock } = sender.platform;
  const refusals = await countMails(tx, sender.platform, sender.id, newMails);
  const createdAt = clock.now();
  const queued = newMails
    .filter((_, index) => refusals[index] === undefined)
    .map(({ recipient, language, kind, content }) => {
      const id = makeId();
      return {
        tenantId: sender.id,
        id,
        recipient,
        language,
        kind,
        body: vault.seal(mailPurpose, id, JSON.stringify(content satisfies MailBody)),
        createdAt,
      };
    });
  if (queued.length === 0) return refusals;
  // Teams take turns: the n-th mail of a team within an hour has the same priority as the n-th mails of other teams.
  // Mails without a team, which are about a person's own account, go first.
  const since = later(createdAt, -hoursToMs(1));
  const recent = sender.id === null ? 0 : await mails.countSince(tx, sender.id, since);
  const priorityOf = (index: number) => (sender.id === null ? 0 : Math.min(recent + index + 1, lastPriority));
  await mails.insert(tx, queued);
  await jobs.add(tx, ...queued.map((mail, index) => ({ ...mailJob(mail), priority: priorityOf(index) })));
  return refusals;
};

/** The recipients of a team's mails of one kind since a time, each with the time of their last one. */
export const lastMails = async (
  tx: Tx,
  { id: tenantId }: Team,
  { kind, since }: { kind: MailKind; since: Date },
): Promise<Map<string, Date>> =>
  new Map(
    (await mails.lastTo(tx, { tenantId, kind, since })).map(({ recipient, createdAt }) => [recipient, createdAt]),
  );

/** A mail as it is stored. Without a team it is about a person's own account. */
export type Mail = Omit<MailRow, 'body'> & { body: MailBody };

/** A stored mail with its text. */
export const unsealMail = ({ vault }: Platform, { body, ...mail }: MailRow): Mail => ({
  ...mail,
  body: MailBody.parse(JSON.parse(vault.open(mailPurpose, mail.id, body))),
});

const postponeMs = 100;

/** A mail that still has to be sent. */
export const findWaitingMail = async (platform: Platform, id: string): Promise<Mail | undefined> => {
  const mail = await mails.get(platform.database.prisma, id);
  return mail && mail.sentAt === null ? unsealMail(platform, mail) : undefined;
};

/**
 * Replaces a mail's job by one that runs a moment later. Mails that were queued later go first until then. The running
 * job must end without sending the mail.
 */
export const postponeMail = ({ database }: Platform, mail: Mail, priority: number): Promise<void> =>
  jobs.add(database, { ...mailJob(mail), priority, inMs: postponeMs });

export const noteMailSent = async ({ database, clock }: Platform, id: string): Promise<void> => {
  await mails.update(database.prisma, id, { sentAt: clock.now(), error: null, failedAt: null });
};

export const noteMailFailed = async ({ database, clock }: Platform, id: string, error: string): Promise<void> => {
  // A mail server may answer with any text.
  const readable = storableText(error).slice(0, 1_000);
  await mails.update(database.prisma, id, { error: readable, failedAt: clock.now(), tries: { increment: 1 } });
};

/**
 * Shown in place of an old mail whose secret is no longer configured, so that this mail does not prevent the others
 * from being shown.
 */
const unreadable: MailBody = {
  subject: '(unreadable)',
  text: 'It was encrypted with a secret that is no longer configured.',
  html: '',
};

const unsealIfPossible = (platform: Platform, mail: MailRow): Mail => {
  try {
    return unsealMail(platform, mail);
  } catch {
    return { ...mail, body: unreadable };
  }
};

/** The newest mails that could not be sent, each with the time of its next try (null if there is none). */
export const listFailedMails = async (
  platform: Platform,
  count: number,
): Promise<(Mail & { nextTryAt: Date | null })[]> => {
  const { database } = platform;
  const failed = await mails.failed(database.prisma, count);
  const ids = failed.map(({ id }) => id);
  const next = new Map((await mails.nextTries(database, ids)).map(({ id, at }) => [id, new Date(at)]));
  return failed.map((mail) => ({ ...unsealIfPossible(platform, mail), nextTryAt: next.get(mail.id) ?? null }));
};

/** Queues mails again, with all their tries: the unsent mail with this id, or all failed ones. Returns how many. */
export const retryFailedMails = async (platform: Platform, id?: string): Promise<number> => {
  const { database } = platform;
  if (id !== undefined) {
    const mail = isId(id) ? await mails.get(database.prisma, id) : null;
    if (!mail) return fail('not_found', { detail: english(`There is no mail ${id}.`) });
    if (mail.sentAt !== null) return fail('conflict', { detail: english('The mail was sent.') });
    await jobs.add(database, mailJob(mail));
    return 1;
  }
  const failed = await mails.failed(database.prisma);
  await jobs.add(database, ...failed.map(mailJob));
  return failed.length;
};

/** The newest mails. An operator without a mail server reads them here. */
export const listMails = async (platform: Platform, count: number): Promise<Mail[]> =>
  (await mails.newest(platform.database.prisma, count)).map((mail) => unsealIfPossible(platform, mail));

/**
 * Encrypts unsent mails again with the first `APP_SECRET`. They may wait for days, and without a mail server until they
 * are deleted.
 */
export const resealMails = ({ vault, database }: Platform, max?: number): Promise<ResealResult> =>
  resealAll(
    {
      rows: mails.waiting(database),
      sealAgain: ({ id, body }) => vault.sealAgain(mailPurpose, id, body),
      replace: ({ id, body: former }, body) => mails.replaceBody(database, { id, body: former }, body),
    },
    max,
  );

/** Deletes old mails, sent or not: the links in them have expired. */
export const deleteOldMails = ({ database, clock }: Platform, { days, until }: Retention): Promise<void> =>
  deleteOldRows(until, (limit) => mails.deleteBefore(database, firstKept(clock, days), limit));
