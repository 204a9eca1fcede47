import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../db/unavailable.ts';
import { findWaitingMail, noteMailFailed, noteMailSent } from '../modules/mail/service.ts';
import type { Platform } from '../platform/platform.ts';
import type { SendMail } from './mailer.ts';

/** However slowly a mail server answers, step by step: together they keep a job well below what counts as abandoned. */
const sendingMs = 45_000;
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

interface Waiting {
  mailId: string;
  send: SendMail;
  patienceMs?: number;
}

/** Sends a mail that still waits. Without a mail server it goes on waiting, where an operator can read it. */
export const sendWaitingMail = async (
  platform: Platform,
  { mailId, send, patienceMs = sendingMs }: Waiting,
): Promise<void> => {
  const mail = send && (await findWaitingMail(platform, mailId));
  if (!mail) return;
  try {
    await within(patienceMs, send(mail));
  } catch (error) {
    await noteMailFailed(platform, mailId, error instanceof Error ? error.message : String(error));
    // Thrown on: the queue tries again, later and later.
    throw error;
  }
  await noteSurely(() => noteMailSent(platform, mailId));
};
