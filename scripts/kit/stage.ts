// Deliveries from events that this process raises, for benches and tests: a PostgreSQL, a receiver, endpoints and their
// backlog.

import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/config.ts';
import { makeId } from '../../src/core/ids.ts';
import { isUnavailable } from '../../src/db/unavailable.ts';
import { apiVersion, makeSecret, publicEventId, sealSecret } from '../../src/deliveries/message.ts';
import { raise } from '../../src/deliveries/outbox.ts';
import { trainingCompleted } from '../../src/modules/trainings/events.ts';
import type { Platform, Team } from '../../src/platform/team.ts';
import { lockTeamShared } from '../../src/platform/team-row.ts';
import { openFoundation } from '../../src/run/foundation.ts';
import { openBenchDatabase, type BenchDatabase, type DatabaseOptions } from './database.ts';
import { startReceiver, type Conduct, type Receiver } from './receiver.ts';
import { pick } from './seed.ts';

/** A PostgreSQL, a receiver in its own process, and this process, which raises the events. */
export interface Stage extends AsyncDisposable {
  readonly database: BenchDatabase;
  readonly platform: Platform;
  readonly receiver: Receiver;
  /** The environment of a process that sends to the receiver. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a statement. */
  readonly run: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;
}

interface StageOptions extends DatabaseOptions {
  /** The number of the receiver's hosts, and the share of requests to faulty paths that fail. */
  hosts: number;
  failing?: number;
}

export const openStage = async ({ hosts, failing = 0, ...options }: StageOptions): Promise<Stage> => {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await openBenchDatabase(options));
  const receiver = opened.use(await startReceiver(database.folder, { hosts, failing }));
  const environment = {
    DATABASE_URL: database.url,
    APP_SECRET: 'a secret that only the bench knows',
    PUBLIC_URL: 'http://localhost:3000',
    ...receiver.environment,
  };
  const foundation = await openFoundation(readConfig({ ...environment, DATABASE_POOL: '10' }));
  opened.defer(() => foundation.close());
  const { platform } = foundation;
  const owned = opened.move();
  return {
    database,
    platform,
    receiver,
    environment,
    run: (text, values = []) => platform.database.prisma.$queryRawUnsafe<Record<string, unknown>[]>(text, ...values),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};

/** An endpoint, and the team whose events only this endpoint gets. */
export interface Told {
  team: Team;
  endpointId: string;
}

const insertTeams = `
  insert into team (id, name, plan, seats, rate_limit_per_min, created_at)
  select id, 'Bench', 'team', 10, 600, now() from unnest($1::uuid[]) as id`;

const insertEndpoints = `
  insert into webhook_endpoint (tenant_id, id, url, events, api_version, secret, created_at)
  select tenant_id, id, url, '{training.completed}', $5, secret, now()
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[]) as e (tenant_id, id, url, secret)`;

/**
 * Creates `count` endpoints, each in its own team or all in one team, at one or at all hosts of a receiver with this
 * behaviour.
 */
export const createEndpoints = async (
  { platform, receiver, run }: Stage,
  count: number,
  conduct: Conduct,
  { oneTeam = false, oneHost = false } = {},
): Promise<Told[]> => {
  const only = makeId();
  const made = Array.from({ length: count }, () => {
    const [tenantId, id] = [oneTeam ? only : makeId(), makeId()];
    const url = receiver.urlFor(conduct, id, oneHost ? 'one host' : 'hosts in turn');
    return { tenantId, id, url, secret: sealSecret(platform.vault, id, makeSecret()) };
  });
  const tenantIds = made.map(({ tenantId }) => tenantId);
  await run(insertTeams, [[...new Set(tenantIds)]]);
  await run(insertEndpoints, [
    tenantIds,
    made.map(({ id }) => id),
    made.map(({ url }) => url),
    made.map(({ secret }) => secret),
    apiVersion,
  ]);
  return made.map(({ tenantId, id }) => ({
    team: {
      id: tenantId,
      privacy: { memberDetail: true, leaderboard: true },
      actor: { kind: 'service' },
      rateLimitPerMin: 600,
      requestId: null,
      platform,
    },
    endpointId: id,
  }));
};

/** Deletes all events, endpoints, jobs and recorded arrivals. */
export const forgetEverything = async ({ run, receiver }: Stage): Promise<void> => {
  await run(
    'truncate webhook_event, webhook_delivery, webhook_attempt, webhook_waiting, webhook_endpoint_day, webhook_team_day',
  );
  await run('delete from webhook_endpoint');
  await run('delete from graphile_worker._private_jobs');
  await receiver.take();
};

const made = `
  made as materialized (
    select e.tenant_id, e.id as endpoint_id, uuidv7() as event_id, uuidv7() as delivery_id
      from generate_series(1, $2::int) as turn, webhook_endpoint e
     where e.id = any($1::uuid[])
     order by turn),
  event as (
    insert into webhook_event (tenant_id, id, type, data, created_at)
    select tenant_id, event_id, 'training.completed',
           jsonb_build_object('team_id', tenant_id, 'training_id', event_id, 'status', 'ended', 'source', 'app',
                              'assignment_id', null, 'finished_at', '2026-11-20T08:29:41.310Z', 'duration_s', 611,
                              'user_id', endpoint_id), now()
      from made),
  delivery as (
    insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, next_try_at, created_at)
    select tenant_id, delivery_id, endpoint_id, event_id, 'training.completed', now(), now() from made)`;

/** `worker`: for our worker. `jobs`: a plain job for each delivery. */
const inserts = {
  worker: `
    with ${made}
    insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at)
    select tenant_id, delivery_id, endpoint_id, now() from made`,
  jobs: `
    with ${made},
         job as (
           select row('deliver', json_build_object('tenantId', tenant_id, 'deliveryId', delivery_id),
                      null, null, null, null, null, null)::graphile_worker.job_spec as spec
             from made)
    select count(*) from graphile_worker.add_jobs((select array_agg(spec) from job))`,
};

/** Creates `each` deliveries per endpoint, each with its own event. */
export const createBacklog = async (
  { run }: Stage,
  told: readonly Told[],
  each: number,
  sender: keyof typeof inserts = 'worker',
): Promise<void> => {
  await run(inserts[sender], [told.map(({ endpointId }) => endpointId), each]);
  await run('vacuum analyze');
};

const retryAfterMs = 100;

/**
 * Raises an event like the end of a training, and retries while the database is unavailable. Returns a time before the
 * commit, so that the measured latency is never too short.
 */
const raiseOne = async (team: Team, trainingId: string): Promise<number> => {
  const data = {
    training_id: trainingId,
    status: 'ended',
    source: 'app',
    assignment_id: null,
    finished_at: new Date().toISOString(),
    duration_s: 611,
  } as const;
  try {
    return await team.platform.database.transaction(async (tx) => {
      const locked = await lockTeamShared(tx, team);
      raise(tx, locked, trainingCompleted, { data, personal: { user_id: trainingId } });
      return Date.now();
    });
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    await sleep(retryAfterMs);
    return raiseOne(team, trainingId);
  }
};

interface Pace {
  count: number;
  perSecond: number;
  /** The endpoints whose teams raise events in turn. */
  told: readonly Told[];
  /** Called after each commit with the number of commits so far. Other events are raised meanwhile. */
  onCommit?: (count: number) => Promise<void>;
}

/**
 * More transactions at once would only wait for connections, or fail at the database's limit and slow the others with
 * their retries.
 */
const maxAtOnce = 100;

/**
 * Raises `perSecond` events per second. Each starts at its time or, if too many transactions are open then, after the
 * next commit. Returns the commit time of each event by its training id, in milliseconds since 1970.
 */
export const raiseSteadily = async ({ count, perSecond, told, onCommit = async () => {} }: Pace) => {
  const raised = new Map<string, number>();
  const begin = performance.now();
  let begun = 0;
  const raiseSome = async (): Promise<void> => {
    while (begun < count) {
      const index = begun;
      begun += 1;
      await sleep(Math.max(0, begin + (index * 1000) / perSecond - performance.now()));
      const trainingId = makeId();
      raised.set(trainingId, await raiseOne(pick(told, index).team, trainingId));
      await onCommit(raised.size);
    }
  };
  await Promise.all(Array.from({ length: maxAtOnce }, raiseSome));
  return raised;
};

const arrivalTimeoutMs = 60_000;

/** Raises events and returns, for each one, the milliseconds from its commit to its receipt. */
export const timeDeliveries = async (
  { run, receiver }: Stage,
  told: readonly Told[],
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<number[]> => {
  await receiver.take();
  const count = perSecond * seconds;
  const raised = await raiseSteadily({ count, perSecond, told });
  await receiver.untilArrived(count, arrivalTimeoutMs);
  const { arrivals } = await receiver.take();
  const receipts = new Map(arrivals.map(({ event, at }) => [event, at]));
  const rows = await run(`select id, data::json ->> 'training_id' as training from webhook_event`);
  return rows.flatMap(({ id, training }) => {
    const committed = raised.get(String(training));
    return committed === undefined ? [] : [(receipts.get(publicEventId(String(id))) ?? NaN) - committed];
  });
};
