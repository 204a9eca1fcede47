import { describe, expect, it } from 'vitest';
import { hoursToMs, later, secondsToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { lockTeamShared } from '../../src/platform/team-row.ts';
import { raise } from '../../src/deliveries/outbox.ts';
import { crmSyncFailed } from '../../src/modules/crm/events.ts';
import type { Answer } from '../support/client.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { claimDue } from '../support/worker.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { aDelivery, anEndpoint, deliveryNow, waitingFor } from '../support/webhooks.ts';
import { untilLockWaits } from '../support/postgres.ts';

const service = await useTestService();

const change = (team: TestTeam, id: string, body: unknown) => team.client.patch(`/webhook-endpoints/${id}`, body);
const endpointNow = (team: TestTeam, id: string) =>
  service.database.prisma.webhookEndpoint.findUniqueOrThrow({ where: { tenantId_id: { tenantId: team.id, id } } });

describe('PATCH /webhook-endpoints/{endpoint_id}', () => {
  it('200: changes only the given fields, and is audited by field', async () => {
    const team = await aTeam(service);
    const id = await anEndpoint(service, team);
    const [before] = (await team.client.get('/webhook-endpoints')).data;
    const url = 'https://other.example.com/hook';
    const answer = await change(team, id, { url: 'https://OTHER.example.com/hook', description: 'New' });
    expect([answer.status, answer.body]).toEqual([200, { ...before, url, description: 'New' }]);
    const events = ['member.removed', 'member.joined'];
    expect((await change(team, id, { events: [...events, 'member.removed'] })).body).toMatchObject({ url, events });
    expect((await change(team, id, { description: null })).body).toMatchObject({ url, events, description: null });
    expect((await team.client.get('/webhook-endpoints')).data).toEqual([{ ...before, url, events }]);
    expect((await auditEntriesOn(service, team, id)).map(({ action, data }) => [action, data])).toEqual([
      [
        'webhook_endpoint.changed',
        { changed: ['url', 'description'], before: expect.any(Object), after: expect.objectContaining({ url }) },
      ],
      ['webhook_endpoint.changed', { changed: ['events'], before: { events: expect.any(Array) }, after: { events } }],
      [
        'webhook_endpoint.changed',
        { changed: ['description'], before: expect.any(Object), after: { description: null } },
      ],
    ]);
  });

  it('200: no fields or equal values change nothing, and are not audited', async () => {
    const team = await aTeam(service);
    const id = await anEndpoint(service, team, { failingSince: new Date('2026-05-01T10:00:00Z') });
    const before = await endpointNow(team, id);
    for (const same of [
      {},
      { url: 'https://EXAMPLE.com', events: ['training.completed', 'training.completed'], description: null },
      { status: 'active' },
    ]) {
      expect((await change(team, id, same)).status).toBe(200);
    }
    expect(await endpointNow(team, id)).toEqual(before);
    expect(await auditEntriesOn(service, team, id)).toEqual([]);
  });

  it.each([
    ['url', { url: 'https://127.0.0.1/' }],
    ['status', { status: 'disabled_failures' }],
  ])('422 validation_error on %s: %j', async (field, body) => {
    const team = await aTeam(service);
    for (const status of ['active', 'disabled_failures'] as const) {
      const id = await anEndpoint(service, team, { status });
      const answer = await change(team, id, { description: 'not kept', ...body });
      expect(answer).toBeProblem('validation_error', { field, detail: expect.any(String) });
      expect(await endpointNow(team, id)).toMatchObject({ status, description: null, url: 'https://example.com/' });
    }
  });
});

/** The deliveries to an endpoint that a worker would send now, oldest first. */
const sendable = async (endpointId: string): Promise<string[]> => {
  return (await claimDue(service))
    .filter((one) => one.endpointId === endpointId)
    .map(({ deliveryId }) => deliveryId)
    .sort();
};

describe('an endpoint that is disabled', () => {
  it('keeps its waiting deliveries unchanged, until it is active again', async () => {
    const team = await aTeam(service);
    const [id, other] = [await anEndpoint(service, team), await anEndpoint(service, team)];
    const pending = await aDelivery(service, team, { endpointId: id });
    const failed = await aDelivery(service, team, { endpointId: id, status: 'failed' });
    const elsewhere = await aDelivery(service, team, { endpointId: other });
    const before = await Promise.all([pending, failed].map((one) => deliveryNow(service, team, one)));

    const waiting = await waitingFor(service, id);

    expect((await change(team, id, { status: 'disabled' })).body['status']).toBe('disabled');
    service.clock.forward(hoursToMs(2));
    expect(await sendable(other)).toEqual([elsewhere]);
    expect(await sendable(id)).toEqual([]);
    expect(await waitingFor(service, id)).toEqual(waiting);
    expect(await Promise.all([pending, failed].map((one) => deliveryNow(service, team, one)))).toEqual(before);

    expect((await change(team, id, { status: 'active' })).body['status']).toBe('active');
    expect(await sendable(id)).toEqual([pending, failed]);
    service.clock.set(new Date());
    expect((await auditEntriesOn(service, team, id)).map(({ data }) => data)).toEqual([
      { changed: ['status'], from: 'active', to: 'disabled' },
      { changed: ['status'], from: 'disabled', to: 'active' },
    ]);
  });

  it.each(['disabled', 'disabled_failures'] as const)(
    'gets sends by hand while it is %s, but not the deliveries of a dead worker',
    async (status) => {
      const team = await aTeam(service);
      const id = await anEndpoint(service, team, { status });
      const over = later(service.clock.now(), -secondsToMs(30));
      await aDelivery(service, team, { endpointId: id, claimId: makeId(), dueAt: over });
      const byHand = await aDelivery(service, team, { endpointId: id, resumeStatus: 'gave_up' });
      const ping = await aDelivery(service, team, { endpointId: id, type: 'ping' });
      expect(await sendable(id)).toEqual([byHand, ping]);
    },
  );

  it('gets no events, also one that is raised at the same time, and keeps those raised just before waiting', async () => {
    const team = await aTeam(service);
    const id = await anEndpoint(service, team, { events: ['crm.sync.failed'] });
    const acting = await team.acting();
    const event = { data: { connection_id: makeId(), provider: 'hubspot', reason: 'refused' }, personal: {} };
    let disabling: Promise<Answer> | undefined;
    await service.database.transaction(async (tx) => {
      raise(tx, await lockTeamShared(tx, acting), crmSyncFailed, event);
      disabling = change(team, id, { status: 'disabled' });
      await untilLockWaits(service);
    });
    expect((await disabling)?.status).toBe(200);
    await service.database.transaction(async (tx) => raise(tx, await lockTeamShared(tx, acting), crmSyncFailed, event));
    expect(await waitingFor(service, id)).toHaveLength(1);
    expect(await sendable(id)).toEqual([]);
  });
});

describe('an endpoint that becomes active', () => {
  it.each(['disabled', 'disabled_failures'] as const)('from %s starts its three days again', async (status) => {
    const team = await aTeam(service);
    const failingSince = later(service.clock.now(), -hoursToMs(70));
    const id = await anEndpoint(service, team, { status, failingSince });
    await service.database.prisma.webhookEndpoint.updateMany({ where: { id }, data: { warnedAt: failingSince } });
    expect((await change(team, id, { status: 'active' })).body['status']).toBe('active');
    expect(await endpointNow(team, id)).toMatchObject({
      status: 'active',
      failingSince: null,
      failedAgainAt: null,
      warnedAt: null,
    });
  });

  it('keeps its failure time if another field changes', async () => {
    const team = await aTeam(service);
    const failingSince = later(service.clock.now(), -hoursToMs(70));
    const id = await anEndpoint(service, team, { failingSince });
    await change(team, id, { url: 'https://hooks.example.com/' });
    expect(await endpointNow(team, id)).toMatchObject({ failingSince });
  });

  it('from disabled_failures can be disabled too', async () => {
    const team = await aTeam(service);
    const id = await anEndpoint(service, team, { status: 'disabled_failures' });
    expect((await change(team, id, { status: 'disabled' })).body['status']).toBe('disabled');
  });
});
