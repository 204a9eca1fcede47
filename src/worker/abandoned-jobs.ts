import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase, PoolClient } from 'pg';
import { lockNumbers } from '../db/advisory-lock.ts';
import type { Database, QueuePool } from '../db/database.ts';
import { bool, listOf, nothing, query, text } from '../db/query.ts';
import { laneTasks } from '../webhooks/feeder.ts';

/** How long a pool may be without its connection, while it starts or after it lost the database. */
const unseenFor = '15 seconds';
/** How long the queue may take to note the end of a job. */
const notedWithinMs = 2_000;
/** No job of ours runs this long, except for syncs of CRM connections, which wait for CRMs: their runs have claims of their own. */
const longestJob = '2 minutes';
const unboundedTask = 'crm_sync';

const unlock = query({
  name: 'worker.unlock',
  why: 'calls graphile-worker',
  sql: `with holder as materialized (
     select locked_by as pool, min(locked_at) filter (where task_identifier <> '${unboundedTask}') as since from graphile_worker.jobs
      where locked_at < now() - interval '${unseenFor}' group by locked_by)
   select graphile_worker.force_unlock_workers(array_agg(pool)) as done
     from holder
    where since < now() - :longest::text::interval or pg_try_advisory_xact_lock(${lockNumbers.queuePool}, hashtext(pool))`,
  parameters: { longest: text },
  row: { done: nothing },
});

/** A pool's lock is taken again so soon after its connection was lost; `unseenFor` is far longer. */
const holdAgainMs = 500;

/**
 * Marks a pool as alive for as long as a connection of its own is there, until `signal`. Not the connection on which the queue listens: after
 * the database was away the queue may wait a minute before it listens again, and meanwhile other processes would free the jobs that this
 * pool runs. The lock is shared, so that a new connection can hold it while PostgreSQL has not noticed yet that the former one is lost.
 */
export const keepPoolHeld = async (
  queuePool: QueuePool,
  pool: string,
  { signal, onHeld }: { signal: AbortSignal; onHeld: (client: ClientBase) => void },
): Promise<void> => {
  const stopped = signal.aborted ? Promise.resolve() : once(signal, 'abort').then(() => undefined);
  while (!signal.aborted) {
    let client: PoolClient | undefined;
    try {
      client = await queuePool.connect();
      const held = client;
      const lost = new Promise<void>((resolve) => held.once('error', () => resolve()).once('end', () => resolve()));
      await client.query(`select pg_try_advisory_lock_shared(${lockNumbers.queuePool}, hashtext($1))`, [pool]);
      onHeld(client);
      await Promise.race([lost, stopped]);
    } catch {
      // The database is away: it is tried again.
    } finally {
      client?.release(true);
    }
    await sleep(holdAgainMs, undefined, { signal }).catch(() => undefined);
  }
};

const heldBy = query({
  name: 'worker.heldBy',
  why: 'reads a table of graphile-worker',
  sql: `select id::text from graphile_worker.jobs where locked_by = :pool and locked_at < now() - interval '${unseenFor}'`,
  parameters: { pool: text },
  row: { id: text.checked },
});

const unlockOf = query({
  name: 'worker.unlockOf',
  why: 'calls graphile-worker',
  sql: `select graphile_worker.force_unlock_workers(:pools::text[]) as done`,
  parameters: { pools: listOf(text) },
  row: { done: nothing },
});

/** Gives back the jobs that pools of workers held which are known to have ended. */
export const freeJobsOf = async (database: Database, pools: ReadonlySet<string>): Promise<void> => {
  if (pools.size > 0) await database.run(unlockOf, { pools: [...pools] });
};

/**
 * Gives back the jobs of a pool that lives, if it holds one that it does not run: what became of that could not be noted when
 * the database went away.
 */
export const freeForgottenJobs = async (
  database: Database,
  pool: string,
  running: ReadonlySet<string>,
): Promise<void> => {
  const forgotten = async (): Promise<string[]> =>
    (await database.run(heldBy, { pool })).map(({ id }) => id).filter((id) => !running.has(id));
  const first = new Set(await forgotten());
  if (first.size === 0) return;
  // A job that has just ended is noted a moment later.
  await sleep(notedWithinMs);
  const second = await forgotten();
  if (second.some((id) => first.has(id))) await freeJobsOf(database, new Set([pool]));
};

/** A lane's job that lost its key to a second one is not run again by the queue; its lane may have claimed something since. */
const reviveLanes = query({
  name: 'worker.reviveLanes',
  why: 'calls graphile-worker',
  sql: `select graphile_worker.reschedule_jobs(ids, run_at => now(), attempts => 0) is not null as done
     from (select array_agg(id) as ids from graphile_worker.jobs
            where task_identifier = any(:tasks::text[]) and key is null and locked_at is null and attempts >= max_attempts) as lost
    where ids is not null`,
  parameters: { tasks: listOf(text) },
  row: { done: bool.checked },
});

/**
 * Gives the jobs of pools that have ended to those at work: a process that was killed, or lost the database in the middle of a
 * job, leaves them locked, and the queue itself would wait four hours. A pool has ended if its connection is gone, or if it has held a
 * job for longer than any runs. A job may then run twice, which every task bears.
 */
export const freeAbandonedJobs = async (database: Database): Promise<void> => {
  await database.run(unlock, { longest: longestJob });
  await database.run(reviveLanes, { tasks: Object.values(laneTasks) });
};
