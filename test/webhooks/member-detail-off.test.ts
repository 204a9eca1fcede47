import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { secondsToMs } from '../../src/core/clock.ts';
import { asJson } from '../../src/core/json.ts';
import { verifyWebhook } from '../../src/server/developers/examples/verify-webhook.mts';
import { publicEventId } from '../../src/deliveries/message.ts';
import { apiInTheApp, inTheApp } from '../support/app-caller.ts';
import { aDispatcher, deliveriesTo } from '../support/worker.ts';
import { expectDescribedEvent } from '../support/document.ts';
import { liveThrough, usualTypes } from '../support/every-event.ts';
import { aTeam } from '../support/team.ts';
import { useServiceWithReceiver } from '../support/service.ts';

const { receiver, service } = await useServiceWithReceiver();

const refuse = () => receiver.answerWith(() => ({ status: 500 }));
const accept = () => receiver.answerWith(() => ({ status: 200 }));

let receivers = 0;

/** A team whose endpoints want all usual types of events. test/audit/recorded-events.test.ts has that of the audit log. */
const aWorld = async (options: Parameters<typeof aTeam>[1] = {}) => {
  const team = await aTeam(service, options);
  // The team's switches are read here.
  const history = async () => (await inTheApp(team)).webhookHistory;
  const api = async () => (await apiInTheApp(team, ['webhooks:manage'])).webhooks;

  const connect = async () => {
    const path = `/hooks/${(receivers += 1)}`;
    const received = () => receiver.received.filter((one) => one.path === path);
    const wanted = { url: `${receiver.url}${path}`, events: usualTypes };
    const { id, secret } = (await team.client.post('/webhook-endpoints', wanted)).body;
    return { id: String(id), secret: String(secret), received };
  };
  const dispatch = (retrySeconds: readonly number[]) =>
    aDispatcher(service, { egress: service.platform.egress, retrySeconds });
  const eventsRaised = async () => {
    const where = { tenantId: team.id };
    const rows = await service.database.prisma.webhookEvent.findMany({ where, orderBy: { id: 'asc' } });
    return rows.map((row) => ({ ...row, data: Data.parse(JSON.parse(row.data)) }));
  };
  const untilDeliveries = (endpointId: string, status: string, count: number) =>
    expect
      .poll(async () => (await deliveriesTo(service, endpointId)).filter((delivery) => delivery.status === status))
      .toHaveLength(count);
  return { team, history, api, connect, dispatch, eventsRaised, untilDeliveries };
};
type World = Awaited<ReturnType<typeof aWorld>>;
type Endpoint = Awaited<ReturnType<World['connect']>>;

const Data = z.record(z.string(), z.unknown());

const impersonal = (data: object) => {
  const { user_id: _userId, score: _score, ...rest } = { user_id: null, score: null, ...data };
  return rest;
};

/**
 * The bodies that the app shows for the attempts to an endpoint, the last one first, and what the receiver got, by
 * signature.
 */
const expectShownAsSent = async (
  world: World,
  { id, secret, received }: Endpoint,
  isShown: (body: string) => boolean,
) => {
  const bySignature = new Map(received().map(({ headers, body }) => [headers['svc-signature'], body]));
  let compared = 0;
  for (const { id: delivery_id } of await deliveriesTo(service, id)) {
    const shown = asJson((await (await world.history()).attempts({ delivery_id })).data);
    for (const { request_headers, request_body } of shown) {
      const signature = request_headers['Svc-Signature'] ?? '';
      const sent = bySignature.get(signature) ?? expect.unreachable('an attempt that the receiver did not get');
      verifyWebhook({ body: sent, signature, secrets: secret, now: service.clock.now() });
      expect(request_body).toBe(isShown(sent) ? sent : null);
      compared += 1;
    }
  }
  return compared;
};

const names = (body: string): boolean => /"user_id"|"score"/.test(body);

/** Each way sends all events of a team to an endpoint after the switch, once more or for the first time. */
const ways: Record<string, (world: World, switchOff: () => Promise<void>) => Promise<Endpoint[]>> = {
  'a first attempt that waited, a replay and a recovery': async (world, switchOff) => {
    const waiting = await world.connect();
    await liveThrough(service, world.team);
    await switchOff();
    const [replaying, recovering] = [await world.connect(), await world.connect()];
    for (const { id } of await world.eventsRaised()) {
      await (await world.history()).replay({ event_id: id, endpoint_id: replaying.id });
    }
    const since = '2026-01-01T00:00:00Z';
    const { recovered } = await (await world.api()).recover({ endpoint_id: recovering.id, since, include_older: true });
    expect(recovered).toBe((await world.eventsRaised()).length);
    await world.dispatch([60]);
    return [waiting, replaying, recovering];
  },
  'an automatic retry': async (world, switchOff) => {
    const endpoint = await world.connect();
    refuse();
    await liveThrough(service, world.team);
    await world.dispatch([60]);
    await world.untilDeliveries(endpoint.id, 'failed', (await world.eventsRaised()).length);
    await switchOff();
    accept();
    service.clock.forward(secondsToMs(61));
    return [endpoint];
  },
  'a retry by hand': async (world, switchOff) => {
    const endpoint = await world.connect();
    refuse();
    await liveThrough(service, world.team);
    await world.dispatch([]);
    await world.untilDeliveries(endpoint.id, 'gave_up', (await world.eventsRaised()).length);
    await switchOff();
    accept();
    for (const { id } of await deliveriesTo(service, endpoint.id)) {
      expect((await world.team.client.post(`/webhook-deliveries/${id}/retry`)).status).toBe(202);
    }
    return [endpoint];
  },
};

it.each(Object.entries(ways))(
  '%s while member details are off carries neither user_id nor score, in any type of event, and the app shows what was sent',
  async (_way, send) => {
    onTestFinished(() => service.clock.set(new Date()));
    accept();
    const world = await aWorld();
    let before = 0;
    const endpoints = await send(world, async () => {
      await world.team.change({ memberDetail: false });
      before = receiver.received.length;
    });
    const events = await world.eventsRaised();
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(usualTypes));
    expect(events.filter(({ data }) => names(JSON.stringify(data)))).toHaveLength(9);
    for (const endpoint of endpoints) {
      await world.untilDeliveries(endpoint.id, 'ok', events.length);

      const sent = receiver.received.slice(before).filter((one) => endpoint.received().includes(one));
      expect(sent).toHaveLength(events.length);
      const bodies = new Map(sent.map(({ body }) => [JSON.parse(body).id, JSON.parse(body)]));
      for (const { id, type, data } of events) {
        const body = bodies.get(publicEventId(id));
        expect(body, type).toMatchObject({ type, data: impersonal(data) });
        expect(names(JSON.stringify(body)), type).toBe(false);
        expectDescribedEvent(type, body);
      }
    }

    // An earlier attempt with a person in its body is hidden; all others are shown. With the switch on, all are shown
    // as they were sent.
    const expectShown = async (isShown: (body: string) => boolean) => {
      for (const endpoint of endpoints)
        expect(await expectShownAsSent(world, endpoint, isShown)).toBe(endpoint.received().length);
    };
    await expectShown((body) => !names(body));
    await world.team.change({ memberDetail: true });
    await expectShown(() => true);
  },
);

it('what is sent while member details are on carries what the event had: all, or nothing about a person if it was raised while they were off', async () => {
  accept();
  const world = await aWorld({ memberDetail: false });
  await liveThrough(service, world.team);
  const raisedOff = (await world.eventsRaised()).length;
  await world.team.change({ memberDetail: true });
  await liveThrough(service, world.team);
  await world.team.change({ memberDetail: false });
  await world.team.change({ memberDetail: true });
  const endpoint = await world.connect();
  await (
    await world.api()
  ).recover({
    endpoint_id: endpoint.id,
    since: '2026-01-01T00:00:00Z',
    include_older: true,
  });
  await world.dispatch([60]);
  const events = await world.eventsRaised();
  await world.untilDeliveries(endpoint.id, 'ok', events.length);

  const bodies = new Map(endpoint.received().map(({ body }) => [JSON.parse(body).id, JSON.parse(body)]));
  for (const [at, { id, type, data }] of events.entries()) {
    const body = bodies.get(publicEventId(id));
    expect(body.data, type).toEqual(data);
    if (at < raisedOff) expect(names(JSON.stringify(body)), type).toBe(false);
  }
  expect([...bodies.values()].filter((body) => names(JSON.stringify(body)))).toHaveLength(9);
  expect(await expectShownAsSent(world, endpoint, () => true)).toBe(events.length);
});
