import { expect, it } from 'vitest';
import { aDispatcher, anEndpointAt, anEvent, attemptsTo, deliveriesTo, untilAllAre } from '../support/worker.ts';
import { aReceiver } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { waitingFor } from '../support/webhooks.ts';

const service = await useTestService({ own: true });

it('a retry by hand at the same time as the schedule makes each attempt once, and leaves nothing behind', async () => {
  const team = await aTeam(service);
  let failing = true;
  const receiver = await aReceiver({ answer: () => ({ status: failing ? 500 : 200 }) });
  const { id } = await anEndpointAt(service, team, receiver.url);
  await anEvent(service, team, 10);
  // All are due again a second after they failed.
  await aDispatcher(service, { retrySeconds: Array<number>(20).fill(1), perEndpoint: 32 });
  await aDispatcher(service, { retrySeconds: Array<number>(20).fill(1), perEndpoint: 32 });
  const deliveries = await deliveriesTo(service, id);
  const retryAll = async () => {
    const client = await team.aClient(); // each round has its own budget
    return Promise.all(deliveries.map(async ({ id }) => (await client.post(`/webhook-deliveries/${id}/retry`)).status));
  };

  const statuses: number[] = [];
  while (!statuses.includes(202) || !statuses.includes(422) || receiver.received.length < 30) {
    statuses.push(...(await retryAll()));
  }
  expect(new Set(statuses)).toEqual(new Set([202, 422]));
  failing = false;
  await untilAllAre(service, 'ok', id, 10);

  const attempts = await attemptsTo(service, id);
  expect(attempts).toHaveLength(receiver.received.length);
  for (const delivery of await deliveriesTo(service, id)) {
    const made = attempts.filter(({ deliveryId }) => deliveryId === delivery.id);
    expect(made.map(({ number }) => number).sort((a, b) => a - b)).toEqual(made.map((_, index) => index + 1));
    expect(delivery).toMatchObject({
      attempt: made.length,
      scheduled: made.filter(({ manual }) => !manual).length,
      resumeStatus: null,
      resumeAt: null,
      nextTryAt: null,
    });
  }
  expect(attempts.some(({ manual }) => manual)).toBe(true);
  expect(await waitingFor(service, id)).toEqual([]);
});
