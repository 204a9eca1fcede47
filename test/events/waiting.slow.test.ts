import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { feedLimits } from '../../src/core/limits.ts';
import { revokeKey } from '../../src/modules/keys/service.ts';
import { testEndpoint } from '../../src/modules/webhooks/manual-deliveries.ts';
import { makeClient } from '../support/client.ts';
import { readFeed } from '../support/pages.ts';
import { startTestService, useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { anEndpoint, anEvent } from '../support/webhooks.ts';

const maintenance: { current: { retryAfterSeconds: number } | undefined } = { current: undefined };
// A new service, because the tests count the waiting requests of the process.
const service = await useTestService({ own: true, maintenance });

const waits = () => service.platform.eventWaits;
const untilWaiting = (count = 1) => expect.poll(() => waits().count).toBe(count);
const atEnd = async (team: TestTeam, query: Record<string, string> = {}) =>
  (await readFeed(team.client, { ...query, start: 'now' })).next_cursor;
const aPing = async (team: TestTeam) => testEndpoint(await team.acting(), await anEndpoint(service, team));

describe('a request that waits for an event', () => {
  it('is answered at once if there is one', async () => {
    const team = await aTeam(service);
    await anEvent(service, team);
    expect((await readFeed(team.client, { wait: 20 })).data).toHaveLength(1);
    expect(waits().count).toBe(0);
  });

  it('is answered as soon as its own process has committed one', async () => {
    const team = await aTeam(service);
    const reading = readFeed(team.client, { cursor: await atEnd(team), wait: 20 });
    await untilWaiting();
    await aPing(team);
    expect((await reading).data.map(({ type }) => type)).toEqual(['ping']);
  });

  it('is answered when another process has committed one, also if a reader there has already read it', async () => {
    const other = await startTestService({ own: true, databaseUrl: service.databaseUrl });
    onTestFinished(() => other.close());
    const team = await aTeam(service);
    const cursor = await atEnd(team);
    const wait = vi.spyOn(waits(), 'wait');
    const reading = readFeed(team.client, { cursor, wait: 20 });
    await untilWaiting();
    await anEvent(other, team);
    await readFeed(makeClient(other.baseUrl, team.client.key), { cursor });
    expect((await reading).data).toHaveLength(1);
    // It was woken, not only answered because its time was over.
    await expect(wait.mock.results[0]?.value).resolves.toBe(true);
  });

  it('is answered after its time with an empty page and the next cursor', async () => {
    const team = await aTeam(service);
    const cursor = await atEnd(team);
    const startedAt = performance.now();
    const page = await readFeed(team.client, { cursor, wait: 1 });
    expect(performance.now() - startedAt).toBeGreaterThan(990);
    expect(page).toMatchObject({ data: [], has_more: false, has_gap: false });
    await anEvent(service, team);
    expect((await readFeed(team.client, { cursor: page.next_cursor })).data).toHaveLength(1);
  });

  it('continues to wait while events of other types come', async () => {
    const team = await aTeam(service);
    const cursor = await atEnd(team, { type: 'ping' });
    const reading = readFeed(team.client, { cursor, type: 'ping', wait: 20 });
    await untilWaiting();
    await anEvent(service, team, { type: 'member.joined' });
    waits().raised(team.id);
    expect(waits().count).toBe(0);
    await untilWaiting();
    // From now on it looks less often: the team's other events may be many.
    waits().raised(team.id);
    expect(waits().count).toBe(1);
    await anEvent(service, team, { type: 'ping' });
    expect((await reading).data.map(({ type }) => type)).toEqual(['ping']);
  });

  it('uses no database connection', async () => {
    const team = await aTeam(service);
    const cursor = await atEnd(team);
    const { ofOneTeam } = feedLimits.waiting;
    const reading = Array.from({ length: ofOneTeam }, () => readFeed(team.client, { cursor, wait: 20 }));
    await untilWaiting(ofOneTeam);
    const [open] = await service.database.prisma.$queryRaw<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
       where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`;
    expect(open?.count).toBeLessThan(3);
    expect((await team.client.get('/users')).status).toBe(200);
    const oneMore = await team.client.get(`/events?cursor=${cursor}&wait=20`);
    const retry_after = feedLimits.waiting.retryAfterSeconds;
    expect(oneMore).toBeProblem('rate_limited', { retry_after, detail: expect.stringContaining(String(ofOneTeam)) });
    expect((await readFeed(team.client, { cursor })).data).toEqual([]);
    await aPing(team);
    for (const page of await Promise.all(reading)) expect(page.data).toHaveLength(1);
  });

  it('is refused as unavailable while requests of other teams have all places, and answered without a wait', async () => {
    const team = await aTeam(service);
    const cursor = await atEnd(team);
    let isOver = false;
    const [until, eager] = [performance.now() + 60_000, true];
    const others = Array.from({ length: feedLimits.waiting.all }, (_, at) =>
      waits().wait({ teamId: `other ${at}`, position: 0, until, eager, isOver: () => isOver }),
    );
    onTestFinished(async () => {
      isOver = true;
      await Promise.all(others);
    });
    expect(await team.client.get(`/events?cursor=${cursor}&wait=20`)).toBeProblem('unavailable');
    expect((await readFeed(team.client, { cursor })).data).toEqual([]);
  });

  it('counts once in the limits, and in no statistics of slow requests', async () => {
    const team = await aTeam(service);
    const cursor = await atEnd(team);
    const client = await team.aClient();
    const requestId = randomUUID();
    const startedAt = performance.now();
    const answer = await client.get(`/events?cursor=${cursor}&wait=1`, {
      headers: { 'X-Request-Id': requestId },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('ratelimit-remaining')).toBe('119');
    expect((await client.get('/me')).headers.get('ratelimit-remaining')).toBe('118');
    const line = () => service.logged().find((entry) => entry['request_id'] === requestId);
    await expect.poll(() => line()).toBeDefined();
    expect(line()).toMatchObject({ route: '/events', status: 200 });
    const { waited_ms: waited, ms } = z.object({ waited_ms: z.number(), ms: z.number() }).parse(line());
    // The wait ends a second after the request began, and is counted apart from the request's own time.
    expect(waited + ms).toBeGreaterThan(990);
    expect(waited).toBeLessThan(performance.now() - startedAt);
    expect(ms).toBeLessThan(600);
  });

  it('ends when its client disconnects', async () => {
    const team = await aTeam(service);
    const cursor = await atEnd(team);
    const leaving = new AbortController();
    const request = fetch(`${service.baseUrl}/events?cursor=${cursor}&wait=20`, {
      headers: { Authorization: `Bearer ${team.client.key}` },
      signal: leaving.signal,
    });
    await untilWaiting();
    leaving.abort();
    await expect(request).rejects.toThrow('aborted');
    await untilWaiting(0);
  });

  it('ends with an empty page when maintenance begins', async () => {
    const team = await aTeam(service);
    const reading = readFeed(team.client, { cursor: await atEnd(team), wait: 20 });
    await untilWaiting();
    maintenance.current = { retryAfterSeconds: 7 };
    onTestFinished(() => void (maintenance.current = undefined));
    await anEvent(service, team);
    const page = await reading;
    expect(page).toMatchObject({ data: [], has_more: false, has_gap: false });
    maintenance.current = undefined;
    expect((await readFeed(team.client, { cursor: page.next_cursor })).data).toHaveLength(1);
  });

  it('ends with an empty page when the process stops', async () => {
    const stopping = await startTestService({ own: true, databaseUrl: service.databaseUrl });
    const team = await aTeam(stopping);
    const reading = readFeed(team.client, { start: 'now', wait: 20 });
    await expect.poll(() => stopping.platform.eventWaits.count).toBe(1);
    stopping.lifecycle.stopping();
    expect((await reading).data).toEqual([]);
    await stopping.close();
  });
});

describe('changes during the wait', () => {
  it('401 unauthorized: its key is revoked, and it does not get the next event', async () => {
    const team = await aTeam(service);
    const { id, text } = await team.aKey();
    const cursor = await atEnd(team);
    const reading = makeClient(service.baseUrl, text).get(`/events?cursor=${cursor}&wait=20`);
    await untilWaiting();
    await revokeKey(await team.acting(), id);
    await aPing(team);
    expect(await reading).toBeProblem('unauthorized');
  });

  it('403 api_disabled: its team is suspended', async () => {
    const team = await aTeam(service);
    const reading = team.client.get(`/events?cursor=${await atEnd(team)}&wait=2`);
    await untilWaiting();
    await team.change({ status: 'suspended' });
    expect(await reading).toBeProblem('api_disabled');
  });

  it('member details stay on: the answer has the personal data', async () => {
    const team = await aTeam(service);
    const reading = readFeed(team.client, { cursor: await atEnd(team), wait: 20 });
    await untilWaiting();
    const data = { training_id: 't', user_id: team.owner.user_id, score: 3 };
    await anEvent(service, team, { type: 'evaluation.completed', data });
    expect((await reading).data.map((event) => event.data)).toEqual([{ team_id: team.id, ...data }]);
  });

  it('member details are switched off: the answer has no personal data', async () => {
    const team = await aTeam(service);
    const reading = readFeed(team.client, { cursor: await atEnd(team), wait: 20 });
    await untilWaiting();
    await team.change({ memberDetail: false });
    await anEvent(service, team, {
      type: 'evaluation.completed',
      data: { training_id: 't', user_id: team.owner.user_id, score: 3 },
    });
    expect((await reading).data.map(({ data }) => data)).toEqual([{ team_id: team.id, training_id: 't' }]);
  });
});
