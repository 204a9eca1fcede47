import pino from 'pino';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { newId } from '../../src/core/ids.ts';
import { webhookLimits } from '../../src/core/limits.ts';
import type { Egress } from '../../src/egress/egress.ts';
import { openEgress } from '../../src/egress/open.ts';
import { holdTeam } from '../../src/modules/teams/service.ts';
import { raise } from '../../src/modules/webhooks/service.ts';
import { newSecret, sealSecret } from '../../src/modules/webhooks/secret.ts';
import { makeMeter } from '../../src/telemetry/meter.ts';
import type { ReadableMeter } from '../../src/telemetry/meter.ts';
import { noTraces } from '../../src/telemetry/traces.ts';
import { startDispatcher } from '../../src/worker/deliveries/dispatcher.ts';
import type { Dispatcher, DispatcherSettings } from '../../src/worker/deliveries/dispatcher.ts';
import { certificates } from './certificates.ts';
import type { TestService } from './service.ts';
import type { TestTeam } from './team.ts';

/** The way out to receivers on this machine, closed when the test is over. */
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

interface Wanted extends Partial<DispatcherSettings> {
  egress?: Egress;
  timeout?: number;
}

export type TestDispatcher = Dispatcher & { meter: ReadableMeter; complaints: () => string[] };

/** A dispatcher as a worker runs it, stopped when the test is over. */
export const aDispatcher = async (
  service: TestService,
  { egress, timeout, ...settings }: Wanted = {},
): Promise<TestDispatcher> => {
  const lines: string[] = [];
  const meter = makeMeter();
  const database = openDatabase(service.databaseUrl, { poolSize: 3, queue: true });
  onTestFinished(() => database.close());
  const dispatcher = startDispatcher({
    platform: {
      ...service.platform,
      database,
      egress: egress ?? (await localEgress(service, timeout === undefined ? {} : { timeout })),
    },
    log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
    telemetry: { meter, traces: noTraces },
    settings: { retrySeconds: webhookLimits.retrySeconds, concurrency: 64, perEndpoint: 8, ...settings },
  });
  onTestFinished(() => dispatcher.stop());
  return { ...dispatcher, meter, complaints: () => lines };
};

type Told = { id: string };

/** An active endpoint at a URL, with a real secret. */
export const anEndpointAt = async (
  { database, platform, clock }: TestService,
  team: Told,
  url: string,
): Promise<{ id: string; secret: string }> => {
  const id = newId();
  const secret = newSecret();
  await database.prisma.webhookEndpoint.create({
    data: {
      tenantId: team.id,
      id,
      url,
      events: ['crm.sync.failed'],
      apiVersion: '2026-11',
      secret: sealSecret(platform.vault, id, secret),
      createdAt: clock.now(),
    },
  });
  return { id, secret };
};

/** Raises an event that every endpoint of `anEndpointAt` wants. */
export const anEvent = async (service: TestService, team: TestTeam, count = 1): Promise<void> => {
  const acting = await team.acting();
  const data = { connection_id: newId(), provider: 'hubspot', reason: 'refused' };
  await service.database.transaction(async (tx) => {
    const held = await holdTeam(tx, acting);
    for (let made = 0; made < count; made += 1) await raise(tx, held, 'crm.sync.failed', { data, personal: {} });
  });
};

export const deliveriesTo = ({ database }: TestService, endpointId: string) =>
  database.prisma.webhookDelivery.findMany({ where: { endpointId }, orderBy: { id: 'asc' } });

export const attemptsTo = async ({ database }: TestService, endpointId: string) => {
  const deliveries = await database.prisma.webhookDelivery.findMany({ where: { endpointId }, select: { id: true } });
  return database.prisma.webhookAttempt.findMany({
    where: { deliveryId: { in: deliveries.map(({ id }) => id) } },
    orderBy: { id: 'asc' },
  });
};

export const endpointNow = ({ database }: TestService, team: Told, id: string) =>
  database.prisma.webhookEndpoint.findUniqueOrThrow({ where: { tenantId_id: { tenantId: team.id, id } } });

export const waitingFor = ({ database }: TestService, endpointId: string) =>
  database.prisma.webhookWaiting.findMany({ where: { endpointId } });
