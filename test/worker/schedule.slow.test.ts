import { expect, it } from 'vitest';
import { later, secondsToMs } from '../../src/core/clock.ts';
import { webhookLimits } from '../../src/core/limits.ts';
import { aDispatcher, anEvent, aReceivingEndpoint, attemptsTo, deliveriesTo } from '../support/worker.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { waitingFor } from '../support/webhooks.ts';

const service = await useTestService({ own: true });
const team = await aTeam(service);

/**
 * The lane's next job is written a moment after the attempt. When the test moves the clock, only jobs that are written
 * move with it.
 */
const nextJobIsWritten = (endpointId: string) =>
  expect
    .poll(
      async () => service.database.prisma.$queryRaw<unknown[]>`
        select 1 from graphile_worker.jobs
         where key = ${`deliver:${endpointId}`} and locked_at is null and run_at > now() + interval '30 seconds'`,
    )
    .toHaveLength(1);

it('the schedule in real time: each of eight attempts within ten seconds after its pause, then gave_up', async () => {
  const { receiver, id } = await aReceivingEndpoint(service, team, { answer: () => ({ status: 500 }) });
  const { meter } = await aDispatcher(service);
  await anEvent(service, team);
  const madeUpTo = (count: number) =>
    expect.poll(async () => (await deliveriesTo(service, id))[0]?.attempt).toBe(count);
  await madeUpTo(1);
  for (const [index, pause] of webhookLimits.retrySeconds.entries()) {
    const [before] = (await attemptsTo(service, id)).slice(-1);
    const ended = later(before?.startedAt ?? new Date(0), before?.responseMs ?? 0);
    expect((await deliveriesTo(service, id))[0]).toMatchObject({
      status: 'failed',
      nextTryAt: later(ended, secondsToMs(pause)),
    });
    await nextJobIsWritten(id);
    // A second before its time nothing is sent; then the clock runs on by itself.
    service.clock.set(later(ended, secondsToMs(pause - 1)));
    await madeUpTo(index + 2);
    const [next] = (await attemptsTo(service, id)).slice(-1);
    const waited = ((next?.startedAt.getTime() ?? 0) - ended.getTime()) / 1_000;
    expect(waited).toBeGreaterThanOrEqual(pause);
    expect(waited).toBeLessThanOrEqual(pause + 10);
  }
  service.clock.set(new Date());
  expect((await deliveriesTo(service, id))[0]?.status).toBe('gave_up');
  expect(receiver.received).toHaveLength(8);
  expect(new Set(receiver.received.map(({ headers }) => headers['svc-event-id'])).size).toBe(1);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  expect(new Set(receiver.received.map(({ headers }) => headers['svc-signature'])).size).toBe(8);
  expect(await waitingFor(service, id)).toEqual([]);
  expect(await meter.text()).toMatch(/attempts_total\{result="gave_up"\} 1/);
});
