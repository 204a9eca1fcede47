import { describe, expect, it } from 'vitest';
import { later, minutesToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { testEndpoint } from '../../src/modules/webhooks/manual-deliveries.ts';
import { changeEndpoint, deleteEndpoint } from '../../src/modules/webhooks/service.ts';
import { publicEventId } from '../../src/deliveries/message.ts';
import { apiInTheApp, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { aDelivery, anAttempt, anEndpoint, anEvent } from '../support/webhooks.ts';

const service = await useTestService();

const joined = ['member.joined'] as const;

/** The team's newest event. */
const newestEvent = ({ id: tenantId }: TestTeam) =>
  service.database.prisma.webhookEvent.findFirstOrThrow({ where: { tenantId }, orderBy: { id: 'desc' } });

const reachOf = async (team: TestTeam, event_id: string) => (await inTheApp(team)).webhookHistory.event({ event_id });

describe('the page of an event', () => {
  it('shows which endpoints it was sent to, and why not to the others', async () => {
    const team = await aTeam(service);
    const acting = await team.acting();
    const make = (wanted: Parameters<typeof anEndpoint>[2] = {}) =>
      anEndpoint(service, team, { events: [...joined], ...wanted });
    const asked = await make();
    const notSubscribed = await make({ events: ['training.completed'] });
    const subscribedLater = await make({ events: ['training.completed'] });
    const disabled = await make({ status: 'disabled' });
    const paused = await make({ status: 'disabled_failures' });
    const deleted = await make();
    const former = await aDelivery(service, team, { endpointId: asked, status: 'failed' });
    await anAttempt(service, team, { deliveryId: former, code: 500, at: later(service.clock.now(), -minutesToMs(1)) });

    await team.anInvitedMember();
    const event = await newestEvent(team);
    const createdLater = await make();
    await changeEndpoint(acting, asked, { events: ['training.completed'] });
    await changeEndpoint(acting, subscribedLater, { events: [...joined] });
    await deleteEndpoint(acting, deleted);

    const { endpoints, ...about } = await reachOf(team, publicEventId(event.id));
    expect(about).toMatchObject({ event_id: publicEventId(event.id), type: 'member.joined' });
    expect(JSON.parse(about.body ?? '')).toMatchObject({ id: about.event_id, type: about.type, tenant_id: team.id });
    const states = new Map(endpoints.map(({ endpoint_id, state }) => [endpoint_id, state]));
    expect(Object.fromEntries(states)).toEqual({
      [asked]: 'asked',
      [notSubscribed]: 'not_subscribed',
      [subscribedLater]: 'not_sent',
      [disabled]: 'disabled',
      [paused]: 'paused',
      [createdLater]: 'created_later',
    });
    expect(endpoints.find(({ endpoint_id }) => endpoint_id === asked)).toMatchObject({
      status: 'active',
      last_before: { succeeded: false },
      deliveries: [{ by_hand: false, status: 'pending', attempts: [] }],
    });
  });

  it('has all its deliveries, also replayed and recovered ones, with their attempts', async () => {
    const team = await aTeam(service);
    const [first, second] = [await anEndpoint(service, team, { events: [...joined] }), await anEndpoint(service, team)];
    await team.anInvitedMember();
    const event = await newestEvent(team);
    const { webhookHistory } = await inTheApp(team);
    const event_id = event.id;
    const replayed = await webhookHistory.replay({ event_id, endpoint_id: first });
    await changeEndpoint(await team.acting(), second, { events: [...joined] });
    const since = later(event.createdAt, -1).toISOString();
    const { webhooks } = await apiInTheApp(team, ['webhooks:manage']);
    expect(await webhooks.recover({ endpoint_id: second, since })).toMatchObject({ recovered: 1 });
    await anAttempt(service, team, { deliveryId: replayed.delivery_id, code: 503 });
    // Deliveries of other events at the same time.
    await aDelivery(service, team, { endpointId: first, status: 'ok' });

    const { endpoints } = await webhookHistory.event({ event_id });
    const of = (id: string) => endpoints.find(({ endpoint_id }) => endpoint_id === id);
    expect(of(first)?.deliveries).toMatchObject([
      { by_hand: false, attempts: [] },
      { id: replayed.delivery_id, by_hand: true, attempts: [{ number: 1, response_code: 503 }] },
    ]);
    expect(of(second)).toMatchObject({ state: 'not_sent', deliveries: [{ by_hand: true }] });
    const test = await testEndpoint(await team.acting(), first);
    const ping = await newestEvent(team);
    expect((await webhookHistory.event({ event_id: ping.id })).endpoints).toMatchObject([
      { endpoint_id: first, state: 'asked', deliveries: [{ id: test.deliveryId }] },
    ]);
  });

  it('says how the last attempt ended that ended before it: not an earlier one, and not one that still ran', async () => {
    const team = await aTeam(service);
    const made = Array.from({ length: 4 }, () => anEndpoint(service, team, { events: [...joined] }));
    const [works, failed, refused, fresh] = await Promise.all(made);
    const before = (seconds: number) => later(service.clock.now(), -seconds * 1_000);
    const attempts: [endpointId: string | undefined, code: number | null, at: Date][] = [
      [works, 500, before(300)],
      [works, 204, before(200)],
      [failed, 200, before(300)],
      [failed, 302, before(200)],
      [refused, 200, before(300)],
      [refused, null, before(200)],
    ];
    for (const [endpointId = '', code, at] of attempts) {
      const deliveryId = await aDelivery(service, team, { endpointId, status: 'failed' });
      await anAttempt(service, team, { deliveryId, code, at });
    }
    const running = await aDelivery(service, team, { endpointId: works ?? '', status: 'failed' });
    await team.anInvitedMember();
    const event = await newestEvent(team);
    await anAttempt(service, team, { deliveryId: running, code: 500, at: later(event.createdAt, -5) });
    const { endpoints } = await reachOf(team, publicEventId(event.id));
    const lastBefore = (id: string | undefined) => endpoints.find(({ endpoint_id }) => endpoint_id === id)?.last_before;
    expect(lastBefore(works)).toEqual({ at: attempts[1]?.[2].toISOString(), succeeded: true });
    expect([lastBefore(failed), lastBefore(refused)]).toMatchObject([{ succeeded: false }, { succeeded: false }]);
    expect(lastBefore(fresh)).toBeNull();
  });

  it('hides the body of an event about a person while member details are off, and is not found for another team', async () => {
    const team = await aTeam(service);
    const event_id = await anEvent(service, team, { data: { user_id: makeId() } });
    expect((await reachOf(team, event_id)).body).toContain('user_id');
    await team.change({ memberDetail: false });
    expect((await reachOf(team, event_id)).body).toBeNull();
    const refusal = { code: 'not_found' };
    await expectRefusal(reachOf(await aTeam(service), event_id), refusal);
    await expectRefusal(reachOf(team, makeId()), refusal);
    await expectRefusal(reachOf(team, 'evt_nonsense'), refusal);
  });
});

describe('the newest deliveries of a team', () => {
  it('are those since a time to all existing endpoints, newest first', async () => {
    const team = await aTeam(service);
    const [endpoint, other] = [await anEndpoint(service, team), await anEndpoint(service, team)];
    const first = await aDelivery(service, team, { endpointId: endpoint, status: 'ok' });
    const second = await aDelivery(service, team, { endpointId: other, status: 'failed' });
    const { webhookHistory } = await inTheApp(team);
    const since = later(service.clock.now(), -minutesToMs(1)).toISOString();
    const ids = async (wanted: { since: string; limit?: number }) =>
      (await webhookHistory.newest(wanted)).data.map(({ id }) => id);
    expect(await ids({ since })).toEqual([second, first]);
    expect(await ids({ since, limit: 1 })).toEqual([second]);
    expect(await ids({ since: later(service.clock.now(), minutesToMs(1)).toISOString() })).toEqual([]);
    await deleteEndpoint(await team.acting(), other);
    expect(await ids({ since })).toEqual([first]);
    const elsewhere = await inTheApp(await aTeam(service));
    expect((await elsewhere.webhookHistory.newest({ since })).data).toEqual([]);
  });
});
