import { afterAll, describe, expect, it, vi } from 'vitest';
import { aDispatcher, anEndpointAt, anEvent, deliveriesTo, endpointNow } from '../support/worker.ts';
import { hostileTargets } from '../egress/hostile-targets.ts';
import { startNameServer } from '../support/name-server.ts';
import { inTheApp } from '../support/app-caller.ts';
import { startRawReceiver } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { patience } from '../support/patience.ts';

const names = await startNameServer({ 'receiver.example.com': { A: ['93.184.216.34'] } });
const service = await useTestService({ environment: { WEBHOOK_DNS_SERVERS: names.address } });
const team = await aTeam(service);
const listener = await startRawReceiver(() => {});
/** An endpoint that no test changes. */
const { id } = await anEndpointAt(service, team, 'https://receiver.example.com/');
afterAll(() => Promise.all([names.close(), listener.close()]));

/**
 * One of each kind: `test/egress/targets.test.ts` tries all. Without those that are hostile only for another public
 * URL, and those that a body can't contain.
 */
const rows = Object.entries(hostileTargets).flatMap(([what, [url = '']]) =>
  what === 'the service itself' || url.length >= 2_000 ? [] : [[what, url] as const],
);
const atListener = (url: string) => url.replace('PORT', String(listener.port));
const events = ['member.joined'];

describe('a target that is not allowed', () => {
  it.each(rows)('%s: 422 when created and when changed: %j', async (_what, url) => {
    const created = await team.client.post('/webhook-endpoints', { url: atListener(url), events });
    expect(created).toBeProblem('validation_error', { field: 'url', detail: expect.any(String) });
    const changed = await team.client.patch(`/webhook-endpoints/${id}`, { url: atListener(url) });
    expect(changed).toBeProblem('validation_error', { field: 'url', detail: expect.any(String) });
    expect((await endpointNow(service, team, id)).url).toBe('https://receiver.example.com/');
    expect(listener.connections()).toBe(0);
  });

  it('is refused again at every attempt: of the event, a ping, a retry by hand and a replay', async () => {
    const { egress } = service.platform;
    names.set('rebinding.example.com', { A: ['127.0.0.1'] });
    await service.database.prisma.webhookEndpoint.update({
      where: { tenantId_id: { tenantId: team.id, id } },
      data: { url: `https://rebinding.example.com:${listener.port}/` },
    });
    await aDispatcher(service, { egress });
    await anEvent(service, team);
    const failedWith = async (count: number, attempts: number) =>
      vi.waitFor(async () => {
        const deliveries = await deliveriesTo(service, id);
        expect(deliveries.map(({ status }) => status)).toEqual(Array(count).fill('failed'));
        expect(deliveries.reduce((sum, { attempt }) => sum + attempt, 0)).toBe(attempts);
        for (const { error } of deliveries) expect(error).toMatch(/not public/i);
      }, patience);
    await failedWith(1, 1);
    const client = await team.aClient();
    await client.post(`/webhook-endpoints/${id}/test`);
    await failedWith(2, 2);
    const [delivery] = await deliveriesTo(service, id);
    await client.post(`/webhook-deliveries/${delivery?.id}/retry`);
    await failedWith(2, 3);
    await (await inTheApp(team)).webhookHistory.replay({ event_id: delivery?.eventId ?? '', endpoint_id: id });
    await failedWith(3, 4);
    expect(listener.connections()).toBe(0);
  });
});

describe('a target that is allowed', () => {
  it.each([
    ['https://receiver.example.com/hooks?a=1', 'https://receiver.example.com/hooks?a=1'],
    ['https://RECEIVER.example.com:443/%7ehooks/../x', 'https://receiver.example.com/x'],
    ['https://recei\tver.example.com/\n', 'https://receiver.example.com/'],
    ['https://bücher.example.com/ä', 'https://xn--bcher-kva.example.com/%C3%A4'],
    ['https://not-there-yet.example.com:8443/', 'https://not-there-yet.example.com:8443/'],
  ])('is stored as it was parsed: %j', async (url, stored) => {
    const client = await team.aClient();
    const answer = await client.post('/webhook-endpoints', { url, events });
    expect([answer.status, answer.body['url']]).toEqual([201, stored]);
  });
});
