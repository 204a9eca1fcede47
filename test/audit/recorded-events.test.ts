import { describe, expect, it } from 'vitest';
import type { EventType } from '../../src/core/events.ts';
import { asJson } from '../../src/core/json.ts';
import { publicEventId } from '../../src/deliveries/message.ts';
import { retryDelivery } from '../../src/modules/webhooks/manual-deliveries.ts';
import { endTraining, startTraining } from '../../src/modules/trainings/service.ts';
import { erase } from '../erasure/erasing.ts';
import { aColleague, apiInTheApp, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { expectDescribedEvent } from '../support/document.ts';
import { allListed, readToEnd } from '../support/pages.ts';
import { aCombination } from '../support/practice.ts';
import { useServiceWithReceiver } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { aDelivery, anEndpoint } from '../support/webhooks.ts';
import { aDispatcher, deliveriesTo, untilAllAre } from '../support/worker.ts';

// The event `audit.recorded`: entries of the audit log, sent to the endpoints that subscribe to it.

const { receiver, service } = await useServiceWithReceiver();

const { prisma } = service.database;
const subscribed = { events: ['audit.recorded' as const] };

const raisedIn = async ({ id: tenantId }: TestTeam) =>
  (await prisma.webhookEvent.findMany({ where: { tenantId, type: 'audit.recorded' }, orderBy: { id: 'asc' } })).map(
    ({ id, data }) => ({ id, data: JSON.parse(data) }),
  );

/** The entries of a team in the form that an event has: without names. */
const entriesOf = async (team: TestTeam) =>
  (await allListed(team.client, '/audit-entries?order=asc')).map((entry) => {
    const { names: _names, actor, target, ...rest } = entry;
    const { name: _actor, ...by } = Object(actor);
    const { name: _target, ...on } = Object(target);
    return { ...rest, id: entry['id'], action: entry['action'], team_id: team.id, actor: by, target: on };
  });

const actionsSentTo = async (team: TestTeam, endpointId: string) => {
  const sent = new Set((await deliveriesTo(service, endpointId)).map(({ eventId }) => eventId));
  return (await raisedIn(team)).filter(({ id }) => sent.has(id)).map(({ data }) => data.action);
};

const aCaseOf = (team: TestTeam) => team.client.post('/cases', { user_id: team.owner.user_id, title: 'A case' });

describe('an entry of the audit log', () => {
  it('is an event with its id and data for each subscribed endpoint, and none without one', async () => {
    const team = await aTeam(service, { members: 2 });
    await aCaseOf(team);
    expect(await raisedIn(team)).toEqual([]);
    const endpoints = [await anEndpoint(service, team, subscribed), await anEndpoint(service, team, subscribed)];
    const other = await anEndpoint(service, team, { events: ['member.removed'] });
    const before = (await entriesOf(team)).length;
    await aCaseOf(team);
    const [member] = team.members;
    const given = { member_id: member?.id, title: 'Practise', ...(await aCombination(service)) };
    for (let made = 0; made < 3; made += 1) await team.client.post('/assignments', given);
    await team.client.delete(`/users/${String(member?.id)}`);
    const entries = (await entriesOf(team)).slice(before);
    const raised = await raisedIn(team);
    expect(entries.map(({ action }) => action)).toContain('member.removed');
    // One statement writes the three assignments that a removal revokes.
    expect(entries.filter(({ action }) => action === 'assignment.changed')).toHaveLength(3);
    const byId = (a: { id?: unknown }, b: { id?: unknown }) => (String(a.id) < String(b.id) ? -1 : 1);
    expect(raised.map(({ data }) => data).toSorted(byId)).toEqual(entries.toSorted(byId));
    for (const { id, data } of raised) expect(data.id).toBe(id);
    for (const endpointId of endpoints) {
      const deliveries = await deliveriesTo(service, endpointId);
      expect(deliveries.map(({ eventId }) => eventId).toSorted()).toEqual(raised.map(({ id }) => id).toSorted());
    }
    expect(await actionsSentTo(team, other)).toEqual([]);
  });

  it('is in no feed and wakes no reader of it', async () => {
    const team = await aTeam(service);
    await anEndpoint(service, team, subscribed);
    await aCaseOf(team);
    expect(await raisedIn(team)).toHaveLength(1);
    expect((await readToEnd(team.client)).events).toEqual([]);
    expect(await team.client.get('/events?type=audit.recorded')).toBeProblem('validation_error', {
      errors: expect.any(Array),
    });
  });

  it('is not sent to another team, nor to an endpoint that is not active, nor while the team has no API', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const theirs = await anEndpoint(service, other, subscribed);
    await anEndpoint(service, team, { ...subscribed, status: 'disabled' });
    await aCaseOf(team);
    expect([await raisedIn(team), await actionsSentTo(other, theirs)]).toEqual([[], []]);
    await anEndpoint(service, team, subscribed);
    const memberAt = async () => void (await team.anActiveMember());
    await memberAt();
    expect(await raisedIn(team)).toHaveLength(1);
    await team.change({ plan: 'basic' });
    const before = (await raisedIn(team)).length;
    await memberAt();
    expect(await raisedIn(team)).toHaveLength(before);
  });

  it('is not sent to the endpoint that it is about, also not about its deliveries, later or by hand', async () => {
    const team = await aTeam(service);
    const [about, other] = [await anEndpoint(service, team, subscribed), await anEndpoint(service, team, subscribed)];
    const acting = await team.acting();
    await team.client.post(`/webhook-endpoints/${about}/test`);
    const failed = await aDelivery(service, team, { endpointId: about, status: 'failed' });
    await retryDelivery(acting, failed);
    await team.client.patch(`/webhook-endpoints/${about}`, { description: 'changed' });
    const actions = ['webhook_endpoint.tested', 'webhook_delivery.retried', 'webhook_endpoint.changed'];
    expect(await actionsSentTo(team, other)).toEqual(actions);
    expect(await actionsSentTo(team, about)).toEqual([]);

    const [first] = await raisedIn(team);
    const { webhookHistory } = await inTheApp(team);
    await expectRefusal(webhookHistory.replay({ event_id: first?.id ?? '', endpoint_id: about }), {
      code: 'validation_error',
      members: { field: 'endpoint_id' },
    });
    await aCaseOf(team);
    await prisma.webhookDelivery.deleteMany({
      where: { tenantId: team.id, endpointId: about, eventType: 'audit.recorded' },
    });
    const recovery = await team.client.post(`/webhook-endpoints/${about}/recover`, { since: '2026-01-01T00:00:00Z' });
    expect([recovery.status, recovery.body]).toEqual([202, { recovered: 1, older: 0, more: false }]);
    expect(await actionsSentTo(team, about)).toEqual(['case.created']);
  });

  it('about a private case is no event', async () => {
    const team = await aTeam(service);
    await anEndpoint(service, team, subscribed);
    const { ownCases } = await inTheApp(team, await aColleague(team));
    const before = (await raisedIn(team)).length;
    const { id: case_id } = await ownCases.create({ title: 'Mine alone' });
    await ownCases.change({ case_id, title: 'Still mine alone' });
    expect(await raisedIn(team)).toHaveLength(before);
    await ownCases.share({ case_id });
    expect((await raisedIn(team)).slice(before).map(({ data }) => data.action)).toEqual(['case.shared']);
  });

  it('of a person who is erased is without their ids and address in its event, too', async () => {
    const team = await aTeam(service, { admins: 1 });
    const person = await aColleague(team, 'admin', ['schnittstellen']);
    const { email } = await prisma.member.findFirstOrThrow({ where: { tenantId: team.id, id: person.memberId } });
    await anEndpoint(service, team, subscribed);
    const { id: tenantId } = team;
    await (await inTheApp(team, person)).keys.create({ name: 'x', template: 'read_only' });
    const [event] = await raisedIn(team);
    const address = { actor: { id: person.userId }, action: 'key.created' };
    expect(event?.data).toMatchObject(address);
    const withAddress = JSON.stringify({ ...event?.data, address: '203.0.113.9' });
    await prisma.webhookEvent.update({
      where: { tenantId_id: { tenantId, id: event?.id ?? '' } },
      data: { data: withAddress },
    });
    await team.client.delete(`/users/${person.memberId}`);
    await erase(service, email);
    const after = (await raisedIn(team)).find(({ id }) => id === event?.id);
    expect(after?.data).toMatchObject({ action: 'key.created', address: null, actor: { kind: 'person' } });
    expect(JSON.stringify(await raisedIn(team))).not.toContain(person.userId);
    expect(JSON.stringify(await raisedIn(team))).not.toContain(person.memberId);
  });
});

describe('a subscription to the audit log', () => {
  it('needs the scope that reads the log, also to turn its stream to another URL', async () => {
    const team = await aTeam(service);
    const client = await team.aClient({ scopes: ['webhooks:manage'] });
    const refused = { required_scope: 'audit:export', detail: expect.any(String) };
    const events: EventType[] = ['member.joined', 'audit.recorded'];
    const wanted = { url: 'https://example.com/siem', events };
    expect(await client.post('/webhook-endpoints', wanted)).toBeProblem('insufficient_scope', refused);
    const usual = (await client.post('/webhook-endpoints', { ...wanted, events: ['member.joined'] })).body;
    const path = `/webhook-endpoints/${String(usual['id'])}`;
    expect(await client.patch(path, { events })).toBeProblem('insufficient_scope', refused);
    expect((await team.client.patch(path, { events })).status).toBe(200);
    expect(await client.patch(path, { url: 'https://example.com/other' })).toBeProblem('insufficient_scope', refused);
    expect((await client.patch(path, { status: 'disabled', description: 'x' })).status).toBe(200);
    expect((await client.patch(path, { url: 'https://example.com/x', events: ['member.joined'] })).status).toBe(200);
    const { webhooks } = await apiInTheApp(team, ['webhooks:manage']);
    await expectRefusal(webhooks.create(wanted), { code: 'insufficient_scope' });
  });
});

describe('while member details are off', () => {
  it('a receiver gets of each entry what the log shows, and of hidden ones only that something was done; the app shows what was sent', async () => {
    const team = await aTeam(service);
    const member = await team.anActiveMember();
    const wanted = { url: `${receiver.url}/audit`, events: ['audit.recorded'] };
    const endpointId = String((await team.client.post('/webhook-endpoints', wanted)).body['id']);
    const given = { member_id: member.id, title: 'Practise', ...(await aCombination(service)) };
    await team.client.post('/assignments', given);
    const caseId = String((await team.client.post('/cases', { user_id: member.user_id, title: 'Old' })).body['id']);
    await team.client.patch(`/cases/${caseId}`, { title: 'New' });
    const acting = { ...(await team.acting()), actor: { kind: 'person' as const, userId: member.user_id ?? '' } };
    const { trainingId } = await startTraining(acting, { memberId: member.id, source: 'app' });
    await endTraining(acting, trainingId);
    await team.client.delete(`/users/${member.id}`);
    await team.change({ memberDetail: false });
    const raised = await raisedIn(team);
    await aDispatcher(service, { egress: service.platform.egress });
    await untilAllAre(service, 'ok', endpointId, raised.length);

    const bodies = receiver.received.map(({ body }) => JSON.parse(body));
    expect(bodies).toHaveLength(raised.length);
    const listed = new Map((await entriesOf(team)).map((entry) => [String(Object(entry).id), entry]));
    for (const { id } of raised) {
      const body = bodies.find((one) => one.id === publicEventId(id));
      expectDescribedEvent('audit.recorded', body);
      const shown = listed.get(id);
      if (shown) expect(body.data).toEqual(shown);
      else {
        expect(body.data).toMatchObject({ id, data: {}, request_id: null, address: null, target: { id: null } });
        expect(body.data.actor.id === null || body.data.actor.kind !== 'person').toBe(true);
      }
    }
    const actions = (hidden: boolean) =>
      new Set(bodies.filter(({ data }) => listed.has(data.id) !== hidden).map(({ data }) => data.action));
    expect(actions(true)).toEqual(new Set(['training.started', 'training.ended', 'assignment.changed']));
    expect(actions(false)).toContain('case.changed');
    expect(JSON.stringify(bodies)).not.toContain(String(member.user_id));
    expect(JSON.stringify(bodies)).not.toContain(trainingId);

    const { attempts } = (await inTheApp(team)).webhookHistory;
    for (const { id: delivery_id, memberDetail } of await deliveriesTo(service, endpointId)) {
      expect(memberDetail).toBe(false);
      const [attempt] = asJson((await attempts({ delivery_id })).data);
      expect(receiver.received.map(({ body }) => body)).toContain(attempt?.request_body);
    }
  });

  it('what a receiver answered to an entry about a person is hidden, if it was sent before', async () => {
    receiver.answerWith(({ body }) => ({ status: 200, body }));
    const team = await aTeam(service);
    const wanted = { url: `${receiver.url}/echo`, events: ['audit.recorded'] };
    const endpointId = String((await team.client.post('/webhook-endpoints', wanted)).body['id']);
    await aCaseOf(team);
    await team.client.patch(`/users/${(await team.anActiveMember()).id}`, { role: 'admin' });
    await aDispatcher(service, { egress: service.platform.egress });
    await untilAllAre(service, 'ok', endpointId, (await raisedIn(team)).length);
    await team.change({ memberDetail: false });
    const deliveries = await allListed(team.client, `/webhook-deliveries?endpoint_id=${endpointId}`);
    const byEvent = new Map((await raisedIn(team)).map(({ id, data }) => [publicEventId(id), data.action]));
    const excerpts = Object.fromEntries(
      deliveries.map(({ event_id, response_excerpt }) => [byEvent.get(String(event_id)), response_excerpt]),
    );
    expect(excerpts['case.created']).toBeNull();
    expect(excerpts['member.role_changed']).toContain('member.role_changed');
  });
});
