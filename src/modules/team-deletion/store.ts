import { runIn, type Database, type Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { lockRow } from '../../db/lock-row.ts';
import { int, query, text } from '../../db/query.ts';
import { jobs } from '../../platform/jobs.ts';

// Deletes from the tables of all modules that have rows of a team. `test/teams/deletion.slow.test.ts` compares the list
// with the database, and fails if a table with a `tenant_id` is missing here.

/** How many rows one transaction deletes in some tens of milliseconds. */
const batch = 5_000;
/** How many large rows, of up to some hundred kilobytes each, one transaction deletes. */
const batchOfLarge = 200;
/** How many rows one transaction deletes if each may have a job, because the removal of jobs takes longer. */
const batchWithJobs = 1_000;
/** How many people a batch deletes. Their sessions and other rows are deleted with them. */
const peopleAtOnce = 200;
/** How many deletions of teams start at once. */
const teamsAtOnce = 100;

/** Deletes a batch of a team's rows of one table, and returns how many. */
type DeleteBatch = (tx: Tx, tenantId: string) => Promise<number>;

/** A table of Prisma's client. */
interface PrismaTable {
  deleteMany(batch: { where: { tenantId: string }; limit: number }): PromiseLike<{ count: number }>;
}

const plain =
  (rowsIn: (tx: Tx) => PrismaTable, limit = batch): DeleteBatch =>
  async (tx, tenantId) =>
    (await rowsIn(tx).deleteMany({ where: { tenantId }, limit })).count;

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

// Rows with jobs. The jobs are removed with their rows. A job that is running now is not tried again.

const endpoints: DeleteBatch = async (tx, tenantId) => {
  const found = await tx.webhookEndpoint.findMany({ where: { tenantId }, select: { id: true }, take: batchWithJobs });
  const ids = idsOf(found);
  await jobs.remove(tx, ...ids.map((id) => `deliver:${id}`));
  return (await tx.webhookEndpoint.deleteMany({ where: { tenantId, id: { in: ids } } })).count;
};

const removeMails = async (tx: Tx, where: Prisma.MailWhereInput): Promise<number> => {
  const ids = idsOf(await tx.mail.findMany({ where, select: { id: true }, take: batchWithJobs }));
  await jobs.remove(tx, ...ids.map((id) => `mail ${id}`));
  return (await tx.mail.deleteMany({ where: { id: { in: ids } } })).count;
};

const keys: DeleteBatch = async (tx, tenantId) => {
  const found = await tx.apiKey.findMany({ where: { tenantId }, select: { id: true, prefix: true }, take: batch });
  const ids = idsOf(found);
  await tx.requestBudget.deleteMany({ where: { subject: { in: ids } } });
  await tx.apiKeyPrefix.deleteMany({ where: { tenantId, prefix: { in: found.map(({ prefix }) => prefix) } } });
  return (await tx.apiKey.deleteMany({ where: { tenantId, id: { in: ids } } })).count;
};

// References that are cleared before their rows are deleted, because two tables refer to each other, or a table refers
// to itself.

const assignmentsOfTrainings: DeleteBatch = async (tx, tenantId) => {
  const where = { tenantId, assignmentId: { not: null } };
  return (await tx.training.updateMany({ where, data: { assignmentId: null }, limit: batch })).count;
};

const rotatedKeys: DeleteBatch = async (tx, tenantId) => {
  const where = { tenantId, rotatedToId: { not: null } };
  return (await tx.apiKey.updateMany({ where, data: { rotatedToId: null }, limit: batch })).count;
};

/**
 * The tables of a team, in an order in which rows are deleted after those that refer to them. The team's people and its
 * own row follow (`deletePeople`, `deleteTeam`). The few rows of `webhook_team_day` and `team_usage` are deleted with
 * the team's own row.
 *
 * Endpoints come early, so that their jobs find nothing to send. Items of the team's own catalog are deleted one at a
 * time, because for each item PostgreSQL searches whole tables for references. No index exists for this search, because
 * nothing else would need it.
 */
export const parts: readonly DeleteBatch[] = [
  plain((tx) => tx.deletion),
  plain((tx) => tx.webhookEndpointDay),
  plain((tx) => tx.webhookQuarterHour),
  plain((tx) => tx.webhookCheck),
  endpoints,
  plain((tx) => tx.webhookWaiting),
  plain((tx) => tx.webhookAttempt),
  plain((tx) => tx.webhookDelivery),
  plain((tx) => tx.webhookEvent),
  plain((tx) => tx.eventFeedEntry),
  plain((tx) => tx.eventFeed),
  plain((tx) => tx.crmObjection),
  plain((tx) => tx.crmDeal),
  plain((tx) => tx.crmRun),
  plain((tx) => tx.crmConnection),
  plain((tx) => tx.evaluation, batchOfLarge),
  assignmentsOfTrainings,
  plain((tx) => tx.assignment, batchOfLarge),
  plain((tx) => tx.training),
  plain((tx) => tx.case, batchOfLarge),
  plain((tx) => tx.requestLogEntry),
  plain((tx) => tx.apiKeyDay),
  plain((tx) => tx.requestQuarterHour),
  rotatedKeys,
  keys,
  plain((tx) => tx.idempotencyRecord, batchOfLarge),
  plain((tx) => tx.auditEntry),
  (tx, tenantId) => removeMails(tx, { tenantId }),
  plain((tx) => tx.erasure),
  plain((tx) => tx.invitation),
  plain((tx) => tx.waitingInvitation),
  plain((tx) => tx.memberPolicyBlock),
  plain((tx) => tx.assistantConnection),
  plain((tx) => tx.directoryUser),
  plain((tx) => tx.member),
  plain((tx) => tx.companyDomain),
  plain((tx) => tx.companySignIn),
  plain((tx) => tx.teamPolicyBlock),
  plain((tx) => tx.catalogRule),
  plain((tx) => tx.catalogItem, 1),
];

/** Most jobs that work on a team's rows in batches have the team in their keys. All others find no rows and end. */
const deleteJobs = query({
  name: 'deletion.jobs',
  why: 'deletes jobs of graphile-worker',
  sql: `select count(*)::int as gone
          from graphile_worker.complete_jobs(array(
            select id from graphile_worker.jobs where locked_at is null and key like '%' || :tenantId::text || '%'))`,
  parameters: { tenantId: text },
  row: { gone: int.checked },
});

export const deletions = {
  /**
   * Locks the team's row, so that only one batch of a team is deleted at a time. Returns null if the team no longer
   * exists.
   */
  lock: async (tx: Tx, id: string) => {
    lockRow(tx, 'team', { id });
    return tx.team.findUnique({ where: { id }, select: { deletionStartedAt: true } });
  },

  /**
   * Deletes a batch of the team's users, with the accounts of those who are in no other team. Returns the number of
   * users.
   */
  deletePeople: async (tx: Tx, tenantId: string): Promise<number> => {
    const users = await tx.teamUser.findMany({
      where: { tenantId },
      select: { id: true, personId: true },
      orderBy: { personId: 'asc' },
      take: peopleAtOnce,
    });
    // The people are locked before the check whether another team has them, so that nobody can add them to a team in
    // between.
    for (const { personId } of users) lockRow(tx, 'person', { id: personId }, 'update');
    await tx.teamUser.deleteMany({ where: { tenantId, id: { in: idsOf(users) } } });
    const ids = users.map(({ personId }) => personId);
    const kept = await tx.teamUser.findMany({ where: { personId: { in: ids } }, select: { personId: true } });
    const isKept = new Set(kept.map(({ personId }) => personId));
    const gone = await tx.person.findMany({
      where: { id: { in: ids.filter((id) => !isKept.has(id)) } },
      select: { id: true, email: true },
    });
    await tx.person.deleteMany({ where: { id: { in: idsOf(gone) } } });
    await tx.verification.deleteMany({ where: { value: { in: idsOf(gone) } } });
    const mails = { tenantId: null, recipient: { in: gone.map(({ email }) => email) } };
    while ((await removeMails(tx, mails)) > 0);
    return users.length;
  },

  /** Deletes the team's row. A foreign key makes this fail if a row of the team was added in the meantime. */
  deleteTeam: (tx: Tx, tenantId: string) => tx.team.delete({ where: { id: tenantId }, select: { id: true } }),

  /** Deletes the counters and the jobs of a team in one part of the database. */
  deleteTraces: async (tx: Tx, tenantId: string): Promise<void> => {
    await tx.requestBudget.deleteMany({ where: { subject: tenantId } });
    // The subject of a counter ends with the team's id. There are few counters, because none is older than a day.
    await tx.rateWindow.deleteMany({ where: { subject: { endsWith: ` ${tenantId}` } } });
    await runIn(tx, deleteJobs, { tenantId });
  },

  /** Starts the deletion of teams that ended long enough ago. After that they can't be resumed. */
  startOverdue: ({ prisma }: Database, { now, endedBefore }: { now: Date; endedBefore: Date }) =>
    prisma.team.updateManyAndReturn({
      where: { status: 'ended', endedAt: { lte: endedBefore }, deletionStartedAt: null },
      data: { deletionStartedAt: now },
      select: { id: true },
      limit: teamsAtOnce,
    }),

  /** Ends a team and starts its deletion. Waits for transactions that have locked the team. */
  start: (tx: Tx, id: string, { now, endedAt }: { now: Date; endedAt: Date }) =>
    tx.team.update({
      where: { id },
      data: { status: 'ended', endedAt, deletionStartedAt: now },
      select: { id: true },
    }),

  /** The teams whose data is being deleted. */
  begun: ({ prisma }: Database) =>
    prisma.team.findMany({
      where: { status: 'ended', deletionStartedAt: { not: null } },
      select: { id: true },
      orderBy: { endedAt: 'asc' },
      take: 1_000,
    }),
};
