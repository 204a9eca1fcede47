import { describe, expect, it } from 'vitest';
import { daysToMs, later, utcDay } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { recoverEndpoint } from '../../src/modules/webhooks/manual-deliveries.ts';
import { bodyOf, publicEventId, unsealSecret } from '../../src/deliveries/message.ts';
import { unsealHeaders } from '../../src/deliveries/team-headers.ts';
import { expectRefusal, inTheApp } from '../support/app-caller.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { aDelivery, anAttempt, anEndpoint, anEvent, deliveryNow, waitingFor } from '../support/webhooks.ts';
import { untilLockWaits } from '../support/postgres.ts';
import { allRows } from '../support/pages.ts';

const service = await useTestService();

const deliveriesOf = async (endpointId: string) =>
  (await service.database.prisma.webhookDelivery.findMany({ where: { endpointId }, orderBy: { id: 'asc' } })).map(
    ({ eventId }) => eventId,
  );

describe('deliveries', () => {
  it('are listed page by page, each exactly once, newest first, while others are added; also by status and event type', async () => {
    const team = await aTeam(service);
    const endpoint_id = await anEndpoint(service, team);
    const { webhookHistory } = await inTheApp(team);
    const made: { id: string; status: string; type: string }[] = [];
    for (let at = 0; at < 12; at += 1) {
      const status = (['ok', 'failed', 'gave_up'] as const)[at % 3] ?? 'ok';
      const type = at % 2 === 0 ? 'member.joined' : 'ping';
      made.unshift({ id: await aDelivery(service, team, { endpointId: endpoint_id, status, type }), status, type });
    }
    for (const filter of [
      {},
      { status: 'ok' },
      { event_type: 'ping' },
      { status: 'failed', event_type: 'member.joined' },
    ] as const) {
      const rows = await allRows(async (from) => {
        const page = await webhookHistory.deliveries({ endpoint_id, limit: 3, ...filter, ...from });
        await service.database.prisma.webhookDelivery.deleteMany({ where: { id: { gt: made[0]?.id ?? '' } } });
        await aDelivery(service, team, { endpointId: endpoint_id, status: 'ok', type: 'ping' });
        return page;
      });
      const seen = rows.map(({ id }) => id);
      const { status, event_type } = { status: undefined, event_type: undefined, ...filter };
      const wanted = made.filter(
        (one) => [one.status, undefined].includes(status) && [one.type, undefined].includes(event_type),
      );
      expect(seen.filter((id) => wanted.some((one) => one.id === id))).toEqual(wanted.map(({ id }) => id));
      expect(new Set(seen).size).toBe(seen.length);
    }
  });

  it('have no next attempt while their endpoint is not active, except pings and retries by hand', async () => {
    const team = await aTeam(service);
    for (const status of ['active', 'disabled', 'disabled_failures'] as const) {
      const endpoint_id = await anEndpoint(service, team, { status });
      const of = { endpointId: endpoint_id };
      const failed = await aDelivery(service, team, { ...of, status: 'failed' });
      await aDelivery(service, team, of);
      await aDelivery(service, team, { ...of, type: 'ping' });
      await aDelivery(service, team, { ...of, resumeStatus: 'failed' });
      await aDelivery(service, team, { ...of, attempt: 0, resumeStatus: 'gave_up' });
      await aDelivery(service, team, { ...of, status: 'gave_up' });
      const { webhookHistory } = await inTheApp(team);
      const { data } = await webhookHistory.deliveries({ endpoint_id });
      const isHeld = status !== 'active';
      expect(data.toReversed().map((delivery) => [delivery.is_held, delivery.next_try_at !== null])).toEqual([
        [isHeld, !isHeld],
        [isHeld, !isHeld],
        [false, true],
        [false, true],
        [false, true],
        [false, false],
      ]);
      expect(await webhookHistory.delivery({ delivery_id: failed })).toMatchObject({ is_held: isHeld });
    }
  });

  it('refuse a cursor of another endpoint or filter', async () => {
    const team = await aTeam(service);
    const [endpoint_id, other] = [await anEndpoint(service, team), await anEndpoint(service, team)];
    for (const _ of [1, 2]) await aDelivery(service, team, { endpointId: endpoint_id, status: 'ok' });
    const { webhookHistory } = await inTheApp(team);
    const cursor = (await webhookHistory.deliveries({ endpoint_id, limit: 1 })).next_cursor ?? '';
    const refusal = { code: 'validation_error', members: { field: 'cursor' } };
    await expectRefusal(webhookHistory.deliveries({ endpoint_id: other, cursor }), refusal);
    await expectRefusal(webhookHistory.deliveries({ endpoint_id, status: 'ok', cursor }), refusal);
    await expectRefusal(webhookHistory.deliveries({ endpoint_id: makeId() }), { code: 'not_found' });
  });
});

describe('the renewal of a secret', () => {
  const url = 'https://hooks.example.com/training?of=1';
  const wanted = { url, events: ['member.removed', 'member.joined'], description: 'Ours' };
  const headers = { 'X-Gateway-Key': 'a key of the gateway' };

  it('begins with a second endpoint like the first, with the values of its headers, and a secret of its own', async () => {
    const team = await aTeam(service);
    const { body: first } = await team.client.post('/webhook-endpoints', { ...wanted, headers });
    const { webhookHistory } = await inTheApp(team);
    const { id, secret, created_at, ...second } = await webhookHistory.renew({ endpoint_id: String(first['id']) });
    const { id: firstId, secret: firstSecret, created_at: _at, ...like } = first;
    expect(second).toEqual(like);
    expect(created_at).not.toBeNull();
    expect([id, secret]).not.toEqual([firstId, firstSecret]);
    expect((await team.client.get('/webhook-endpoints')).data.map((one) => one['id'])).toEqual([id, firstId]);

    const where = { tenantId_id: { tenantId: team.id, id } };
    const row = await service.database.prisma.webhookEndpoint.findUniqueOrThrow({ where });
    const { vault } = service.platform;
    expect(unsealSecret(vault, id, row.secret)).toBe(secret);
    expect(Object.fromEntries(unsealHeaders(vault, id, row.headers))).toEqual(headers);
    expect(await auditEntriesOn(service, team, id)).toMatchObject([
      {
        action: 'webhook_endpoint.created',
        data: { url: 'https://hooks.example.com/training?…', headers: ['X-Gateway-Key'] },
      },
    ]);
  });

  it('begins for a paused endpoint, too, and not for a disabled or unknown one', async () => {
    const team = await aTeam(service);
    const { webhookHistory } = await inTheApp(team);
    const renew = (endpoint_id: string) => webhookHistory.renew({ endpoint_id });
    const paused = await anEndpoint(service, team, { status: 'disabled_failures', failingSince: service.clock.now() });
    expect(await renew(paused)).toMatchObject({ status: 'active', last_success_at: null });
    const refused = { code: 'validation_error', members: { field: 'status' } };
    await expectRefusal(renew(await anEndpoint(service, team, { status: 'disabled' })), refused);
    await expectRefusal(renew(makeId()), { code: 'not_found' });
    expect((await team.client.get('/webhook-endpoints')).data).toHaveLength(3);
  });
});

describe('failing endpoints', () => {
  it('are those that failed twice in a row, and paused ones: not after a single failure, and not if they are disabled', async () => {
    const team = await aTeam(service);
    const ago = (seconds: number) => later(service.clock.now(), -seconds * 1_000);
    await anEndpoint(service, team);
    await anEndpoint(service, team, { failingSince: ago(3_600), failedAgainAt: null });
    await anEndpoint(service, team, { status: 'disabled', failingSince: ago(90_000) });
    const failing = await anEndpoint(service, team, { failingSince: ago(2), failedAgainAt: ago(1) });
    const paused = await anEndpoint(service, team, { status: 'disabled_failures', failingSince: ago(300_000) });
    const { endpoints } = await (await inTheApp(team)).webhookHistory.failing({});
    expect(endpoints.map(({ endpoint_id }) => endpoint_id).toSorted()).toEqual([failing, paused].toSorted());
  });
});

describe('attempts', () => {
  it('show the sent and received data, the last one first', async () => {
    const team = await aTeam(service);
    const endpointId = await anEndpoint(service, team);
    const data = { training_id: makeId(), user_id: makeId() };
    const at = new Date('2026-05-01T10:00:00.120Z');
    const eventId = await anEvent(service, team, { data, at });
    const deliveryId = await aDelivery(service, team, { endpointId, eventId, status: 'ok' });
    await aDelivery(service, team, { endpointId, status: 'ok' });
    const first = await anAttempt(service, team, { deliveryId, code: null });
    const second = await anAttempt(service, team, { deliveryId, number: 2 });
    const shown = (await (await inTheApp(team)).webhookHistory.attempts({ delivery_id: deliveryId })).data;
    // As the API shows them, with what only the app has.
    const { attempts } = (await team.client.get(`/webhook-deliveries/${deliveryId}`)).body;
    expect(shown.map(({ id: _id, request_body: _body, error_de: _error, ...attempt }) => attempt)).toEqual(attempts);
    expect(shown.map(({ id, error_de }) => [id, error_de])).toEqual([
      [second, null],
      [first, null],
    ]);
    const body = bodyOf({
      tenantId: team.id,
      eventId,
      type: 'training.completed',
      createdAt: '2026-05-01T10:00:00.120Z',
      apiVersion: '2026-11',
      data: { team_id: team.id, ...data },
    });
    for (const { request_body } of shown) expect(JSON.parse(request_body ?? '')).toEqual(JSON.parse(body));
  });

  it('hide the body about a person while that is switched off, not others, and have none once its event is deleted', async () => {
    const team = await aTeam(service, { memberDetail: false });
    const endpointId = await anEndpoint(service, team);
    const { webhookHistory } = await inTheApp(team);
    const bodyFor = async (eventId: string) => {
      const delivery_id = await aDelivery(service, team, { endpointId, eventId, status: 'ok' });
      await anAttempt(service, team, { deliveryId: delivery_id });
      return (await webhookHistory.attempts({ delivery_id })).data.map(({ request_body }) => request_body);
    };
    expect(await bodyFor(await anEvent(service, team, { data: { user_id: makeId() } }))).toEqual([null]);
    expect(await bodyFor(await anEvent(service, team, { data: { score: 81 } }))).toEqual([null]);
    expect(await bodyFor(await anEvent(service, team))).toEqual([expect.stringContaining('training.completed')]);
    expect(await bodyFor(makeId())).toEqual([null]);
  });

  it('are none for a delivery that was never sent, and not found for a deleted endpoint', async () => {
    const team = await aTeam(service);
    const endpointId = await anEndpoint(service, team);
    const delivery_id = await aDelivery(service, team, { endpointId });
    const { webhookHistory } = await inTheApp(team);
    expect(await webhookHistory.attempts({ delivery_id })).toEqual({ data: [] });
    await team.client.delete(`/webhook-endpoints/${endpointId}`);
    await expectRefusal(webhookHistory.attempts({ delivery_id }), { code: 'not_found' });
  });
});

describe('replay', () => {
  it('sends an event once more, and is audited', async () => {
    const team = await aTeam(service);
    const endpoint_id = await anEndpoint(service, team, { events: ['member.joined'] });
    const eventId = await anEvent(service, team);
    const { webhookHistory } = await inTheApp(team);
    const answer = await webhookHistory.replay({ event_id: publicEventId(eventId), endpoint_id });
    expect(answer).toEqual({ delivery_id: expect.any(String), status: 'pending' });
    expect(await deliveryNow(service, team, answer.delivery_id)).toMatchObject({
      endpointId: endpoint_id,
      eventId,
      eventType: 'training.completed',
      status: 'pending',
      attempt: 0,
    });
    expect(await waitingFor(service, endpoint_id)).toMatchObject([{ deliveryId: answer.delivery_id, claimId: null }]);
    expect(await auditEntriesOn(service, team, eventId)).toMatchObject([
      {
        action: 'webhook_event.replayed',
        actor: ['person', team.owner.user_id],
        data: { endpoint_id, delivery_id: answer.delivery_id },
      },
    ]);
  });

  it('accepts an event’s public id, which its deliveries have, without its evt_, and as a UUID', async () => {
    const team = await aTeam(service);
    const { webhookHistory } = await inTheApp(team);
    const [endpoint_id, id] = [await anEndpoint(service, team), await anEvent(service, team)];
    const shown = publicEventId(id);
    for (const event_id of [shown, shown.slice(4), id, `evt_${id}`]) {
      expect(await webhookHistory.replay({ event_id, endpoint_id })).toMatchObject({ status: 'pending' });
    }
    const { data } = await webhookHistory.deliveries({ endpoint_id });
    expect(data.map(({ event_id }) => event_id)).toEqual([shown, shown, shown, shown]);
    const waiting = await waitingFor(service, endpoint_id);
    // As for every event: they wait while the endpoint is disabled.
    expect(waiting.map(({ byHand }) => byHand)).toEqual([false, false, false, false]);
    for (const event_id of ['x', `x${shown}`, `evt_${'f'.repeat(32)}`, makeId()]) {
      await expectRefusal(webhookHistory.replay({ event_id, endpoint_id }), { code: 'not_found' });
    }
  });

  it('refuses a ping, and an endpoint that is not active', async () => {
    const team = await aTeam(service);
    const { webhookHistory } = await inTheApp(team);
    const [endpoint_id, event_id] = [await anEndpoint(service, team), await anEvent(service, team)];
    const ping = await anEvent(service, team, { type: 'ping' });
    const refused = (field: string) => ({ code: 'validation_error', members: { field } });
    await expectRefusal(webhookHistory.replay({ event_id: ping, endpoint_id }), refused('event_id'));
    for (const status of ['disabled', 'disabled_failures'] as const) {
      const inactive = await anEndpoint(service, team, { status });
      await expectRefusal(webhookHistory.replay({ event_id, endpoint_id: inactive }), refused('status'));
      expect(await waitingFor(service, inactive)).toEqual([]);
    }
    for (const strange of ['evt_x', `evt_evt_${event_id}`, event_id.toUpperCase(), publicEventId(makeId())]) {
      await expectRefusal(webhookHistory.replay({ event_id: strange, endpoint_id }), { code: 'not_found' });
    }
  });
});

describe('recover', () => {
  it('sends a limited number at once and returns whether others are left', async () => {
    const team = await aTeam(service);
    const endpoint_id = await anEndpoint(service, team);
    const since = service.clock.now();
    const events: string[] = [];
    while (events.length < 5) events.push(await anEvent(service, team));
    const acting = await team.acting();
    const recover = () => recoverEndpoint(acting, { endpointId: endpoint_id, since }, 2);
    expect([await recover(), await recover(), await recover()]).toEqual([
      { recovered: 2, older: 0, more: true },
      { recovered: 2, older: 0, more: true },
      { recovered: 1, older: 0, more: false },
    ]);
    expect(await deliveriesOf(endpoint_id)).toEqual(events);
  });

  it('finds nothing left in the second of two at once', async () => {
    const team = await aTeam(service);
    const endpoint_id = await anEndpoint(service, team);
    const since = service.clock.now();
    const eventId = await anEvent(service, team);
    const acting = await team.acting();
    let calls: Promise<{ recovered: number }>[] = [];
    await service.database.transaction(async (tx) => {
      await tx.$executeRaw`
        select from webhook_endpoint where tenant_id = ${team.id}::uuid and id = ${endpoint_id}::uuid for update`;
      calls = [1, 2].map(() => recoverEndpoint(acting, { endpointId: endpoint_id, since }));
      await untilLockWaits(service, { count: 2 });
    });
    expect((await Promise.all(calls)).map(({ recovered }) => recovered).sort()).toEqual([0, 1]);
    expect(await deliveriesOf(endpoint_id)).toEqual([eventId]);
  });
});

describe('days', () => {
  it('count the attempts of each day, today last, with zeros where there were none', async () => {
    const team = await aTeam(service);
    const [endpointId, other] = [await anEndpoint(service, team), await anEndpoint(service, team)];
    const { webhookHistory } = await inTheApp(team);
    const dayOf = (ago: number) => later(service.clock.now(), -daysToMs(ago)).toISOString().slice(0, 10);
    const counted = (
      ago: number,
      counts: { delivered: number; failed: number; totalMs: number; slowestMs: number },
    ) => ({
      tenantId: team.id,
      endpointId,
      day: new Date(dayOf(ago)),
      ...counts,
    });
    await service.database.prisma.webhookEndpointDay.createMany({
      data: [
        counted(0, { delivered: 2, failed: 1, totalMs: 100, slowestMs: 60 }),
        counted(2, { delivered: 0, failed: 1, totalMs: 10_000, slowestMs: 10_000 }),
        counted(3, { delivered: 9, failed: 9, totalMs: 9, slowestMs: 9 }),
        { ...counted(1, { delivered: 7, failed: 7, totalMs: 7, slowestMs: 7 }), endpointId: other },
      ],
    });
    const quiet = { delivered: 0, failed: 0 };
    expect(await webhookHistory.days({ days: 3 })).toEqual({
      endpoints: expect.arrayContaining([
        {
          endpoint_id: endpointId,
          days: [
            { day: dayOf(2), delivered: 0, failed: 1 },
            { day: dayOf(1), ...quiet },
            { day: dayOf(0), delivered: 2, failed: 1 },
          ],
        },
        {
          endpoint_id: other,
          days: [
            { day: dayOf(2), ...quiet },
            { day: dayOf(1), delivered: 7, failed: 7 },
            { day: dayOf(0), ...quiet },
          ],
        },
      ]),
    });
    const [whole] = (await webhookHistory.days({ days: 90 })).endpoints;
    expect([whole?.days.length, whole?.days[0]?.day, whole?.days.at(-1)?.day]).toEqual([90, dayOf(89), dayOf(0)]);
    expect((await webhookHistory.days({})).endpoints[0]?.days).toHaveLength(30);
    for (const wrong of [0, 91, 1.5]) {
      await expectRefusal(webhookHistory.days({ days: wrong }), 'BAD_REQUEST');
    }
  });
});

describe('health', () => {
  it('shows outcomes and durations of the attempts in each interval, for one endpoint or all', async () => {
    const team = await aTeam(service);
    const [endpointId, other] = [await anEndpoint(service, team), await anEndpoint(service, team)];
    const elsewhere = await aTeam(service);
    const { webhookHistory } = await inTheApp(team);
    const start = new Date(Math.floor(service.clock.now().getTime() / 900_000) * 900_000);
    const at = (quarters: number) => later(start, quarters * 900_000);
    const counted = (quarters: number, ms: number, attempts: number, delivered = true) => ({
      tenantId: team.id,
      endpointId,
      start: at(quarters),
      delivered,
      duration: Math.ceil(Math.log(ms) / Math.log(1.2)),
      attempts,
    });
    await service.database.prisma.webhookQuarterHour.createMany({
      data: [
        counted(-3, 50, 1000),
        counted(-2, 50, 90),
        counted(-2, 500, 10),
        counted(-1, 10_000, 3, false),
        { ...counted(-1, 70, 5), endpointId: other },
        { ...counted(-1, 70, 500), endpointId: makeId() },
        { ...counted(-1, 70, 500), tenantId: elsewhere.id },
      ],
    });
    const wanted = { starts: [at(-2).toISOString(), at(-1).toISOString()], end: at(0).toISOString() };
    const of = await webhookHistory.health({ ...wanted, endpoint_id: endpointId });
    expect(of.intervals.map(({ delivered, failed }) => [delivered, failed])).toEqual([
      [100, 0],
      [0, 3],
    ]);
    expect(of.total).toMatchObject({ delivered: 100, failed: 3 });
    const [first, second] = of.intervals;
    // A class of durations is a fifth wide, and a percentile is within its class.
    expect(first?.p50_ms).toBeGreaterThan(40);
    expect(first?.p50_ms).toBeLessThan(60);
    expect(first?.p95_ms).toBeGreaterThan(410);
    expect(first?.p95_ms).toBeLessThan(600);
    expect(second?.p95_ms).toBeGreaterThan(8_000);
    const all = await webhookHistory.health(wanted);
    expect(all.total).toMatchObject({ delivered: 105, failed: 3 });
    expect(await webhookHistory.health({ starts: [at(4).toISOString()], end: at(5).toISOString() })).toEqual({
      total: { delivered: 0, failed: 0, p50_ms: null, p95_ms: null },
      intervals: [{ delivered: 0, failed: 0, p50_ms: null, p95_ms: null }],
    });
    const single = { tenantId: team.id, endpointId: await anEndpoint(service, team) };
    const { webhookQuarterHour, webhookEndpointDay } = service.database.prisma;
    await webhookQuarterHour.create({ data: { ...counted(-1, 70, 1), ...single } });
    await webhookEndpointDay.create({ data: { ...single, day: new Date(utcDay(at(-1))), delivered: 1, totalMs: 66n } });
    const only = await webhookHistory.health({ ...wanted, endpoint_id: single.endpointId });
    expect(only.total).toEqual({ delivered: 1, failed: 0, p50_ms: 66, p95_ms: 66 });
    await expectRefusal(webhookHistory.health({ ...wanted, endpoint_id: makeId() }), { code: 'not_found' });
    await expectRefusal(webhookHistory.health({ ...wanted, starts: wanted.starts.toReversed() }), 'BAD_REQUEST');
  });
});

describe('several deliveries', () => {
  it('are retried one by one, and the answer lists the failures', async () => {
    const team = await aTeam(service);
    const endpointId = await anEndpoint(service, team);
    const [failed, ok, given] = [
      await aDelivery(service, team, { endpointId, status: 'failed' }),
      await aDelivery(service, team, { endpointId, status: 'ok' }),
      await aDelivery(service, team, { endpointId, status: 'gave_up' }),
    ];
    const { webhookHistory } = await inTheApp(team);
    const delivery_ids = [failed, ok, given, makeId()];
    const { results } = await webhookHistory.retryMany({ delivery_ids });
    expect(results.map(({ code }) => code)).toEqual([null, 'validation_error', null, 'not_found']);
    expect(await waitingFor(service, endpointId)).toHaveLength(2);
    for (const id of [failed, given]) {
      expect((await auditEntriesOn(service, team, id)).map(({ action }) => action)).toEqual([
        'webhook_delivery.retried',
      ]);
    }
    // Both are now waiting to be sent.
    expect((await webhookHistory.retryMany({ delivery_ids: [failed] })).results).toMatchObject([
      { code: 'validation_error' },
    ]);
  });

  it('are found by the time when they were created, to the millisecond', async () => {
    const team = await aTeam(service);
    const endpoint_id = await anEndpoint(service, team);
    const now = service.clock.now();
    const made: string[] = [];
    for (let at = 0; at < 4; at += 1) {
      const id = await aDelivery(service, team, { endpointId: endpoint_id, status: 'ok' });
      await service.database.prisma.webhookDelivery.updateMany({
        where: { id },
        data: { createdAt: later(now, at * 10) },
      });
      made.push(id);
    }
    const { webhookHistory } = await inTheApp(team);
    const between = async (from: number, to: number) =>
      (
        await webhookHistory.deliveries({
          endpoint_id,
          since: later(now, from).toISOString(),
          until: later(now, to).toISOString(),
        })
      ).data.map(({ id }) => made.indexOf(id));
    expect(await between(10, 30)).toEqual([2, 1]);
    expect(await between(11, 31)).toEqual([3, 2]);
    expect(await between(-60_000, 1)).toEqual([0]);
    expect(await between(-120_000, -60_000)).toEqual([]);
  });
});
