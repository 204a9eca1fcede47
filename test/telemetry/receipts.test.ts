import { expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { publicEventId } from '../../src/deliveries/message.ts';
import { replayEvent } from '../../src/modules/webhooks/manual-deliveries.ts';
import { aDispatcher, aReceivingEndpoint, anEvent, untilAllAre } from '../support/worker.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { anEndpoint } from '../support/webhooks.ts';

const service = await useTestService({ own: true });

const valuesIn = (text: string, receiver: 'ready' | 'delayed') => {
  const valueOf = (kind: string) =>
    Number(
      new RegExp(`^team_api_webhook_event_to_receipt_seconds_${kind}\\{receiver="${receiver}"\\} (.+)$`, 'm').exec(
        text,
      )?.[1] ?? 0,
    );
  return { count: valueOf('count'), sum: valueOf('sum') };
};

it('the time from an event to its receiver counts once for each delivery, apart from those that failed before', async () => {
  const team = await aTeam(service);
  let refusals = 0;
  const { id, receiver } = await aReceivingEndpoint(service, team);
  const { meter } = await aDispatcher(service, { retrySeconds: [1] });
  const seen = async (kind: 'ready' | 'delayed') => valuesIn(await meter.text(), kind);

  await anEvent(service, team, 3);
  await untilAllAre(service, 'ok', id, 3);
  await expect.poll(async () => (await seen('ready')).count).toBe(3);
  expect((await seen('ready')).sum).toBeLessThan(3 * 30);
  expect((await seen('delayed')).count).toBe(0);

  receiver.answerWith(() => ({ status: (refusals += 1) === 1 ? 500 : 200 }));
  await anEvent(service, team);
  await untilAllAre(service, 'ok', id, 4);
  await expect.poll(async () => (await seen('delayed')).count).toBe(1);
  expect((await seen('delayed')).sum).toBeGreaterThan(1);
  expect((await seen('ready')).count).toBe(3);
});

it('what is sent by hand, at any time after the event, does not count', async () => {
  const team = await aTeam(service);
  const { id } = await aReceivingEndpoint(service, team, { alone: true });
  const { meter } = await aDispatcher(service);
  await anEvent(service, team);
  await untilAllAre(service, 'ok', id, 1);
  const { id: eventId } = await service.database.prisma.webhookEvent.findFirstOrThrow({ where: { tenantId: team.id } });
  await replayEvent(await team.acting(), { eventId: publicEventId(eventId), endpointId: id });
  await team.client.post(`/webhook-endpoints/${id}/test`);
  await untilAllAre(service, 'ok', id, 3);
  await expect.poll(() => meter.text()).toContain('team_api_webhook_attempts_total{result="ok"} 3');
  expect(valuesIn(await meter.text(), 'ready').count).toBe(1);
});

it('endpoints that a worker warns about or pauses are counted, each as what it was', async () => {
  const team = await aTeam(service);
  for (const days of [2, 4, 5]) {
    const failingSince = later(service.clock.now(), -daysToMs(days));
    await anEndpoint(service, team, { failingSince, failedAgainAt: failingSince });
  }
  const { meter } = await aDispatcher(service);
  const counted = async () =>
    [...(await meter.text()).matchAll(/^team_api_webhook_endpoints_silent_total\{change="(\w+)"\} (\d+)$/gm)]
      .map(([, change, count]) => `${change} ${count}`)
      .toSorted();
  await expect.poll(counted).toEqual(['paused 2', 'warned 1']);
});
