import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { makeClient, type Answer } from '../support/client.ts';
import { auditEntriesOn, eventDataOf } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { aDelivery, anAttempt, anEndpoint, anEvent, deliveryNow, waitingFor } from '../support/webhooks.ts';
import { hoursToMs, later, secondsToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { endpointLimits } from '../../src/core/limits.ts';
import { publicEventId } from '../../src/deliveries/message.ts';
import { recoverEndpoint } from '../../src/modules/webhooks/manual-deliveries.ts';
import { onEachNode, untilLockWaits } from '../support/postgres.ts';
import { allListed } from '../support/pages.ts';
import { inTheApp } from '../support/app-caller.ts';

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
      expect([waiting, none]).toMatchObject([{ deliveryId: delivery, claimId: null }, []]);
      const [due, now] = [waiting?.dueAt.toISOString(), service.clock.now().toISOString()];
      expect([before, due, now]).toEqual([before, due, now].sort());
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
    const made = { event_type: 'training.completed', response_ms: 12, member_detail: true };
    const times = rows.map(({ createdAt, nextTryAt, eventId }) => ({
      event_id: publicEventId(eventId),
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
            member_detail: null,
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

describe('GET /webhook-deliveries', () => {
  const pages = (team: TestTeam, query: string) => allListed(team.client, `/webhook-deliveries?limit=2${query}`);

  it('200: the deliveries to all endpoints page by page, newest first, each with its endpoint and event; none of a deleted endpoint', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const [one, two] = [await anEndpoint(service, team), await anEndpoint(service, team)];
    await aDelivery(service, other, { endpointId: await anEndpoint(service, other) });
    await aDelivery(service, team, { endpointId: makeId() });
    const made: [string, string][] = [];
    for (const endpointId of [one, two, two, one, one]) {
      made.unshift([await aDelivery(service, team, { endpointId, status: 'ok' }), endpointId]);
    }
    const found = await pages(team, '');
    expect(found.map(({ id, endpoint_id }) => [id, endpoint_id])).toEqual(made);
    const { eventId } = await deliveryNow(service, team, made[0]?.[0] ?? '');
    const [listed] = (await team.client.get(`/webhook-endpoints/${one}/deliveries`)).data;
    expect(found[0]).toEqual({ ...listed, endpoint_id: one, event_id: publicEventId(eventId) });
  });

  it('200: those that match every filter; none for an endpoint that the team does not have', async () => {
    const team = await aTeam(service);
    const foreign = await anEndpoint(service, await aTeam(service));
    const [one, two] = [await anEndpoint(service, team), await anEndpoint(service, team)];
    const of = (endpointId: string, more: object) => aDelivery(service, team, { endpointId, ...more });
    const failed = await of(one, { status: 'failed' });
    const ping = await of(one, { status: 'ok', type: 'ping' });
    const elsewhere = await of(two, { status: 'failed' });
    service.clock.forward(secondsToMs(60));
    const since = service.clock.now().toISOString();
    const late = await of(two, { status: 'gave_up', type: 'member.joined' });
    service.clock.set(new Date());
    const ids = async (query: string) => idsOf(await pages(team, query));
    expect(await ids('')).toEqual([late, elsewhere, ping, failed]);
    expect(await ids(`&endpoint_id=${one}`)).toEqual([ping, failed]);
    expect(await ids('&status=failed')).toEqual([elsewhere, failed]);
    expect(await ids(`&status=failed&endpoint_id=${two}`)).toEqual([elsewhere]);
    expect(await ids('&event_type=ping')).toEqual([ping]);
    expect(await ids(`&since=${since}`)).toEqual([late]);
    for (const strange of [foreign, makeId(), 'x']) expect(await ids(`&endpoint_id=${strange}`)).toEqual([]);
  });

  it('422: a cursor of other filters, an unknown status or type, no time', async () => {
    const team = await aTeam(service);
    const endpointId = await anEndpoint(service, team);
    for (const _ of [1, 2, 3]) await aDelivery(service, team, { endpointId });
    const { body } = await team.client.get('/webhook-deliveries?limit=1');
    const cursor = String(body['next_cursor']);
    for (const filter of [
      `endpoint_id=${endpointId}`,
      'status=pending',
      'event_type=ping',
      `endpoint_id=${makeId()}`,
    ]) {
      const answer = await team.client.get(`/webhook-deliveries?limit=1&cursor=${cursor}&${filter}`);
      expect(answer).toBeProblem('validation_error', { field: 'cursor', detail: expect.any(String) });
    }
    for (const filter of ['status=done', 'event_type=x', 'since=2026-01-01']) {
      expect((await team.client.get(`/webhook-deliveries?${filter}`)).status).toBe(422);
    }
  });
});

describe('GET /webhook-deliveries/{delivery_id}', () => {
  it('200: the delivery with its attempts, newest first', async () => {
    const team = await aTeam(service);
    const endpointId = await anEndpoint(service, team);
    const id = await aDelivery(service, team, { endpointId, status: 'failed' });
    await anAttempt(service, team, { deliveryId: id, number: 1, code: null });
    await anAttempt(service, team, { deliveryId: id, number: 2, code: 500 });
    const [listed] = (await team.client.get('/webhook-deliveries')).data;
    const answer = await team.client.get(`/webhook-deliveries/${id}`);
    const attempt = {
      started_at: expect.stringMatching(/Z$/),
      url: 'https://example.com/',
      request_headers: { 'Content-Type': 'application/json', 'Svc-Signature': 't=1795000000,v1=00' },
      member_detail: true,
    };
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        ...listed,
        attempts: [
          {
            number: 2,
            manual: true,
            ...attempt,
            response_code: 500,
            response_headers: { server: 'test' },
            response_excerpt: 'thanks',
            response_ms: 12,
            error: null,
          },
          {
            number: 1,
            manual: false,
            ...attempt,
            response_code: null,
            response_headers: null,
            response_excerpt: null,
            response_ms: null,
            error: 'The connection was refused.',
          },
        ],
      },
    ]);
    await team.client.delete(`/webhook-endpoints/${endpointId}`);
    expect(await team.client.get(`/webhook-deliveries/${id}`)).toBeProblem('not_found', { detail: expect.any(String) });
  });
});

describe('the attempts of a delivery that was retried again and again', () => {
  it('are shown up to the newest fifty, to keys and in the app', async () => {
    const team = await aTeam(service);
    const endpointId = await anEndpoint(service, team);
    const id = await aDelivery(service, team, { endpointId, status: 'failed' });
    for (let number = 1; number <= 51; number += 1) await anAttempt(service, team, { deliveryId: id, number });
    const newest = Array.from({ length: 50 }, (_, at) => 51 - at);
    const Attempts = z.array(z.object({ number: z.int() }));
    const numbers = (attempts: unknown) => Attempts.parse(attempts).map(({ number }) => number);
    expect(numbers((await team.client.get(`/webhook-deliveries/${id}`)).body['attempts'])).toEqual(newest);
    const { webhookHistory } = await inTheApp(team);
    expect(numbers((await webhookHistory.attempts({ delivery_id: id })).data)).toEqual(newest);
  });
});

describe('POST /webhook-endpoints/{endpoint_id}/recover', () => {
  const recover = (team: TestTeam, id: string, body: unknown) =>
    team.client.post(`/webhook-endpoints/${id}/recover`, body);
  const windowsOf = async (team: TestTeam, id: string) => {
    const subject = { in: [`by hand ${id}`, `by hand ${team.id}`, `recovered ${team.id}`] };
    const { database } = service;
    return (await onEachNode(database, async () => database.prisma.rateWindow.findMany({ where: { subject } }))).flat();
  };

  it('202: missed events are due at once and once, and it is audited', async () => {
    const team = await aTeam(service);
    const id = await anEndpoint(service, team);
    const since = later(service.clock.now(), -secondsToMs(60));
    await anEvent(service, team, { at: later(since, -1) });
    const missed = [await anEvent(service, team), await anEvent(service, team)];
    await anEvent(service, team, { type: 'member.joined' });
    const wanted = { since: since.toISOString() };
    const first = await recover(team, id, wanted);
    expect([first.status, first.body]).toEqual([202, { recovered: 2, older: 0, more: false }]);
    expect((await recover(team, id, wanted)).body).toEqual({ recovered: 0, older: 0, more: false });
    const { data } = await team.client.get(`/webhook-endpoints/${id}/deliveries`);
    expect(data.map(({ event_id }) => event_id).toReversed()).toEqual(missed.map(publicEventId));
    expect(await waitingFor(service, id)).toHaveLength(2);
    expect(await auditEntriesOn(service, team, id)).toMatchObject([
      { action: 'webhook_endpoint.recovered', data: { since: wanted.since, recovered: 2 } },
    ]);
  });

  it('202: what is older than the endpoint is counted, and sent only on demand; a dry run sends nothing', async () => {
    const team = await aTeam(service);
    service.clock.stop();
    onTestFinished(() => service.clock.set(new Date()));
    const now = service.clock.now();
    for (const seconds of [-20, -10]) await anEvent(service, team, { at: later(now, secondsToMs(seconds)) });
    const id = await anEndpoint(service, team);
    // Of the same moment as the endpoint.
    const own = await anEvent(service, team, { at: now });
    const since = later(now, -secondsToMs(60)).toISOString();
    const answers = async (more: object) => (await recover(team, id, { since, ...more })).body;
    const [without, all] = [
      { recovered: 1, older: 2, more: false },
      { recovered: 3, older: 2, more: false },
    ];
    expect(await answers({ dry_run: true })).toEqual(without);
    expect(await answers({ dry_run: true, include_older: true })).toEqual(all);
    const { webhookHistory } = await inTheApp(team);
    const shown = await webhookHistory.missed({ endpoint_id: id, since });
    expect(shown).toEqual({ missed: 1, older: 2, at_most: endpointLimits.recoveredAtOnce });
    expect(await waitingFor(service, id)).toEqual([]);
    expect(await auditEntriesOn(service, team, id)).toEqual([]);
    expect(await windowsOf(team, id)).toEqual([]);

    expect(await answers({})).toEqual(without);
    expect(await windowsOf(team, id)).toHaveLength(3);
    const { data } = await team.client.get(`/webhook-endpoints/${id}/deliveries`);
    expect(data.map(({ event_id }) => event_id)).toEqual([publicEventId(own)]);
    expect(await answers({ since: now.toISOString() })).toEqual({ recovered: 0, older: 0, more: false });
    expect(await answers({ include_older: true })).toEqual({ recovered: 2, older: 2, more: false });
    expect(await answers({ include_older: true })).toEqual({ recovered: 0, older: 0, more: false });
  });

  it('202: a dry run says whether more are left than are sent at once, and counts no further', async () => {
    const team = await aTeam(service);
    const now = service.clock.now();
    const since = later(now, -secondsToMs(60));
    for (const seconds of [-20, -10]) await anEvent(service, team, { at: later(now, secondsToMs(seconds)) });
    const id = await anEndpoint(service, team);
    for (const _ of [1, 2]) await anEvent(service, team);
    const acting = await team.acting();
    const counted = (includeOlder: boolean, atOnce: number) =>
      recoverEndpoint(acting, { endpointId: id, since, includeOlder, dryRun: true }, atOnce);
    expect(await counted(false, 2)).toEqual({ recovered: 2, older: 2, more: false });
    expect(await counted(false, 1)).toEqual({ recovered: 1, older: 1, more: true });
    expect(await counted(true, 3)).toEqual({ recovered: 3, older: 2, more: true });
    expect(await counted(true, 4)).toEqual({ recovered: 4, older: 2, more: false });
  });

  it('422: an endpoint that is not active, and a time that is missing or none', async () => {
    const team = await aTeam(service);
    const since = '2026-01-01T00:00:00Z';
    for (const status of ['disabled', 'disabled_failures'] as const) {
      const answer = await recover(team, await anEndpoint(service, team, { status }), { since });
      expect(answer).toBeProblem('validation_error', { field: 'status', detail: expect.any(String) });
    }
    const id = await anEndpoint(service, team);
    for (const body of [{}, { since: '2026-01-01' }, { since, until: since }])
      expect((await recover(team, id, body)).status).toBe(422);
  });
});

const retry = (team: TestTeam, id: string) => team.client.post(`/webhook-deliveries/${id}/retry`);
const isDueNow = (due: string | undefined, since: string) =>
  due !== undefined && due >= since && due <= service.clock.now().toISOString();

describe('POST /webhook-deliveries/{delivery_id}/retry', () => {
  it.each(['active', 'disabled', 'disabled_failures'] as const)(
    '202: a failed one is due at once, keeps its schedule to return to, and is audited; its endpoint is %s',
    async (status) => {
      const team = await aTeam(service);
      const key = await team.aKey();
      const endpointId = await anEndpoint(service, team, { status });
      const id = await aDelivery(service, team, { endpointId, status: 'failed' });
      const before = await deliveryNow(service, team, id);
      const since = service.clock.now().toISOString();
      const answer = await makeClient(service.baseUrl, key.text).post(`/webhook-deliveries/${id}/retry`);
      expect([answer.status, answer.body]).toEqual([
        202,
        {
          id,
          attempt: 1,
          status: 'pending',
          event_id: publicEventId(before.eventId),
          event_type: 'training.completed',
          created_at: before.createdAt.toISOString(),
          next_try_at: expect.any(String),
          response_code: 500,
          response_excerpt: 'no',
          response_ms: 12,
          error: null,
          member_detail: true,
        },
      ]);
      expect(isDueNow(String(answer.body['next_try_at']), since)).toBe(true);
      expect(await deliveryNow(service, team, id)).toMatchObject({
        status: 'pending',
        resumeStatus: 'failed',
        resumeAt: before.nextTryAt,
        attempt: 1,
        scheduled: 1,
      });
      const dueAt = new Date(String(answer.body['next_try_at']));
      expect(await waitingFor(service, endpointId)).toMatchObject([{ deliveryId: id, dueAt, claimId: null }]);
      expect(await auditEntriesOn(service, team, id)).toEqual([
        {
          action: 'webhook_delivery.retried',
          actor: ['key', key.id],
          data: {
            endpoint_id: endpointId,
            event_id: before.eventId,
            event_type: 'training.completed',
            from: 'failed',
          },
          requestId: answer.headers.get('x-request-id'),
        },
      ]);
    },
  );

  it('202: one that was given up waits again, and has no schedule to return to', async () => {
    const team = await aTeam(service);
    const endpointId = await anEndpoint(service, team, { status: 'disabled_failures' });
    const id = await aDelivery(service, team, { endpointId, status: 'gave_up' });
    const since = service.clock.now().toISOString();
    expect(await retry(team, id)).toMatchObject({ status: 202, body: { id, status: 'pending' } });
    const now = await deliveryNow(service, team, id);
    expect(now).toMatchObject({ status: 'pending', resumeStatus: 'gave_up', resumeAt: null });
    const [waiting] = await waitingFor(service, endpointId);
    expect(waiting).toMatchObject({ deliveryId: id, dueAt: now.nextTryAt, claimId: null });
    expect(isDueNow(waiting?.dueAt.toISOString(), since)).toBe(true);
  });

  it.each(['ok', 'pending'] as const)('422 validation_error on status, and nothing changes: %s', async (status) => {
    const team = await aTeam(service);
    const endpointId = await anEndpoint(service, team);
    const id = await aDelivery(service, team, { endpointId, status });
    const before = [await deliveryNow(service, team, id), await waitingFor(service, endpointId)];
    expect(await retry(team, id)).toBeProblem('validation_error', { field: 'status', detail: expect.any(String) });
    expect([await deliveryNow(service, team, id), await waitingFor(service, endpointId)]).toEqual(before);
    expect(await auditEntriesOn(service, team, id)).toEqual([]);
  });

  it('422 validation_error while an attempt is running; 202 once its sender’s lease is over', async () => {
    const team = await aTeam(service);
    const endpointId = await anEndpoint(service, team);
    const claimId = makeId();
    const [lease, over] = [later(service.clock.now(), secondsToMs(30)), later(service.clock.now(), -secondsToMs(1))];
    const sent = await aDelivery(service, team, { endpointId, status: 'failed', claimId, dueAt: lease });
    const abandoned = await aDelivery(service, team, { endpointId, status: 'failed', claimId, dueAt: over });
    expect(await retry(team, sent)).toBeProblem('validation_error', {
      field: 'status',
      detail: expect.stringContaining('in progress'),
    });
    expect(await deliveryNow(service, team, sent)).toMatchObject({ status: 'failed', resumeStatus: null });
    expect((await retry(team, abandoned)).status).toBe(202);
    expect(await waitingFor(service, endpointId)).toMatchObject([
      { deliveryId: sent, dueAt: lease, claimId },
      { deliveryId: abandoned, claimId: null },
    ]);
  });
});

describe('at the same time', () => {
  const whileLocked = async (team: TestTeam, endpointId: string, start: () => Promise<Answer>[]): Promise<Answer[]> => {
    let calls: Promise<Answer>[] = [];
    await service.database.transaction(async (tx) => {
      await tx.$executeRaw`
        select from webhook_endpoint where tenant_id = ${team.id}::uuid and id = ${endpointId}::uuid for update`;
      calls = start();
      await untilLockWaits(service, { count: calls.length });
    });
    return Promise.all(calls);
  };

  it.each(['failed', 'gave_up'] as const)(
    'of several retries of a %s delivery exactly one succeeds',
    async (status) => {
      const team = await aTeam(service);
      const endpointId = await anEndpoint(service, team);
      const id = await aDelivery(service, team, { endpointId, status });
      const answers = await whileLocked(team, endpointId, () => [1, 2, 3, 4].map(() => retry(team, id)));
      expect(answers.map((answer) => answer.status).sort()).toEqual([202, 422, 422, 422]);
      expect(await auditEntriesOn(service, team, id)).toHaveLength(1);
      expect(await deliveryNow(service, team, id)).toMatchObject({ status: 'pending', resumeStatus: status });
      expect(await waitingFor(service, endpointId)).toHaveLength(1);
    },
  );

  it('a retry and the deletion of its endpoint leave no waiting row', async () => {
    for (const deletionFirst of [true, false]) {
      const team = await aTeam(service);
      const endpointId = await anEndpoint(service, team);
      const id = await aDelivery(service, team, { endpointId, status: 'gave_up' });
      const remove = () => team.client.delete(`/webhook-endpoints/${endpointId}`);
      const [one, two] = await whileLocked(team, endpointId, () =>
        deletionFirst ? [remove(), retry(team, id)] : [retry(team, id), remove()],
      );
      const [deletion, retried] = deletionFirst ? [one, two] : [two, one];
      expect(deletion?.status).toBe(200);
      expect([202, 404]).toContain(retried?.status);
      expect(await waitingFor(service, endpointId)).toEqual([]);
    }
  });

  it('a retry and its sender’s outcome: the second one sees the change of the first', async () => {
    const team = await aTeam(service);
    const endpointId = await anEndpoint(service, team);
    const id = await aDelivery(service, team, {
      endpointId,
      status: 'failed',
      claimId: makeId(),
      dueAt: later(service.clock.now(), hoursToMs(1)),
    });
    let retried: Promise<Answer> | undefined;
    await service.database.transaction(async (tx) => {
      await tx.$executeRaw`
        select from webhook_endpoint where tenant_id = ${team.id}::uuid and id = ${endpointId}::uuid for no key update`;
      retried = retry(team, id);
      await untilLockWaits(service);
      await tx.webhookWaiting.deleteMany({ where: { tenantId: team.id, deliveryId: id } });
      await tx.webhookDelivery.updateMany({
        where: { tenantId: team.id, id },
        data: { status: 'ok', nextTryAt: null },
      });
    });
    expect(await retried).toBeProblem('validation_error', { detail: expect.stringContaining('already succeeded') });
    expect(await waitingFor(service, endpointId)).toEqual([]);
  });

  it('disabling and reactivating while retries are made loses none of them', async () => {
    const team = await aTeam(service);
    const endpointId = await anEndpoint(service, team);
    const ids: string[] = [];
    while (ids.length < 6) ids.push(await aDelivery(service, team, { endpointId, status: 'failed' }));
    const set = (status: string) => team.client.patch(`/webhook-endpoints/${endpointId}`, { status });
    await Promise.all([...ids.map((id) => retry(team, id)), set('disabled'), set('active'), set('disabled')]);
    await set('active');
    const waiting = await waitingFor(service, endpointId);
    const now = service.clock.now();
    expect(waiting.map(({ deliveryId }) => deliveryId)).toEqual(ids);
    expect(waiting.filter(({ dueAt }) => dueAt > now)).toEqual([]);
  });
});
