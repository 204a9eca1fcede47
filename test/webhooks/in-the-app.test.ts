import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { daysToMs, hoursToMs, later } from '../../src/core/clock.ts';
import { newId } from '../../src/core/ids.ts';
import { recoverEndpoint } from '../../src/modules/webhooks/by-hand.ts';
import { bodyOf, publicEventId } from '../../src/webhooks/message.ts';
import { asJson } from '../../src/core/raw-json.ts';
import { expectRefusal, inTheApp } from '../support/app-caller.ts';
import { auditEntriesOn } from '../support/audit-entries.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { aDelivery, anAttempt, anEndpoint, anEvent, deliveryNow, waitingFor } from '../support/webhooks.ts';
import { untilLockWaits } from '../support/postgres.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const deliveriesOf = async (endpointId: string) =>
  (await service.database.prisma.webhookDelivery.findMany({ where: { endpointId }, orderBy: { id: 'asc' } })).map(
    ({ eventId }) => eventId,
  );

describe('deliveries', () => {
  it('pages yield each exactly once, newest first, while others are added; by status and event type too', async () => {
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
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await webhookHistory.deliveries({ endpoint_id, limit: 3, ...filter, ...(cursor && { cursor }) });
        seen.push(...page.data.map(({ id }) => id));
        cursor = page.next_cursor ?? undefined;
        await service.database.prisma.webhookDelivery.deleteMany({ where: { id: { gt: made[0]?.id ?? '' } } });
        await aDelivery(service, team, { endpointId: endpoint_id, status: 'ok', type: 'ping' });
      } while (cursor !== undefined);
      const { status, event_type } = { status: undefined, event_type: undefined, ...filter };
      const wanted = made.filter(
        (one) => [one.status, undefined].includes(status) && [one.type, undefined].includes(event_type),
      );
      expect(seen.filter((id) => wanted.some((one) => one.id === id))).toEqual(wanted.map(({ id }) => id));
      expect(new Set(seen).size).toBe(seen.length);
    }
  });

  it('name their events as receivers see them', async () => {
    const team = await aTeam(service);
    const [endpoint_id, eventId] = [await anEndpoint(service, team), await anEvent(service, team)];
    const id = await aDelivery(service, team, { endpointId: endpoint_id, eventId });
    const { data } = await (await inTheApp(team)).webhookHistory.deliveries({ endpoint_id });
    expect(data).toMatchObject([{ id, event_id: `evt_${eventId.replaceAll('-', '')}`, status: 'pending' }]);
  });

  it('a cursor of another endpoint or filter is refused', async () => {
    const team = await aTeam(service);
    const [endpoint_id, other] = [await anEndpoint(service, team), await anEndpoint(service, team)];
    for (const _ of [1, 2]) await aDelivery(service, team, { endpointId: endpoint_id, status: 'ok' });
    const { webhookHistory } = await inTheApp(team);
    const cursor = (await webhookHistory.deliveries({ endpoint_id, limit: 1 })).next_cursor ?? '';
    const refusal = { code: 'validation_error', members: { field: 'cursor' } };
    await expectRefusal(webhookHistory.deliveries({ endpoint_id: other, cursor }), refusal);
    await expectRefusal(webhookHistory.deliveries({ endpoint_id, status: 'ok', cursor }), refusal);
    await expectRefusal(webhookHistory.deliveries({ endpoint_id: newId() }), { code: 'not_found' });
  });
});

describe('attempts', () => {
  it('show what was sent and what came back, the last one first', async () => {
    const team = await aTeam(service);
    const endpointId = await anEndpoint(service, team);
    const data = { training_id: newId(), user_id: newId() };
    const at = new Date('2026-05-01T10:00:00.120Z');
    const eventId = await anEvent(service, team, { data, at });
    const deliveryId = await aDelivery(service, team, { endpointId, eventId, status: 'ok' });
    await aDelivery(service, team, { endpointId, status: 'ok' });
    const first = await anAttempt(service, team, { deliveryId, code: null });
    const second = await anAttempt(service, team, { deliveryId, number: 2 });
    const shown = asJson((await (await inTheApp(team)).webhookHistory.attempts({ delivery_id: deliveryId })).data);
    const request_body = bodyOf({
      tenantId: team.id,
      eventId,
      type: 'training.completed',
      createdAt: '2026-05-01T10:00:00.120Z',
      apiVersion: '2026-11',
      data: { team_id: team.id, ...data },
    });
    const sent = {
      started_at: expect.stringMatching(/Z$/),
      url: 'https://example.com/',
      request_headers: { 'Content-Type': 'application/json', 'Svc-Signature': 't=1795000000,v1=00' },
      request_body: expect.any(String),
    };
    expect(shown).toEqual([
      {
        id: second,
        number: 2,
        manual: true,
        ...sent,
        response_code: 200,
        response_headers: { server: 'test' },
        response_excerpt: 'thanks',
        response_ms: 12,
        error: null,
      },
      {
        id: first,
        number: 1,
        manual: false,
        ...sent,
        response_code: null,
        response_headers: null,
        response_excerpt: null,
        response_ms: null,
        error: 'The connection was refused.',
      },
    ]);
    for (const attempt of shown) expect(JSON.parse(attempt.request_body ?? '')).toEqual(JSON.parse(request_body));
  });

  it('show no body of a person while that is switched off, one of nobody all the same, and none once its event is cut', async () => {
    const team = await aTeam(service, { memberDetail: false });
    const endpointId = await anEndpoint(service, team);
    const { webhookHistory } = await inTheApp(team);
    const bodyFor = async (eventId: string) => {
      const delivery_id = await aDelivery(service, team, { endpointId, eventId, status: 'ok' });
      await anAttempt(service, team, { deliveryId: delivery_id });
      return (await webhookHistory.attempts({ delivery_id })).data.map(({ request_body }) => request_body);
    };
    expect(await bodyFor(await anEvent(service, team, { data: { user_id: newId() } }))).toEqual([null]);
    expect(await bodyFor(await anEvent(service, team, { data: { score: 81 } }))).toEqual([null]);
    expect(await bodyFor(await anEvent(service, team))).toEqual([expect.stringContaining('training.completed')]);
    expect(await bodyFor(newId())).toEqual([null]);
  });

  it('of a delivery that was never sent there are none, and of a deleted endpoint nothing is found', async () => {
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
  it.each([
    ['as receivers see it', publicEventId],
    ['plain', (id: string) => id],
  ])('sends an event once more, its id given %s, and is audited', async (_how, write) => {
    const team = await aTeam(service);
    const endpoint_id = await anEndpoint(service, team, { events: ['member.joined'] });
    const eventId = await anEvent(service, team);
    const { webhookHistory } = await inTheApp(team);
    const answer = await webhookHistory.replay({ event_id: write(eventId), endpoint_id });
    expect(answer).toEqual({ delivery_id: expect.any(String), status: 'pending' });
    expect(await deliveryNow(service, team, answer.delivery_id)).toMatchObject({
      endpointId: endpoint_id,
      eventId,
      eventType: 'training.completed',
      status: 'pending',
      attempt: 0,
    });
    expect(await waitingFor(service, endpoint_id)).toMatchObject([{ delivery: answer.delivery_id, claim: null }]);
    expect(await auditEntriesOn(service, team, eventId)).toMatchObject([
      {
        action: 'webhook_event.replayed',
        actor: ['person', team.owner.user_id],
        data: { endpoint_id, delivery_id: answer.delivery_id },
      },
    ]);
  });

  it('takes an event’s id as receivers see it, without its evt_, and as the service writes it', async () => {
    const team = await aTeam(service);
    const { webhookHistory } = await inTheApp(team);
    const [endpoint_id, id] = [await anEndpoint(service, team), await anEvent(service, team)];
    const shown = publicEventId(id);
    for (const event_id of [shown, shown.slice(4), id, `evt_${id}`]) {
      expect(await webhookHistory.replay({ event_id, endpoint_id })).toMatchObject({ status: 'pending' });
    }
    expect(await waitingFor(service, endpoint_id)).toHaveLength(4);
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
      await expectRefusal(
        webhookHistory.recover({ endpoint_id: inactive, since: '2026-01-01T00:00:00Z' }),
        refused('status'),
      );
      expect(await waitingFor(service, inactive)).toEqual([]);
    }
    for (const strange of ['evt_x', `evt_evt_${event_id}`, event_id.toUpperCase(), publicEventId(newId())]) {
      await expectRefusal(webhookHistory.replay({ event_id: strange, endpoint_id }), { code: 'not_found' });
    }
  });
});

describe('recover', () => {
  it('sends every subscribed event since then that neither arrived nor is on its way, once', async () => {
    const team = await aTeam(service);
    const endpoint_id = await anEndpoint(service, team, { events: ['training.completed', 'member.joined'] });
    const other = await anEndpoint(service, team, { events: ['training.completed'] });
    const { webhookHistory } = await inTheApp(team);
    const since = later(service.clock.now(), -hoursToMs(1));
    const old = await anEvent(service, team, { at: later(since, -1) });
    const first = await anEvent(service, team, { at: since });
    const joined = await anEvent(service, team, { type: 'member.joined' });
    await anEvent(service, team, { type: 'member.removed' });
    await anEvent(service, team, { type: 'ping' });
    const byStatus: Record<string, string> = {};
    for (const status of ['pending', 'failed', 'ok', 'gave_up'] as const) {
      const eventId = await anEvent(service, team);
      byStatus[status] = eventId;
      await aDelivery(service, team, { endpointId: endpoint_id, eventId, status });
    }
    const elsewhere = await anEvent(service, team);
    await aDelivery(service, team, { endpointId: other, eventId: elsewhere, status: 'ok' });
    const again = await anEvent(service, team);
    await aDelivery(service, team, { endpointId: endpoint_id, eventId: again, status: 'gave_up' });
    await aDelivery(service, team, { endpointId: endpoint_id, eventId: again, status: 'ok' });
    const before = await deliveriesOf(endpoint_id);
    const waited = (await waitingFor(service, endpoint_id)).length;

    const wanted = { endpoint_id, since: since.toISOString() };
    expect(await webhookHistory.recover(wanted)).toEqual({ recovered: 4, more: false });
    const made = (await deliveriesOf(endpoint_id)).slice(before.length);
    expect(made).toEqual([first, joined, byStatus['gave_up'], elsewhere]);
    expect(made).not.toContain(old);
    expect(await waitingFor(service, endpoint_id)).toHaveLength(waited + 4);
    expect(await deliveriesOf(other)).toEqual([elsewhere]);
    expect(await webhookHistory.recover(wanted)).toEqual({ recovered: 0, more: false });
    expect(await auditEntriesOn(service, team, endpoint_id)).toMatchObject([
      {
        action: 'webhook_endpoint.recovered',
        actor: ['person', team.owner.user_id],
        data: { since: since.toISOString(), recovered: 4 },
      },
    ]);
  });

  it('takes so many at once and tells whether others are left', async () => {
    const team = await aTeam(service);
    const endpoint_id = await anEndpoint(service, team);
    const since = service.clock.now();
    const events: string[] = [];
    while (events.length < 5) events.push(await anEvent(service, team));
    const acting = await team.acting();
    const recover = () => recoverEndpoint(acting, { endpoint_id, since }, 2);
    expect([await recover(), await recover(), await recover()]).toEqual([
      { recovered: 2, more: true },
      { recovered: 2, more: true },
      { recovered: 1, more: false },
    ]);
    expect(await deliveriesOf(endpoint_id)).toEqual(events);
  });

  it('of two at once the second finds nothing left', async () => {
    const team = await aTeam(service);
    const endpoint_id = await anEndpoint(service, team);
    const since = service.clock.now();
    const eventId = await anEvent(service, team);
    const acting = await team.acting();
    let calls: Promise<{ recovered: number }>[] = [];
    await service.database.transaction(async (tx) => {
      await tx.$executeRaw`select from webhook_endpoint where id = ${endpoint_id}::uuid for update`;
      calls = [1, 2].map(() => recoverEndpoint(acting, { endpoint_id, since }));
      await untilLockWaits(service, { count: 2 });
    });
    expect((await Promise.all(calls)).map(({ recovered }) => recovered).sort()).toEqual([0, 1]);
    expect(await deliveriesOf(endpoint_id)).toEqual([eventId]);
  });

  it('takes any time of the calendar', async () => {
    const team = await aTeam(service);
    const endpoint_id = await anEndpoint(service, team);
    await anEvent(service, team);
    const { webhookHistory } = await inTheApp(team);
    const recovered = async (since: string) => (await webhookHistory.recover({ endpoint_id, since })).recovered;
    expect(await recovered('9999-12-31T23:59:59Z')).toBe(0);
    expect(await recovered('0001-01-01T00:00:00Z')).toBe(1);
    await expectRefusal(webhookHistory.recover({ endpoint_id, since: '2026-01-01' }), 'BAD_REQUEST');
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
    const quiet = { delivered: 0, failed: 0, mean_ms: null, slowest_ms: null };
    expect(await webhookHistory.days({ endpoint_id: endpointId, days: 3 })).toEqual({
      data: [
        { day: dayOf(2), delivered: 0, failed: 1, mean_ms: 10_000, slowest_ms: 10_000 },
        { day: dayOf(1), ...quiet },
        { day: dayOf(0), delivered: 2, failed: 1, mean_ms: 33, slowest_ms: 60 },
      ],
    });
    const whole = (await webhookHistory.days({ endpoint_id: endpointId, days: 90 })).data;
    expect([whole.length, whole[0]?.day, whole.at(-1)?.day]).toEqual([90, dayOf(89), dayOf(0)]);
    expect((await webhookHistory.days({ endpoint_id: endpointId })).data).toHaveLength(30);
    for (const wrong of [0, 91, 1.5]) {
      await expectRefusal(webhookHistory.days({ endpoint_id: endpointId, days: wrong }), 'BAD_REQUEST');
    }
    await expectRefusal(webhookHistory.days({ endpoint_id: newId() }), { code: 'not_found' });
  });
});
