import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seconds } from '../../src/core/clock.ts';
import { crmLimits } from '../../src/core/limits.ts';
import { takeRun, workOn } from '../../src/modules/crm/run.ts';
import {
  addDueSyncs,
  changeConnection,
  disconnect,
  pauseConnection,
  resealTokens,
  syncConnection,
} from '../../src/modules/crm/service.ts';
import { found } from '../../src/modules/crm/store.ts';
import { certificates } from '../support/certificates.ts';
import { aFeed, aFeedConnection, asked, aSync, localFeeds, page, quick } from '../support/feed.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import type { TestTeam } from '../support/team.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ environment: localFeeds((await certificates()).caFile()) });
});
afterAll(() => service.close());

const { signal } = new AbortController();
const options = { signal, patience: quick };
const runsOf = (team: TestTeam) =>
  service.database.prisma.crmRun.findMany({ where: { tenantId: team.id }, orderBy: { id: 'asc' } });
const connectionOf = (team: TestTeam, id: string) =>
  service.database.prisma.crmConnection.findUniqueOrThrow({ where: { tenantId_id: { tenantId: team.id, id } } });
const failuresOf = (team: TestTeam) =>
  service.database.prisma.webhookEvent.count({ where: { tenantId: team.id, type: 'crm.sync.failed' } });
const dealsOf = (team: TestTeam) => service.database.prisma.crmDeal.count({ where: { tenantId: team.id } });
const named = (...ids: string[]) => ids.map((id) => ({ id, outcome: 'open' }));

const aPlace = async (answer: Parameters<typeof aFeed>[0]) => {
  const team = await aTeam(service);
  const feed = await aFeed(answer);
  const connectionId = await aFeedConnection(team, feed);
  return { team, feed, connectionId, place: { tenantId: team.id, connectionId } };
};

const taken = async (place: { tenantId: string; connectionId: string }, requested = true) => {
  const answer = await takeRun(service.platform, place, { requested });
  if (answer.state !== 'taken') throw new Error(answer.state);
  return answer.run;
};

describe('a run', () => {
  it('is taken once, by however many workers at the same time', async () => {
    const { place } = await aPlace([{}]);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => takeRun(service.platform, place, { requested: true })),
    );
    expect(answers.map(({ state }) => state).toSorted()).toEqual(['busy', 'busy', 'busy', 'busy', 'busy', 'taken']);
  });

  it('whose claim is over goes to another worker, at its page; the former one writes nothing any more', async () => {
    const { team, feed, place } = await aPlace(() => page({}));
    const former = await taken(place);
    const released = Promise.withResolvers<void>();
    feed.answerWith(async (request) => {
      const { cursor } = asked(request);
      if (cursor === null) return page({ deals: named('a'), next_cursor: '1' });
      if (feed.received.length > 2) return page({ deals: named('b') });
      await released.promise;
      return page({ deals: named('late') });
    });
    const late = workOn(service.platform, former, options);
    await feed.untilReceived(2);
    service.clock.forward(seconds(crmLimits.claim) + 1_000);
    const next = await taken(place, false);
    expect(next.claimed.id).toBe(former.claimed.id);
    expect(next.work).toMatchObject({ cursor: '1', pages: 1 });
    expect(await workOn(service.platform, next, options)).toBe('ended');
    released.resolve();
    expect(await late).toBe('ended');
    expect(await runsOf(team)).toMatchObject([{ outcome: 'ok', pages: 2, deals: 2 }]);
    const deals = await service.database.prisma.crmDeal.findMany({ where: { tenantId: team.id } });
    expect(deals.map(({ externalId }) => externalId).toSorted()).toEqual(['a', 'b']);
    expect(await failuresOf(team)).toBe(0);
  });

  it('that another worker failed meanwhile is told once', async () => {
    const { team, feed, place } = await aPlace(() => ({ status: 404 }));
    const released = Promise.withResolvers<void>();
    feed.answerWith(async () => {
      if (feed.received.length === 1) await released.promise;
      return { status: 404 };
    });
    const late = workOn(service.platform, await taken(place), options);
    await feed.untilReceived(1);
    service.clock.forward(seconds(crmLimits.claim) + 1_000);
    await workOn(service.platform, await taken(place), options);
    released.resolve();
    await late;
    expect(await runsOf(team)).toMatchObject([{ outcome: 'failed' }]);
    expect(await failuresOf(team)).toBe(1);
  });

  it.each(['paused', 'disconnected'])(
    'of a connection that is %s ends as stopped and writes no further page',
    async (how) => {
      const { team, feed, connectionId, place } = await aPlace(() => page({}));
      const acting = await team.acting();
      feed.answerWith(async (request) => {
        if (asked(request).cursor === null) return page({ deals: named('a'), next_cursor: '1' });
        await (how === 'paused' ? pauseConnection : disconnect)(acting, connectionId);
        return page({ deals: named('b') });
      });
      await workOn(service.platform, await taken(place), options);
      expect(await runsOf(team)).toMatchObject([
        { outcome: 'stopped', pages: 1, reason: `The connection was ${how}.` },
      ]);
      expect(await dealsOf(team)).toBe(1);
      expect(await failuresOf(team)).toBe(0);
      expect(await connectionOf(team, connectionId)).toMatchObject({ nextSyncAt: null });
    },
  );

  it('whose time is over is given back after its page, and goes on', async () => {
    const { team, place } = await aPlace([{ deals: named('a') }, { deals: named('b') }, { deals: named('c') }]);
    const first = await taken(place);
    expect(await workOn(service.platform, first, { ...options, until: 0 })).toBe('later');
    expect(await runsOf(team)).toMatchObject([{ outcome: null, pages: 1, deals: 1 }]);
    await workOn(service.platform, await taken(place, false), options);
    expect(await runsOf(team)).toMatchObject([{ outcome: 'ok', pages: 3, deals: 3 }]);
  });

  it('that goes on for more than a day fails', async () => {
    const { team, place } = await aPlace((request) => page({ next_cursor: String(Number(asked(request).cursor) + 1) }));
    const first = await taken(place);
    await workOn(service.platform, first, { ...options, until: 0 });
    service.clock.forward(seconds(crmLimits.fullEvery) + 1_000);
    await workOn(service.platform, await taken(place), options);
    expect(await runsOf(team)).toMatchObject([{ outcome: 'failed', reason: 'The sync took longer than a day.' }]);
  });

  it('after a time-out fails, and says so', async () => {
    const { team, feed, connectionId } = await aPlace(() => 'hang');
    const run = await aSync(service, team, connectionId, { ...quick, timeout: 300 });
    expect(run).toMatchObject({ outcome: 'failed', reason: 'The CRM did not answer within 0.3 seconds.' });
    expect(feed.received).toHaveLength(3);
  });

  it('to an address that is private by now fails without a request', async () => {
    const { team, connectionId } = await aPlace([{}]);
    const where = { tenantId_id: { tenantId: team.id, id: connectionId } };
    for (const [url, reason] of [
      ['https://10.0.0.7/', 'The address 10.0.0.7 is not public.'],
      ['https://intranet/', /names? of private networks/],
    ] as const) {
      await service.database.prisma.crmConnection.update({ where, data: { url } });
      const run = await aSync(service, team, connectionId);
      expect(run.outcome).toBe('failed');
      expect(run.reason).toMatch(reason);
    }
  });

  it('of a connection without a token fails, and asks for one', async () => {
    const { team, connectionId } = await aPlace([{}]);
    const where = { tenantId_id: { tenantId: team.id, id: connectionId } };
    await service.database.prisma.crmConnection.update({ where, data: { credentials: null } });
    const run = await aSync(service, team, connectionId);
    expect(run).toMatchObject({ outcome: 'failed', reason: 'The connection has no access token. Enter one.' });
    expect(await connectionOf(team, connectionId)).toMatchObject({ status: 'credentials_refused' });
  });

  it('counts what its connection has, as far as it may have', async () => {
    const { team, connectionId } = await aPlace([{ deals: named('a', 'b', 'c') }]);
    await aSync(service, team, connectionId);
    const exceeds = (most: number) =>
      service.database.transaction((tx) => found.exceeds(tx, { tenantId: team.id, connectionId, most }));
    expect([await exceeds(2), await exceeds(3)]).toEqual([true, false]);
  });

  it('leaves the newest 200 runs of its connection in the history', async () => {
    const { team, connectionId } = await aPlace([{}]);
    const { id } = await aSync(service, team, connectionId);
    const { id: _id, ...row } = await service.database.prisma.crmRun.findFirstOrThrow({ where: { id } });
    const old = Array.from({ length: crmLimits.runsKept }, (_, index) => ({
      ...row,
      id: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
    }));
    await service.database.prisma.crmRun.createMany({ data: old });
    const last = await aSync(service, team, connectionId);
    const kept = await runsOf(team);
    expect(kept).toHaveLength(crmLimits.runsKept);
    expect(kept.slice(-2).map((run) => run.id)).toEqual([id, last.id]);
  });
});

describe('the schedule', () => {
  it.each([{ status: 'suspended' }, { status: 'ended' }, { plan: 'basic' }] as const)(
    'leaves out a team with %j, and takes it up again afterwards',
    async (change) => {
      const { team, feed, connectionId, place } = await aPlace([{ deals: named('a') }]);
      await team.change(change);
      await syncConnection(service.platform, place, options);
      expect(feed.received).toHaveLength(0);
      expect(Number((await connectionOf(team, connectionId)).nextSyncAt)).toBeGreaterThan(Number(service.clock.now()));
      await team.change({ status: 'active', plan: 'team' });
      service.clock.forward(seconds(1_000));
      await syncConnection(service.platform, place, options);
      expect(await dealsOf(team)).toBe(1);
    },
  );

  it('adds one job for each connection that is due and each run that was left behind', async () => {
    const { team, place } = await aPlace(() => page({}));
    const keys = async () => {
      const rows: { key: string }[] = await service.database.prisma
        .$queryRaw`select key from graphile_worker.jobs where key = ${`crm_sync ${place.connectionId}`}`;
      return rows.length;
    };
    await addDueSyncs(service.platform);
    await addDueSyncs(service.platform);
    expect(await keys()).toBe(1);
    const run = await taken(place);
    await service.database.prisma.$executeRaw`select graphile_worker.remove_job(${`crm_sync ${place.connectionId}`})`;
    await addDueSyncs(service.platform);
    expect(await keys()).toBe(0);
    service.clock.forward(seconds(crmLimits.claim) + 1_000);
    await addDueSyncs(service.platform);
    expect(await keys()).toBe(1);
    await workOn(service.platform, run, options);
    expect(await runsOf(team)).toHaveLength(1);
  });

  it('comes sooner when the interval is made shorter', async () => {
    const { team, connectionId } = await aPlace([{}]);
    await aSync(service, team, connectionId);
    await changeConnection(await team.acting(), connectionId, { intervalSeconds: 300 });
    const { nextSyncAt } = await connectionOf(team, connectionId);
    expect(Number(nextSyncAt) - Number(service.clock.now())).toBeLessThanOrEqual(seconds(300));
  });
});

describe('a token', () => {
  it('that a former secret sealed is sealed with the one in use, and still works', async () => {
    const { team, feed, connectionId } = await aPlace([{ deals: named('a') }]);
    const secrets = ['another secret that only this test knows', 'a secret that only the tests know'] as const;
    const environment = localFeeds((await certificates()).caFile());
    const renewed = await startTestService({ databaseUrl: service.databaseUrl, secrets: [...secrets], environment });
    try {
      expect((await resealTokens(renewed.platform)).resealed).toBeGreaterThan(0);
      expect(await aSync(renewed, team, connectionId)).toMatchObject({ outcome: 'ok' });
      expect(feed.received[0]?.headers.authorization).toMatch(/^Bearer /);
    } finally {
      await renewed.close();
    }
  });
});
