import { beforeEach, describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { makeIdAt } from '../../src/core/ids.ts';
import { deleteOldEntries } from '../../src/modules/events/service.ts';
import { feeds } from '../../src/modules/events/store.ts';
import { deleteOldDeliveries } from '../../src/modules/webhooks/cleanup.ts';
import { readFeed, readToEnd } from '../support/pages.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { anEvent } from '../support/webhooks.ts';

let team: TestTeam;
const service = await useTestService({ own: true });
beforeEach(async () => {
  team = await aTeam(service);
});

const anEventOf = async (daysAgo: number): Promise<string> => {
  const at = later(service.clock.now(), -daysToMs(daysAgo));
  const id = makeIdAt(at);
  await anEvent(service, team, { type: 'ping', id, at });
  return `evt_${id.replaceAll('-', '')}`;
};

/** In the same way as the worker. */
const sweep = async () => {
  await deleteOldEntries(service.platform, { days: 7 });
  await deleteOldDeliveries(service.platform, { days: 7 });
};

const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

describe('events that are deleted by their age', () => {
  it('are a gap for a reader who has not read them, once, and no gap for others', async () => {
    const { next_cursor: behind } = await readFeed(team.client);
    await anEventOf(10);
    await anEventOf(9);
    const kept = await anEventOf(1);
    const { cursor: ahead } = await readToEnd(team.client, { cursor: behind });
    await sweep();
    const page = await readFeed(team.client, { cursor: behind });
    expect([idsOf(page), page.has_gap]).toEqual([[kept], true]);
    expect(await readFeed(team.client, { cursor: page.next_cursor })).toMatchObject({ data: [], has_gap: false });
    expect(await readFeed(team.client, { cursor: ahead })).toMatchObject({ data: [], has_gap: false });
    const fresh = await readFeed(team.client);
    expect([idsOf(fresh), fresh.has_gap]).toEqual([[kept], false]);
  });

  it('are a gap even if nothing was read before they were deleted, and if nothing is left', async () => {
    const { next_cursor: cursor } = await readFeed(team.client);
    await anEventOf(10);
    await sweep();
    const page = await readFeed(team.client, { cursor });
    expect(page).toMatchObject({ data: [], has_gap: true, has_more: false });
    const next = await anEventOf(0);
    const more = await readFeed(team.client, { cursor: page.next_cursor });
    expect([idsOf(more), more.has_gap]).toEqual([[next], false]);
  });

  it('are a gap for a reader who waits', async () => {
    const { next_cursor: cursor } = await readFeed(team.client);
    await anEventOf(10);
    await sweep();
    expect(await readFeed(team.client, { cursor, wait: 20 })).toMatchObject({ data: [], has_gap: true });
  });

  it('from before the first read are a gap for a reader who stopped among them', async () => {
    for (const ago of [10, 10, 9, 1]) await anEventOf(ago);
    const first = await readFeed(team.client, { limit: 1 });
    await sweep();
    const page = await readFeed(team.client, { cursor: first.next_cursor });
    expect([page.data.length, page.has_gap]).toEqual([1, true]);
  });

  it('leave no entries behind, and entries of younger events stay', async () => {
    await readFeed(team.client);
    for (const ago of [30, 10, 2, 0]) await anEventOf(ago);
    await sweep();
    expect(await service.database.prisma.eventFeedEntry.count({ where: { tenantId: team.id } })).toBe(2);
    expect((await readToEnd(team.client)).events).toHaveLength(2);
  });

  it('get their positions before that, however many they are', async () => {
    const { next_cursor: cursor } = await readFeed(team.client);
    await service.database.prisma.$executeRaw`
      insert into event_feed_entry (tenant_id, event_id, type)
      select ${team.id}::uuid, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'ping'
        from generate_series(1, 10100) as n`;
    await sweep();
    expect(await service.database.prisma.eventFeedEntry.count({ where: { tenantId: team.id } })).toBe(0);
    expect(await readFeed(team.client, { cursor })).toMatchObject({ data: [], has_gap: true });
  });

  it('stay, without their positions, once the time of the job is over', async () => {
    await readFeed(team.client);
    await anEventOf(10);
    await deleteOldEntries(service.platform, { days: 7, until: 0 });
    const where = { tenantId: team.id, position: null };
    expect(await service.database.prisma.eventFeedEntry.count({ where })).toBe(1);
  });

  it('keep their entries until they have a position, if the team reads its feed', async () => {
    const { prisma } = service.database;
    await readFeed(team.client);
    await anEventOf(10);
    await readFeed(team.client);
    await anEventOf(9);
    const left = () => prisma.eventFeedEntry.count({ where: { tenantId: team.id } });
    const old = { tenantId: team.id, before: makeIdAt(later(service.clock.now(), -daysToMs(7))) };
    await feeds.deleteOld(service.database, { ...old, isRead: true }, 10);
    expect(await left()).toBe(1);
    await feeds.deleteOld(service.database, { ...old, isRead: false }, 10);
    expect(await left()).toBe(0);
  });

  it('are a gap also if they are deleted during a wait', async () => {
    await anEventOf(1);
    const waitFrom = async (cursor: string) => {
      const reading = readFeed(team.client, { cursor, wait: 20 });
      await expect.poll(() => service.platform.eventWaits.count).toBe(1);
      await anEventOf(10);
      await sweep();
      return reading;
    };
    let page = await waitFrom((await readToEnd(team.client)).cursor);
    // On a busy machine the reader may find the event before it is deleted. Then it waits again.
    for (let again = 0; page.data.length > 0 && again < 20; again += 1) page = await waitFrom(page.next_cursor);
    expect(page).toMatchObject({ data: [], has_gap: true });
  });

  it('are skipped while their entries still exist, and the reader gets a gap', async () => {
    const { next_cursor: cursor } = await readFeed(team.client);
    await anEventOf(10);
    await readFeed(team.client, { cursor });
    await deleteOldDeliveries(service.platform, { days: 7 });
    expect(await readFeed(team.client, { cursor })).toMatchObject({ data: [], has_gap: true });
  });
});

it('events around midnight are complete', async () => {
  const midnight = new Date(`${service.clock.now().toISOString().slice(0, 10)}T00:00:00.000Z`);
  for (const offset of [-2, -1, 0, 1]) {
    const at = later(midnight, offset);
    await anEvent(service, team, { type: 'ping', id: makeIdAt(at), at });
  }
  const { events } = await readToEnd(team.client, { limit: 1 });
  expect(events.map(({ created_at }) => new Date(created_at).getTime() - midnight.getTime())).toEqual([-2, -1, 0, 1]);
});
