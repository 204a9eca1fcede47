import type { Command } from '@commander-js/extra-typings';
import { listFailedMails, listMails, retryFailedMails, type Mail } from '../../modules/mail/service.ts';
import { answering, fields, type AnswerCommand } from '../command.ts';
import { count } from '../values.ts';

const shown = ({ id, recipient, kind, language, body, createdAt, sentAt, error }: Mail) => ({
  id,
  recipient,
  kind,
  language,
  subject: body.subject,
  text: body.text,
  created_at: createdAt.toISOString(),
  sent_at: sentAt?.toISOString() ?? null,
  error,
});

type ShownMail = ReturnType<typeof shown>;

const shownFailed = (mail: Awaited<ReturnType<typeof listFailedMails>>[number]) => ({
  id: mail.id,
  recipient: mail.recipient,
  kind: mail.kind,
  tenant_id: mail.tenantId,
  subject: mail.body.subject,
  created_at: mail.createdAt.toISOString(),
  failed_at: mail.failedAt?.toISOString() ?? null,
  error: mail.error,
  tries: mail.tries,
  next_try_at: mail.nextTryAt?.toISOString() ?? null,
});

const failure = ({ next_try_at, ...mail }: ReturnType<typeof shownFailed>): string =>
  fields({ ...mail, next_try_at: next_try_at ?? 'none: cli mail retry' });

const failures = (mails: readonly ReturnType<typeof shownFailed>[]): string =>
  mails.length === 0 ? 'None.' : mails.map(failure).join('\n\n');

const outcome = ({ sent_at, error }: ShownMail): string => {
  if (sent_at !== null) return `sent ${sent_at}`;
  return error === null ? 'not sent' : `not sent: ${error}`;
};

const letter = (mail: ShownMail): string =>
  `${mail.created_at}  ${mail.kind} (${outcome(mail)})\nTo:      ${mail.recipient}\nSubject: ${mail.subject}\n\n${mail.text.trim()}`;

const letters = (mails: readonly ShownMail[]): string =>
  mails.length === 0 ? 'None.' : mails.map(letter).join(`\n\n${'-'.repeat(72)}\n\n`);

export const mailCommands = (program: Command, answer: AnswerCommand): void => {
  const group = program.command('mail').description('read the emails of the service, and resend failed ones');

  answering(
    group,
    'list',
    'the mails with their text, newest first: without MAIL_URL this is where invitations are read',
  )
    .option('--limit <number>', 'how many', count, 50)
    .option(
      '--failed',
      'only those that could not be sent: why, when, how often it was tried, and when it is tried next',
    )
    .action((options) =>
      options.failed
        ? answer(
            options,
            async ({ platform }) => (await listFailedMails(platform, options.limit)).map(shownFailed),
            failures,
          )
        : answer(options, async ({ platform }) => (await listMails(platform, options.limit)).map(shown), letters),
    );

  answering(group, 'retry', 'retry failed emails now')
    .option('--mail <id>', 'which one; without it, all of them')
    .action((options) =>
      answer(options, async ({ platform }) => ({ retried: await retryFailedMails(platform, options.mail) })),
    );
};
