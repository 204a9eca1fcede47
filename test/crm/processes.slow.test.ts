import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { disconnect } from '../../src/modules/crm/service.ts';
import { failureIn, makeCli, makeCliOfProcesses } from '../cli/cli.ts';
import { startServiceProcess, startObserved } from '../support/production-service.ts';
import { certificates } from '../support/certificates.ts';
import { aFeed, aFeedConnection, asked, page } from '../support/crm.ts';
import { localFeeds } from '../support/receiver.ts';
import { testSecret, useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const environment = localFeeds((await certificates()).caFile());
const service = await useTestService({ environment });

const aWorker = () => startObserved(service.databaseUrl, 'worker', environment);

const runsOf = (team: TestTeam) =>
  service.database.prisma.crmRun.findMany({ where: { tenantId: team.id }, orderBy: { id: 'asc' } });
const failuresOf = (team: TestTeam) =>
  service.database.prisma.webhookEvent.count({ where: { tenantId: team.id, type: 'crm.sync.failed' } });
const idsOf = async ({ id: tenantId }: TestTeam) => {
  const deals = await service.database.prisma.crmDeal.findMany({ where: { tenantId }, orderBy: { externalId: 'asc' } });
  return deals.map(({ externalId }) => externalId);
};

const minute = { timeout: 60_000, interval: 100 };

describe('a worker', () => {
  it('syncs a connection soon after it is made, and deletes the rows of one that is disconnected', async () => {
    const team = await aTeam(service);
    await aWorker();
    const id = await aFeedConnection(team, await aFeed([{ deals: [{ id: 'a', outcome: 'open' }] }]));
    await expect.poll(() => runsOf(team)).toMatchObject([{ outcome: 'ok', onDemand: false }]);
    expect(await idsOf(team)).toEqual(['a']);
    await disconnect(await team.acting(), id);
    const where = { where: { tenantId: team.id } };
    const { prisma } = service.database;
    await expect
      .poll(async () => [
        await prisma.crmDeal.count(where),
        await prisma.crmRun.count(where),
        await prisma.crmConnection.count(where),
      ])
      .toEqual([0, 0, 0]);
  });

  it('that is killed in a run leaves it to another one, which continues at the page within a minute', async () => {
    const team = await aTeam(service);
    let hangs = true;
    const feed = await aFeed((request) => {
      const at = Number(asked(request).cursor ?? 0);
      if (at === 2 && hangs) return 'hang';
      const deals = [{ id: `D${at}`, outcome: 'open' }];
      return page({ deals, next_cursor: at < 3 ? String(at + 1) : null });
    });
    const { databaseUrl } = service;
    const first = await startServiceProcess({ databaseUrl, role: 'worker', environment });
    await aFeedConnection(team, feed);
    await feed.untilReceived((received) => received.some((request) => asked(request).cursor === '2'));
    first.child.kill('SIGKILL');
    hangs = false;
    const killed = Date.now();
    await aWorker();
    const [run] = await runsOf(team);
    expect(run).toMatchObject({ outcome: null });
    const claimedFor = Number(run?.claimedUntil) - killed;
    expect(claimedFor).toBeGreaterThan(0);
    expect(claimedFor).toBeLessThan(60_000);
    // Instead of waiting for this time.
    const { crmRun } = service.database.prisma;
    await crmRun.updateMany({ where: { tenantId: team.id }, data: { claimedUntil: new Date() } });
    await expect.poll(() => runsOf(team)).toMatchObject([{ outcome: 'ok' }]);
    expect(feed.received.map((request) => asked(request).cursor)).toEqual([null, '1', '2', '2', '3']);
    expect(await idsOf(team)).toEqual(['D0', 'D1', 'D2', 'D3']);
    expect(await runsOf(team)).toMatchObject([{ pages: 4, deals: 4 }]);
    expect(await failuresOf(team)).toBe(0);
  });

  it('that stops gives its run back at once', async () => {
    const team = await aTeam(service);
    let hangs = true;
    const feed = await aFeed((request) => {
      if (asked(request).cursor === null) return page({ deals: [{ id: 'a', outcome: 'open' }], next_cursor: '1' });
      return hangs ? 'hang' : page({ deals: [{ id: 'b', outcome: 'open' }] });
    });
    const first = await aWorker();
    await aFeedConnection(team, feed);
    await feed.untilReceived(2);
    await first.stop();
    const [run] = await runsOf(team);
    expect(run).toMatchObject({ outcome: null, pages: 1, claimId: null });
    hangs = false;
    await aWorker();
    await expect.poll(() => runsOf(team)).toMatchObject([{ outcome: 'ok', pages: 2, deals: 2 }]);
    expect(await failuresOf(team)).toBe(0);
  });

  it('never syncs a connection at the same time as another one, and a failure raises one event', async () => {
    const team = await aTeam(service);
    let [atOnce, max, fails] = [0, 0, false];
    const feed = await aFeed(async () => {
      atOnce += 1;
      max = Math.max(max, atOnce);
      await new Promise((resolve) => setTimeout(resolve, 50));
      atOnce -= 1;
      return fails ? { status: 404 } : page({ deals: [{ id: 'a', outcome: 'open' }] });
    });
    await Promise.all([aWorker(), aWorker()]);
    const id = await aFeedConnection(team, feed);
    const where = { tenantId_id: { tenantId: team.id, id } };
    await service.database.prisma.crmConnection.update({ where, data: { intervalSeconds: 1 } });
    await expect.poll(async () => (await runsOf(team)).length, minute).toBeGreaterThanOrEqual(3);
    fails = true;
    await expect.poll(() => failuresOf(team), minute).toBeGreaterThanOrEqual(1);
    await service.database.prisma.crmConnection.update({ where, data: { nextSyncAt: null, status: 'paused' } });
    await expect.poll(async () => (await runsOf(team)).every(({ endedAt }) => endedAt !== null)).toBe(true);
    expect(max).toBe(1);
    const ended = await runsOf(team);
    expect(await failuresOf(team)).toBe(ended.filter(({ outcome }) => outcome === 'failed').length);
    for (const [index, { startedAt }] of ended.slice(1).entries())
      expect(Number(startedAt)).toBeGreaterThanOrEqual(Number(ended[index]?.endedAt));
  });
});

describe('a sync by the CLI', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'that %s ends is given back, and the next one continues at its page',
    async (name) => {
      const feed = await aFeed((request) =>
        asked(request).cursor === null ? page({ deals: [{ id: 'a', outcome: 'open' }], next_cursor: '1' }) : 'hang',
      );
      const team = await aTeam(service);
      const id = await aFeedConnection(team, feed);
      const variables = { DATABASE_URL: service.databaseUrl, APP_SECRET: testSecret, ...environment };
      const { child, ended } = makeCliOfProcesses(variables).start(['crm', 'sync', '--connection', id, '--json']);
      await feed.untilReceived(2);
      child.kill(name);
      const failed = failureIn(await ended);
      expect(failed).toMatchObject({ exitCode: 1, message: expect.stringContaining(`interrupted by ${name}`) });
      expect(await runsOf(team)).toMatchObject([{ outcome: null, cursor: '1', pages: 1, deals: 1, claimId: null }]);
      feed.answerWith(() => page({ deals: [{ id: 'b', outcome: 'open' }] }));
      const synced = await makeCli(variables).json(z.looseObject({}), ['crm', 'sync', '--connection', id]);
      expect(synced).toEqual({ outcome: 'ok', deals: 2, objections: 0, reason: null });
      expect(await runsOf(team)).toMatchObject([{ outcome: 'ok', pages: 2 }]);
      expect(feed.received.map((request) => asked(request).cursor)).toEqual([null, '1', '1']);
    },
  );
});
