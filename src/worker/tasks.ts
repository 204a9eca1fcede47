import type { Task, TaskList } from 'graphile-worker';
import { z } from 'zod';
import type { Logger } from '../core/log.ts';
import { deletePrivateCasesOfFormerMembers } from '../modules/cases/service.ts';
import { addLostCrmDeletionJobs, crmDeletion } from '../modules/crm/service.ts';
import { remindOfDue } from '../modules/assignments/automatic-reminders.ts';
import { deleteExpiredConnections } from '../modules/assistants/service.ts';
import { deleteOldAuditEntries } from '../modules/audit/retention.ts';
import { deleteOldDeletions } from '../modules/deletions/service.ts';
import { deleteOldEntries } from '../modules/events/service.ts';
import { mailOtherUnready, mailUnreadyTask } from '../modules/company-sign-in/mails.ts';
import { addLostErasureJobs, erasureTask } from '../modules/erasure/service.ts';
import { sendWeeklyMails } from '../modules/overview/weekly-mail.ts';
import { deleteOldAnswers } from '../modules/idempotency/service.ts';
import { deleteOldBudgets } from '../modules/keys/service.ts';
import { addLostSendingJobs, sendWaiting, sendWaitingTask } from '../modules/members/waiting.ts';
import { deleteOldMails, sendMailTask } from '../modules/mail/service.ts';
import { deleteOldLog } from '../modules/requests/service.ts';
import { deleteOldSessions } from '../modules/sign-ins/cleanup.ts';
import { announceRetirement, notifyTeam, type RetiredVersion } from '../modules/versions/service.ts';
import { deleteOldDeliveries, endpointDeletion } from '../modules/webhooks/cleanup.ts';
import { checkUp } from '../modules/webhooks/check-up.ts';
import { boundWaiting } from '../modules/webhooks/waiting-cap.ts';
import { deleteEndedTeams, teamDeletion } from '../modules/team-deletion/service.ts';
import { warnOfExpiringKeys } from '../modules/keys/expiry.ts';
import { sumUsage } from '../modules/storage/service.ts';
import { onEach } from '../db/parts.ts';
import type { Platform } from '../platform/team.ts';
import { teamIds } from '../platform/team-row.ts';
import type { ResealResult } from '../core/crypto.ts';
import { jobs, ownPriority, stepsAtMostMs, type SteppedTask } from '../platform/jobs.ts';
import { lastingSecrets } from './reseal.ts';
import type { JobLimits } from './job-limits.ts';
import type { SendWaiting } from './send-mail.ts';

const MailJob = z.object({ mailId: z.uuid() });
const OneTeam = z.object({ tenantId: z.uuid() });

interface TaskParts {
  platform: Platform;
  log: Logger;
  sendMail: SendWaiting;
  /** How many days events, deliveries, attempts, mails and the request log are kept. */
  retentionDays: number;
  /** Counts the running jobs of each flag, because their number is limited. */
  limits: Pick<JobLimits, 'hold'>;
  /** The version of the API whose end is announced, if there is one. */
  retired?: RetiredVersion | undefined;
}

const logResealed = (log: Logger, what: string, { resealed, lost, lostIds }: ResealResult): void => {
  if (resealed > 0) log.info({ resealed }, `${what} sealed with the secret in use`);
  if (lost > 0) log.error({ lost, ids: lostIds }, `${what} that no configured secret opens`);
};

/**
 * How long a step deletes at most: well below the time after which a job counts as abandoned. The next run continues.
 */
const cutsAtMost = 60_000;

const announceTask = 'announce_deprecation';

/** The delay of a step that can't be done yet. */
const tryAgainMs = 2_000;

/**
 * Runs all steps one after the other, even if one fails. Then throws the first error, so that the job is tried again.
 */
const allOf = async (steps: readonly (() => Promise<unknown>)[]): Promise<void> => {
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
};

/** The worker's tasks, by the name in their jobs. */
export const tasks = ({ platform, log, sendMail, retentionDays, retired, limits }: TaskParts): TaskList => {
  /** Runs the steps of a task until none is left. When its time is over, it is queued again behind other jobs. */
  const stepped =
    <Rows>({ payload: schema, next, job }: SteppedTask<Rows>): Task =>
    async (payload) => {
      const rows = schema.parse(payload);
      const until = performance.now() + stepsAtMostMs;
      const release = limits.hold(job(rows).flags ?? []);
      try {
        for (;;) {
          const isLeft = await next(platform, rows);
          if (!isLeft) return;
          if (isLeft === 'later') return await jobs.add(platform.database, { ...job(rows), inMs: tryAgainMs });
          if (performance.now() >= until) return await jobs.add(platform.database, job(rows));
        }
      } finally {
        release();
      }
    };

  const { database } = platform;
  const onEachPart = (act: () => Promise<unknown>) => onEach(database.parts.all(), act);

  return {
    [sendMailTask]: (payload, { job }) => sendMail(MailJob.parse(payload).mailId, job.priority),
    [sendWaitingTask]: (payload) => sendWaiting(platform, OneTeam.parse(payload).tenantId),
    [mailUnreadyTask]: (payload) => mailOtherUnready(platform, payload),
    clean_up: async () => {
      await allOf([
        () => deleteOldAnswers(platform),
        () => onEachPart(() => deleteOldBudgets(database)),
        () => deleteOldSessions(platform),
        () => deleteExpiredConnections(platform),
        () => addLostCrmDeletionJobs(platform),
        () => addLostErasureJobs(platform),
        () => addLostSendingJobs(platform),
        () => onEachPart(() => jobs.removeReplaced(database)),
      ]);
    },
    [endpointDeletion.name]: stepped(endpointDeletion),
    [crmDeletion.name]: stepped(crmDeletion),
    [erasureTask.name]: stepped(erasureTask),
    [teamDeletion.name]: stepped({
      ...teamDeletion,
      next: async (_, team) => {
        const isLeft = await teamDeletion.next(platform, team);
        if (!isLeft) log.info({ tenant_id: team.tenantId }, 'the team is deleted');
        return isLeft;
      },
    }),
    [checkUp.name]: stepped(checkUp),
    retention: async () => {
      // Each step has a time limit of its own, so that a large table does not delay the deletion of personal data.
      // `deleteOldEntries` numbers events, and runs before `deleteOldDeliveries` deletes them.
      const cuts = [
        deletePrivateCasesOfFormerMembers,
        deleteOldMails,
        deleteOldEntries,
        deleteOldDeliveries,
        deleteOldLog,
        deleteOldDeletions,
      ];
      await allOf(
        cuts.map((cut) => () => cut(platform, { days: retentionDays, until: performance.now() + cutsAtMost })),
      );
    },
    delete_ended_teams: async () => {
      const started = await deleteEndedTeams(platform);
      if (started.length > 0) log.info({ tenant_ids: started }, 'the deletion of ended teams has started');
    },
    warn_of_expiring_keys: () =>
      warnOfExpiringKeys(platform, (err, tenantId) =>
        log.error({ err, tenant_id: tenantId }, 'a team could not be warned of keys that expire'),
      ),
    remind_of_due_assignments: () =>
      remindOfDue(platform, (err, tenantId) =>
        log.error({ err, tenant_id: tenantId }, 'the members of a team could not be reminded of assignments'),
      ),
    send_weekly_mails: () =>
      sendWeeklyMails(platform, (err, tenantId) =>
        log.error({ err, tenant_id: tenantId }, 'the weekly mails of a team could not be sent'),
      ),
    sum_storage: async () => {
      for (const tenantId of await teamIds(platform.database)) {
        await sumUsage(platform, tenantId).catch((err: unknown) =>
          log.error({ err, tenant_id: tenantId }, 'the storage of a team could not be added up'),
        );
      }
    },
    bound_waiting: () => boundWaiting(platform),
    cut_audit_logs: () => deleteOldAuditEntries(platform, { until: performance.now() + cutsAtMost }),
    [announceTask]: async () => {
      if (retired) await announceRetirement(platform, retired);
    },
    notify_of_retirement: async (payload) => {
      if (retired) await notifyTeam(platform, retired, OneTeam.parse(payload).tenantId);
    },
    reseal: async () => {
      for (const [what, reseal] of Object.entries(lastingSecrets)) logResealed(log, what, await reseal(platform));
    },
  };
};

const schedule = {
  bound_waiting: '* * * * *',
  clean_up: '*/10 * * * *',
  retention: '17 * * * *',
  reseal: '43 3 * * *',
  cut_audit_logs: '53 * * * *',
  sum_storage: '7 2 * * *',
  delete_ended_teams: '27 * * * *',
  warn_of_expiring_keys: '37 * * * *',
  remind_of_due_assignments: '3 * * * *',
  send_weekly_mails: '9 * * * *',
  [announceTask]: '23 5 * * *',
};

export const recurringTasks: readonly string[] = Object.keys(schedule);

export const crontab = Object.entries(schedule)
  .map(([task, times]) => `${times} ${task} ?priority=${ownPriority}`)
  .join('\n');

/** The tasks that run at the start of a worker. */
export const atStart = ['reseal', announceTask];
