import type { TaskList } from 'graphile-worker';
import { workerConnections } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import type { DatabasePart } from '../db/parts.ts';
import { isUnreachable } from '../db/unavailable.ts';
import { tendEndpoints, type EndpointId } from '../modules/webhooks/failing-endpoints.ts';
import type { Platform } from '../platform/team.ts';
import type { Telemetry } from '../platform/telemetry/telemetry.ts';
import { openDeliverer, type DeliverSettings } from '../deliveries/deliver.ts';
import { DeliverJob, deliverTasks, sweep } from '../deliveries/outbox.ts';
import { allFetching, repeatOnParts, startOnParts, startQueueRunner, type PartQueues } from './queue-runner.ts';

interface DeliveryParts {
  platform: Platform;
  databaseUrl: string;
  log: Logger;
  telemetry: Telemetry;
  settings: DeliverSettings;
}

/**
 * How many job slots each task has, as a multiple of the slots for attempts, of which throttled endpoints have half.
 * There are more job slots, because a job keeps its slot while its attempts wait and while its outcomes are written.
 */
const slotsPerAttempt = { usual: 2, throttled: 1 };
const minSlots = 8;
/**
 * New jobs are announced. The poll finds jobs that were added for a later time, so a retry may be late by this time.
 */
const pollIntervalMs = 1_000;
/**
 * A queue that has found few jobs looks again after 5 to 15 ms at the earliest, because another process fetches many of
 * the announced jobs.
 */
const refetchDelay = { durationMs: 10 };
/** Fetched jobs that got no free slot in this time go back to the queue, where another worker may run them. */
const localQueueTtlMs = 5_000;

/** How often lost jobs are added and endpoints are paused, so that this happens within seconds of their time. */
const repeatEveryMs = 5_000;
/**
 * How long a statement waits for a row that another transaction has locked. The wait delays the recording of other
 * results.
 */
const lockWaitMs = 250;
/** How long the outcomes of ended attempts may take to be recorded when the worker stops. */
const finishWithinMs = 15_000;

/**
 * Runs the deliveries of a worker: the jobs of the two tasks, the sweep, and the check of endpoints that fail for days.
 * When the worker stops, its running attempts end and are recorded.
 */
export const startDeliveries = ({
  platform: surroundings,
  databaseUrl,
  log,
  telemetry,
  settings,
}: DeliveryParts): PartQueues => {
  const stopping = new AbortController();
  // Connections that are only for deliveries, so that requests can't use them up.
  const options = { poolSize: workerConnections.deliveries, lockWaitMs, relaxed: true };
  const database = surroundings.database.openAnother(options);
  const platform = { ...surroundings, database };
  const deliverer = openDeliverer({ platform, log, telemetry, settings });

  const startRunner = (kind: keyof typeof deliverTasks) => {
    const slots = Math.max(minSlots, Math.ceil(settings.concurrency * slotsPerAttempt[kind]));
    const taskList: TaskList = {
      [deliverTasks[kind]]: (payload, { job }) => {
        const of = DeliverJob.parse(payload);
        return database.ofTeam(of.tenantId)(() => deliverer.run(of, job.id));
      },
    };
    return startOnParts(database, databaseUrl, (part) =>
      startQueueRunner({
        ...part,
        log,
        telemetry,
        relaxed: true,
        options: {
          concurrency: slots,
          pollInterval: pollIntervalMs,
          taskList,
          preset: {
            worker: {
              localQueue: { size: slots, ttl: localQueueTtlMs, refetchDelay },
              completeJobBatchDelay: 2,
              failJobBatchDelay: 2,
            },
          },
        },
      }),
    );
  };
  const runners = [startRunner('usual'), startRunner('throttled')];

  const repeat = (action: (parts: readonly DatabasePart[]) => Promise<void>, failure: string): Promise<void> =>
    repeatOnParts(database, { everyMs: repeatEveryMs, signal: stopping.signal }, (part) =>
      action([part]).catch((err: unknown) => {
        if (!isUnreachable(err)) log.error({ err }, failure);
      }),
    );

  const tend = async (parts: readonly DatabasePart[]): Promise<void> => {
    const complain = (err: unknown, { tenantId, id }: EndpointId) => {
      if (isUnreachable(err)) return;
      log.error(
        { err, tenant_id: tenantId, endpoint_id: id },
        'a failing endpoint could not be warned about or paused',
      );
    };
    for (const [change, count] of Object.entries(await tendEndpoints(platform, complain, parts))) {
      if (count > 0) telemetry.meter.endpoints.inc({ change }, count);
    }
  };
  const repeated = [
    repeat(
      async (parts) => telemetry.meter.lostJobs.inc(await sweep(platform, parts)),
      'lost jobs of deliveries could not be added',
    ),
    repeat(tend, 'failing endpoints could not be checked'),
  ];

  return {
    isFetching: () => allFetching(runners),
    async stop() {
      stopping.abort();
      deliverer.stop(finishWithinMs);
      try {
        await Promise.all([...runners.map((runner) => runner.stop()), ...repeated]);
      } finally {
        await database.close();
      }
    },
  };
};
