import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { deliveryLimits } from '../../src/core/limits.ts';
import { recoverEndpoint } from '../../src/modules/webhooks/manual-deliveries.ts';
import { boundWaiting } from '../../src/modules/webhooks/waiting-cap.ts';
import type { Egress } from '../../src/egress/egress.ts';
import {
  aDispatcher,
  anEndpointAt,
  anEvent,
  aReceivingEndpoint,
  deliveriesTo,
  statusesOf,
  untilAllAre,
} from '../support/worker.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { aReceiver, startReceiver } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { waitingFor } from '../support/webhooks.ts';

const service = await useTestService({ own: true });
afterEach(async () => {
  await service.database.prisma.webhookWaiting.deleteMany();
  await service.database.prisma.webhookEndpoint.updateMany({ data: { status: 'disabled' } });
});

/** A receiver that does not answer until the test says so. */
const aHeldReceiver = async () => {
  let letGo = () => {};
  const released = new Promise<void>((resolve) => (letGo = resolve));
  const receiver = await startReceiver({
    answer: async () => {
      await released;
      return { status: 200 };
    },
  });
  onTestFinished(async () => {
    letGo();
    await receiver.close();
  });
  return { ...receiver, letGo };
};

const endpointsAt = async (team: TestTeam, url: string, count: number): Promise<string[]> => {
  const made = await Promise.all(
    Array.from({ length: count }, (_, index) => anEndpointAt(service, team, `${url}/${index}`)),
  );
  return made.map(({ id }) => id);
};

const concurrency = 64;
/** Long enough for a slow machine, and shorter than a lease. */
const timeout = 25_000;

/** Another team's event arrives although the first team's deliveries hold all slots that they may hold. */
const anotherTeamIsServed = async (events = 3) => {
  const receiver = await aReceiver();
  const other = await aTeam(service);
  const { id } = await anEndpointAt(service, other, receiver.url);
  await anEvent(service, other, events);
  await receiver.untilReceived(events);
  await expect
    .poll(async () => (await deliveriesTo(service, id)).map(({ status }) => status))
    .toEqual(Array(events).fill('ok'));
};

describe('a team’s deliveries', () => {
  it('to 50 endpoints that don’t answer hold half of the slots; another team’s are sent meanwhile', async () => {
    const team = await aTeam(service);
    const held = await aHeldReceiver();
    await endpointsAt(team, held.url, 50);
    await anEvent(service, team, 10);
    await aDispatcher(service, { concurrency, timeout });
    await held.untilReceived(concurrency / 2);
    await anotherTeamIsServed();
    expect(held.received).toHaveLength(concurrency / 2);
    held.letGo();
  });

  it('of which 1,000 wait for one endpoint hold its slots; another team’s are sent meanwhile', async () => {
    const team = await aTeam(service);
    const held = await aHeldReceiver();
    const [id = ''] = await endpointsAt(team, held.url, 1);
    await anEvent(service, team, 1);
    // The event 999 times more.
    await service.database.prisma.$executeRaw`
      with delivery as (
        insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, next_try_at, created_at)
        select tenant_id, uuidv7(), endpoint_id, event_id, event_type, next_try_at, created_at
          from webhook_delivery, generate_series(1, 999) where endpoint_id = ${id}::uuid
        returning *)
      insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at)
      select tenant_id, id, endpoint_id, created_at from delivery`;
    await aDispatcher(service, { concurrency, timeout });
    await held.untilReceived(8);
    await anotherTeamIsServed();
    expect(held.received).toHaveLength(8);
    held.letGo();
  });

  it('to 50 endpoints that all fail, again and again, do not keep another team’s from being sent', async () => {
    const team = await aTeam(service);
    const failing = await aReceiver({ answer: () => ({ status: 500 }) });
    await endpointsAt(team, failing.url, 50);
    await anEvent(service, team, 10);
    await aDispatcher(service, { concurrency, retrySeconds: Array<number>(20).fill(1) });
    await failing.untilReceived(200);
    await anotherTeamIsServed();
  });
});

it('an endpoint whose receiver holds five deliveries gets three more, the maximum for an endpoint', async () => {
  const team = await aTeam(service);
  const held = await aHeldReceiver();
  await endpointsAt(team, held.url, 1);
  await aDispatcher(service, { concurrency, timeout });
  await anEvent(service, team, 5);
  await held.untilReceived(5);
  await anEvent(service, team, 5);
  await held.untilReceived(8);
  await anotherTeamIsServed();
  expect(held.received).toHaveLength(8);
  held.letGo();
  await held.untilReceived(10);
});

it('an endpoint that hangs delays no other', async () => {
  const team = await aTeam(service);
  const dead = await aReceivingEndpoint(service, team, { answer: () => 'hang' });
  await anEvent(service, team, 50);
  await aDispatcher(service, { timeout: 5_000, concurrency: 32 });
  await dead.receiver.untilReceived(8);
  const healthy = await aReceivingEndpoint(service, team);
  await anEvent(service, team, 20);
  await untilAllAre(service, 'ok', healthy.id, 20);
  expect(await statusesOf(service, dead.id)).not.toContain('ok');
});

describe('an endpoint that answers slowly', () => {
  it('is recorded as slow, even if a fast answer follows', async () => {
    const team = await aTeam(service);
    const [id = ''] = await endpointsAt(team, 'https://receiver.example.com', 1);
    let ms = deliveryLimits.slowAfterSeconds * 1_000;
    const egress: Egress = {
      vet: (url) => Promise.resolve({ allowed: true, url }),
      textsOf: () => Promise.resolve([]),
      post: () =>
        Promise.resolve({ startedAt: new Date(), ms, code: 200, headers: {}, excerpt: '', error: null, fault: null }),
      fetch: () => Promise.reject(new Error('nothing is fetched')),
      close: () => Promise.resolve(),
    };
    await aDispatcher(service, { concurrency, egress });
    const sentSlowAt = async () => {
      await anEvent(service, team);
      await expect.poll(() => waitingFor(service, id)).toEqual([]);
      return (await service.database.prisma.webhookEndpoint.findFirstOrThrow({ where: { id } })).slowAt;
    };
    const slowAt = await sentSlowAt();
    expect(slowAt).toBeInstanceOf(Date);
    ms = 5;
    expect(await sentSlowAt()).toEqual(slowAt);
  });
});

it('an endpoint that was slow recently gets one delivery after the other, without pauses', async () => {
  const team = await aTeam(service);
  const receiver = await aReceiver();
  const [id = ''] = await endpointsAt(team, receiver.url, 1);
  await service.database.prisma.webhookEndpoint.update({
    where: { tenantId_id: { tenantId: team.id, id } },
    data: { slowAt: service.clock.now() },
  });
  const waiting = 200;
  await anEvent(service, team, waiting);
  const begin = performance.now();
  await aDispatcher(service, { perEndpoint: 8 });
  await receiver.untilReceived(waiting);
  // With pauses of a second it would take half a minute.
  expect(performance.now() - begin).toBeLessThan(15_000);
});

describe('waiting deliveries of a team beyond the limit', () => {
  it('are given up, the oldest first, with one mail to each admin and an audit entry; they can be recovered', async () => {
    const team = await aTeam(service, { admins: 1 });
    const [id = ''] = await endpointsAt(team, 'https://receiver.example.com', 1);
    const since = new Date(service.clock.now().getTime() - 60_000);
    await anEvent(service, team, 25);
    const other = await aTeam(service);
    const [elsewhere = ''] = await endpointsAt(other, 'https://receiver.example.com', 1);
    await anEvent(service, other, 10);
    await boundWaiting(service.platform, 10);
    await boundWaiting(service.platform, 10);

    const deliveries = await deliveriesTo(service, id);
    expect(deliveries.map(({ status }) => status)).toEqual([
      ...Array(15).fill('gave_up'),
      ...Array(10).fill('pending'),
    ]);
    for (const { error, nextTryAt, attempt } of deliveries.slice(0, 15)) {
      expect([error, nextTryAt, attempt]).toEqual(['too many waiting', null, 0]);
    }
    expect(await waitingFor(service, id)).toHaveLength(10);
    expect(await waitingFor(service, elsewhere)).toHaveLength(10);
    const audited = (await auditEntriesOn(service, team, team.id)).filter(({ action }) => action !== 'team.created');
    expect(audited).toMatchObject([
      { action: 'webhook_deliveries.given_up', data: { given_up: 15, most_waiting: 10 } },
    ]);
    for (const { email } of [team.owner, ...team.admins]) {
      const mails = (await service.mailsTo(email ?? '')).filter(({ kind }) => kind === 'webhook_deliveries_given_up');
      expect(mails).toHaveLength(1);
      expect(mails[0]?.body.text).toContain('/webhooks?team=');
    }

    // Further deliveries beyond the limit cause no further mail.
    await anEvent(service, team, 5);
    await boundWaiting(service.platform, 10);
    expect((await service.mailsTo(team.owner.email)).length).toBe(1);

    expect(await recoverEndpoint(await team.acting(), { endpointId: id, since })).toEqual({
      recovered: 20,
      older: 0,
      more: false,
    });
    expect(await waitingFor(service, id)).toHaveLength(30);
  });

  it('do not include running ones and sends by hand', async () => {
    const team = await aTeam(service);
    const [id = ''] = await endpointsAt(team, 'https://receiver.example.com', 1);
    await anEvent(service, team, 5);
    const rows = (await waitingFor(service, id)).toSorted((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1));
    const { webhookWaiting } = service.database.prisma;
    const later = new Date(Date.now() + 60_000);
    await webhookWaiting.updateMany({
      where: { deliveryId: rows[0]?.deliveryId ?? '' },
      data: { claimId: id, dueAt: later },
    });
    await webhookWaiting.updateMany({ where: { deliveryId: rows[1]?.deliveryId ?? '' }, data: { byHand: true } });
    await boundWaiting(service.platform, 1);
    expect((await waitingFor(service, id)).map(({ deliveryId }) => deliveryId).toSorted()).toEqual(
      rows.slice(0, 2).map(({ deliveryId }) => deliveryId),
    );
  });
});
