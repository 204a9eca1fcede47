import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { repeatUntilReached } from '../db/unavailable.ts';
import {
  findWaitingMail,
  noteMailFailed,
  noteMailSent,
  postponeMail,
  mailFlags,
  type Mail,
} from '../modules/mail/service.ts';
import type { Platform } from '../platform/team.ts';
import { JobLimits } from './job-limits.ts';

/**
 * Together these times keep a job well below the time after which it counts as abandoned, even if a mail server answers
 * slowly.
 */
const sendingMs = 20_000;
const notingMs = 20_000;

const within = (milliseconds: number, work: Promise<void>): Promise<void> => {
  const tooLate = sleep(milliseconds, undefined, { ref: false }).then(() => {
    throw new Error('the mail server took too long');
  });
  return Promise.race([work, tooLate]);
};

/** Sends a waiting mail. If the mail must wait, its job is added again with the same priority. */
export type SendWaiting = (mailId: string, priority?: number) => Promise<void>;

/**
 * Sends waiting mails. Without a mail server they keep waiting, and an operator can read them.
 *
 * If the database becomes unreachable and the queue starts again, it may run a job a second time while the first run
 * still has to record its end. Then the second run waits for the first one, and a mail that was already sent is
 * recorded and not sent again.
 */
export const waitingMails = (
  platform: Platform,
  send: SendMail,
  { timeoutMs = sendingMs, limits = new JobLimits() }: { timeoutMs?: number; limits?: JobLimits } = {},
): SendWaiting => {
  if (!send) return async () => {};
  const underWay = new Map<string, Promise<void>>();
  const unnoted = new Set<string>();

  const sendOnce = async (mailId: string, priority: number): Promise<void> => {
    const mail = await findWaitingMail(platform, mailId);
    if (!mail) return;
    if (!unnoted.has(mailId)) {
      const flags = mailFlags(mail);
      // The queue may have started several jobs of one flag before the first of them was counted.
      if (limits.isFull(flags)) return postponeMail(platform, mail, priority);
      const release = limits.hold(flags);
      try {
        await within(timeoutMs, send(mail));
      } catch (error) {
        await noteMailFailed(platform, mailId, error instanceof Error ? error.message : String(error));
        // The queue tries again later.
        throw error;
      } finally {
        release();
      }
      unnoted.add(mailId);
    }
    // A mail that was sent must not be sent again because the database was unreachable for a moment.
    const deadline = performance.now() + notingMs;
    await repeatUntilReached(
      () => noteMailSent(platform, mailId),
      () => performance.now() < deadline,
    );
    unnoted.delete(mailId);
  };

  return (mailId, priority = 0) => {
    const running = underWay.get(mailId) ?? sendOnce(mailId, priority).finally(() => underWay.delete(mailId));
    underWay.set(mailId, running);
    return running;
  };
};

/** Sends a mail; undefined if there is no mail server, and mails are only stored. */
export type SendMail = ((mail: Mail) => Promise<void>) | undefined;

/** A mail server that does not answer must not block a job, because other mails and a stop would wait for it. */
const timeouts = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 15_000 };

export const makeMailer = (mailUrl: string | undefined, from: string): SendMail => {
  if (mailUrl === undefined) return undefined;
  const transport = createTransport({ ...timeouts, url: mailUrl, disableFileAccess: true, disableUrlAccess: true });
  return async ({ id, recipient, body: { unsubscribe, ...content } }) => {
    // The id is the same at every try, so that a server that already has the mail can recognise it.
    await transport.sendMail({
      from,
      // As an object it is one address. A text would be parsed as a list.
      to: { name: '', address: recipient },
      messageId: `<${id}@team-customer-api>`,
      // RFC 3834: prevents out-of-office replies.
      headers: {
        'Auto-Submitted': 'auto-generated',
        // RFC 8058: mail programs end the mails with one click, by a POST to this address.
        ...(unsubscribe !== undefined && {
          'List-Unsubscribe': `<${unsubscribe}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }),
      },
      ...content,
    });
  };
};
