import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { later, secondsToMs } from '../../src/core/clock.ts';
import { newId } from '../../src/core/ids.ts';
import { webhookLimits } from '../../src/core/limits.ts';
import type { Egress } from '../../src/webhooks/egress/egress.ts';
import { leaseMs } from '../../src/webhooks/claim.ts';
import type { Claimed } from '../../src/webhooks/claim.ts';
import { settle } from '../../src/webhooks/settle.ts';
import { secretOpener } from '../../src/webhooks/message.ts';
import { sendOnce } from '../../src/webhooks/send.ts';
import {
  aDispatcher,
  anEndpointAt,
  anEvent,
  attemptsTo,
  claimDue,
  deliveriesTo,
  endpointNow,
  localEgress,
  waitingFor,
} from '../support/deliveries.ts';
import { startReceiver } from '../support/receiver.ts';
import type { Answering } from '../support/receiver.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import type { TestTeam } from '../support/team.ts';
import { eventually } from '../support/eventually.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await startTestService();
  team = await aTeam(service);
});
afterAll(() => service.close());

const aReceiver = async (answer?: Answering) => {
  const receiver = await startReceiver(answer && { answer });
  onTestFinished(() => receiver.close());
  return receiver;
};

/** A receiver with an endpoint that leads to it, alone in wanting events while the test runs. */
const aReceivingEndpoint = async (answer?: Answering) => {
  await service.database.prisma.webhookEndpoint.updateMany({
    where: { tenantId: team.id },
    data: { status: 'disabled' },
  });
  await service.database.prisma.webhookWaiting.deleteMany();
  const receiver = await aReceiver(answer);
  return { receiver, ...(await anEndpointAt(service, team, `${receiver.url}/hooks`)) };
};

const statusesOf = async (id: string) => (await deliveriesTo(service, id)).map(({ status }) => status);
const everythingIs = (status: string, id: string, count: number) =>
  eventually(async () => expect(await statusesOf(id)).toEqual(Array(count).fill(status)));

describe('an attempt', () => {
  it('posts the event with a signature of the time, the body and the endpoint’s secret', async () => {
    const { receiver, id, secret } = await aReceivingEndpoint();
    await aDispatcher(service);
    await anEvent(service, team);
    const [request] = await receiver.untilReceived(1);
    const { body = '', headers = {}, method, path } = request ?? {};
    expect([method, path]).toEqual(['POST', '/hooks']);
    const event: unknown = JSON.parse(body);
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      type: 'crm.sync.failed',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      api_version: '2026-11',
      tenant_id: team.id,
      data: { team_id: team.id, connection_id: expect.any(String), provider: 'hubspot', reason: 'refused' },
    });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Team-Customer-API\/\d+\.\d+\.\d+$/),
    });
    expect(headers['accept-encoding']).toBeUndefined();
    expect(event).toMatchObject({ id: headers['svc-event-id'] });
    const [, t = '', v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['svc-signature'])) ?? [];
    expect(v1).toBe(createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'));
    expect(Math.abs(Number(t) - Date.now() / 1000)).toBeLessThan(20);
    await everythingIs('ok', id, 1);
  });

  it('is kept with what was sent and what came back', async () => {
    const { receiver, id } = await aReceivingEndpoint(() => ({
      status: 503,
      headers: { 'x-reason': 'closed' },
      body: `<script>${'ä'.repeat(2_000)}`,
    }));
    await aDispatcher(service);
    await anEvent(service, team);
    await everythingIs('failed', id, 1);
    const [delivery] = await deliveriesTo(service, id);
    const kept = {
      responseCode: 503,
      responseExcerpt: `<script>${'ä'.repeat(992)}`,
      error: null,
      responseMs: expect.any(Number),
    };
    expect(delivery).toMatchObject({ ...kept, attempt: 1, scheduled: 1, nextTryAt: expect.any(Date) });
    expect(await attemptsTo(service, id)).toEqual([
      expect.objectContaining({
        ...kept,
        deliveryId: delivery?.id,
        number: 1,
        manual: false,
        url: `${receiver.url}/hooks`,
        requestHeaders: expect.objectContaining({ 'Svc-Signature': receiver.received[0]?.headers['svc-signature'] }),
        responseHeaders: expect.objectContaining({ 'x-reason': 'closed' }),
        startedAt: expect.any(Date),
      }),
    ]);
  });

  it('fails with a reason where nothing listens', async () => {
    const { receiver, id } = await aReceivingEndpoint();
    await receiver.close();
    await aDispatcher(service);
    await anEvent(service, team);
    await everythingIs('failed', id, 1);
    expect((await deliveriesTo(service, id))[0]).toMatchObject({
      responseCode: null,
      error: expect.stringMatching(/refused/i),
    });
  });

  it('fails alone when its message can’t be made', async () => {
    const { id } = await aReceivingEndpoint();
    const poisoned = await anEndpointAt(service, team, 'https://example.com/');
    await service.database.prisma.webhookEndpoint.update({
      where: { tenantId_id: { tenantId: team.id, id: poisoned.id } },
      data: { secret: Uint8Array.from([1, 2, 3]) },
    });
    const { complaints } = await aDispatcher(service);
    await anEvent(service, team, 20);
    await everythingIs('ok', id, 20);
    await everythingIs('failed', poisoned.id, 20);
    expect((await deliveriesTo(service, poisoned.id))[0]?.error).toBe(
      'The message could not be made; we look into it.',
    );
    expect(complaints()).toHaveLength(20);
    expect((await endpointNow(service, team, poisoned.id)).failingSince).toBeNull();
  });

  it('is kept without its answer when that can’t be kept, and takes no other along', async () => {
    const { id } = await aReceivingEndpoint();
    let posted = 0;
    const egress: Egress = {
      vet: (url) => Promise.resolve({ allowed: true, url }),
      post: () => {
        posted += 1;
        const excerpt = posted === 3 ? 'a \0 that PostgreSQL refuses' : 'fine';
        return Promise.resolve({
          startedAt: new Date(),
          ms: 1,
          code: 200,
          headers: {},
          excerpt,
          error: null,
          fault: null,
        });
      },
      fetch: () => Promise.reject(new Error('nothing is fetched')),
      close: () => Promise.resolve(),
    };
    await anEvent(service, team, 10);
    await aDispatcher(service, { egress });
    await everythingIs('ok', id, 10);
    const excerpts = (await deliveriesTo(service, id)).map(({ responseExcerpt }) => responseExcerpt);
    expect(excerpts.filter((excerpt) => excerpt === null)).toHaveLength(1);
    expect(posted).toBe(10);
  });

  it('whose event was cut by age is given up at once, says so, and is not held against the endpoint', async () => {
    const { id } = await aReceivingEndpoint();
    await anEvent(service, team);
    const [delivery] = await deliveriesTo(service, id);
    await service.database.prisma.webhookEvent.deleteMany({ where: { id: delivery?.eventId ?? '' } });
    await aDispatcher(service);
    await everythingIs('gave_up', id, 1);
    expect((await deliveriesTo(service, id))[0]?.error).toBe('The event is no longer kept.');
    expect((await endpointNow(service, team, id)).failingSince).toBeNull();
  });
});

describe('the schedule', () => {
  it('at its real lengths: each of eight attempts within ten seconds of its pause behind the one before, then gave_up', async () => {
    const { receiver, id } = await aReceivingEndpoint(() => ({ status: 500 }));
    const { meter } = await aDispatcher(service);
    await anEvent(service, team);
    const madeUpTo = (count: number) =>
      eventually(async () => expect((await deliveriesTo(service, id))[0]?.attempt).toBe(count));
    await madeUpTo(1);
    for (const [index, pause] of webhookLimits.retrySeconds.entries()) {
      const [before] = (await attemptsTo(service, id)).slice(-1);
      const ended = later(before?.startedAt ?? new Date(0), before?.responseMs ?? 0);
      expect((await deliveriesTo(service, id))[0]).toMatchObject({
        status: 'failed',
        nextTryAt: later(ended, secondsToMs(pause)),
      });
      // Five seconds before its time nothing is sent; then the clock runs on by itself.
      service.clock.set(later(ended, secondsToMs(pause - 5)));
      await madeUpTo(index + 2);
      const [next] = (await attemptsTo(service, id)).slice(-1);
      const waited = ((next?.startedAt.getTime() ?? 0) - ended.getTime()) / 1_000;
      expect(waited).toBeGreaterThanOrEqual(pause);
      expect(waited).toBeLessThanOrEqual(pause + 10);
    }
    service.clock.set(new Date());
    expect((await deliveriesTo(service, id))[0]?.status).toBe('gave_up');
    expect(receiver.received).toHaveLength(8);
    expect(new Set(receiver.received.map(({ headers }) => headers['svc-event-id'])).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['svc-signature'])).size).toBe(8);
    expect(await waitingFor(service, id)).toEqual([]);
    expect(await meter.text()).toMatch(/attempts_total\{result="gave_up"\} 1/);
  });

  it.each([410, 429, 301, 302, 307, 308, 404, 199 + 101])(
    'a %d is a failure like any other, whatever it says about later',
    async (status) => {
      const elsewhere = await aReceiver();
      const headers = { 'retry-after': '1000000000', location: elsewhere.url };
      const { id } = await aReceivingEndpoint(() => ({ status, headers }));
      await aDispatcher(service);
      await anEvent(service, team);
      await everythingIs('failed', id, 1);
      const [delivery] = await deliveriesTo(service, id);
      const [first] = await attemptsTo(service, id);
      const pause = (delivery?.nextTryAt?.getTime() ?? 0) - (first?.startedAt.getTime() ?? 0);
      expect(pause).toBeGreaterThanOrEqual(60_000);
      expect(pause).toBeLessThan(75_000);
      expect(elsewhere.received).toEqual([]);
    },
  );
});

describe('a lease', () => {
  const sending = async (claimed: Claimed) =>
    sendOnce({ ...service.platform, egress: await localEgress(service) }, claimed, {
      retrySeconds: [60],
      complain: (error) => expect(error).toBeUndefined(),
      open: secretOpener(service.platform.vault),
    });

  it('is nobody else’s while it lasts, and brings the delivery back when its holder died', async () => {
    const { receiver, id } = await aReceivingEndpoint();
    await anEvent(service, team);
    expect(await claimDue(service)).toHaveLength(1);
    expect(await claimDue(service)).toEqual([]);
    service.clock.forward(leaseMs + 1);
    // The holder's job covers it, and is freed when the holder has died (see delivery-processes.slow.test.ts): the lane begins anew.
    await service.database.prisma.webhookWaiting.updateMany({ where: { endpointId: id }, data: { hasJob: false } });
    await aDispatcher(service);
    await everythingIs('ok', id, 1);
    service.clock.set(new Date());
    expect(receiver.received).toHaveLength(1);
    expect(await attemptsTo(service, id)).toHaveLength(1);
  });

  it('that ran out leaves its holder nothing to write', async () => {
    const { id } = await aReceivingEndpoint(() => ({ status: 500 }));
    await anEvent(service, team);
    const [stale] = await claimDue(service);
    if (!stale) throw new Error('nothing was claimed');
    const staleOutcome = await sending(stale);
    service.clock.forward(leaseMs + 1);
    const [current] = await claimDue(service);
    service.clock.set(new Date());
    if (!current) throw new Error('nothing was claimed again');
    expect(await settle(service.platform, [staleOutcome])).toMatchObject([{ status: null, later: false }]);
    expect(await statusesOf(id)).toEqual(['pending']);
    expect(await settle(service.platform, [await sending(current)])).toEqual([
      { deliveryId: current.deliveryId, status: 'failed', later: false },
    ]);
    expect(await settle(service.platform, [staleOutcome])).toMatchObject([{ status: null, later: false }]);
    expect(await attemptsTo(service, id)).toHaveLength(1);
  });

  it('that ran out still lets its holder write while nobody else took over', async () => {
    const { id } = await aReceivingEndpoint();
    await anEvent(service, team);
    const [claimed] = await claimDue(service);
    if (!claimed) throw new Error('nothing was claimed');
    const outcome = await sending(claimed);
    service.clock.forward(leaseMs + 1);
    expect(await settle(service.platform, [outcome])).toHaveLength(1);
    service.clock.set(new Date());
    expect(await statusesOf(id)).toEqual(['ok']);
  });

  it('is one process’s alone: many dispatchers send each delivery once', async () => {
    const { receiver, id } = await aReceivingEndpoint();
    await Promise.all([1, 2, 3, 4].map(() => aDispatcher(service)));
    await anEvent(service, team, 300);
    await everythingIs('ok', id, 300);
    expect(receiver.received).toHaveLength(300);
    expect(await attemptsTo(service, id)).toHaveLength(300);
  });
});

describe('between claim and outcome', () => {
  /** Holds the answer until the test lets it go. */
  const held = () => {
    let letGo = (_status: number) => {};
    const answer = new Promise<{ status: number }>((resolve) => (letGo = (status) => resolve({ status })));
    return { answering: () => answer, letGo };
  };
  const setStatus = (id: string, status: 'active' | 'disabled' | 'disabled_failures') =>
    service.database.prisma.webhookEndpoint.update({
      where: { tenantId_id: { tenantId: team.id, id } },
      data: { status },
    });

  const inFlight = async () => {
    const { answering, letGo } = held();
    const endpoint = await aReceivingEndpoint(answering);
    await aDispatcher(service);
    await anEvent(service, team);
    await endpoint.receiver.untilReceived(1);
    return { ...endpoint, letGo };
  };

  it('disabled: a failure waits for the reactivation', async () => {
    const { id, letGo } = await inFlight();
    await setStatus(id, 'disabled');
    letGo(500);
    await everythingIs('failed', id, 1);
    expect(await waitingFor(service, id)).toMatchObject([{ claimId: null, byHand: false }]);
    service.clock.forward(secondsToMs(3_600));
    expect(await claimDue(service)).toEqual([]);
    // As people do it: what waited has no job until then.
    await team.client.patch(`/webhook-endpoints/${id}`, { status: 'active' });
    await eventually(async () => expect((await deliveriesTo(service, id))[0]?.attempt).toBe(2));
    service.clock.set(new Date());
  });

  it('paused: a failure is the last', async () => {
    const { id, letGo } = await inFlight();
    await setStatus(id, 'disabled_failures');
    letGo(500);
    await everythingIs('gave_up', id, 1);
    expect(await waitingFor(service, id)).toEqual([]);
  });

  it.each(['disabled', 'disabled_failures'] as const)(
    '%s: a success is a success, and does not reactivate',
    async (status) => {
      const { id, letGo } = await inFlight();
      await setStatus(id, status);
      letGo(204);
      await everythingIs('ok', id, 1);
      expect((await endpointNow(service, team, id)).status).toBe(status);
    },
  );

  it('deleted: nothing of it is left to write', async () => {
    const { id, receiver, letGo } = await inFlight();
    await service.database.prisma.webhookWaiting.deleteMany({ where: { endpointId: id } });
    await service.database.prisma.webhookEndpoint.delete({ where: { tenantId_id: { tenantId: team.id, id } } });
    letGo(500);
    const { meter } = await aDispatcher(service);
    const next = await aReceivingEndpoint();
    await anEvent(service, team);
    await everythingIs('ok', next.id, 1);
    expect(await attemptsTo(service, id)).toEqual([]);
    expect(receiver.received).toHaveLength(1);
    expect(await meter.text()).not.toMatch(/result="gave_up"/);
  });
});

describe('an endpoint that somebody holds', () => {
  it('keeps its own outcomes waiting, and nobody else’s', async () => {
    const held = await aReceivingEndpoint();
    const receiver = await aReceiver();
    const free = await anEndpointAt(service, team, receiver.url);
    await aDispatcher(service);
    await service.database.transaction(async (tx) => {
      await tx.$executeRaw`select 1 from webhook_endpoint where id = ${held.id}::uuid for update`;
      await anEvent(service, team, 100);
      await everythingIs('ok', free.id, 100);
      expect(await statusesOf(held.id)).toEqual(Array(100).fill('pending'));
      // No more than its places are ever in hand.
      expect(held.receiver.received.length).toBeLessThanOrEqual(8);
    });
    await everythingIs('ok', held.id, 100);
    expect(held.receiver.received).toHaveLength(100);
  });
});

describe('health', () => {
  it('remembers the last success and since when everything fails', async () => {
    let status = 500;
    const { id } = await aReceivingEndpoint(() => ({ status }));
    await aDispatcher(service, { retrySeconds: [3_600] });
    await anEvent(service, team, 3);
    await everythingIs('failed', id, 3);
    const failing = await endpointNow(service, team, id);
    expect(failing).toMatchObject({ failingSince: expect.any(Date), lastSuccessAt: null });
    await anEvent(service, team);
    await eventually(async () => expect(await attemptsTo(service, id)).toHaveLength(4));
    expect((await endpointNow(service, team, id)).failingSince).toEqual(failing.failingSince);
    status = 200;
    await anEvent(service, team);
    await eventually(async () => expect(await statusesOf(id)).toContain('ok'));
    expect(await endpointNow(service, team, id)).toMatchObject({ failingSince: null, lastSuccessAt: expect.any(Date) });
  });

  it('sums up each day’s attempts', async () => {
    let count = 0;
    const { id } = await aReceivingEndpoint(() => ({ status: (count += 1) % 4 === 0 ? 500 : 200 }));
    await aDispatcher(service, { retrySeconds: [3_600] });
    await anEvent(service, team, 40);
    await eventually(async () => expect(await attemptsTo(service, id)).toHaveLength(40));
    const attempts = await attemptsTo(service, id);
    const days = await service.database.prisma.webhookEndpointDay.findMany({ where: { endpointId: id } });
    const total = (key: 'delivered' | 'failed') => days.reduce((sum, day) => sum + day[key], 0);
    expect([total('delivered'), total('failed')]).toEqual([30, 10]);
    const ms = attempts.map(({ responseMs }) => responseMs ?? 0);
    expect(days.reduce((sum, { totalMs }) => sum + Number(totalMs), 0)).toBe(ms.reduce((sum, one) => sum + one, 0));
    expect(Math.max(...days.map(({ slowestMs }) => slowestMs))).toBe(Math.max(...ms));
  });
});

describe('stopping', () => {
  it('lets what is being sent end, and writes it', async () => {
    let letGo = () => {};
    const answered = new Promise<void>((resolve) => (letGo = resolve));
    const { receiver, id } = await aReceivingEndpoint(async () => {
      await answered;
      return { status: 200 };
    });
    const dispatcher = await aDispatcher(service);
    await anEvent(service, team);
    await receiver.untilReceived(1);
    const stopped = dispatcher.stop();
    await anEvent(service, team);
    letGo();
    await stopped;
    expect(await statusesOf(id)).toEqual(['ok', 'pending']);
  });
});

describe('a great many', () => {
  it('50,000 due at once: none lost, none twice, never more in hand than there is room for', async () => {
    const endpoints = await Promise.all(
      Array.from({ length: 100 }, () => anEndpointAt(service, team, 'https://example.com/')),
    );
    await service.database.prisma.webhookWaiting.deleteMany();
    const eventId = newId();
    await service.database.prisma.webhookEvent.create({
      data: { tenantId: team.id, id: eventId, type: 'ping', data: {}, createdAt: new Date() },
    });
    const { prisma } = service.database;
    await prisma.$transaction(
      async (tx) => {
        await tx.$executeRaw`
      with made as (
        select gen_random_uuid() as random, e as endpoint_id
          from unnest(${endpoints.map(({ id }) => id)}::uuid[]) as e, generate_series(1, 500)),
      ids as (select (left(${eventId}, 13) || right(random::text, 23))::uuid as id, endpoint_id from made),
      waiting as (insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at)
                  select ${team.id}::uuid, id, endpoint_id, now() - interval '1 second' from ids)
      insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, next_try_at, created_at)
      select ${team.id}::uuid, id, endpoint_id, ${eventId}::uuid, 'ping', now(), now() from ids`;
        // Autovacuum comes by before the crowd is committed: PostgreSQL then takes both tables for empty.
        await prisma.$executeRaw`analyze webhook_waiting`;
        await prisma.$executeRaw`analyze webhook_delivery`;
      },
      { timeout: 60_000 },
    );
    const sent = new Map<string, number>();
    let inHand = 0;
    let most = 0;
    const egress: Egress = {
      vet: (url) => Promise.resolve({ allowed: true, url }),
      post: async ({ headers }) => {
        inHand += 1;
        most = Math.max(most, inHand);
        await new Promise((resolve) => setImmediate(resolve));
        inHand -= 1;
        sent.set(String(headers['Svc-Event-Id']), (sent.get(String(headers['Svc-Event-Id'])) ?? 0) + 1);
        return { startedAt: new Date(), ms: 1, code: 200, headers: {}, excerpt: '', error: null, fault: null };
      },
      fetch: () => Promise.reject(new Error('nothing is fetched')),
      close: () => Promise.resolve(),
    };
    await aDispatcher(service, { egress, concurrency: 100, perEndpoint: 8 });
    await expect
      .poll(() => service.database.prisma.webhookWaiting.count(), { timeout: 100_000, interval: 200 })
      .toBe(0);
    expect([...sent.values()]).toEqual([50_000]);
    expect(most).toBeLessThanOrEqual(100);
    expect(await service.database.prisma.webhookDelivery.count({ where: { eventId, status: 'ok', attempt: 1 } })).toBe(
      50_000,
    );
  }, 120_000);
});

describe('a claim', () => {
  it('takes the oldest, up to the endpoint’s places; one that fails or was slow lately has a quarter of them', async () => {
    const { id } = await aReceivingEndpoint();
    await anEvent(service, team, 20);
    const first = await claimDue(service, { perEndpoint: 8 });
    expect(first).toHaveLength(8);
    const oldest = (await deliveriesTo(service, id)).slice(0, 20).map(({ id }) => id);
    expect(first.every(({ deliveryId }) => oldest.includes(deliveryId))).toBe(true);
    expect(await claimDue(service, { perEndpoint: 8 })).toEqual([]);

    const where = { tenantId_id: { tenantId: team.id, id } };
    for (const data of [{ failingSince: new Date() }, { failingSince: null, slowAt: new Date() }]) {
      await service.database.prisma.webhookWaiting.updateMany({
        where: { endpointId: id },
        data: { claimId: null, dueAt: new Date() },
      });
      await service.database.prisma.webhookEndpoint.update({ where, data });
      service.clock.forward(secondsToMs(1));
      expect(await claimDue(service, { places: 1, perEndpoint: 8 })).toHaveLength(1);
      expect(await claimDue(service, { perEndpoint: 8 })).toHaveLength(1);
      expect(await claimDue(service, { perEndpoint: 8 })).toEqual([]);
    }
    service.clock.forward(secondsToMs(webhookLimits.slowForSeconds + leaseMs / 1000));
    expect(await claimDue(service, { perEndpoint: 8 })).toHaveLength(8);
    service.clock.set(new Date());
  });

  it('of two processes at the same time never exceeds the endpoint’s places', async () => {
    await aReceivingEndpoint();
    await anEvent(service, team, 40);
    const claimed = await Promise.all(Array.from({ length: 10 }, () => claimDue(service, { perEndpoint: 8 })));
    expect(claimed.flat()).toHaveLength(8);
  });

  it('sends a delivery whose state to go back to is impossible as an ordinary one, and holds up nobody else', async () => {
    const { prisma } = service.database;
    await aReceivingEndpoint();
    const wrong = await aReceiver(() => ({ status: 500 }));
    const { id } = await anEndpointAt(service, team, wrong.url);
    const other = await aReceiver();
    const healthy = await anEndpointAt(service, team, other.url);
    await anEvent(service, team);
    await prisma.$executeRaw`alter table webhook_delivery drop constraint webhook_delivery_resume_check`;
    await prisma.$executeRaw`update webhook_delivery set resume_status = 'ok' where endpoint_id = ${id}::uuid`;
    await aDispatcher(service);
    await everythingIs('ok', healthy.id, 1);
    await everythingIs('failed', id, 1);
    const { resumeStatus, nextTryAt } = await prisma.webhookDelivery.findFirstOrThrow({ where: { endpointId: id } });
    expect([resumeStatus, nextTryAt]).toEqual([null, expect.any(Date)]);
  });

  it('takes nothing of an endpoint that is disabled', async () => {
    const { id } = await aReceivingEndpoint();
    await anEvent(service, team, 3);
    await service.database.prisma.webhookEndpoint.updateMany({ where: { id }, data: { status: 'disabled' } });
    expect(await claimDue(service)).toEqual([]);
  });
});

describe('fairness', () => {
  it('an endpoint that hangs holds up nobody else', async () => {
    const dead = await aReceivingEndpoint(() => 'hang');
    await anEvent(service, team, 500);
    await aDispatcher(service, { timeout: 5_000, concurrency: 32 });
    await dead.receiver.untilReceived(8);
    const receiver = await aReceiver();
    const healthy = await anEndpointAt(service, team, receiver.url);
    await anEvent(service, team, 200);
    await everythingIs('ok', healthy.id, 200);
    expect(await statusesOf(dead.id)).not.toContain('ok');
  });
});
