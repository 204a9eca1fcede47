import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { expect, onTestFinished, vi } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { webhookLimits } from '../../src/core/limits.ts';
import { openEgress, type Egress } from '../../src/egress/egress.ts';
import { lockTeamShared } from '../../src/platform/team-row.ts';
import { raise } from '../../src/deliveries/outbox.ts';
import { crmSyncFailed } from '../../src/modules/crm/events.ts';
import { makeSecret, sealSecret } from '../../src/deliveries/message.ts';
import { makeMeter, type Meter } from '../../src/platform/telemetry/meter.ts';
import { noTraces, noopTelemetry } from '../../src/platform/telemetry/telemetry.ts';
import { claim, type ClaimedDelivery } from '../../src/deliveries/claim.ts';
import { type DeliverSettings, openDeliverer } from '../../src/deliveries/deliver.ts';
import { startDeliveries } from '../../src/worker/deliveries.ts';
import type { PartQueues } from '../../src/worker/queue-runner.ts';
import { startOtherJobs } from '../../src/worker/other-jobs.ts';
import { certificates } from './certificates.ts';
import { patience } from './patience.ts';
import { aReceiver, type AnswerProgress } from './receiver.ts';
import { onEachNode } from './postgres.ts';
import type { TestService } from './service.ts';
import type { TestTeam } from './team.ts';
import { endpointRow } from './webhooks.ts';

// A worker: its deliveries to receivers on this machine, and all its other jobs.

/** An egress that may connect to receivers on this machine; closed at the end of the test. */
export const localEgress = async ({ platform }: TestService, settings: { timeout?: number } = {}): Promise<Egress> => {
  const egress = openEgress({
    clock: platform.clock,
    publicUrl: platform.publicUrl,
    allowTargets: ['127.0.0.0/8'],
    extraCa: (await certificates()).ca,
    ...settings,
  });
  onTestFinished(() => egress.close());
  return egress;
};

interface Wanted extends Partial<DeliverSettings> {
  retrySeconds?: readonly number[];
  egress?: Egress;
  timeout?: number;
}

export type TestDispatcher = PartQueues & { meter: Meter; complaints: () => string[] };

/**
 * graphile-worker uses the database's clock. So when a test moves its clock, the due times of the jobs move by the same
 * amount.
 */
const letJobsFollow = (service: TestService): (() => Promise<void>) => {
  const ahead = () => service.clock.now().getTime() - Date.now();
  let followed = ahead();
  const follow = async (): Promise<void> => {
    const moved = ahead() - followed;
    if (Math.abs(moved) < 10) return;
    followed += moved;
    await onEachNode(
      service.database,
      async () => service.database.prisma.$executeRaw`
        update graphile_worker._private_jobs set run_at = run_at - ${moved} * interval '1 millisecond'
         where key like 'deliver:%' and locked_at is null`,
    );
  };
  const over = new AbortController();
  const following = (async () => {
    while (!over.signal.aborted) {
      await follow();
      await sleep(50, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  return () => {
    over.abort();
    return following;
  };
};

/** The deliveries of a worker, stopped at the end of the test. */
export const aDispatcher = async (
  service: TestService,
  { retrySeconds = webhookLimits.retrySeconds, egress, timeout, ...settings }: Wanted = {},
): Promise<TestDispatcher> => {
  const lines: string[] = [];
  const meter = makeMeter();
  onTestFinished(letJobsFollow(service));
  const deliveries = startDeliveries({
    platform: {
      ...service.platform,
      egress: egress ?? (await localEgress(service, timeout === undefined ? {} : { timeout })),
      deliverySchedule: { ...service.platform.deliverySchedule, retrySeconds },
    },
    databaseUrl: service.databaseUrl,
    log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
    telemetry: { meter, traces: noTraces },
    settings: { concurrency: 64, perEndpoint: 8, ...settings },
  });
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= deliveries.stop());
  onTestFinished(stop);
  return { ...deliveries, stop, meter, complaints: () => lines };
};

/** Removes all waiting deliveries, endpoints and jobs that earlier tests left. */
export const forgetDeliveries = async ({ database }: TestService): Promise<void> => {
  const { prisma } = database;
  await prisma.webhookWaiting.deleteMany();
  await prisma.webhookEndpoint.updateMany({ where: { status: { not: 'disabled' } }, data: { status: 'disabled' } });
  await onEachNode(database, async () => prisma.$executeRaw`delete from graphile_worker._private_jobs`);
};

/** Claims the due deliveries of every endpoint with waiting ones, as jobs with this limit would. */
export const claimDue = async (
  { platform, database }: TestService,
  { perEndpoint = 1_000 }: { perEndpoint?: number } = {},
): Promise<ClaimedDelivery[]> => {
  const endpoints = await database.prisma.webhookWaiting.findMany({
    distinct: ['endpointId'],
    select: { tenantId: true, endpointId: true },
  });
  const claims = await Promise.all(
    endpoints.map((endpoint) => claim(platform, { ...endpoint, claimId: makeId(), perEndpoint })),
  );
  return claims.flatMap(({ claimed }) => claimed);
};

/** Identifies a team. */
type TeamId = { id: string };

/** An active endpoint at a URL, with a real secret. */
export const anEndpointAt = async (
  service: TestService,
  team: TeamId,
  url: string,
): Promise<{ id: string; secret: string }> => {
  const row = endpointRow(service, team, { events: ['crm.sync.failed'] });
  const secret = makeSecret();
  const sealed = sealSecret(service.platform.vault, row.id, secret);
  await service.database.prisma.webhookEndpoint.create({ data: { ...row, url, secret: sealed } });
  return { id: row.id, secret };
};

/**
 * A receiver with an endpoint for it, open until the end of the test. With `alone`, all other endpoints are disabled
 * and their waiting deliveries removed.
 */
export const aReceivingEndpoint = async (
  service: TestService,
  team: TeamId,
  { answer, alone = false }: { answer?: AnswerProgress | undefined; alone?: boolean } = {},
) => {
  if (alone) {
    await service.database.prisma.webhookEndpoint.updateMany({ data: { status: 'disabled' } });
    await service.database.prisma.webhookWaiting.deleteMany();
  }
  const receiver = await aReceiver(answer && { answer });
  return { receiver, ...(await anEndpointAt(service, team, `${receiver.url}/hooks`)) };
};

/** Raises events to which every endpoint of `anEndpointAt` is subscribed. */
export const anEvent = async (service: TestService, team: TestTeam, count = 1): Promise<void> => {
  const acting = await team.acting();
  const data = { connection_id: makeId(), provider: 'hubspot', reason: 'refused' };
  await service.database.transaction(async (tx) => {
    const held = await lockTeamShared(tx, acting);
    for (let made = 0; made < count; made += 1) raise(tx, held, crmSyncFailed, { data, personal: {} });
  });
};

export const deliveriesTo = ({ database }: TestService, endpointId: string) =>
  database.prisma.webhookDelivery.findMany({ where: { endpointId }, orderBy: { id: 'asc' } });

export const statusesOf = async (service: TestService, endpointId: string): Promise<string[]> =>
  (await deliveriesTo(service, endpointId)).map(({ status }) => status);

/** Waits until the endpoint has `count` deliveries, all with this status. */
export const untilAllAre = (service: TestService, status: string, endpointId: string, count: number): Promise<void> =>
  expect.poll(() => statusesOf(service, endpointId)).toEqual(Array(count).fill(status));

export const attemptsTo = async ({ database }: TestService, endpointId: string) => {
  const deliveries = await database.prisma.webhookDelivery.findMany({ where: { endpointId }, select: { id: true } });
  return database.prisma.webhookAttempt.findMany({
    where: { deliveryId: { in: deliveries.map(({ id }) => id) } },
    orderBy: { id: 'asc' },
  });
};

export const endpointNow = ({ database }: TestService, team: TeamId, id: string) =>
  database.prisma.webhookEndpoint.findUniqueOrThrow({ where: { tenantId_id: { tenantId: team.id, id } } });

export const silentLog = pino({ level: 'silent' });

type WorkerParts = Parameters<typeof startOtherJobs>[0];

/** A worker for one test that runs all jobs except deliveries. Without `sendMail` it sends no mail. */
export const aWorker = ({ platform, databaseUrl }: TestService, parts: Partial<WorkerParts> = {}): PartQueues => {
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
  vi.waitFor(async () => {
    await database.prisma.$executeRaw`select pg_notify('jobs:insert', '{"count":8}')`;
    return expectation();
  }, patience);
