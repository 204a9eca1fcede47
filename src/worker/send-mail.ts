import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../db/unavailable.ts';
import { findWaitingMail, noteMailFailed, noteMailSent, postponeMail } from '../modules/mail/service.ts';
import type { Platform } from '../platform/platform.ts';
import { makeMailPlaces } from './mail-places.ts';
import type { SendMail } from './mailer.ts';

/** However slowly a mail server answers, step by step: together they keep a job well below what counts as abandoned. */
const sendingMs = 20_000;
const notingMs = 20_000;
const notingPause = 1_000;

const within = async (milliseconds: number, work: Promise<void>): Promise<void> => {
  const over = new AbortController();
  const tooLate = sleep(milliseconds, undefined, { signal: over.signal }).then(() => {
    throw new Error('the mail server took too long');
  });
  try {
    await Promise.race([work, tooLate]);
  } finally {
    over.abort();
  }
};

/** A mail that went out must not go out again because the database was away for a moment. */
const noteSurely = async (note: () => Promise<void>): Promise<void> => {
  const deadline = Date.now() + notingMs;
  for (;;) {
    try {
      return await note();
    } catch (error) {
      if (!isUnavailable(error) || Date.now() > deadline) throw error;
      await sleep(notingPause);
    }
  }
};

/** Sends a mail that still waits. */
export type SendWaiting = (mailId: string) => Promise<void>;

/**
 * Sends mails that still wait. Without a mail server they go on waiting, where an operator can read them.
 *
 * The queue may give a job out again while its first run has only the noting left: when the database went away and the queue
 * started anew. The second run then joins the first, and what went out but could not be noted is noted and not sent again.
 */
export const waitingMails = (
  platform: Platform,
  send: SendMail,
  patienceMs = sendingMs,
  places = makeMailPlaces(),
): SendWaiting => {
  if (!send) return async () => {};
  const underWay = new Map<string, Promise<void>>();
  const unnoted = new Set<string>();

  const sendOnce = async (mailId: string): Promise<void> => {
    const mail = await findWaitingMail(platform, mailId);
    if (!mail) return;
    if (!unnoted.has(mailId)) {
      const leave = places.take(mail);
      // Several jobs may have been taken from the queue before the first of them began.
      if (!leave) return postponeMail(platform, mail);
      try {
        await within(patienceMs, send(mail));
      } catch (error) {
        await noteMailFailed(platform, mailId, error instanceof Error ? error.message : String(error));
        // Thrown on: the queue tries again, later and later.
        throw error;
      } finally {
        leave();
      }
      unnoted.add(mailId);
    }
    await noteSurely(() => noteMailSent(platform, mailId));
    unnoted.delete(mailId);
  };

  return (mailId) => {
    const running = underWay.get(mailId) ?? sendOnce(mailId).finally(() => underWay.delete(mailId));
    underWay.set(mailId, running);
    return running;
  };
};
