import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Plan, TeamStatus } from '../../src/db/generated/enums.ts';
import { type BrowserSession, aSignedInPerson } from '../support/people.ts';
import { aDispatcher, anEndpointAt, anEvent, deliveriesTo } from '../support/worker.ts';
import { expectDescribed } from '../support/document.ts';
import { calledOperations } from '../support/operations.ts';
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

interface World {
  team: TestTeam;
  browser: BrowserSession;
  endpointId: string;
  /** A delivery that failed. */
  failedId: string;
  eventId: string;
}

/** A team that got all its data before its plan and status changed. */
const aWorld = async (cell: { plan: Plan; status: TeamStatus }): Promise<World> => {
  const team = await aTeam(service);
  const { browser } = await aSignedInPerson(service, team, { role: 'admin' });
  const { id: endpointId } = await anEndpointAt(service, team, receiver.url);
  const eventId = await aStoredEvent(service, team, { type: 'crm.sync.failed' });
  const failed = { endpointId, eventId, type: 'crm.sync.failed', status: 'gave_up' } as const;
  const failedId = await aDelivery(service, team, failed);
  await team.change(cell);
  return { team, browser, endpointId, eventId, failedId };
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
  // Only the last test that uses it changes its plan and status.
  let world: World;
  beforeAll(async () => {
    world = await aWorld(cell);
  });

  it(`an endpoint ${on ? 'can' : 'can not'} be made, renewed, tested, retried and replayed in the app`, async () => {
    const { team, browser, endpointId, failedId, eventId } = world;
    const wanted = { url: 'https://hooks.example.com/training', events: ['training.completed'] };
    const ofEvent = { endpoint_id: endpointId, event_id: eventId };
    const endpoints = () => service.database.prisma.webhookEndpoint.count({ where: { tenantId: team.id } });
    const before = { endpoints: await endpoints(), sent: await sentTo(world) };
    const call = async (path: string, input: object) => (await browser.mutate(path, input, { team: team.id })).status;
    const statuses = [
      await call('api/webhooks.create', wanted),
      await call('app/webhookHistory.renew', { endpoint_id: endpointId }),
      await call('api/webhooks.test', { endpoint_id: endpointId }),
      await call('api/webhooks.retry', { delivery_id: failedId }),
      await call('app/webhookHistory.replay', ofEvent),
    ];
    expect(statuses).toEqual(Array(5).fill(on ? 200 : 403));
    expect((await endpoints()) - before.endpoints).toBe(on ? 2 : 0);
    if (!on) expect(await sentTo(world)).toEqual(before.sent);
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
    await expect.poll(() => deliveriesTo(service, id)).toMatchObject([{ status: 'ok' }]);
    await dispatcher.stop();
  });
});
