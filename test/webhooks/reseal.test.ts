import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { makeVault } from '../../src/core/crypto.ts';
import { makeId } from '../../src/core/ids.ts';
import { makeSecret, sealSecret, unsealSecret } from '../../src/deliveries/message.ts';
import { resealSecrets } from '../../src/modules/webhooks/cleanup.ts';
import { verifyWebhook } from '../../src/server/developers/examples/verify-webhook.mts';
import { aDispatcher, anEvent, aWorker } from '../support/worker.ts';
import { aReceiver } from '../support/receiver.ts';
import { startTestService, testSecret, type TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const inUse = 'a secret that came into use later';

const aService = async (environment: Record<string, string> = {}): Promise<TestService> => {
  const service = await startTestService({ environment });
  onTestFinished(() => service.close());
  return service;
};

/** The same service after `APP_SECRET` was changed. */
const under = (service: TestService, ...secrets: [string, ...string[]]): TestService => ({
  ...service,
  platform: { ...service.platform, vault: makeVault(secrets) },
});

const aLoggingWorker = (service: TestService) => {
  const lines: string[] = [];
  const log = pino({ level: 'info', base: null }, { write: (line) => void lines.push(line) });
  aWorker(service, { log });
  return (word: string): unknown[] =>
    lines.filter((line) => line.includes(word)).map((line): unknown => JSON.parse(line));
};

/** Endpoints of one team with own secrets, inserted directly, in random order. */
const endpoints = async (service: TestService, count: number): Promise<Map<string, string>> => {
  const { id: tenantId } = await aTeam(service);
  const secrets = new Map(Array.from({ length: count }, () => [makeId(), makeSecret()]));
  const { vault } = service.platform;
  await service.database.prisma.webhookEndpoint.createMany({
    data: [...secrets].map(([id, secret]) => ({
      tenantId,
      id,
      url: 'https://example.com/',
      events: ['crm.sync.failed'],
      apiVersion: '2026-11',
      secret: sealSecret(vault, id, secret),
      createdAt: new Date(),
    })),
  });
  return secrets;
};

const kept = async ({ database, platform }: TestService): Promise<Map<string, string>> => {
  const rows = await database.prisma.webhookEndpoint.findMany();
  return new Map(rows.map(({ id, secret }) => [id, unsealSecret(platform.vault, id, secret)]));
};

it('an endpoint whose secret was sealed with a removed secret gets events with valid signatures after resealing', async () => {
  const receiver = await aReceiver();
  const service = await aService({ WEBHOOK_ALLOW_TARGETS: `127.0.0.1:${receiver.port}` });
  const team = await aTeam(service);
  const wanted = { url: receiver.url, events: ['crm.sync.failed'] };
  const { secret } = (await team.client.post('/webhook-endpoints', wanted)).body;

  const logged = aLoggingWorker(under(service, inUse, testSecret));
  await expect.poll(() => logged('endpoint secrets')).toMatchObject([{ level: 30, resealed: 1 }]);

  await aDispatcher(under(service, inUse));
  await anEvent(service, team);
  const [request] = await receiver.untilReceived(1);
  const { body = '', headers = {} } = request ?? {};
  const event = verifyWebhook({ body, signature: String(headers['svc-signature']), secrets: String(secret) });
  expect(event).toMatchObject({ type: 'crm.sync.failed', tenant_id: team.id });
});

it('all endpoint secrets are sealed again, each once by any number of processes, and then none', async () => {
  const service = await aService();
  const secrets = new Map([...(await endpoints(service, 5)), ...(await endpoints(service, 6))]);
  const { platform } = under(service, inUse, testSecret);
  const done = await Promise.all([resealSecrets(platform), resealSecrets(platform)]);
  expect(done.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(secrets.size);
  expect(await kept(under(service, inUse))).toEqual(secrets);
  const before = await service.database.prisma.webhookEndpoint.findMany({ orderBy: { id: 'asc' } });
  expect(await resealSecrets(platform)).toEqual({ resealed: 0, left: 0, lost: 0, lostIds: [] });
  expect(await service.database.prisma.webhookEndpoint.findMany({ orderBy: { id: 'asc' } })).toEqual(before);
});

it('secrets that no configured secret opens are kept and counted, and the worker logs them', async () => {
  const service = await aService();
  const lost = await endpoints(under(service, 'a secret that nobody remembers'), 21);
  const others = await endpoints(service, 1);
  const rotated = under(service, inUse, testSecret);
  const logged = aLoggingWorker(rotated);
  await expect
    .poll(() => logged('endpoint secrets'))
    .toMatchObject([
      { level: 30, resealed: 1 },
      {
        level: 50,
        lost: 21,
        ids: expect.toSatisfy((ids: string[]) => ids.length === 20 && ids.every((id) => lost.has(id))),
      },
    ]);
  const remembered = under(service, inUse, testSecret, 'a secret that nobody remembers');
  expect(await kept(remembered)).toEqual(new Map([...lost, ...others]));
  expect(await resealSecrets(remembered.platform)).toMatchObject({ resealed: 21, lost: 0 });
  expect(await kept(under(service, inUse))).toEqual(new Map([...lost, ...others]));
});
