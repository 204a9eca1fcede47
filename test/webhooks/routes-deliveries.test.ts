import { describe, expect, it } from 'vitest';
import { makeClient } from '../support/client.ts';
import { auditEntriesOn, eventDataOf } from '../support/audit-entries.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { aDelivery, anEndpoint, deliveryNow, waitingFor } from '../support/webhooks.ts';

const service = await useTestService();

const idsOf = (rows: Record<string, unknown>[]) => rows.map(({ id }) => id);

describe('POST /webhook-endpoints/{endpoint_id}/test', () => {
  it.each(['active', 'disabled', 'disabled_failures'] as const)(
    '202: a ping of an endpoint that is %s is due at once, and the status stays',
    async (status) => {
      const team = await aTeam(service);
      const key = await team.aKey();
      const id = await anEndpoint(service, team, { status });
      const before = service.clock.now().toISOString();
      const answer = await makeClient(service.baseUrl, key.text).post(`/webhook-endpoints/${id}/test`);
      const delivery = String(answer.body['delivery_id']);
      expect([answer.status, answer.body]).toEqual([202, { delivery_id: expect.any(String), status: 'pending' }]);
      expect(await eventDataOf(service, team, 'ping')).toEqual([{ team_id: team.id, endpoint_id: id }]);
      const [waiting, ...none] = await waitingFor(service, id);
      expect([waiting, none]).toEqual([{ delivery, due: expect.any(String), claim: null }, []]);
      const now = service.clock.now().toISOString();
      expect([before, waiting?.due, now]).toEqual([before, waiting?.due, now].sort());
      const { data } = await team.client.get(`/webhook-endpoints/${id}/deliveries`);
      expect(data).toMatchObject([{ id: delivery, status: 'pending', attempt: 0, event_type: 'ping' }]);
      expect((await team.client.get('/webhook-endpoints')).data).toMatchObject([{ status }]);
      expect(await auditEntriesOn(service, team, id)).toEqual([
        {
          action: 'webhook_endpoint.tested',
          actor: ['key', key.id],
          data: { delivery_id: delivery },
          requestId: answer.headers.get('x-request-id'),
        },
      ]);
    },
  );

  it('is sent to this endpoint only', async () => {
    const team = await aTeam(service);
    const [id, other] = [await anEndpoint(service, team), await anEndpoint(service, team)];
    await team.client.post(`/webhook-endpoints/${id}/test`);
    expect(await waitingFor(service, other)).toEqual([]);
  });
});

describe('GET /webhook-endpoints/{endpoint_id}/deliveries', () => {
  it('200: this endpoint’s deliveries with every field, newest first', async () => {
    const team = await aTeam(service);
    const [endpointId, other] = [await anEndpoint(service, team), await anEndpoint(service, team)];
    await aDelivery(service, team, { endpointId: other });
    const ids: string[] = [];
    for (const status of ['pending', 'failed', 'ok', 'gave_up'] as const) {
      ids.unshift(await aDelivery(service, team, { endpointId, status }));
    }
    const error = 'The connection was refused.';
    await service.database.prisma.webhookDelivery.updateMany({
      where: { id: ids[0] ?? '' },
      data: { error, attempt: 8, responseCode: null, responseExcerpt: null },
    });
    const rows = await Promise.all(ids.map((id) => deliveryNow(service, team, id)));
    const answer = await team.client.get(`/webhook-endpoints/${endpointId}/deliveries`);
    const made = { event_type: 'training.completed', response_ms: 12 };
    const times = rows.map(({ createdAt, nextTryAt }) => ({
      created_at: createdAt.toISOString(),
      next_try_at: nextTryAt?.toISOString() ?? null,
    }));
    const refused = { response_code: null, response_excerpt: null, error };
    const no = { response_code: 500, response_excerpt: 'no', error: null };
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        data: [
          { id: ids[0], status: 'gave_up', attempt: 8, ...made, ...times[0], ...refused },
          {
            id: ids[1],
            status: 'ok',
            attempt: 1,
            ...made,
            ...times[1],
            response_code: 200,
            response_excerpt: 'thanks',
            error: null,
          },
          { id: ids[2], status: 'failed', attempt: 1, ...made, ...times[2], ...no },
          {
            id: ids[3],
            status: 'pending',
            attempt: 0,
            ...made,
            ...times[3],
            response_code: null,
            response_excerpt: null,
            response_ms: null,
            error: null,
          },
        ],
      },
    ]);
  });

  it('200: the number in `limit`, by default fifty', async () => {
    const team = await aTeam(service);
    const endpointId = await anEndpoint(service, team);
    const ids: string[] = [];
    while (ids.length < 52) ids.unshift(await aDelivery(service, team, { endpointId, status: 'ok' }));
    const list = async (query = '') =>
      idsOf((await team.client.get(`/webhook-endpoints/${endpointId}/deliveries${query}`)).data);
    expect(await list()).toEqual(ids.slice(0, 50));
    expect(await list('?limit=1')).toEqual(ids.slice(0, 1));
    expect(await list('?limit=200')).toEqual(ids);
  });
});
