import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { busyMoreThan } from '../../src/core/event-loop.ts';
import { aDispatcher, anEvent, aReceivingEndpoint, forgetDeliveries } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import type { TestTeam } from '../support/team.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await startTestService({ own: true });
  team = await aTeam(service);
});
afterAll(() => service.close());
beforeEach(() => forgetDeliveries(service));

/** The event loop seems to be busy for this share of the time. Until `letTimePass` is called, the clock of timers and limits stands still. */
const anEventLoop = (utilization: number) => {
  vi.spyOn(performance, 'eventLoopUtilization').mockReturnValue({ idle: 0, active: 0, utilization });
  const now = performance.now.bind(performance);
  const start = now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => start);
  onTestFinished(() => void vi.restoreAllMocks());
  return {
    oneSecondLater: () => clock.mockImplementation(() => start + 1_000),
    letTimePass: () => clock.mockImplementation(now),
  };
};

/** An endpoint whose receiver counts the requests that it has not answered, and answers when it may. */
const aCountingEndpoint = async (mayAnswer: Promise<void> = Promise.resolve()) => {
  const open = { now: 0, most: 0 };
  const made = await aReceivingEndpoint(service, team, {
    async answer() {
      open.now += 1;
      open.most = Math.max(open.most, open.now);
      await mayAnswer;
      open.now -= 1;
      return { status: 200 };
    },
  });
  return { ...made, open };
};

describe('a worker whose event loop is busy', () => {
  it('sends an endpoint’s deliveries one after the other, on one connection', async () => {
    const { receiver, open } = await aCountingEndpoint();
    const { oneSecondLater } = anEventLoop(0.9);
    await aDispatcher(service);
    oneSecondLater();
    await anEvent(service, team, 30);
    await receiver.untilReceived(30);
    expect(open.most).toBe(1);
    expect(receiver.connections()).toBe(1);
  });

  it('sends the others without waiting longer if an attempt takes long', async () => {
    const held = Promise.withResolvers<void>();
    onTestFinished(() => held.resolve());
    const { receiver, open } = await aCountingEndpoint(held.promise);
    const { oneSecondLater, letTimePass } = anEventLoop(0.9);
    await aDispatcher(service);
    oneSecondLater();
    await anEvent(service, team, 8);
    await receiver.untilReceived(1);
    expect(open.most).toBe(1);
    letTimePass();
    await receiver.untilReceived(8);
    expect(open.most).toBe(8);
  });
});

it('a worker that is not busy sends as many at once as the endpoint has places', async () => {
  const held = Promise.withResolvers<void>();
  const { receiver, open } = await aCountingEndpoint(held.promise);
  const { oneSecondLater } = anEventLoop(0.1);
  await aDispatcher(service);
  oneSecondLater();
  await anEvent(service, team, 20);
  await receiver.untilReceived(8);
  expect(open.most).toBe(8);
  held.resolve();
  await receiver.untilReceived(20);
  expect(open.most).toBe(8);
});

it('an event loop is busy while it works, and no longer when it waits', async () => {
  const isBusy = busyMoreThan(0.6);
  const end = performance.now() + 300;
  while (performance.now() < end);
  expect(isBusy()).toBe(true);
  await eventually(() => expect(isBusy()).toBe(false));
});

it('an event loop was busy, until it is measured, if it was since the process began', () => {
  for (const [utilization, isBusy] of [
    [0.9, true],
    [0.1, false],
  ] as const) {
    anEventLoop(utilization);
    expect(busyMoreThan(0.6)()).toBe(isBusy);
  }
});
