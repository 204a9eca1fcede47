import type { z } from 'zod';
import { onEach } from '../db/parts.ts';
import { runLater, runOn, type Database, type Tx } from '../db/database.ts';
import { float, int, jsonb, listOf, query, text } from '../db/query.ts';
import type { Platform } from './team.ts';

// Jobs of graphile-worker, added in the transaction of the change that needs them, or outside of one.

export interface Job {
  task: string;
  payload: Readonly<Record<string, string | number | null>>;
  /** A job replaces a waiting job with the same key. */
  key?: string;
  /** The jobs of a queue run one after the other. */
  queue?: string;
  /** Lower numbers run first. Mails have the numbers from 0. */
  priority?: number;
  /** How long the job waits, by the database's clock. By default it runs at once. */
  inMs?: number;
  maxAttempts?: number;
  /** A worker limits how many jobs with the same flag run at once. */
  flags?: readonly string[];
}

/** The priority of the service's own jobs: they run before mails, of which there may be thousands. */
export const ownPriority = -1_000;

/** The flag of jobs that work on many rows of a team. */
export const rewritingFlag = 'rewriting';

/** How long a job works on a team's rows before other jobs get their turn. */
export const stepsAtMostMs = 2_000;

/** A task in steps, each in a transaction of its own. The payload of its job says on which rows it works. */
export interface SteppedTask<Rows> {
  name: string;
  payload: z.ZodType<Rows>;
  /** Does the next step. Returns whether more steps are left: they follow at once (true) or in a moment (`later`). */
  next: (platform: Platform, rows: Rows) => Promise<boolean | 'later'>;
  job: (rows: Rows) => Job;
}

/**
 * A task that works on many rows of a team. Only one such job of a team runs at a time, and only a few in each worker.
 */
export const rewritingTask = <Rows extends Job['payload'] & { readonly tenantId: string }>(
  task: Omit<SteppedTask<Rows>, 'job'>,
): SteppedTask<Rows> => ({
  ...task,
  job: (rows) => {
    const payload = task.payload.parse(rows);
    return {
      task: task.name,
      payload,
      key: [task.name, ...Object.values(payload)].join(' '),
      queue: `rewriting ${payload.tenantId}`,
      priority: ownPriority,
      flags: [rewritingFlag],
    };
  },
});

const add = query({
  name: 'jobs.add',
  why: 'calls graphile-worker',
  sql: 'select add_jobs(:jobs) as added',
  parameters: { jobs: jsonb },
  row: { added: int.checked },
});

const remove = query({
  name: 'jobs.remove',
  why: 'calls graphile-worker',
  sql: 'select remove_jobs(:keys) as removed',
  parameters: { keys: listOf(text) },
  row: { removed: int.checked },
});

const removeReplaced = query({
  name: 'jobs.removeReplaced',
  why: 'calls graphile-worker',
  sql: `select count(*)::int as removed
          from graphile_worker.complete_jobs(array(
                 select id from graphile_worker.jobs where key is null and locked_at is null and attempts >= max_attempts))`,
  parameters: {},
  row: { removed: int.checked },
});

const oldestDue = query({
  name: 'jobs.oldestDue',
  why: 'reads a table of graphile-worker',
  sql: `select task_identifier as task, extract(epoch from now() - min(run_at))::float8 as seconds
          from graphile_worker.jobs
         where run_at <= now() and locked_at is null and attempts < max_attempts
         group by task_identifier`,
  parameters: {},
  row: { task: text.checked, seconds: float.checked },
});

const specOf = ({ task, payload, key, queue, priority, inMs, maxAttempts, flags }: Job) => ({
  identifier: task,
  payload,
  queue_name: queue,
  in_ms: inMs,
  max_attempts: maxAttempts,
  job_key: key,
  priority,
  flags,
});

export const jobs = {
  /**
   * Adds jobs. In a transaction, this is sent with the transaction's next statement. A job that waits under the same
   * key is replaced. A running one is not affected.
   */
  add: async (connection: Tx | Database, ...added: readonly Job[]): Promise<void> => {
    if (added.length === 0) return;
    const values = { jobs: JSON.stringify(added.map(specOf)) };
    if ('run' in connection) await connection.run(add, values);
    else runLater(connection, add, values);
  },

  /** Removes the waiting jobs with these keys. A running one continues. */
  remove: async (connection: Tx | Database, ...keys: readonly string[]): Promise<void> => {
    if (keys.length === 0) return;
    await runOn(connection, remove, { keys });
  },

  /**
   * Removes jobs that were replaced while they ran, and whose worker was then lost. graphile-worker has counted their
   * last attempt, so they never run again, but it keeps them: https://github.com/graphile/worker/issues/254 describes
   * such jobs.
   */
  removeReplaced: (database: Database) => database.run(removeReplaced, {}),

  /** For each task with jobs that are due and that no worker has taken, how long the oldest one has been due. */
  oldestDue: async (database: Database) => {
    const rows = await onEach(database.parts.all(), () => database.run(oldestDue, {}));
    const byTask = Map.groupBy(rows.flat(), ({ task }) => task);
    return Array.from(byTask, ([task, of]) => ({ task, seconds: Math.max(...of.map(({ seconds }) => seconds)) }));
  },
};
