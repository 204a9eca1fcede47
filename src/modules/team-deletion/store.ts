import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import { bool, int, listOf, query, text, time, uuid } from '../../db/query.ts';

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

/** A statement on a batch of a team's rows. Returns their number as `gone`. */
const counted = (name: string, sql: string) =>
  query({
    name: `deletion.${name}`,
    why: 'deletes a bounded number of rows',
    sql: `with gone as (${sql}) select count(*)::int as gone from gone`,
    parameters: { tenantId: uuid },
    row: { gone: int.checked },
  });

const some = (column: 'ctid' | 'id', table: string, size: number): string =>
  `${column} = any (array(select ${column} from "${table}" where tenant_id = :tenantId limit ${size}))`;

const plain = (table: string, size: number = batch) => ({
  table,
  statement: counted(table, `delete from "${table}" where ${some('ctid', table, size)} returning 1`),
});

/** For a table with partitions, where a row's `ctid` is unique within its partition only. */
const partitioned = (table: string) => ({
  table,
  statement: counted(
    table,
    `delete from "${table}" where tenant_id = :tenantId and ${some('id', table, batch)} returning 1`,
  ),
});

/** Deletes the jobs of the rows as well; `jobKey` is SQL for a job's key. A running job is not tried again. */
const withJobs = (table: string, jobKey: string) => ({
  table,
  statement: query({
    name: `deletion.${table}`,
    why: 'deletes a bounded number of rows and jobs of graphile-worker',
    sql: `with deleted as (
            delete from "${table}" where ${some('ctid', table, batchWithJobs)} returning id),
          freed as materialized (select graphile_worker.remove_job(${jobKey}) as job from deleted)
          select count(*)::int as gone from freed`,
    parameters: { tenantId: uuid },
    row: { gone: int.checked },
  }),
});

/** Clears a reference between tables that refer to each other, or within one. */
const clearing = (table: string, column: string) => ({
  table,
  statement: counted(
    `clear ${table}.${column}`,
    `update "${table}" set ${column} = null
      where ctid = any (array(select ctid from "${table}" where tenant_id = :tenantId and ${column} is not null limit ${batch}))
     returning 1`,
  ),
});

/**
 * The tables of a team, in an order in which rows are deleted after those that refer to them. The team's people and its own row follow
 * (`deletePeople`, `deleteTeam`).
 *
 * Endpoints are first, so that their jobs have nothing more to send. Items of the team's own catalog are deleted one at a time, because
 * PostgreSQL searches whole tables for references to each: nothing else needs an index for them.
 */
export const parts = [
  plain('webhook_endpoint_day'),
  plain('webhook_quarter_hour'),
  plain('webhook_check'),
  withJobs('webhook_endpoint', `'deliver:' || id`),
  plain('webhook_waiting'),
  partitioned('webhook_attempt'),
  partitioned('webhook_delivery'),
  partitioned('webhook_event'),
  plain('event_feed_entry'),
  plain('event_feed'),
  plain('webhook_team_day'),
  plain('crm_objection'),
  plain('crm_deal'),
  plain('crm_run'),
  plain('crm_connection'),
  plain('evaluation', batchOfLarge),
  clearing('training', 'assignment_id'),
  plain('assignment', batchOfLarge),
  plain('training'),
  plain('training_totals'),
  plain('training_week'),
  plain('pending_listing'),
  plain('case', batchOfLarge),
  partitioned('request_log_entry'),
  plain('api_key_day'),
  plain('request_quarter_hour'),
  clearing('api_key', 'rotated_to_id'),
  {
    table: 'api_key',
    statement: counted(
      'api_key',
      `delete from api_key where ${some('ctid', 'api_key', batch)} returning id), budgets as (
       delete from request_budget where subject in (select id from gone)`,
    ),
  },
  plain('idempotency_record', batchOfLarge),
  plain('audit_entry'),
  withJobs('mail', `'mail ' || id`),
  plain('erasure'),
  plain('pending_revocation'),
  plain('invitation'),
  plain('member_policy_block'),
  plain('assistant_connection'),
  plain('member'),
  plain('team_policy_block'),
  plain('catalog_rule'),
  plain('catalog_item', 1),
] as const;

type Part = (typeof parts)[number];

const lock = query({
  name: 'deletion.lock',
  why: 'Prisma has no row locks',
  sql: 'select deletion_started_at is not null as begun from team where id = :tenantId for no key update',
  parameters: { tenantId: uuid },
  row: { begun: bool.checked },
});

// The people are locked before `deletePersons` checks whether another team has them, so that nobody can add them to a team meanwhile.
const leaveTeam = query({
  name: 'deletion.team_user',
  why: 'deletes a bounded number of rows and locks those of another table',
  sql: `with chosen as materialized (
          select u.id, u.person_id from team_user u join person p on p.id = u.person_id
           where u.tenant_id = :tenantId order by u.person_id limit ${peopleAtOnce} for update of u, p)
        delete from team_user u using chosen where u.tenant_id = :tenantId and u.id = chosen.id
        returning u.person_id as "personId"`,
  parameters: { tenantId: uuid },
  row: { personId: uuid },
});

const deletePersons = query({
  name: 'deletion.person',
  why: 'deletes those that no row of another table refers to',
  sql: `delete from person p where p.id = any (:ids::uuid[]) and not exists (select from team_user u where u.person_id = p.id)
        returning p.id, p.email`,
  parameters: { ids: listOf(uuid) },
  row: { id: uuid, email: text },
});

const deleteVerifications = query({
  name: 'deletion.verification',
  why: 'takes any number of ids in one prepared statement',
  sql: 'delete from verification where value = any (:ids::text[])',
  parameters: { ids: listOf(text) },
  row: {},
});

const deleteOwnMails = query({
  name: 'deletion.mail of persons',
  why: 'deletes rows and jobs of graphile-worker',
  sql: `with deleted as (delete from mail where tenant_id is null and recipient = any (:emails::text[]) returning id),
             freed as materialized (select graphile_worker.remove_job('mail ' || id) as job from deleted)
        select count(*)::int as gone from freed`,
  parameters: { emails: listOf(text) },
  row: { gone: int.checked },
});

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

// The subject of a counter ends with the team's id. There are few counters, because none is older than a day.
const deleteCounters = ['rate_window', 'mail_count'].map((table) =>
  query({
    name: `deletion.${table}`,
    why: 'compares the end of a text',
    sql: `delete from ${table} where subject like '% ' || :tenantId::text`,
    parameters: { tenantId: text },
    row: {},
  }),
);

const startAll = query({
  name: 'deletion.startOverdue',
  why: 'compares times of the row with each other, and locks it',
  sql: `update team set deletion_started_at = :now
         where id = any (array(select id from team where status = 'ended' and ended_at <= :endedBefore and deletion_started_at is null
                                order by ended_at limit 100))
           and status = 'ended' and ended_at <= :endedBefore and deletion_started_at is null
        returning id`,
  parameters: { now: time, endedBefore: time },
  row: { id: uuid },
});

const begun = query({
  name: 'deletion.begun',
  why: 'uses a partial index whose condition names a status: Prisma’s statement can’t use it',
  sql: `select id from team where status = 'ended' and deletion_started_at is not null order by ended_at limit 1000`,
  parameters: {},
  row: { id: uuid },
});

const unmailed = query({
  name: 'deletion.unmailed',
  why: 'uses a partial index whose condition names a status: Prisma’s statement can’t use it',
  sql: `select id from team where status = 'ended' and ended_at is null limit 1000`,
  parameters: {},
  row: { id: uuid },
});

const addJob = query({
  name: 'deletion.addJob',
  why: 'adds a job of graphile-worker',
  sql: `select graphile_worker.add_job('delete_team', json_build_object('tenantId', :tenantId::text), queue_name => 'rewriting ' || :tenantId::text,
                                       flags => array['rewriting'], job_key => 'delete_team ' || :tenantId::text) is not null as added`,
  parameters: { tenantId: text },
  row: { added: bool.checked },
});

export const deletions = {
  /** Locks the team's row, so that one batch of a team is deleted at a time. Returns undefined if the team is gone. */
  lock: async (tx: Tx, tenantId: string) => (await runIn(tx, lock, { tenantId }))[0],

  /** Deletes a batch of one part of the list, and returns how many rows. */
  deletePart: async (tx: Tx, { statement }: Part, tenantId: string) =>
    (await runIn(tx, statement, { tenantId }))[0]?.gone ?? 0,

  /** Deletes a batch of the team's users, with the accounts of those who are in no other team. Returns the number of users. */
  deletePeople: async (tx: Tx, tenantId: string): Promise<number> => {
    const left = await runIn(tx, leaveTeam, { tenantId });
    if (left.length === 0) return 0;
    const gone = await runIn(tx, deletePersons, { ids: left.map(({ personId }) => personId) });
    await runIn(tx, deleteVerifications, { ids: gone.map(({ id }) => id) });
    await runIn(tx, deleteOwnMails, { emails: gone.map(({ email }) => email) });
    return left.length;
  },

  /** Deletes the team's row, its counters and its jobs. A foreign key makes it fail if a row of the team was added meanwhile. */
  deleteTeam: async (tx: Tx, tenantId: string): Promise<void> => {
    await tx.team.delete({ where: { id: tenantId }, select: { id: true } });
    await tx.requestBudget.deleteMany({ where: { subject: tenantId } });
    for (const counters of deleteCounters) await runIn(tx, counters, { tenantId });
    await runIn(tx, deleteJobs, { tenantId });
  },

  /** Starts the deletion of teams that ended long enough ago. After that they can't be resumed. */
  startOverdue: (database: Database, times: { now: Date; endedBefore: Date }) => database.run(startAll, times),

  /** Ends a team and starts its deletion. Waits for transactions that have locked the team. */
  start: (tx: Tx, id: string, { now, endedAt }: { now: Date; endedAt: Date }) =>
    tx.team.update({
      where: { id },
      data: { status: 'ended', endedAt, deletionStartedAt: now },
      select: { id: true },
    }),

  /** The teams whose data is being deleted. */
  begun: (database: Database) => database.run(begun, {}),

  /** Teams that ended before owners were mailed about it. */
  unmailed: (database: Database) => database.run(unmailed, {}),

  /** Adds the job that continues the deletion. A waiting job is replaced. */
  addJob: (tx: Tx, tenantId: string) => runIn(tx, addJob, { tenantId }),
  addJobLater: (database: Database, tenantId: string) => database.run(addJob, { tenantId }),
};
