import pino from 'pino';
import { onTestFinished } from 'vitest';
import { noopTelemetry } from '../../src/platform/telemetry/telemetry.ts';
import { openDeliverer } from '../../src/deliveries/deliver.ts';
import { startOtherJobs } from '../../src/worker/other-jobs.ts';
import type { QueueRunner } from '../../src/worker/queue-runner.ts';
import { localEgress } from './deliveries.ts';
import { eventually } from './eventually.ts';
import type { TestService } from './service.ts';

export const silentLog = pino({ level: 'silent' });

type WorkerParts = Parameters<typeof startOtherJobs>[0];

/** A worker for one test that runs all jobs except deliveries. Without `sendMail` it sends no mail. */
export const aWorker = ({ platform, databaseUrl }: TestService, parts: Partial<WorkerParts> = {}): QueueRunner => {
  const usual = { platform, databaseUrl, log: silentLog, sendMail: undefined, retentionDays: 30 };
  const worker = startOtherJobs({ ...usual, ...parts });
  onTestFinished(() => worker.stop());
  return worker;
};

type DelivererParts = Parameters<typeof openDeliverer>[0];

/** The jobs of deliveries as in a worker, without a queue that runs them. */
export const delivererWithoutQueue = async (
  service: TestService,
  {
    settings,
    telemetry = noopTelemetry(),
    log = silentLog,
    ...platform
  }: Pick<DelivererParts, 'settings'> & Partial<Pick<DelivererParts, 'telemetry' | 'log'> & DelivererParts['platform']>,
) => {
  const deliverer = openDeliverer({
    platform: { ...service.platform, egress: await localEgress(service), ...platform },
    log,
    telemetry,
    settings,
  });
  onTestFinished(() => deliverer.stop(0));
  return deliverer;
};

/**
 * Waits for what jobs do, and wakes the queues meanwhile: one that has just started, or whose job is due later, looks
 * for jobs only once a second.
 */
export const afterJobs = <T>({ database }: TestService, expectation: () => Promise<T> | T): Promise<T> =>
  eventually(async () => {
    await database.prisma.$executeRaw`select pg_notify('jobs:insert', '{"count":8}')`;
    return expectation();
  });
