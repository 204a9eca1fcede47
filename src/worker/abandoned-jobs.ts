import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase, PoolClient } from 'pg';
import { lockNumbers } from '../db/advisory-lock.ts';
import { runIn } from '../db/database.ts';
import type { Database } from '../db/database.ts';
import { bool, float, listOf, nothing, query, text } from '../db/query.ts';
import type { QueuePool } from '../db/queue-pool.ts';
import { endClaimsOf } from '../webhooks/claim.ts';
import { laneTasks } from '../webhooks/feeder.ts';

/**
 * The age from which a job is freed if its pool has no lock. Younger ones are left: their pool may be about to take its lock, at its start or
 * after it lost the database.
 */
const unseenFor = '15 seconds';
/** How long the queue may take to record the end of a job. */
const notedWithinMs = 2_000;
/** No job takes longer, except for CRM syncs, which wait for CRMs: their runs have their own claims. */
const longestJob = '2 minutes';
const unboundedTask = 'crm_sync';

const heldByEnded = query({
  name: 'worker.heldByEnded',
  why: 'reads a table of graphile-worker, and tries locks',
  sql: `with holder as materialized (
     select locked_by as pool, min(locked_at) filter (where task_identifier <> '${unboundedTask}') as since,
            array_agg(id::text) as ids, array_agg(floor(extract(epoch from locked_at) * 1000)::float8) as starts
       from graphile_worker.jobs
      where locked_by is not null
      group by locked_by
     having min(locked_at) < now() - interval '${unseenFor}' or (hashtext(locked_by)::bigint & 4294967295)::text = any(:ended::text[])),
   tried as materialized (
     select *, since < now() - :longest::text::interval as overdue,
            pg_try_advisory_xact_lock(${lockNumbers.queuePool}, hashtext(pool)) as gone
       from holder)
   select pool, gone, ids, starts from tried where gone or overdue`,
  parameters: { longest: text, ended: listOf(text) },
  row: { pool: text.checked, gone: bool.checked, ids: listOf(text).checked, starts: listOf(float).checked },
});

const heldLocks = query({
  name: 'worker.heldLocks',
  why: 'reads the list of locks that PostgreSQL keeps',
  sql: `select distinct objid::text as lock from pg_locks
         where locktype = 'advisory' and classid = ${lockNumbers.queuePool} and granted
           and database = (select oid from pg_database where datname = current_database())`,
  parameters: {},
  row: { lock: text.checked },
});

/** Looks at which the lock of a pool is missing, one after the other. */
const endedAfterLooks = 3;

/**
 * Finds pools that have ended: each call looks at the locks of all pools and returns those that an earlier call saw and that are missing for
 * the third time. A pool that only lost its connection has its lock again by then, if calls are seconds apart. If the database can't be
 * reached, nothing that was seen before counts, because all pools lose their locks then.
 */
export const endedPools = (database: Database) => {
  /** How often each lock was missing since it was last seen. */
  const missed = new Map<string, number>();
  return async (): Promise<string[]> => {
    const rows = await database.run(heldLocks, {}).catch((error: unknown) => {
      missed.clear();
      throw error;
    });
    const held = new Set(rows.map(({ lock }) => lock));
    for (const lock of held) missed.set(lock, 0);
    for (const [lock, times] of missed) if (!held.has(lock)) missed.set(lock, times + 1);
    const ended = [...missed].flatMap(([lock, times]) => (times >= endedAfterLooks ? [lock] : []));
    for (const lock of ended) missed.delete(lock);
    return ended;
  };
};

/** The pause before a pool takes its lock again after it lost the connection, or while another process tries whether the lock is free. */
const holdAgainMs = 250;

/**
 * Marks a pool as alive until `signal`, by a lock on a separate connection. The connection on which the queue listens would not do: after
 * an outage of the database the queue may wait a minute before it listens again, and meanwhile other processes would free the jobs that
 * this pool runs. The lock is shared, so that a new connection can take it before PostgreSQL has noticed that the former one is lost.
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
      const { rows } = await client.query<{ isHeld: boolean }>(
        `select pg_try_advisory_lock_shared(${lockNumbers.queuePool}, hashtext($1)) as "isHeld"`,
        [pool],
      );
      if (rows[0]?.isHeld === true) {
        onHeld(client);
        await Promise.race([lost, stopped]);
      }
    } catch {
      // The database can't be reached. The next try follows.
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

/** Frees the jobs of pools that are known to have ended. */
export const freeJobsOf = async (database: Database, pools: ReadonlySet<string>): Promise<void> => {
  if (pools.size > 0) await database.run(unlockOf, { pools: [...pools] });
};

/** Frees jobs that a living pool holds but does not run, because their end could not be recorded while the database was unreachable. */
export const freeForgottenJobs = async (
  database: Database,
  pool: string,
  running: ReadonlySet<string>,
): Promise<void> => {
  const forgotten = async (): Promise<string[]> =>
    (await database.run(heldBy, { pool })).map(({ id }) => id).filter((id) => !running.has(id));
  const first = new Set(await forgotten());
  if (first.size === 0) return;
  // The end of a job is recorded a moment later.
  await sleep(notedWithinMs);
  const second = await forgotten();
  if (second.some((id) => first.has(id))) await freeJobsOf(database, new Set([pool]));
};

/** The queue does not run a lane's job again after it lost its key to a second job. Its lane may have claimed deliveries since. */
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
 * Frees the jobs of pools that have ended, so that others run them. A process that is killed or loses the database during a job leaves
 * its jobs locked, and the queue itself would wait four hours. A pool has ended if its connection is gone, or if it has held a job for
 * longer than any job runs. If `ended` contains the number of its lock, its jobs are freed at once, otherwise some seconds after it took
 * them. A job may then run twice, which every task tolerates. If the connection is gone, the claims of its lanes end too.
 */
export const freeAbandonedJobs = async (database: Database, ended: readonly string[] = []): Promise<void> => {
  await database.transaction(async (tx) => {
    const pools = await runIn(tx, heldByEnded, { longest: longestJob, ended });
    if (pools.length === 0) return;
    const runs = pools
      .filter(({ gone }) => gone)
      .flatMap(({ pool, ids, starts }) => ids.map((jobId, index) => ({ jobId, pool, since: starts[index] ?? 0 })));
    // Before the jobs are freed, so that the next run of a lane finds its deliveries.
    await endClaimsOf(tx, runs);
    await runIn(tx, unlockOf, { pools: pools.map(({ pool }) => pool) });
  });
  await database.run(reviveLanes, { tasks: Object.values(laneTasks) });
};
