import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../db/unavailable.ts';
import { findWaitingMail, noteMailFailed, noteMailSent } from '../modules/mail/service.ts';
import type { Platform } from '../platform/platform.ts';
import type { SendMail } from './mailer.ts';

const notingTries = 30;
const notingPause = 1_000;

/** A mail that went out must not go out again because the database was away for a moment. */
const noteSurely = async (note: () => Promise<void>): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await note();
    } catch (error) {
      if (!isUnavailable(error) || tries === notingTries) throw error;
      await sleep(notingPause);
    }
  }
};

/** Sends a mail that still waits. Without a mail server it goes on waiting, where an operator can read it. */
export const sendWaitingMail = async (platform: Platform, send: SendMail, mailId: string): Promise<void> => {
  const mail = send && (await findWaitingMail(platform, mailId));
  if (!mail) return;
  try {
    await send(mail);
  } catch (error) {
    await noteMailFailed(platform, mailId, error instanceof Error ? error.message : String(error));
    // Thrown on: the queue tries again, later and later.
    throw error;
  }
  await noteSurely(() => noteMailSent(platform, mailId));
};
