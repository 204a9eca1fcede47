import { describe, expect, it, onTestFinished } from 'vitest';
import { secondsToMs } from '../../src/core/clock.ts';
import { recoverEndpoint } from '../../src/modules/webhooks/manual-deliveries.ts';
import { endRenewal, lastAttempted, oldestOf, renewalOf } from '../../src/web/pages/webhooks/renewal.ts';
import { apiInTheApp, inTheApp } from '../support/app-caller.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';

const service = await useTestService();

type Endpoint = Parameters<typeof renewalOf>[0];

const first: Endpoint = {
  id: 'first',
  url: 'https://hooks.example.com/training',
  events: ['training.completed', 'member.joined'],
  status: 'active',
};
const second: Endpoint = { ...first, id: 'second', events: ['member.joined', 'training.completed'] };

describe('the renewal of a secret', () => {
  it('has begun if another endpoint gets the same events at the same URL; the newer one is the second', () => {
    const found = { first, second };
    expect(renewalOf(first, [second, first])).toEqual(found);
    expect(renewalOf(second, [second, first])).toEqual(found);
    const third = { ...first, id: 'third' };
    expect(renewalOf(second, [third, second, first])).toEqual({ first, second: third });
    const paused: Endpoint = { ...first, status: 'disabled_failures' };
    expect(renewalOf(second, [second, paused])).toEqual({ first: paused, second });
  });

  it.each<[string, Partial<Endpoint>]>([
    ['URL', { url: `${first.url}/` }],
    ['choice of events', { events: ['training.completed'] }],
    ['status, because nothing is sent to it', { status: 'disabled' }],
  ])('has not begun if the other has another %s', (_what, other) => {
    const all = [{ ...second, ...other }, first];
    for (const one of all) expect(renewalOf(one, all)).toBeUndefined();
    expect(renewalOf(first, [first])).toBeUndefined();
  });

  it('shows the answer to the newest delivery that was attempted', () => {
    const [waiting, tried, older] = [{ attempt: 0 }, { attempt: 2 }, { attempt: 1 }];
    expect(lastAttempted([waiting, tried, older])).toBe(tried);
    expect(lastAttempted([waiting])).toBeUndefined();
  });

  it('hands over the events since the oldest that waits, and no tests', () => {
    const at = (minute: number, event_type = 'member.joined') => ({
      event_type,
      created_at: `2026-11-20T10:0${minute}:00.000Z`,
    });
    expect(oldestOf([at(5), at(3), at(4), at(1, 'ping')])).toBe('2026-11-20T10:03:00.000Z');
    expect(oldestOf([at(1, 'ping'), { event_type: 'member.joined', created_at: null }])).toBeUndefined();
  });
});

describe('the end of a renewal', () => {
  /** An endpoint whose secret is being renewed, after so many events. Nothing was sent yet. */
  const aRenewal = async (events: number) => {
    const team = await aTeam(service);
    onTestFinished(() => service.clock.set(new Date()));
    const { webhookHistory } = await inTheApp(team);
    const { webhooks } = await apiInTheApp(team, ['webhooks:manage']);
    const wanted = { url: first.url, events: ['member.joined'] };
    const begun = { id: String((await team.client.post('/webhook-endpoints', wanted)).body['id']) };
    for (let at = 0; at < events; at += 1) {
      expect((await team.client.post('/users', { email: anEmail('joins') })).status).toBe(201);
      service.clock.forward(secondsToMs(1));
    }
    const renewal = { first: begun, second: await webhookHistory.renew({ endpoint_id: begun.id }) };
    const acting = await team.acting();
    return {
      team,
      renewal,
      deliveriesTo: async ({ id: endpoint_id }: { id: string }) =>
        (await webhookHistory.deliveries({ endpoint_id })).data,
      test: () => webhooks.test({ endpoint_id: begun.id }),
      /** One delivery a page, and one event at once. */
      calls: {
        deliveries: (input: Parameters<typeof webhookHistory.deliveries>[0]) =>
          webhookHistory.deliveries({ ...input, limit: 1 }),
        recover: ({ endpoint_id, since, include_older }: Parameters<typeof webhooks.recover>[0]) =>
          recoverEndpoint(acting, { endpointId: endpoint_id, since: new Date(since), includeOlder: include_older }, 1),
        remove: (input: Parameters<typeof webhooks.remove>[0]) => webhooks.remove(input),
      },
      left: async () => (await webhooks.list({})).data.map(({ id }) => id),
    };
  };

  it.each(['pending', 'failed'] as const)(
    'sends to the second what is %s for the first since before there was a second, nothing older, and deletes the first',
    async (status) => {
      const { team, renewal, deliveriesTo, calls, test, left } = await aRenewal(4);
      const [newest, other, third, ...delivered] = await deliveriesTo(renewal.first);
      const waiting = [newest, other, third].map((one) => one?.event_id);
      const change = async (
        rows: readonly ({ id: string } | undefined)[],
        data: { status: 'failed' } | { status: 'ok'; nextTryAt: null },
      ) =>
        service.database.prisma.webhookDelivery.updateMany({
          where: { tenantId: team.id, id: { in: rows.flatMap((row) => row?.id ?? []) } },
          data: { attempt: 1, ...data },
        });
      await change(delivered, { status: 'ok', nextTryAt: null });
      // Of those that wait, the oldest alone has this status.
      await change(status === 'failed' ? [third] : [newest, other], { status: 'failed' });
      await test();
      await endRenewal(renewal, calls);
      expect((await deliveriesTo(renewal.second)).map(({ event_id }) => event_id)).toEqual(waiting);
      expect(await left()).toEqual([renewal.second.id]);
    },
  );

  it('sends nothing if only a test waits', async () => {
    const { renewal, deliveriesTo, calls, test, left } = await aRenewal(0);
    await test();
    await endRenewal(renewal, calls);
    expect(await deliveriesTo(renewal.second)).toEqual([]);
    expect(await left()).toEqual([renewal.second.id]);
  });
});
