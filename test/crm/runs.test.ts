import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { later, secondsToMs } from '../../src/core/clock.ts';
import { crmLimits } from '../../src/core/limits.ts';
import { takeRun, workOn } from '../../src/modules/crm/run.ts';
import {
  dueSyncs,
  syncConnection,
  changeConnection,
  disconnect,
  pauseConnection,
  renewToken,
  requestSync,
} from '../../src/modules/crm/service.ts';
import { defaultSettings } from '../../src/modules/crm/providers/provider.ts';
import { syncedRows } from '../../src/modules/crm/deal-store.ts';
import { changeTeam } from '../../src/modules/teams/service.ts';
import type { Team } from '../../src/platform/team.ts';
import { certificates } from '../support/certificates.ts';
import { aFeed, aFeedConnection, asked, aSync, page, quick } from '../support/crm.ts';
import { localFeeds } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { untilLockWaits, withSql } from '../support/postgres.ts';

const service = await useTestService({ environment: localFeeds((await certificates()).caFile()) });

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
  it('is claimed once, by any number of workers at the same time', async () => {
    const { place } = await aPlace([{}]);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => takeRun(service.platform, place, { requested: true })),
    );
    expect(answers.map(({ state }) => state).toSorted()).toEqual(['busy', 'busy', 'busy', 'busy', 'busy', 'taken']);
  });

  it('with an expired claim is continued by another worker at its page; the former one can’t write any more', async () => {
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
    service.clock.forward(secondsToMs(crmLimits.claim) + 1_000);
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

  it('whose claim expires while its worker stores a page stays with that worker', async () => {
    const { team, feed, connectionId, place } = await aPlace((request) =>
      asked(request).cursor === null ? page({ deals: named('a'), next_cursor: '1' }) : page({ deals: named('b') }),
    );
    const first = await taken(place);
    await withSql(service, async (other) => {
      // Another transaction holds the deal's row, so that storing the first page takes long.
      await other.query('begin');
      await other.query(
        `insert into crm_deal (tenant_id, id, connection_id, external_id, created_at) values ($1, gen_random_uuid(), $2, 'a', now())`,
        [team.id, connectionId],
      );
      const working = workOn(service.platform, first, options);
      await untilLockWaits(service);
      service.clock.forward(secondsToMs(crmLimits.claim) + 1_000);
      expect(await takeRun(service.platform, place, { requested: false })).toEqual({ state: 'busy' });
      await other.query('rollback');
      expect(await working).toBe('ended');
    });
    expect(await runsOf(team)).toMatchObject([{ outcome: 'ok', pages: 2, deals: 2 }]);
    expect(feed.received.map((request) => asked(request).cursor)).toEqual([null, '1']);
  });

  it('in which three workers die at the same page fails, and a page in between resets the count', async () => {
    const { team, place, connectionId } = await aPlace([{ deals: named('a') }, { deals: named('b') }, {}]);
    const takenFromDeadWorker = () => {
      service.clock.forward(secondsToMs(crmLimits.claim) + 1_000);
      return taken(place, false);
    };
    await taken(place);
    await takenFromDeadWorker();
    const third = await takenFromDeadWorker();
    expect(await workOn(service.platform, third, { ...options, until: 0 })).toBe('later');
    expect(await runsOf(team)).toMatchObject([{ outcome: null, pages: 1 }]);
    // A worker that gives the run back does not count as dead.
    await taken(place, false);
    await takenFromDeadWorker();
    await takenFromDeadWorker();
    expect(await workOn(service.platform, await takenFromDeadWorker(), options)).toBe('ended');
    expect(await runsOf(team)).toMatchObject([
      {
        outcome: 'failed',
        pages: 1,
        reason: 'The service failed three times at one page of the CRM. Make the pages smaller.',
      },
    ]);
    expect(await failuresOf(team)).toBe(1);
    expect(Number((await connectionOf(team, connectionId)).nextSyncAt)).toBeGreaterThan(Number(service.clock.now()));
  });

  it('counts its waits for the CRM over all workers', async () => {
    let requests = 0;
    const { team, place } = await aPlace((request) => {
      requests += 1;
      if (requests % 3 !== 0) return { status: 429, headers: { 'retry-after': '0' } };
      const cursor = Number(asked(request).cursor ?? 0);
      return page({ deals: named(`d${cursor}`), next_cursor: String(cursor + 1) });
    });
    const oneSlice = async (requested: boolean) =>
      workOn(service.platform, await taken(place, requested), { ...options, until: 0 });
    expect([await oneSlice(true), await oneSlice(false), await oneSlice(false)]).toEqual(['later', 'later', 'ended']);
    expect(await runsOf(team)).toMatchObject([
      { outcome: 'failed', pages: 2, reason: 'The CRM answered with status 429 again, after 5 waits.' },
    ]);
    expect(requests).toBe(8);
  });

  it('whose token is refused, but was renewed meanwhile, fails, and the next one begins at once', async () => {
    const { team, feed, connectionId, place } = await aPlace(() => page({}));
    const acting = await team.acting();
    feed.answerWith(async (request) => {
      if (request.headers.authorization === 'Bearer renewed') return page({ deals: named('b') });
      if (asked(request).cursor === null) return page({ deals: named('a'), next_cursor: '1' });
      await renewToken(acting, connectionId, 'renewed');
      return { status: 401 };
    });
    await workOn(service.platform, await taken(place), options);
    expect(await runsOf(team)).toMatchObject([{ outcome: 'failed' }]);
    const { status, nextSyncAt } = await connectionOf(team, connectionId);
    expect(status).toBe('active');
    expect(Number(nextSyncAt)).toBeLessThanOrEqual(Number(service.clock.now()));
    await syncConnection(service.platform, place, options);
    expect(await runsOf(team)).toMatchObject([{ outcome: 'failed' }, { outcome: 'ok', deals: 1 }]);
  });

  it('during which the settings change is stopped, and a full one begins at once', async () => {
    const { team, feed, connectionId } = await aPlace(() => page({}));
    const acting = await team.acting();
    feed.answerWith(async (request) => {
      if (asked(request).cursor === null) return page({ deals: named('a'), next_cursor: '1' });
      await changeConnection(acting, {
        connectionId,
        settings: { ...defaultSettings, objectionLang: 'en' },
      });
      return page({ deals: named('b') });
    });
    expect(await aSync(service, team, connectionId)).toMatchObject({ outcome: 'stopped', deals: 1 });
    const { nextSyncAt } = await connectionOf(team, connectionId);
    expect(Number(nextSyncAt)).toBeLessThanOrEqual(Number(service.clock.now()));
    feed.answerWith(() => page({ deals: named('a', 'b') }));
    expect(await aSync(service, team, connectionId)).toMatchObject({ outcome: 'ok', kind: 'full' });
    expect(await aSync(service, team, connectionId)).toMatchObject({ outcome: 'ok', kind: 'incremental' });
  });

  it('by hand of a paused connection, during which the settings change, is stopped, and none is due', async () => {
    const { team, feed, connectionId } = await aPlace(() => page({}));
    const acting = await team.acting();
    await pauseConnection(acting, connectionId);
    await requestSync(acting, connectionId);
    feed.answerWith(async (request) => {
      if (asked(request).cursor === null) return page({ deals: named('a'), next_cursor: '1' });
      const settings = { ...defaultSettings, objectionLang: 'en' };
      await changeConnection(acting, { connectionId, settings });
      return page({ deals: named('b') });
    });
    expect(await aSync(service, team, connectionId)).toMatchObject({ outcome: 'stopped' });
    expect(await connectionOf(team, connectionId)).toMatchObject({ status: 'paused', nextSyncAt: null });
  });

  it('that was given back, of a team that has changed to a plan without the API, is stopped without a request', async () => {
    const { team, feed, place } = await aPlace([{ deals: named('a') }, { deals: named('b') }]);
    await workOn(service.platform, await taken(place), { ...options, until: 0 });
    await team.change({ plan: 'basic' });
    expect(await takeRun(service.platform, place, { requested: false })).toEqual({ state: 'refused' });
    expect(await runsOf(team)).toMatchObject([{ outcome: 'stopped', pages: 1 }]);
    expect(feed.received).toHaveLength(1);
  });

  it('that has ended keeps no cursor, which may hold an address', async () => {
    const cursor = 'somebody@example.com';
    const failed = await aPlace((request) =>
      asked(request).cursor === null ? page({ deals: named('a'), next_cursor: cursor }) : { status: 404 },
    );
    await aSync(service, failed.team, failed.connectionId);
    expect(await runsOf(failed.team)).toMatchObject([{ outcome: 'failed', cursor: null }]);
    const paused = await aPlace(() => page({ deals: named('a'), next_cursor: cursor }));
    await workOn(service.platform, await taken(paused.place), { ...options, until: 0 });
    expect(await runsOf(paused.team)).toMatchObject([{ cursor }]);
    await pauseConnection(await paused.team.acting(), paused.connectionId);
    expect(await runsOf(paused.team)).toMatchObject([{ outcome: 'stopped', cursor: null }]);
  });

  it('with empty pages continues after them where it was given back', async () => {
    const { team, feed, place } = await aPlace([{}, {}, { deals: named('a') }]);
    expect(await workOn(service.platform, await taken(place), { ...options, until: 0 })).toBe('later');
    expect(await runsOf(team)).toMatchObject([{ outcome: null, pages: 1, cursor: '1' }]);
    await workOn(service.platform, await taken(place, false), options);
    expect(await runsOf(team)).toMatchObject([{ outcome: 'ok', pages: 3, deals: 1 }]);
    expect(feed.received.map((request) => asked(request).cursor)).toEqual([null, '1', '2']);
  });

  it('that another worker ended meanwhile raises one event', async () => {
    const { team, feed, place } = await aPlace(() => ({ status: 404 }));
    const released = Promise.withResolvers<void>();
    feed.answerWith(async () => {
      if (feed.received.length === 1) await released.promise;
      return { status: 404 };
    });
    const late = workOn(service.platform, await taken(place), options);
    await feed.untilReceived(1);
    service.clock.forward(secondsToMs(crmLimits.claim) + 1_000);
    await workOn(service.platform, await taken(place), options);
    released.resolve();
    await late;
    expect(await runsOf(team)).toMatchObject([{ outcome: 'failed' }]);
    expect(await failuresOf(team)).toBe(1);
  });

  it.each<[what: string, end: (team: Team, connectionId: string) => Promise<unknown>, reason: string, after: object]>([
    ['is paused', pauseConnection, 'The connection was paused.', { status: 'paused', nextSyncAt: null }],
    ['is disconnected', disconnect, 'The connection was disconnected.', { active: false, nextSyncAt: null }],
    [
      'belongs to a suspended team',
      (team) => changeTeam(team, { status: 'suspended' }),
      'The team is suspended or ended, or its plan has no API.',
      { status: 'active', nextSyncAt: expect.any(Date) },
    ],
  ])('of a connection that %s ends as stopped and stores no further page', async (_what, end, reason, after) => {
    const { team, feed, connectionId, place } = await aPlace(() => page({}));
    const acting = await team.acting();
    feed.answerWith(async (request) => {
      if (asked(request).cursor === null) return page({ deals: named('a'), next_cursor: '1' });
      await end(acting, connectionId);
      return page({ deals: named('b') });
    });
    await workOn(service.platform, await taken(place), options);
    expect(await runsOf(team)).toMatchObject([{ outcome: 'stopped', pages: 1, reason }]);
    expect(feed.received).toHaveLength(2);
    expect(await dealsOf(team)).toBe(1);
    expect(await failuresOf(team)).toBe(0);
    expect(await connectionOf(team, connectionId)).toMatchObject(after);
  });

  it('that is full deletes what it has not seen after its last page, and nothing if a later page fails', async () => {
    const { team, feed, connectionId } = await aPlace([{ deals: named('a', 'b', 'c') }]);
    const sync = () => aSync(service, team, connectionId);
    const ids = async () =>
      (await service.database.prisma.crmDeal.findMany({ where: { tenantId: team.id } }))
        .map(({ externalId }) => externalId)
        .toSorted();
    expect(await sync()).toMatchObject({ kind: 'full', outcome: 'ok' });
    service.clock.forward(secondsToMs(crmLimits.fullEvery) + 1_000);
    feed.answerWith((request) =>
      asked(request).cursor === null ? page({ deals: named('a'), next_cursor: '1' }) : { status: 404 },
    );
    expect(await sync()).toMatchObject({ kind: 'full', outcome: 'failed', pages: 1, deleted: 0 });
    expect(await ids()).toEqual(['a', 'b', 'c']);
    feed.answerWith((request) =>
      asked(request).cursor === null ? page({ deals: named('a'), next_cursor: '1' }) : page({ deals: named('b') }),
    );
    expect(await sync()).toMatchObject({ kind: 'full', outcome: 'ok', pages: 2, deleted: 1 });
    expect(await ids()).toEqual(['a', 'b']);
    service.clock.set(new Date());
  });

  it('by hand of a paused connection leaves it without a schedule, whatever its end', async () => {
    const { team, feed, connectionId, place } = await aPlace(() => page({}));
    await pauseConnection(await team.acting(), connectionId);
    const paused = { status: 'paused', nextSyncAt: null, requestedAt: null };
    for (const [answer, outcome] of [
      [page({}), 'ok'],
      [{ status: 404 }, 'failed'],
    ] as const) {
      feed.answerWith(() => answer);
      expect(await aSync(service, team, connectionId)).toMatchObject({ outcome });
      expect(await connectionOf(team, connectionId)).toMatchObject(paused);
    }
    await requestSync(await team.acting(), connectionId);
    await team.change({ plan: 'basic' });
    expect(await takeRun(service.platform, place, { requested: false })).toEqual({ state: 'refused' });
    expect(await connectionOf(team, connectionId)).toMatchObject(paused);
  });

  it('is on demand if somebody has requested it, and not if it was only due', async () => {
    const { team, connectionId, place } = await aPlace(() => page({}));
    await syncConnection(service.platform, place, options);
    await requestSync(await team.acting(), connectionId);
    await syncConnection(service.platform, place, options);
    await syncConnection(service.platform, place, options);
    expect((await runsOf(team)).map(({ onDemand }) => onDemand)).toEqual([false, true]);
  });

  it.each([
    [
      'fails if it has more pages than a run may have',
      '1',
      { outcome: 'failed', pages: crmLimits.pages - 1, reason: 'The CRM has more than 10000 pages.' },
    ],
    ['may have as many pages as a run may have', null, { outcome: 'ok', pages: crmLimits.pages, reason: null }],
  ])('%s', async (_what, last, end) => {
    const { team, feed, place } = await aPlace(() => page({ next_cursor: '0' }));
    await workOn(service.platform, await taken(place), { ...options, until: 0 });
    // As if nearly all of them had been read.
    const [{ id } = { id: '' }] = await runsOf(team);
    await service.database.prisma.crmRun.updateMany({
      where: { tenantId: team.id, id },
      data: { pages: crmLimits.pages - 1 },
    });
    feed.answerWith(() => page({ next_cursor: last }));
    expect(await workOn(service.platform, await taken(place), options)).toBe('ended');
    expect(await runsOf(team)).toMatchObject([end]);
  });

  it('counts the rows of its connection now and then and after the last page, which is not stored if they are too many', async () => {
    const { team, feed, connectionId } = await aPlace(Array.from({ length: 18 }, () => ({})));
    const counted = vi.spyOn(syncedRows, 'exceeds');
    onTestFinished(() => counted.mockRestore());
    expect(await aSync(service, team, connectionId)).toMatchObject({ outcome: 'ok', pages: 18 });
    expect(counted).toHaveBeenCalledTimes(2);
    counted.mockResolvedValue(true);
    feed.answerWith((request) =>
      asked(request).cursor === null ? page({ deals: named('a'), next_cursor: '1' }) : page({ deals: named('b') }),
    );
    expect(await aSync(service, team, connectionId)).toMatchObject({
      outcome: 'failed',
      pages: 1,
      deals: 1,
      reason: 'The CRM has more than 500,000 deals or objections.',
    });
    expect(await dealsOf(team)).toBe(1);
  });

  it('in which the service has a bug fails with a reason, raises its event, and the operator gets the error', async () => {
    const { team, place } = await aPlace([{ deals: named('a') }]);
    const bug = new Error('a bug');
    const storing = vi.spyOn(syncedRows, 'putDeals').mockRejectedValue(bug);
    onTestFinished(() => storing.mockRestore());
    const complain = vi.fn<(error: unknown) => void>();
    expect(await workOn(service.platform, await taken(place), { ...options, complain })).toBe('ended');
    expect(complain.mock.calls).toEqual([[bug]]);
    const reason = expect.stringContaining('could not process the CRM’s data');
    expect(await runsOf(team)).toMatchObject([{ outcome: 'failed', pages: 0, reason }]);
    expect(await failuresOf(team)).toBe(1);
  });

  it('whose worker stops during a request is given back at once, and counts no dead worker', async () => {
    const { team, feed, place } = await aPlace(() => page({ deals: named('a'), next_cursor: '1' }));
    const stopping = new AbortController();
    const first = await taken(place);
    feed.answerWith((request) => {
      if (asked(request).cursor === null) return page({ deals: named('a'), next_cursor: '1' });
      stopping.abort();
      return 'hang';
    });
    expect(await workOn(service.platform, first, { ...options, signal: stopping.signal })).toBe('later');
    expect(await runsOf(team)).toMatchObject([{ outcome: null, cursor: '1', claimId: null }]);
    feed.answerWith(() => page({ deals: named('b') }));
    const next = await taken(place, false);
    expect(next.work).toMatchObject({ cursor: '1', abandoned: 0 });
    expect(await workOn(service.platform, next, options)).toBe('ended');
    expect(await runsOf(team)).toMatchObject([{ outcome: 'ok', deals: 2 }]);
  });

  it('that goes on for more than a day fails', async () => {
    const { team, place } = await aPlace((request) => page({ next_cursor: String(Number(asked(request).cursor) + 1) }));
    const first = await taken(place);
    await workOn(service.platform, first, { ...options, until: 0 });
    service.clock.forward(secondsToMs(crmLimits.fullEvery) + 1_000);
    await workOn(service.platform, await taken(place), options);
    expect(await runsOf(team)).toMatchObject([{ outcome: 'failed', reason: 'The sync took longer than a day.' }]);
  });

  it('fails after a time-out, with a reason', async () => {
    const { team, feed, connectionId } = await aPlace(() => 'hang');
    const run = await aSync(service, team, connectionId, { ...quick, timeout: 300 });
    expect(run).toMatchObject({ outcome: 'failed', reason: 'The server did not respond within 0.3 seconds.' });
    expect(feed.received).toHaveLength(3);
  });

  it('of a connection without a token fails with a reason', async () => {
    const { team, connectionId } = await aPlace([{}]);
    const where = { tenantId_id: { tenantId: team.id, id: connectionId } };
    await service.database.prisma.crmConnection.update({ where, data: { credentials: null } });
    const run = await aSync(service, team, connectionId);
    expect(run).toMatchObject({ outcome: 'failed', reason: 'The connection has no access token. Enter one.' });
    expect(await connectionOf(team, connectionId)).toMatchObject({ status: 'credentials_refused' });
  });

  it('counts its connection’s rows against the limit', async () => {
    const { team, connectionId } = await aPlace([{ deals: named('a', 'b', 'c') }]);
    await aSync(service, team, connectionId);
    const exceeds = (max: number) =>
      service.database.transaction((tx) => syncedRows.exceeds(tx, { tenantId: team.id, connectionId }, max));
    expect([await exceeds(2), await exceeds(3)]).toEqual([true, false]);
  });

  it.each(['ok', 'failed'])(
    'that is %s leaves the newest 200 runs of its connection in the history',
    async (outcome) => {
      const { team, connectionId } = await aPlace(() => (outcome === 'ok' ? page({}) : { status: 404 }));
      const { id, outcome: ended } = await aSync(service, team, connectionId);
      expect(ended).toBe(outcome);
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
    },
  );
});

describe('the schedule', () => {
  it('leaves out a team that has ended, and continues afterwards', async () => {
    const { team, feed, connectionId, place } = await aPlace([{ deals: named('a') }]);
    await team.change({ status: 'ended' });
    await syncConnection(service.platform, place, options);
    expect(feed.received).toHaveLength(0);
    expect(Number((await connectionOf(team, connectionId)).nextSyncAt)).toBeGreaterThan(Number(service.clock.now()));
    await team.change({ status: 'active', plan: 'team' });
    service.clock.forward(secondsToMs(1_000));
    await syncConnection(service.platform, place, options);
    expect(await dealsOf(team)).toBe(1);
  });

  it('has each due connection and each abandoned run once', async () => {
    const { team, place } = await aPlace(() => page({}));
    const count = async () =>
      (await dueSyncs(service.platform)).filter(({ connectionId }) => connectionId === place.connectionId).length;
    expect(await count()).toBe(1);
    const run = await taken(place);
    expect(await count()).toBe(0);
    service.clock.forward(secondsToMs(crmLimits.claim) + 1_000);
    expect(await count()).toBe(1);
    await workOn(service.platform, run, options);
    expect(await runsOf(team)).toHaveLength(1);
  });

  it('has the longest wait first, of due connections and of abandoned runs', async () => {
    const places = [(await aPlace([{}])).place, (await aPlace([{}])).place, (await aPlace([{}])).place];
    const [first, second, third] = places;
    if (!first || !second || !third) throw new Error('three places are needed');
    const inOrder = async () =>
      (await dueSyncs(service.platform)).flatMap(({ connectionId }) => {
        const at = places.findIndex((place) => place.connectionId === connectionId);
        return at === -1 ? [] : [at];
      });
    await taken(second);
    service.clock.forward(secondsToMs(crmLimits.claim) + 1_000);
    const dueAt = async ({ connectionId: id }: { connectionId: string }, seconds: number) =>
      service.database.prisma.crmConnection.updateMany({
        where: { id },
        data: { nextSyncAt: later(service.clock.now(), -secondsToMs(seconds)) },
      });
    await dueAt(first, crmLimits.claim + 3_600);
    await dueAt(third, 0);
    expect(await inOrder()).toEqual([0, 1, 2]);
    await dueAt(third, crmLimits.claim + 7_200);
    expect(await inOrder()).toEqual([2, 0, 1]);
  });

  it('is earlier after the interval was shortened', async () => {
    const { team, connectionId } = await aPlace([{}]);
    await aSync(service, team, connectionId);
    await changeConnection(await team.acting(), { connectionId, intervalSeconds: 300 });
    const { nextSyncAt } = await connectionOf(team, connectionId);
    expect(Number(nextSyncAt) - Number(service.clock.now())).toBeLessThanOrEqual(secondsToMs(300));
  });

  it('is no later after the interval was lengthened, until the next sync', async () => {
    const { team, connectionId } = await aPlace([{}]);
    const { nextSyncAt: before } = await connectionOf(team, connectionId);
    await changeConnection(await team.acting(), { connectionId, intervalSeconds: 86_400 });
    expect((await connectionOf(team, connectionId)).nextSyncAt).toEqual(before);
    await aSync(service, team, connectionId);
    const { nextSyncAt } = await connectionOf(team, connectionId);
    expect(Number(nextSyncAt) - Number(service.clock.now())).toBeGreaterThan(secondsToMs(3_600));
  });
});
