import { createTransport } from 'nodemailer';
import type { Mail } from '../modules/mail/service.ts';

/** Sends a mail; undefined where there is no mail server, and mails are kept instead. */
export type SendMail = ((mail: Mail) => Promise<void>) | undefined;

/** A mail server that went silent must not hold a job: others wait behind it, and so does a stop. */
const patience = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 15_000 };

export const mailer = (mailUrl: string | undefined, from: string): SendMail => {
  if (mailUrl === undefined) return undefined;
  const transport = createTransport({ ...patience, url: mailUrl, disableFileAccess: true, disableUrlAccess: true });
  return async ({ id, recipient, body }) => {
    // The same id at every try: a server that already took the mail can tell.
    await transport.sendMail({
      from,
      // As an object, it is one address: text would be read as a list.
      to: { name: '', address: recipient },
      messageId: `<${id}@team-customer-api>`,
      // RFC 3834: so that no out-of-office reply comes back.
      headers: { 'Auto-Submitted': 'auto-generated' },
      ...body,
    });
  };
};
