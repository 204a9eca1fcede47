import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { secondsToMs } from '../../src/core/clock.ts';
import type { ClaimedDelivery } from '../../src/deliveries/claim.ts';
import { sendOnce } from '../../src/deliveries/deliver.ts';
import { writeOutcomes, type AttemptOutcome } from '../../src/deliveries/outcomes.ts';
import { failingEndpoints } from '../../src/modules/webhooks/service.ts';
import type { Egress } from '../../src/egress/egress.ts';
import {
  aDispatcher,
  anEndpointAt,
  anEvent,
  aReceivingEndpoint,
  attemptsTo,
  claimDue,
  deliveriesTo,
  endpointNow,
  localEgress,
  statusesOf,
  untilAllAre,
} from '../support/worker.ts';
import { aReceiver, type AnswerProgress } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService({ own: true });
const team = await aTeam(service);

const theReceivingEndpoint = (answer?: AnswerProgress) => aReceivingEndpoint(service, team, { answer, alone: true });

describe('an attempt', () => {
  it('posts the event with a signature of the time, the body and the endpoint’s secret', async () => {
    const { receiver, id, secret } = await theReceivingEndpoint();
    await aDispatcher(service);
    await anEvent(service, team);
    const [request] = await receiver.untilReceived(1);
    const { body = '', headers = {}, method, path } = request ?? {};
    expect([method, path]).toEqual(['POST', '/hooks']);
    const event: unknown = JSON.parse(body);
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      type: 'crm.sync.failed',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      api_version: '2026-11',
      tenant_id: team.id,
      data: { team_id: team.id, connection_id: expect.any(String), provider: 'hubspot', reason: 'refused' },
    });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Team-Customer-API\/\d+\.\d+\.\d+$/),
    });
    expect(headers['accept-encoding']).toBeUndefined();
    expect(event).toMatchObject({ id: headers['svc-event-id'] });
    const [, t = '', v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['svc-signature'])) ?? [];
    expect(v1).toBe(createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'));
    expect(Math.abs(Number(t) - Date.now() / 1000)).toBeLessThan(20);
    await untilAllAre(service, 'ok', id, 1);
  });

  it('is stored with the sent and received data', async () => {
    const { receiver, id } = await theReceivingEndpoint(() => ({
      status: 503,
      headers: { 'x-reason': 'closed' },
      body: `<script>${'ä'.repeat(2_000)}`,
    }));
    await aDispatcher(service);
    await anEvent(service, team);
    await untilAllAre(service, 'failed', id, 1);
    const [delivery] = await deliveriesTo(service, id);
    const kept = {
      responseCode: 503,
      responseExcerpt: `<script>${'ä'.repeat(992)}`,
      error: null,
      responseMs: expect.any(Number),
    };
    expect(delivery).toMatchObject({ ...kept, attempt: 1, scheduled: 1, nextTryAt: expect.any(Date) });
    expect(await attemptsTo(service, id)).toEqual([
      expect.objectContaining({
        ...kept,
        deliveryId: delivery?.id,
        number: 1,
        manual: false,
        url: `${receiver.url}/hooks`,
        requestHeaders: expect.objectContaining({ 'Svc-Signature': receiver.received[0]?.headers['svc-signature'] }),
        responseHeaders: expect.objectContaining({ 'x-reason': 'closed' }),
        startedAt: expect.any(Date),
      }),
    ]);
  });

  it('fails with a reason if no server listens', async () => {
    const { receiver, id } = await theReceivingEndpoint();
    await receiver.close();
    await aDispatcher(service);
    await anEvent(service, team);
    await untilAllAre(service, 'failed', id, 1);
    expect((await deliveriesTo(service, id))[0]).toMatchObject({
      responseCode: null,
      error: expect.stringMatching(/refused/i),
    });
  });

  it('fails alone if its message can’t be created', async () => {
    const { id } = await theReceivingEndpoint();
    const poisoned = await anEndpointAt(service, team, 'https://example.com/');
    await service.database.prisma.webhookEndpoint.update({
      where: { tenantId_id: { tenantId: team.id, id: poisoned.id } },
      data: { secret: Uint8Array.from([1, 2, 3]) },
    });
    const { complaints } = await aDispatcher(service);
    await anEvent(service, team, 20);
    await untilAllAre(service, 'ok', id, 20);
    await untilAllAre(service, 'failed', poisoned.id, 20);
    expect((await deliveriesTo(service, poisoned.id))[0]?.error).toBe(
      'The message could not be created. We are investigating.',
    );
    expect(complaints()).toHaveLength(20);
    expect((await endpointNow(service, team, poisoned.id)).failingSince).toBeNull();
  });

  it('whose answer can’t be stored is stored without it, and does not affect others', async () => {
    const { id } = await theReceivingEndpoint();
    let posted = 0;
    const egress: Egress = {
      vet: (url) => Promise.resolve({ allowed: true, url }),
      textsOf: () => Promise.resolve([]),
      post: () => {
        posted += 1;
        const excerpt = posted === 3 ? 'a \0 that PostgreSQL refuses' : 'fine';
        return Promise.resolve({
          startedAt: new Date(),
          ms: 1,
          code: 200,
          headers: {},
          excerpt,
          error: null,
          fault: null,
        });
      },
      fetch: () => Promise.reject(new Error('nothing is fetched')),
      close: () => Promise.resolve(),
    };
    await anEvent(service, team, 10);
    await aDispatcher(service, { egress });
    await untilAllAre(service, 'ok', id, 10);
    expect(posted).toBe(10);
    expect((await attemptsTo(service, id)).filter(({ responseExcerpt }) => responseExcerpt === null)).toHaveLength(1);
  });

  it('whose event was deleted by age is given up at once, with a reason, and does not count against the endpoint', async () => {
    const { id } = await theReceivingEndpoint();
    await anEvent(service, team);
    const [delivery] = await deliveriesTo(service, id);
    await service.database.prisma.webhookEvent.deleteMany({ where: { id: delivery?.eventId ?? '' } });
    await aDispatcher(service);
    await untilAllAre(service, 'gave_up', id, 1);
    expect((await deliveriesTo(service, id))[0]?.error).toBe('The event was already deleted.');
    expect((await endpointNow(service, team, id)).failingSince).toBeNull();
  });
});

describe('the schedule', () => {
  it.each([410, 429, 302, 404])(
    'treats a %d as a failure like any other, whatever Retry-After it has',
    async (status) => {
      const elsewhere = await aReceiver();
      const headers = { 'retry-after': '1000000000', location: elsewhere.url };
      const { id } = await theReceivingEndpoint(() => ({ status, headers }));
      await aDispatcher(service);
      await anEvent(service, team);
      await untilAllAre(service, 'failed', id, 1);
      const [delivery] = await deliveriesTo(service, id);
      const [first] = await attemptsTo(service, id);
      const pause = (delivery?.nextTryAt?.getTime() ?? 0) - (first?.startedAt.getTime() ?? 0);
      expect(pause).toBeGreaterThanOrEqual(60_000);
      expect(pause).toBeLessThan(75_000);
      expect(elsewhere.received).toEqual([]);
    },
  );
});

describe('health', () => {
  it('has the last success and the start of the failures', async () => {
    let status = 500;
    const { id } = await theReceivingEndpoint(() => ({ status }));
    await aDispatcher(service, { retrySeconds: [3_600] });
    await anEvent(service, team, 3);
    await untilAllAre(service, 'failed', id, 3);
    const failing = await endpointNow(service, team, id);
    expect(failing).toMatchObject({
      failingSince: expect.any(Date),
      failedAgainAt: expect.any(Date),
      lastSuccessAt: null,
    });
    await anEvent(service, team);
    await expect.poll(() => attemptsTo(service, id)).toHaveLength(4);
    const { failingSince, failedAgainAt } = failing;
    expect(await endpointNow(service, team, id)).toMatchObject({ failingSince, failedAgainAt });
    status = 200;
    await anEvent(service, team);
    await expect.poll(() => statusesOf(service, id)).toContain('ok');
    expect(await endpointNow(service, team, id)).toMatchObject({
      failingSince: null,
      failedAgainAt: null,
      lastSuccessAt: expect.any(Date),
    });
  });

  it('is failing from the second failed attempt in a row until the next success', async () => {
    let status = 200;
    const { id } = await theReceivingEndpoint(() => ({ status }));
    await aDispatcher(service, { retrySeconds: [3_600] });
    const afterAttempts = async (count: number) => {
      await anEvent(service, team);
      await expect.poll(() => attemptsTo(service, id)).toHaveLength(count);
      return (await failingEndpoints(await team.acting())).map((endpoint) => endpoint.id);
    };
    expect(await afterAttempts(1)).not.toContain(id);
    status = 500;
    expect(await afterAttempts(2)).not.toContain(id);
    expect(await afterAttempts(3)).toContain(id);
    status = 200;
    expect(await afterAttempts(4)).not.toContain(id);
    status = 500;
    expect(await afterAttempts(5)).not.toContain(id);
  });

  it('is that of the newest attempt, in whatever order the outcomes are written', async () => {
    const { id } = await theReceivingEndpoint();
    await anEvent(service, team, 6);
    const [first, second, third, fourth, fifth, sixth] = await claimDue(service);
    if (!first || !second || !third || !fourth || !fifth || !sixth) throw new Error('six deliveries are due');
    const outcome = async (claimed: ClaimedDelivery, code: number, seconds: number): Promise<AttemptOutcome> => {
      const egress = await localEgress(service);
      const { result, ...made } = await sendOnce({ ...service.platform, egress }, claimed, () => {});
      const startedAt = new Date(result.startedAt.getTime() + secondsToMs(seconds));
      return { ...made, result: { ...result, code, startedAt } };
    };
    await writeOutcomes(service.platform, [await outcome(first, 500, 60)]);
    const { failingSince } = await endpointNow(service, team, id);
    expect(failingSince).not.toBeNull();
    await writeOutcomes(service.platform, [await outcome(second, 200, 0)]);
    expect(await endpointNow(service, team, id)).toMatchObject({ failingSince, failedAgainAt: null });
    await writeOutcomes(service.platform, [await outcome(third, 200, 120)]);
    await writeOutcomes(service.platform, [await outcome(fourth, 500, 90)]);
    expect(await endpointNow(service, team, id)).toMatchObject({ failingSince: null, failedAgainAt: null });
    const [early, late] = [await outcome(fifth, 500, 130), await outcome(sixth, 500, 140)];
    await writeOutcomes(service.platform, [late, early]);
    const endOf = ({ result: { startedAt, ms } }: AttemptOutcome) => new Date(startedAt.getTime() + (ms ?? 0));
    expect(await endpointNow(service, team, id)).toMatchObject({
      failingSince: endOf(early),
      failedAgainAt: endOf(late),
    });
  });

  it('adds up the attempts of each day and quarter of an hour', async () => {
    let count = 0;
    const { id } = await theReceivingEndpoint(() => ({ status: (count += 1) % 4 === 0 ? 500 : 200 }));
    await aDispatcher(service, { retrySeconds: [3_600] });
    await anEvent(service, team, 40);
    await expect.poll(() => attemptsTo(service, id)).toHaveLength(40);
    const attempts = await attemptsTo(service, id);
    const days = await service.database.prisma.webhookEndpointDay.findMany({ where: { endpointId: id } });
    const total = (key: 'delivered' | 'failed') => days.reduce((sum, day) => sum + day[key], 0);
    expect([total('delivered'), total('failed')]).toEqual([30, 10]);
    const ms = attempts.map(({ responseMs }) => responseMs ?? 0);
    expect(days.reduce((sum, { totalMs }) => sum + Number(totalMs), 0)).toBe(ms.reduce((sum, one) => sum + one, 0));
    expect(Math.max(...days.map(({ slowestMs }) => slowestMs))).toBe(Math.max(...ms));
    const quarters = await service.database.prisma.webhookQuarterHour.findMany({ where: { endpointId: id } });
    const counted = (delivered: boolean) =>
      quarters.reduce((sum, quarter) => sum + (quarter.delivered === delivered ? quarter.attempts : 0), 0);
    expect([counted(true), counted(false)]).toEqual([30, 10]);
    // The longest one is in its class: longer than the class before, and no longer than its own.
    const longest = Math.max(...quarters.map(({ duration }) => duration));
    expect(Math.max(...ms)).toBeGreaterThanOrEqual(Math.floor(1.2 ** (longest - 1)));
    expect(Math.max(...ms)).toBeLessThanOrEqual(Math.ceil(1.2 ** longest));
  });
});
