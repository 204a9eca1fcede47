import pino from 'pino';
import { onTestFinished } from 'vitest';
import { noopTelemetry } from '../../src/telemetry/telemetry.ts';
import type { LaneRun } from '../../src/webhooks/claim.ts';
import { startFeeder } from '../../src/webhooks/feeder.ts';
import { openLanes } from '../../src/webhooks/lane.ts';
import { startWorker } from '../../src/worker/worker.ts';
import type { QueueRunner } from '../../src/worker/queue-runner.ts';
import { localEgress } from './deliveries.ts';
import type { TestService } from './service.ts';

export const silentLog = pino({ level: 'silent' });

/** A part of a queue's first statement. graphile-worker keeps its failure. */
export const firstStatement = '_private_tasks as tasks (identifier)';

type WorkerParts = Parameters<typeof startWorker>[0];

/** A worker for one test that runs all jobs except deliveries. Without `sendMail` it sends no mail. */
export const aWorker = ({ platform, databaseUrl }: TestService, parts: Partial<WorkerParts> = {}): QueueRunner => {
  const usual = { platform, databaseUrl, log: silentLog, sendMail: undefined, retentionDays: 30 };
  const worker = startWorker({ ...usual, ...parts });
  onTestFinished(() => worker.stop());
  return worker;
};

/** A run of the lane job with this id. */
export const aRun = (jobId: string): LaneRun => ({ jobId, pool: 'a pool', since: Date.now() });

type LaneParts = Parameters<typeof openLanes>[0];

/** Feeder and lanes as in a worker, without the runner of their jobs. */
export const lanesWithoutRunner = async (
  service: TestService,
  { database, settings }: { database: LaneParts['platform']['database']; settings: LaneParts['settings'] },
) => {
  const platform = { ...service.platform, database, egress: await localEgress(service) };
  const telemetry = noopTelemetry();
  const lanes = openLanes({ platform, log: silentLog, telemetry, settings });
  const feeder = startFeeder({ platform, log: silentLog, lanes });
  onTestFinished(async () => {
    await Promise.all([lanes.stop(), feeder.stop()]);
  });
  return lanes;
};
