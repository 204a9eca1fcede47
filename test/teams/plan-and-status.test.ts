import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Plan, TeamStatus } from '../../src/db/generated/enums.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { aDispatcher, anEndpointAt, anEvent, deliveriesTo } from '../support/deliveries.ts';
import { expectDescribed } from '../support/document.ts';
import { eventually } from '../support/eventually.ts';
import { calledOperations } from '../support/operations.ts';
import { aSignedInPerson } from '../support/people.ts';
import { startReceiver } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { aDelivery, anEvent as aStoredEvent } from '../support/webhooks.ts';

// The allowed uses of the API and webhooks, for each plan in each status.
const service = await useTestService();
const receiver = await startReceiver();
afterAll(() => receiver.close());

const cells = Object.values(Plan).flatMap((plan) => Object.values(TeamStatus).map((status) => ({ plan, status })));
const isOn = ({ plan, status }: { plan: Plan; status: TeamStatus }): boolean => status === 'active' && plan !== 'basic';

const url = 'https://hooks.example.com/training';

interface World {
  team: TestTeam;
  browser: BrowserSession;
  endpointId: string;
  /** Deliveries that failed: one to retry over REST, one in the app. */
  failed: readonly [string, string];
  eventId: string;
}

/** A team that got all its data before its plan and status changed. */
const aWorld = async (cell: { plan: Plan; status: TeamStatus }): Promise<World> => {
  const team = await aTeam(service);
  const { browser } = await aSignedInPerson(service, team, { role: 'admin' });
  const { id: endpointId } = await anEndpointAt(service, team, receiver.url);
  const eventId = await aStoredEvent(service, team, { type: 'crm.sync.failed' });
  const failed = async () =>
    aDelivery(service, team, { endpointId, eventId, type: 'crm.sync.failed', status: 'gave_up' });
  const world = { team, browser, endpointId, eventId, failed: [await failed(), await failed()] } as const;
  await team.change(cell);
  return world;
};

const eventsOf = ({ team }: World) => service.database.prisma.webhookEvent.count({ where: { tenantId: team.id } });
const sentTo = ({ endpointId }: World) => deliveriesTo(service, endpointId);

it.each(cells)('on $plan, $status every route of the API works, or answers 403 api_disabled', async (cell) => {
  const team = await aTeam(service);
  await team.change(cell);
  for (const operation of calledOperations()) {
    const { openapi, query } = operation;
    const path = openapi.path.replaceAll(/\{\w+\}/g, '01990c1e-7a00-7000-8000-000000000050');
    const answer = await team.client.request(openapi.method, `${path}?${new URLSearchParams(query).toString()}`);
    expectDescribed(operation, answer);
    if (isOn(cell)) expect(answer.body['code'], operation.title).not.toBe('api_disabled');
    else expect(answer, operation.title).toBeProblem('api_disabled');
  }
});

describe.each([
  { plan: 'team', status: 'active' },
  { plan: 'basic', status: 'active' },
  { plan: 'enterprise', status: 'suspended' },
  { plan: 'team', status: 'ended' },
] as const)('on $plan, $status', (cell) => {
  const on = isOn(cell);
  const inTheApp = cell.status === 'active';
  // Only the last test that uses it changes its plan and status.
  let world: World;
  beforeAll(async () => {
    world = await aWorld(cell);
  });

  it(`the app ${inTheApp ? 'opens' : 'explains that the team is not active'}`, async () => {
    const { team, browser } = world;
    const answer = await browser.query('app/team.settings', {}, { team: team.id });
    if (inTheApp) expect(answer.data).toMatchObject({ plan: cell.plan, has_api: cell.plan !== 'basic' });
    else expect(answer.problem).toMatchObject({ code: 'api_disabled', title: 'Für dieses Team nicht verfügbar' });
  });

  it(`an endpoint ${on ? 'can' : 'can not'} be made, over REST and in the app`, async () => {
    const { team, browser } = world;
    const wanted = { url, events: ['training.completed'] };
    const endpoints = () => service.database.prisma.webhookEndpoint.count({ where: { tenantId: team.id } });
    const before = await endpoints();
    expect((await team.client.post('/webhook-endpoints', wanted)).status).toBe(on ? 201 : 403);
    expect((await browser.mutate('api/webhooks.create', wanted, { team: team.id })).status).toBe(on ? 200 : 403);
    expect((await endpoints()) - before).toBe(on ? 2 : 0);
  });

  it(`an endpoint ${on ? 'can' : 'can not'} be tested, retried, replayed and recovered`, async () => {
    const { team, browser, endpointId, failed, eventId } = world;
    const asked = { team: team.id };
    const before = await sentTo(world);
    const statuses = [
      (await team.client.post(`/webhook-endpoints/${endpointId}/test`)).status,
      (await team.client.post(`/webhook-deliveries/${failed[0]}/retry`)).status,
      (await browser.mutate('api/webhooks.test', { endpoint_id: endpointId }, asked)).status,
      (await browser.mutate('api/webhooks.retry', { delivery_id: failed[1] }, asked)).status,
      (await browser.mutate('app/webhookHistory.replay', { endpoint_id: endpointId, event_id: eventId }, asked)).status,
      (await team.client.post(`/webhook-endpoints/${endpointId}/recover`, { since: '2026-01-01T00:00:00Z' })).status,
    ];
    expect(statuses).toEqual(on ? [202, 202, 200, 200, 200, 202] : Array(6).fill(403));
    if (!on) expect(await sentTo(world)).toEqual(before);
  });

  it(`an event ${on ? 'is delivered' : 'is not raised, and can not be recovered later'}`, async () => {
    const { team, endpointId } = world;
    const [events, sent] = [await eventsOf(world), (await sentTo(world)).length];
    await anEvent(service, team);
    expect((await eventsOf(world)) - events).toBe(on ? 1 : 0);
    expect((await sentTo(world)).length - sent).toBe(on ? 1 : 0);
    if (on) return;
    await team.change({ plan: 'team', status: 'active' });
    const known = await eventsOf(world);
    expect(known).toBe(events);
    expect((await sentTo(world)).length).toBe(sent);
    await anEvent(service, team);
    expect(await deliveriesTo(service, endpointId)).toHaveLength(sent + 1);
  });

  it('an event raised before is delivered', async () => {
    const team = await aTeam(service);
    const { id } = await anEndpointAt(service, team, receiver.url);
    await anEvent(service, team);
    await team.change(cell);
    const dispatcher = await aDispatcher(service);
    onTestFinished(() => dispatcher.stop());
    await eventually(async () => expect(await deliveriesTo(service, id)).toMatchObject([{ status: 'ok' }]));
    await dispatcher.stop();
  });
});
