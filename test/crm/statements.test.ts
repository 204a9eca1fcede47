import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { daysToMs, later, secondsToMs } from '../../src/core/clock.ts';
import { certificates } from '../support/certificates.ts';
import { aFeed, aFeedConnection, aSync, localFeeds, page } from '../support/feed.ts';
import { openWire } from '../support/wire.ts';
import type { Wire } from '../support/wire.ts';
import { createDatabase } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { syncConnection, connect } from '../../src/modules/crm/service.ts';
import { startReceiver } from '../support/receiver.ts';
import { FakeHubSpot } from './providers/fake-hubspot.ts';
import { FakePipedrive } from './providers/fake-pipedrive.ts';

let service: TestService;
let wire: Wire;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await createDatabase();
  drop = () => database.drop();
  wire = await openWire(database.url);
  service = await startTestService({
    databaseUrl: wire.url,
    environment: localFeeds((await certificates()).caFile()),
  });
});
afterAll(async () => {
  await service.close();
  await wire.close();
  await drop();
});

const countOf = async (sync: () => Promise<unknown>): Promise<number> => {
  wire.takeRoundTrips();
  await sync();
  return wire.takeRoundTrips().flat().length;
};

it('a run in which nothing has changed costs fewer than 20 statements, a full one fewer than 25', async () => {
  const team = await aTeam(service);
  const deals = Array.from({ length: 100 }, (_, index) => ({ id: `D${index}`, outcome: 'open' }));
  const feed = await aFeed([{ deals }]);
  const id = await aFeedConnection(team, feed);
  await aSync(service, team, id);
  feed.answerWith(() => page({}));
  const where = { tenantId_id: { tenantId: team.id, id } };
  const runsBefore = await service.database.prisma.crmRun.count({ where: { connectionId: id } });
  await service.database.prisma.crmConnection.update({ where, data: { nextSyncAt: service.clock.now() } });
  const place = { tenantId: team.id, connectionId: id };
  const { signal } = new AbortController();
  expect(await countOf(() => syncConnection(service.platform, place, { signal }))).toBeLessThan(20);
  expect(await service.database.prisma.crmRun.count({ where: { connectionId: id, outcome: 'ok' } })).toBe(
    runsBefore + 1,
  );

  feed.answerWith(() => page({ deals }));
  await service.database.prisma.crmConnection.update({
    where,
    data: { nextSyncAt: service.clock.now(), lastFullAt: null },
  });
  expect(await countOf(() => syncConnection(service.platform, place, { signal }))).toBeLessThan(25);
  const last = await service.database.prisma.crmRun.findFirst({ where: { connectionId: id }, orderBy: { id: 'desc' } });
  expect(last).toMatchObject({ kind: 'full', outcome: 'ok', deals: 100, deleted: 0 });
});

const aHubSpot = (before: Date) => {
  const crm = new FakeHubSpot();
  for (let number = 1; number <= 50; number += 1) crm.addDeal(String(number), {}, before);
  for (let number = 100; number < 1_100; number += 1)
    crm.addDeal(String(number), {}, before).archivedAt = later(before, -daysToMs(10));
  return crm;
};

const aPipedrive = (before: Date) => {
  const crm = new FakePipedrive();
  for (let number = 1; number <= 50; number += 1) crm.addDeal(number, {}, before);
  for (let number = 1; number <= 500; number += 1) crm.addNote(number, 1, 'A note', before);
  return crm;
};

it.each([
  ['hubspot', 'with 1,000 deals that were archived long ago', aHubSpot],
  ['pipedrive', 'with 500 notes', aPipedrive],
] as const)('so does one of %s %s', async (provider, _what, open) => {
  const team = await aTeam(service);
  const { token, answer } = open(later(service.clock.now(), -secondsToMs(7_200)));
  const server = await startReceiver({ answer });
  onTestFinished(() => server.close());
  const settings = { objectionProperty: null, notePrefix: 'Einwand', objectionCategory: 'other', objectionLang: 'de' };
  const wanted = { provider, url: server.url, token, settings };
  const { connection_id: connectionId } = await connect(await team.acting(), wanted, { tries: false });
  const place = { tenantId: team.id, connectionId };
  const { signal } = new AbortController();
  await syncConnection(service.platform, place, { signal });
  service.clock.forward(secondsToMs(1_200));
  expect(await countOf(() => syncConnection(service.platform, place, { signal }))).toBeLessThan(20);
  expect(
    await service.database.prisma.crmRun.findMany({ where: { connectionId }, orderBy: { id: 'asc' } }),
  ).toMatchObject([
    { kind: 'full', outcome: 'ok', deals: 50 },
    { kind: 'incremental', outcome: 'ok', deals: 0 },
  ]);
});
