import { feedTypes } from '../../src/core/events.ts';
import { describe, expect, it } from 'vitest';
import { later, secondsToMs } from '../../src/core/clock.ts';
import { makeIdAt } from '../../src/core/ids.ts';
import { bodyOf } from '../../src/deliveries/message.ts';
import { readFeed, readToEnd } from '../support/pages.ts';
import { liveThrough } from '../support/every-event.ts';
import { holdRows, untilLockWaits } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { anEndpoint, anEvent, eventRow, storeEvent } from '../support/webhooks.ts';

const service = await useTestService();

const publicId = (id: string) => `evt_${id.replaceAll('-', '')}`;

/** Events of a team, in the order in which they are raised. */
const someEvents = async (team: TestTeam, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(publicId(await anEvent(service, team)));
  return ids;
};

/** Entries of events that were raised, but that no read has numbered. */
const unnumbered = (team: TestTeam): Promise<number> =>
  service.database.prisma.eventFeedEntry.count({ where: { tenantId: team.id, position: null } });

/** Enters many events of one type at once, with their events. */
const manyEvents = (team: TestTeam, count: number) => service.database.prisma.$executeRaw`
  with event as (
    insert into webhook_event (tenant_id, id, type, data, created_at)
    select ${team.id}::uuid, gen_random_uuid(), 'member.joined', json_build_object('team_id', ${team.id}::text), now()
      from generate_series(1, ${count})
    returning *)
  insert into event_feed_entry (tenant_id, event_id, type) select tenant_id, id, type from event`;

const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

describe('GET /events', () => {
  it('has every type of event, each exactly as webhooks deliver it', async () => {
    const team = await aTeam(service);
    await liveThrough(service, team);
    const endpointId = await anEndpoint(service, team);
    await team.client.post(`/webhook-endpoints/${endpointId}/test`);
    const { events } = await readToEnd(team.client);
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(feedTypes));
    const stored = await service.database.prisma.webhookEvent.findMany({ where: { tenantId: team.id } });
    const sent = stored.map(({ id, type, createdAt, data }) =>
      JSON.parse(
        bodyOf({
          tenantId: team.id,
          eventId: id,
          type,
          createdAt: createdAt.toISOString(),
          apiVersion: '2026-11',
          data: JSON.parse(data),
        }),
      ),
    );
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    expect(events.toSorted(byId)).toEqual(sent.toSorted(byId));
  });

  it('returns events from before the first read and later ones, in the same order, to every reader', async () => {
    const team = await aTeam(service);
    const before = await someEvents(team, 7);
    const first = await readToEnd(team.client, { limit: 3 });
    expect(first.events.map(({ id }) => id)).toEqual(before);
    const after = await someEvents(team, 5);
    const second = await readToEnd(team.client, { limit: 2, cursor: first.cursor });
    expect(second.events.map(({ id }) => id)).toEqual(after);
    expect(second.pages.some(({ has_gap }) => has_gap)).toBe(false);
    expect((await readToEnd(team.client)).events.map(({ id }) => id)).toEqual([...before, ...after]);
  });

  it('ends with a cursor from which the reader continues, even if it is empty', async () => {
    const team = await aTeam(service);
    const empty = await readFeed(team.client);
    expect(empty).toMatchObject({ data: [], has_more: false, has_gap: false });
    const again = await readFeed(team.client, { cursor: empty.next_cursor });
    expect(again).toMatchObject({ data: [], has_more: false, has_gap: false });
    const ids = await someEvents(team, 1);
    expect(idsOf(await readFeed(team.client, { cursor: empty.next_cursor }))).toEqual(ids);
    expect(idsOf(await readFeed(team.client, { cursor: again.next_cursor }))).toEqual(ids);
  });

  it('starts after all present events with start=now', async () => {
    const team = await aTeam(service);
    await someEvents(team, 3);
    const start = await readFeed(team.client, { start: 'now' });
    expect(start).toMatchObject({ data: [], has_more: false, has_gap: false });
    const ids = await someEvents(team, 2);
    expect(idsOf(await readFeed(team.client, { cursor: start.next_cursor }))).toEqual(ids);
    // If a request has both a cursor and `start`, the cursor counts.
    expect(idsOf(await readFeed(team.client, { start: 'now', cursor: start.next_cursor }))).toEqual(ids);
    const later = await readFeed(team.client, { start: 'now' });
    expect(later.data).toEqual([]);
    // Other readers still get the events from before the feed.
    expect((await readToEnd(team.client, { start: 'oldest' })).events).toHaveLength(5);
    expect((await readFeed(team.client, { cursor: later.next_cursor })).data).toEqual([]);
  });

  it('returns only one type, and a cursor for this type', async () => {
    const team = await aTeam(service);
    await someEvents(team, 3);
    const ping = publicId(await anEvent(service, team, { type: 'ping' }));
    await someEvents(team, 3);
    const page = await readFeed(team.client, { type: 'ping' });
    expect(idsOf(page)).toEqual([ping]);
    expect(page.has_more).toBe(false);
    const next = publicId(await anEvent(service, team, { type: 'ping' }));
    expect(idsOf(await readFeed(team.client, { type: 'ping', cursor: page.next_cursor }))).toEqual([next]);
  });

  it('examines a bounded number of events for a rare type: a page may be empty and have more', async () => {
    const team = await aTeam(service);
    await readFeed(team.client);
    await manyEvents(team, 5_200);
    // One transaction numbers 5,000 of them, in the order of their ids.
    const ping = 'ffffffff-ffff-7fff-bfff-ffffffffffff';
    await anEvent(service, team, { type: 'ping', id: ping });
    const pages = (await readToEnd(team.client, { type: 'ping' })).pages;
    expect(pages.length).toBeGreaterThan(1);
    expect(pages[0]).toMatchObject({ data: [], has_more: true, has_gap: false });
    expect(pages.flatMap(idsOf)).toHaveLength(1);
    const all = await readToEnd(team.client, { limit: 200 });
    expect(new Set(all.events.map(({ id }) => id)).size).toBe(5_201);
    // The same once all have their positions: a new event is numbered by the page that reaches it.
    await someEvents(team, 1);
    const first = await readFeed(team.client, { type: 'ping' });
    expect([first, await unnumbered(team)]).toMatchObject([{ data: [], has_more: true }, 1]);
    expect((await readToEnd(team.client, { type: 'ping' })).events).toHaveLength(1);
  });

  it('has no more if a page ends with the last event', async () => {
    const team = await aTeam(service);
    await someEvents(team, 3);
    const page = await readFeed(team.client, { limit: 3 });
    expect([page.data.length, page.has_more]).toEqual([3, false]);
  });

  it('starts with start=now after any number of events that nobody has read', async () => {
    const team = await aTeam(service);
    await manyEvents(team, 15_100);
    const start = await readFeed(team.client, { start: 'now' });
    expect([start, await unnumbered(team)]).toMatchObject([{ data: [], has_more: false, has_gap: false }, 0]);
    const ids = await someEvents(team, 1);
    expect(idsOf(await readFeed(team.client, { cursor: start.next_cursor }))).toEqual(ids);
  });

  it('ends a page at about 1 MiB', async () => {
    const team = await aTeam(service);
    const data = { reason: 'x'.repeat(30_000) };
    for (let n = 0; n < 50; n += 1) await anEvent(service, team, { type: 'crm.sync.failed', data });
    const { pages, events } = await readToEnd(team.client, { limit: 200 });
    expect(pages.map((page) => page.data.length)).toEqual([34, 16]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(50);
  });

  it('422 validation_error: a cursor of another team, of another list, or with another type', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service, { members: 2 })];
    const { next_cursor: cursor } = await readFeed(team.client);
    const { next_cursor: ofType } = await readFeed(team.client, { type: 'ping' });
    const { next_cursor: ofOther } = await readFeed(other.client);
    const ofList = String((await other.client.get('/users?limit=1')).body['next_cursor']);
    const refused = { field: 'cursor' };
    for (const [client, query] of [
      [team.client, `cursor=${ofOther}`],
      [team.client, `cursor=${ofOther}&wait=1`],
      [other.client, `cursor=${ofList}`],
      [team.client, `cursor=${cursor}&type=ping`],
      [team.client, `cursor=${ofType}`],
      [team.client, `cursor=${ofType}&type=member.joined`],
      [team.client, 'cursor='],
    ] as const)
      expect(await client.get(`/events?${query}`)).toBeProblem('validation_error', refused);
    expect((await other.client.get(`/users?cursor=${ofOther}`)).status).toBe(422);
  });
});

describe('personal data in the events of a feed', () => {
  const personal = async (team: TestTeam) =>
    (await readToEnd(team.client, { type: 'evaluation.completed' })).events.map(({ data }) => [
      data.user_id,
      data.score,
    ]);

  it('is there only if it was visible when the event happened and is visible now', async () => {
    const team = await aTeam(service);
    const user_id = team.owner.user_id;
    await anEvent(service, team, { type: 'evaluation.completed', data: { training_id: 't', user_id, score: 7 } });
    await anEvent(service, team, { type: 'evaluation.completed', data: { training_id: 't' } });
    expect(await personal(team)).toEqual([
      [user_id, 7],
      [undefined, undefined],
    ]);
    await team.change({ memberDetail: false });
    expect(await personal(team)).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
    await team.change({ memberDetail: true });
    expect(await personal(team)).toHaveLength(2);
    expect((await personal(team))[0]).toEqual([user_id, 7]);
  });

  it('is missing for the time of a suspension, whose events are not in the feed', async () => {
    const team = await aTeam(service);
    await readFeed(team.client);
    await team.change({ status: 'suspended' });
    await team.anActiveMember();
    await team.change({ status: 'active' });
    expect((await readFeed(team.client)).data).toEqual([]);
  });
});

describe('the positions of events in the feed', () => {
  /** Raises an event in a transaction that stays open until the test ends it. */
  const openEvent = async (team: TestTeam) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const { promise: raised, resolve: isRaised } = Promise.withResolvers<string>();
    const committed = service.database.transaction(async (tx) => {
      await tx.$queryRaw`select 1 from team where id = ${team.id}::uuid for share`;
      const id = makeIdAt(service.clock.now());
      await storeEvent(tx, eventRow(service, team, { type: 'ping', id }));
      isRaised(publicId(id));
      await ended;
    });
    return { id: await raised, commit: () => (end(), committed) };
  };

  it('do not wait for an open transaction and do not lose its event, which comes later in the feed', async () => {
    const team = await aTeam(service);
    const start = await readFeed(team.client);
    const open = await openEvent(team);
    const ids = await someEvents(team, 3);
    const first = await readFeed(team.client, { cursor: start.next_cursor });
    expect(idsOf(first)).toEqual(ids);
    await open.commit();
    expect(idsOf(await readFeed(team.client, { cursor: first.next_cursor }))).toEqual([open.id]);
    expect((await readToEnd(team.client)).events.map(({ id }) => id)).toEqual([...ids, open.id]);
  });

  it('do not depend on the clocks of processes: an older id may come later, and none is lost', async () => {
    const team = await aTeam(service);
    const [old] = [makeIdAt(later(service.clock.now(), -secondsToMs(3_600)))];
    await someEvents(team, 2);
    const first = await readToEnd(team.client);
    await anEvent(service, team, { type: 'ping', id: old });
    expect(idsOf(await readFeed(team.client, { cursor: first.cursor }))).toEqual([publicId(old)]);
  });

  it('are unique when many readers number at once', async () => {
    const team = await aTeam(service);
    await someEvents(team, 10);
    const readers = await Promise.all(Array.from({ length: 6 }, () => readToEnd(team.client, { limit: 3 })));
    await someEvents(team, 10);
    const again = await Promise.all(readers.map(({ cursor }) => readToEnd(team.client, { limit: 4, cursor })));
    const orders = readers.map(({ events }, at) => [...events, ...(again[at]?.events ?? [])].map(({ id }) => id));
    expect(new Set(orders.map((order) => order.join()))).toHaveLength(1);
    expect(new Set(orders[0])).toHaveLength(20);
  });

  it.each([{}, { type: 'training.completed' }])(
    'are given to new events only by the page that reaches them (%o)',
    async (query) => {
      const team = await aTeam(service);
      await someEvents(team, 3);
      await readToEnd(team.client);
      await someEvents(team, 1);
      expect((await readFeed(team.client, { ...query, limit: 2 })).data).toHaveLength(2);
      expect(await unnumbered(team)).toBe(1);
      const page = await readFeed(team.client, { ...query, limit: 3 });
      expect([page.data.length, page.has_more, await unnumbered(team)]).toEqual([3, true, 0]);
    },
  );

  it('are given under a lock, for which a reader does not wait who reaches no new event', async () => {
    const team = await aTeam(service);
    await someEvents(team, 3);
    const { cursor } = await readToEnd(team.client);
    const release = await holdRows(
      service,
      (tx) => tx.$queryRaw`select 1 from event_feed where tenant_id = ${team.id}::uuid for update`,
    );
    expect((await readToEnd(team.client, { limit: 2 })).events).toHaveLength(3);
    expect((await readFeed(team.client, { cursor })).data).toEqual([]);
    await someEvents(team, 1);
    expect((await readFeed(team.client, { limit: 2 })).data).toHaveLength(2);
    await release();
  });

  it('begin with the first read, also if there are two at the same moment', async () => {
    const team = await aTeam(service);
    const ids = await someEvents(team, 2);
    const release = await holdRows(service, (tx) => tx.eventFeed.create({ data: { tenantId: team.id } }));
    const reading = [readFeed(team.client), readFeed(team.client)];
    await untilLockWaits(service, { count: 2 });
    await release();
    for (const page of await Promise.all(reading)) expect(idsOf(page)).toEqual(ids);
  });

  it('have no gap where two readers number at the same moment', async () => {
    const team = await aTeam(service);
    const { next_cursor: cursor } = await readFeed(team.client);
    await someEvents(team, 3);
    const release = await holdRows(
      service,
      (tx) => tx.$queryRaw`select 1 from event_feed where tenant_id = ${team.id}::uuid for update`,
    );
    const reading = [readToEnd(team.client, { cursor }), readToEnd(team.client, { cursor })];
    await untilLockWaits(service, { count: 2 });
    await release();
    const [one, other] = await Promise.all(reading);
    expect(one?.events).toHaveLength(3);
    expect(other?.events).toEqual(one?.events);
    const last = await someEvents(team, 1);
    const next = await readFeed(team.client, { cursor: one?.cursor ?? '' });
    expect([idsOf(next), next.has_gap]).toEqual([last, false]);
  });

  it('survive a dump and restore: positions and cursors are plain data', async () => {
    const team = await aTeam(service);
    await someEvents(team, 3);
    const first = await readFeed(team.client, { limit: 2 });
    const { prisma } = service.database;
    // Rows as a restore writes them: the same columns, in other transactions.
    const feed = await prisma.eventFeed.findUniqueOrThrow({ where: { tenantId: team.id } });
    const entries = await prisma.eventFeedEntry.findMany({ where: { tenantId: team.id } });
    await prisma.eventFeedEntry.deleteMany({ where: { tenantId: team.id } });
    await prisma.eventFeed.delete({ where: { tenantId: team.id } });
    await prisma.eventFeedEntry.createMany({ data: entries.toReversed() });
    await prisma.eventFeed.create({ data: feed });
    const last = await someEvents(team, 1);
    const rest = await readToEnd(team.client, { cursor: first.next_cursor });
    expect(rest.events).toHaveLength(2);
    expect(rest.events.map(({ id }) => id).slice(1)).toEqual(last);
    expect(rest.pages.some(({ has_gap }) => has_gap)).toBe(false);
  });
});

it('a cursor that is ahead of the feed, because an old backup was restored, reports a gap', async () => {
  const team = await aTeam(service);
  await readFeed(team.client);
  await someEvents(team, 3);
  const { cursor } = await readToEnd(team.client);
  const { prisma } = service.database;
  await prisma.eventFeedEntry.deleteMany({ where: { tenantId: team.id } });
  await prisma.eventFeed.update({ where: { tenantId: team.id }, data: { lastPosition: 1 } });
  const page = await readFeed(team.client, { cursor });
  expect(page).toMatchObject({ data: [], has_gap: true });
  const ids = await someEvents(team, 1);
  const next = await readFeed(team.client, { cursor: page.next_cursor });
  expect([idsOf(next), next.has_gap]).toEqual([ids, false]);
});
