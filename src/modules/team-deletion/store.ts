import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { lockRow } from '../../db/lock-row.ts';
import { int, query, text, uuid } from '../../db/query.ts';
import { jobs } from '../../platform/jobs.ts';

// Deletes from the tables of all modules that have rows of a team. `test/teams/deletion.slow.test.ts` compares the list with the database, and
// fails if a table with a `tenant_id` is missing here.

/** Rows that one transaction deletes in some tens of milliseconds. */
const batch = 5_000;
/** The same for rows that may have some hundred kilobytes. */
const batchOfLarge = 200;
/** Rows with a job, which take longer. */
const batchWithJobs = 1_000;
/** People of a batch. Their sessions and other rows are deleted with them. */
const peopleAtOnce = 200;
/** Deletions that start at once. */
const teamsAtOnce = 100;

/** Deletes a batch of a team's rows of one table, and returns how many. */
interface Part {
  table: string;
  remove(this: void, tx: Tx, tenantId: string): Promise<number>;
}

/** A part that is one statement. */
const counted = (table: string, sql: string, name = table): Part => {
  const statement = query({
    name: `deletion.table ${name}`,
    why: 'deletes a bounded number of rows, with the team in each part of the statement',
    sql: `with gone as (${sql} returning 1) select count(*)::int as gone from gone`,
    parameters: { tenantId: uuid },
    row: { gone: int.checked },
  });
  return { table, remove: async (tx, tenantId) => (await runIn(tx, statement, { tenantId }))[0]?.gone ?? 0 };
};

/**
 * A condition for a limited number of the team's rows. `key`: the columns that are unique within a team. Ids are an array, so that each is looked
 * up in the index.
 */
const some = (table: string, key: string, size: number, further = ''): string => {
  const chosen = `select ${key} from "${table}" where tenant_id = :tenantId ${further} limit ${size}`;
  return `tenant_id = :tenantId and ${key === 'id' ? `id = any (array(${chosen}))` : `(${key}) in (${chosen})`}`;
};

const plain = (table: string, { key = 'id', size = batch }: { key?: string; size?: number } = {}) =>
  counted(table, `delete from "${table}" where ${some(table, key, size)}`);

/** Clears a reference between tables that refer to each other, or within one. */
const clearing = (table: string, column: string) =>
  counted(
    table,
    `update "${table}" set ${column} = null where ${some(table, 'id', batch, `and ${column} is not null`)}`,
    `clear ${table}.${column}`,
  );

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

// Rows with jobs. A running job is not tried again.

const endpoints: Part = {
  table: 'webhook_endpoint',
  remove: async (tx, tenantId) => {
    const found = await tx.webhookEndpoint.findMany({ where: { tenantId }, select: { id: true }, take: batchWithJobs });
    const ids = idsOf(found);
    await jobs.remove(tx, ...ids.map((id) => `deliver:${id}`));
    return (await tx.webhookEndpoint.deleteMany({ where: { tenantId, id: { in: ids } } })).count;
  },
};

const removeMails = async (tx: Tx, where: Prisma.MailWhereInput): Promise<number> => {
  const ids = idsOf(await tx.mail.findMany({ where, select: { id: true }, take: batchWithJobs }));
  await jobs.remove(tx, ...ids.map((id) => `mail ${id}`));
  return (await tx.mail.deleteMany({ where: { id: { in: ids } } })).count;
};

const keys: Part = {
  table: 'api_key',
  remove: async (tx, tenantId) => {
    const ids = idsOf(await tx.apiKey.findMany({ where: { tenantId }, select: { id: true }, take: batch }));
    await tx.requestBudget.deleteMany({ where: { subject: { in: ids } } });
    return (await tx.apiKey.deleteMany({ where: { tenantId, id: { in: ids } } })).count;
  },
};

/**
 * The tables of a team, in an order in which rows are deleted after those that refer to them. The team's people and its own row follow
 * (`deletePeople`, `deleteTeam`).
 *
 * Endpoints are first, so that their jobs have nothing more to send. Items of the team's own catalog are deleted one at a time, because
 * PostgreSQL searches whole tables for references to each: nothing else needs an index for them.
 */
export const parts: readonly Part[] = [
  plain('webhook_endpoint_day', { key: 'endpoint_id, day' }),
  plain('webhook_quarter_hour', { key: 'endpoint_id, start, delivered, duration' }),
  plain('webhook_check'),
  endpoints,
  plain('webhook_waiting', { key: 'delivery_id' }),
  plain('webhook_attempt'),
  plain('webhook_delivery'),
  plain('webhook_event'),
  plain('event_feed_entry', { key: 'event_id' }),
  plain('event_feed', { key: 'tenant_id' }),
  plain('webhook_team_day', { key: 'day' }),
  plain('crm_objection'),
  plain('crm_deal'),
  plain('crm_run'),
  plain('crm_connection'),
  plain('evaluation', { key: 'training_id', size: batchOfLarge }),
  clearing('training', 'assignment_id'),
  plain('assignment', { size: batchOfLarge }),
  plain('training'),
  plain('case', { size: batchOfLarge }),
  plain('request_log_entry'),
  plain('api_key_day', { key: 'key_id, day' }),
  plain('request_quarter_hour', { key: 'start, key_id, method, route, status, code' }),
  clearing('api_key', 'rotated_to_id'),
  keys,
  plain('idempotency_record', { key: 'key', size: batchOfLarge }),
  plain('audit_entry'),
  { table: 'mail', remove: (tx, tenantId) => removeMails(tx, { tenantId }) },
  plain('erasure'),
  plain('invitation', { key: 'member_id' }),
  plain('member_policy_block', { key: 'member_id, item_id' }),
  plain('assistant_connection'),
  plain('member'),
  plain('team_policy_block', { key: 'item_id' }),
  plain('catalog_rule'),
  plain('catalog_item', { size: 1 }),
];

/** Most jobs that work on a team's rows in batches have the team in their keys. All others find nothing and end. */
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
  /** Locks the team's row, so that one batch of a team is deleted at a time. Returns null if the team is gone. */
  lock: async (tx: Tx, id: string) => {
    await lockRow(tx, 'team', { id });
    return tx.team.findUnique({ where: { id }, select: { deletionStartedAt: true } });
  },

  /** Deletes a batch of the team's users, with the accounts of those who are in no other team. Returns the number of users. */
  deletePeople: async (tx: Tx, tenantId: string): Promise<number> => {
    const users = await tx.teamUser.findMany({
      where: { tenantId },
      select: { id: true, personId: true },
      orderBy: { personId: 'asc' },
      take: peopleAtOnce,
    });
    // The people are locked before it is checked whether another team has them, so that nobody can add them to a team meanwhile.
    for (const { personId } of users) await lockRow(tx, 'person', { id: personId }, 'update');
    await tx.teamUser.deleteMany({ where: { tenantId, id: { in: idsOf(users) } } });
    const people = { id: { in: users.map(({ personId }) => personId) }, users: { none: {} } };
    const gone = await tx.person.findMany({ where: people, select: { id: true, email: true } });
    await tx.person.deleteMany({ where: { id: { in: idsOf(gone) } } });
    await tx.verification.deleteMany({ where: { value: { in: idsOf(gone) } } });
    const mails = { tenantId: null, recipient: { in: gone.map(({ email }) => email) } };
    while ((await removeMails(tx, mails)) > 0);
    return users.length;
  },

  /** Deletes the team's row, its counters and its jobs. A foreign key makes it fail if a row of the team was added meanwhile. */
  deleteTeam: async (tx: Tx, tenantId: string): Promise<void> => {
    await tx.team.delete({ where: { id: tenantId }, select: { id: true } });
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
