import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskList } from 'graphile-worker';
import { workerConnections } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import type { ClientBase } from 'pg';
import { openDatabase } from '../db/database.ts';
import type { Database } from '../db/database.ts';
import { isUnavailable } from '../db/unavailable.ts';
import { tendEndpoints } from '../modules/webhooks/silence.ts';
import type { Platform } from '../platform/team.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { LaneJob, laneTasks, startFeeder } from '../webhooks/feeder.ts';
import { openLanes } from '../webhooks/lane.ts';
import type { Lanes, LaneSettings } from '../webhooks/lane.ts';
import { wakeUpChannel, wakeUpOf } from '../webhooks/wake-up.ts';
import { observed, startQueueRunner } from './queue-runner.ts';
import type { QueueRunner } from './queue-runner.ts';

export interface DeliverySettings extends LaneSettings {
  /** Seconds that an endpoint may go without a success before it is paused. */
  pauseAfter: number;
}

interface DeliveryParts {
  platform: Platform;
  databaseUrl: string;
  log: Logger;
  telemetry: Telemetry;
  settings: DeliverySettings;
}

export interface Deliveries {
  /** Whether the queues of both kinds of lanes fetch jobs. */
  isFetching(): boolean;
  /** Claims nothing more, and resolves when the running attempts have ended and are recorded. */
  stop(): Promise<void>;
}

/** Endpoints are paused within seconds of their time. */
const tendEvery = 5_000;
/** A longer wait for an endpoint's lock would delay the recording of other results. */
const lockWait = 250;

/**
 * Running lanes per attempt that a worker makes at once: a lane that waits for places or for its results to be recorded delays no other
 * lane's attempts. Throttled lanes have separate slots.
 */
const slotsPerAttempt = { usual: 2, throttled: 1 };
const leastSlots = 8;
const pollInterval = 250;
/** Fetched jobs without a free slot go back to the queue, where another worker may run them. */
const localQueueTtl = 5_000;
/** A queue that found no job looks again after 5 to 15 ms at the earliest: announced jobs are often those that another process has fetched. */
const refetchDelay = { durationMs: 10 };

interface LaneRunnerParts {
  kind: keyof typeof laneTasks;
  lanes: Lanes;
  database: Database;
  databaseUrl: string;
  log: Logger;
  telemetry: Telemetry;
  concurrency: number;
  onConnection?: (client: ClientBase) => void;
}

/** Runs the jobs of lanes, which send all deliveries. */
export const startLaneRunner = ({ kind, lanes, concurrency, telemetry, ...parts }: LaneRunnerParts): QueueRunner => {
  const slots = Math.max(leastSlots, concurrency * slotsPerAttempt[kind]);
  const taskList: TaskList = {
    [laneTasks[kind]]: (payload, { job: { id, locked_by: pool, locked_at: since } }) =>
      lanes.run(LaneJob.parse(payload), { jobId: id, pool: pool ?? '', since: since?.getTime() ?? 0 }),
  };
  const localQueue = { size: slots, ttl: localQueueTtl, refetchDelay };
  return startQueueRunner({
    ...parts,
    relaxed: true,
    calm: kind === 'throttled',
    options: {
      concurrency: slots,
      pollInterval,
      taskList: observed(taskList, telemetry),
      preset: { worker: { localQueue, completeJobBatchDelay: 2, failJobBatchDelay: 2 } },
    },
  });
};

/** Runs the deliveries of a worker: the feeder, the lanes and their two queue runners, and the check of endpoints that fail for days. */
export const startDeliveries = ({
  platform: surroundings,
  databaseUrl,
  log,
  telemetry,
  settings,
}: DeliveryParts): Deliveries => {
  const stopping = new AbortController();
  // Connections that are only for deliveries, so that requests can't use them up: to claim, to write outcomes, to feed, to schedule and to
  // maintain.
  const database = openDatabase(databaseUrl, { poolSize: workerConnections.deliveries, lockWait, queue: true });
  const platform = { ...surroundings, database };

  const lanes = openLanes({ platform, log, telemetry, settings });
  const feeder = startFeeder({ platform, log, lanes });
  const unlisten = wakeUpOf(surroundings.database).listen(() => feeder.wake());

  const listen = (client: ClientBase) => {
    client.on('notification', ({ channel }) => {
      if (channel === wakeUpChannel) feeder.wake();
    });
    client
      .query(`listen ${wakeUpChannel}`)
      .catch((err: unknown) => log.debug({ err }, 'the feeder is not woken; it looks by itself'));
  };
  const parts = { lanes, database, databaseUrl, log, telemetry, concurrency: settings.concurrency };
  const runners = [
    startLaneRunner({ ...parts, kind: 'usual', onConnection: listen }),
    startLaneRunner({ ...parts, kind: 'throttled' }),
  ];

  const tend = async () => {
    while (!stopping.signal.aborted) {
      try {
        const complain = (err: unknown, endpointId: string) => {
          if (!isUnavailable(err)) log.error({ err, endpointId }, 'an endpoint could not be looked after');
        };
        const { warned, paused } = await tendEndpoints(platform, { ...settings, complain });
        if (warned > 0) telemetry.meter.silent('warned', warned);
        if (paused > 0) telemetry.meter.silent('paused', paused);
      } catch (err) {
        if (!isUnavailable(err)) log.error({ err }, 'looking after silent endpoints failed');
      }
      await sleep(tendEvery, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const tending = tend();

  return {
    isFetching: () => runners.every((runner) => runner.isFetching()),
    async stop() {
      stopping.abort();
      unlisten();
      await Promise.all([...runners.map((runner) => runner.stop()), lanes.stop(), feeder.stop(), tending]);
      await database.close();
    },
  };
};
