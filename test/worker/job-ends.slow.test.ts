import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { aDispatcher, anEvent, aReceivingEndpoint } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService({ own: true });
const team = await aTeam(service);

it('an event and a job that ends at the same moment, again and again: none is left waiting', async () => {
  const { receiver } = await aReceivingEndpoint(service, team);
  await aDispatcher(service);
  await aDispatcher(service);
  const count = 400;
  for (let raised = 0; raised < count; raised += 1) {
    await anEvent(service, team);
    await sleep(Math.random() * 8);
  }
  await receiver.untilReceived(count);
  await eventually(async () => expect(await service.database.prisma.webhookWaiting.count()).toBe(0));
  expect(new Set(receiver.received.map(({ headers }) => headers['svc-event-id'])).size).toBe(count);
});
