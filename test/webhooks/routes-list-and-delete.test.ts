import { describe, expect, it } from 'vitest';
import { minutesToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { lockTeamShared } from '../../src/platform/team-row.ts';
import { raise } from '../../src/deliveries/outbox.ts';
import { crmSyncFailed } from '../../src/modules/crm/events.ts';
import { makeClient, type Answer } from '../support/client.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { aDelivery, anAttempt, anEndpoint, waitingFor } from '../support/webhooks.ts';
import { aWorker } from '../support/worker.ts';
import { untilLockWaits } from '../support/postgres.ts';

const service = await useTestService({ own: true });

describe('GET /webhook-endpoints', () => {
  it('200: every endpoint of the team in every status, newest first, and none of another team', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    await anEndpoint(service, other);
    const ids: string[] = [];
    for (const status of ['active', 'disabled', 'disabled_failures'] as const) {
      ids.unshift(await anEndpoint(service, team, { status, events: ['member.joined', 'member.removed'] }));
    }
    const { database } = service;
    const lastSuccessAt = new Date('2026-05-01T10:00:00.120Z');
    await database.prisma.webhookEndpoint.updateMany({ where: { id: ids[0] ?? '' }, data: { lastSuccessAt } });
    const answer = await team.client.get('/webhook-endpoints');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: ['disabled_failures', 'disabled', 'active'].map((status, at) => ({
        id: ids[at],
        url: 'https://example.com/',
        events: ['member.joined', 'member.removed'],
        status,
        api_version: '2026-11',
        description: null,
        headers: {},
        created_at: expect.stringMatching(/\.\d{3}Z$/),
        last_success_at: at === 0 ? '2026-05-01T10:00:00.120Z' : null,
      })),
    });
  });
});

describe('GET /webhook-endpoints/{endpoint_id}', () => {
  it('200: the endpoint as the list has it', async () => {
    const team = await aTeam(service);
    const [id] = [await anEndpoint(service, team, { status: 'disabled' }), await anEndpoint(service, team)];
    const { status, body } = await team.client.get(`/webhook-endpoints/${id}`);
    expect([status, body]).toEqual([200, (await team.client.get('/webhook-endpoints')).data[1]]);
    expect(body).toMatchObject({ id, status: 'disabled' });
    await team.client.delete(`/webhook-endpoints/${id}`);
    expect(await team.client.get(`/webhook-endpoints/${id}`)).toBeProblem('not_found', { detail: expect.any(String) });
  });
});

describe('GET /webhook-endpoints/{endpoint_id}/checks', () => {
  it('200: the newest checks of this endpoint first; one that is not complete after five minutes has failed', async () => {
    const team = await aTeam(service);
    const [id, other] = [await anEndpoint(service, team), await anEndpoint(service, team)];
    const start = (endpointId: string) => team.client.post(`/webhook-endpoints/${endpointId}/check`);
    service.clock.stop();
    const first = (await start(id)).body['id'];
    await start(other);
    service.clock.forward(minutesToMs(5) - 1);
    expect(await start(id)).toBeProblem('conflict');
    service.clock.forward(1);
    const second = (await start(id)).body['id'];
    const listed = async (more = '') =>
      (await team.client.get(`/webhook-endpoints/${id}/checks${more}`)).data.map((check) => [
        check['id'],
        check['status'],
      ]);
    expect(await listed()).toEqual([
      [second, 'running'],
      [first, 'failed'],
    ]);
    expect(await listed('?limit=1')).toEqual([[second, 'running']]);
    service.clock.set(new Date());
  });
});

describe('DELETE /webhook-endpoints/{endpoint_id}', () => {
  it('200: the endpoint and its waiting deliveries are deleted, its deliveries are in no route, and it is audited', async () => {
    const team = await aTeam(service);
    const key = await team.aKey();
    const [id, other] = [await anEndpoint(service, team), await anEndpoint(service, team)];
    const failed = await aDelivery(service, team, { endpointId: id, status: 'failed' });
    const waiting = await aDelivery(service, team, { endpointId: other });
    await service.database.prisma.webhookEndpointDay.create({
      data: { tenantId: team.id, endpointId: id, day: new Date('2026-05-01') },
    });
    const answer = await makeClient(service.baseUrl, key.text).delete(`/webhook-endpoints/${id}`);
    expect([answer.status, answer.body]).toEqual([200, { ok: true }]);
    expect((await team.client.get('/webhook-endpoints')).data.map((endpoint) => endpoint['id'])).toEqual([other]);
    expect(await team.client.get(`/webhook-endpoints/${id}/deliveries`)).toBeProblem('not_found');
    expect(await team.client.post(`/webhook-deliveries/${failed}/retry`)).toBeProblem('not_found');
    expect(await waitingFor(service, id)).toEqual([]);
    expect(await waitingFor(service, other)).toMatchObject([{ deliveryId: waiting }]);
    expect(await auditEntriesOn(service, team, id)).toEqual([
      {
        action: 'webhook_endpoint.deleted',
        actor: ['key', key.id],
        data: { url: 'https://example.com/', events: ['training.completed'], status: 'active' },
        requestId: answer.headers.get('x-request-id'),
      },
    ]);
  });

  it('several at once: one succeeds, the others get not_found', async () => {
    const team = await aTeam(service);
    const id = await anEndpoint(service, team);
    const answers = await Promise.all([1, 2, 3, 4].map(() => team.client.delete(`/webhook-endpoints/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    expect(await auditEntriesOn(service, team, id)).toHaveLength(1);
  });

  it('waits for an event that is being raised, and deletes its delivery too', async () => {
    const team = await aTeam(service);
    const id = await anEndpoint(service, team, { events: ['crm.sync.failed'] });
    const acting = await team.acting();
    const data = { connection_id: makeId(), provider: 'hubspot', reason: 'refused' };
    let deletion: Promise<Answer> | undefined;
    await service.database.transaction(async (tx) => {
      raise(tx, await lockTeamShared(tx, acting), crmSyncFailed, { data, personal: {} });
      deletion = team.client.delete(`/webhook-endpoints/${id}`);
      await untilLockWaits(service);
    });
    expect((await deletion)?.status).toBe(200);
    expect(await waitingFor(service, id)).toEqual([]);
  });

  it('a worker deletes its deliveries and their attempts soon after, and those of no other endpoint', async () => {
    const team = await aTeam(service);
    const [id, other] = [await anEndpoint(service, team), await anEndpoint(service, team)];
    for (const endpointId of [id, other]) {
      for (const status of ['ok', 'failed', 'pending'] as const) {
        const delivery = await aDelivery(service, team, { endpointId, status });
        await anAttempt(service, team, { deliveryId: delivery });
      }
    }
    // More waiting deliveries than the request and one batch of the job delete.
    await service.database.prisma.$executeRaw`
      with made as (
        insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, created_at)
        select ${team.id}::uuid, gen_random_uuid(), ${id}::uuid, gen_random_uuid(), 'ping', now() from generate_series(1, 6000)
        returning tenant_id, id, endpoint_id)
      insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at)
      select tenant_id, id, endpoint_id, now() + interval '1 hour' from made`;
    expect((await team.client.delete(`/webhook-endpoints/${id}`)).status).toBe(200);
    const left = async (endpointId: string) => ({
      deliveries: await service.database.prisma.webhookDelivery.count({ where: { endpointId } }),
      waiting: (await waitingFor(service, endpointId)).length,
    });
    aWorker(service);
    await expect.poll(() => left(id)).toEqual({ deliveries: 0, waiting: 0 });
    expect(await left(other)).toMatchObject({ deliveries: 3 });
    expect(await service.database.prisma.webhookAttempt.count({ where: { tenantId: team.id } })).toBe(3);
  });
});
