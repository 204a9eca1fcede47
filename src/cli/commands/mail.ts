import type { Command } from '@commander-js/extra-typings';
import { listMails } from '../../modules/mail/service.ts';
import type { Mail } from '../../modules/mail/service.ts';
import { answering } from '../command.ts';
import { answer } from '../session.ts';
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

const outcome = ({ sent_at, error }: ShownMail): string => {
  if (sent_at !== null) return `sent ${sent_at}`;
  return error === null ? 'not sent' : `not sent: ${error}`;
};

const letter = (mail: ShownMail): string =>
  `${mail.created_at}  ${mail.kind} (${outcome(mail)})\nTo:      ${mail.recipient}\nSubject: ${mail.subject}\n\n${mail.text.trim()}`;

const letters = (mails: readonly ShownMail[]): string =>
  mails.length === 0 ? 'None.' : mails.map(letter).join(`\n\n${'-'.repeat(72)}\n\n`);

export const mailCommands = (program: Command): void => {
  const group = program.command('mail').description('read the mails that the service made');

  answering(
    group,
    'list',
    'the mails with their text, newest first: without MAIL_URL this is where invitations are read',
  )
    .option('--limit <number>', 'how many', count, 50)
    .action((options) =>
      answer(options, async ({ platform }) => (await listMails(platform, options.limit)).map(shown), letters),
    );
};
