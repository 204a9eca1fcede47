import type { TaskList } from 'graphile-worker';
import { z } from 'zod';
import { forgetOldAnswers } from '../modules/idempotency/service.ts';
import { forgetOldBudgets } from '../modules/keys/budgets.ts';
import { sendMailTask } from '../modules/mail/service.ts';
import type { Platform } from '../platform/platform.ts';
import { freeAbandonedJobs } from './abandoned-jobs.ts';
import type { SendMail } from './mailer.ts';
import { sendWaitingMail } from './send-mail.ts';

const MailJob = z.object({ mailId: z.uuid() });

/** What the worker can do, by the name that jobs carry. */
export const tasks = ({ platform, sendMail }: { platform: Platform; sendMail: SendMail }): TaskList => ({
  [sendMailTask]: (payload) => sendWaitingMail(platform, { ...MailJob.parse(payload), send: sendMail }),
  free_abandoned_jobs: () => freeAbandonedJobs(platform.database),
  sweep: async () => {
    await forgetOldAnswers(platform);
    await forgetOldBudgets(platform.database);
  },
});

/** What happens by the clock. */
export const crontab = '* * * * * free_abandoned_jobs\n*/10 * * * * sweep';
