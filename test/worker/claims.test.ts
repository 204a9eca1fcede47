import { describe, expect, it, onTestFinished } from 'vitest';
import { secondsToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { deliveryLimits } from '../../src/core/limits.ts';
import { claim, leaseMs, release, type ClaimedDelivery } from '../../src/deliveries/claim.ts';
import { writeOutcomes } from '../../src/deliveries/outcomes.ts';
import { longestAttemptMs, sendOnce } from '../../src/deliveries/deliver.ts';
import {
  aDispatcher,
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
import type { AnswerProgress } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { holdRows, untilLockWaits } from '../support/postgres.ts';
import { waitingFor } from '../support/webhooks.ts';

const service = await useTestService({ own: true });
const team = await aTeam(service);

const theReceivingEndpoint = (answer?: AnswerProgress) => aReceivingEndpoint(service, team, { answer, alone: true });

const sending = async (claimed: ClaimedDelivery) =>
  sendOnce({ ...service.platform, egress: await localEgress(service) }, claimed, (error) =>
    expect(error).toBeUndefined(),
  );

describe('a claim', () => {
  it('takes those that are due longest, up to the endpoint’s slots, and none for a second time', async () => {
    const { id } = await theReceivingEndpoint();
    onTestFinished(() => service.clock.set(new Date()));
    // The older half was written later, so that no other order is the same.
    service.clock.forward(secondsToMs(10));
    await anEvent(service, team, 10);
    service.clock.set(new Date());
    await anEvent(service, team, 10);
    const idsOf = (some: readonly { deliveryId: string }[]) => some.map(({ deliveryId }) => deliveryId);
    const rows = await waitingFor(service, id);
    const byAge = idsOf(rows.toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime()));
    expect(byAge).toHaveLength(20);
    service.clock.forward(secondsToMs(20));
    const first = idsOf(await claimDue(service, { perEndpoint: 8 }));
    expect(first).toHaveLength(8);
    expect(byAge.slice(0, 10)).toEqual(expect.arrayContaining(first));
    expect(await claimDue(service, { perEndpoint: 8 })).toEqual([]);
    const next = idsOf(await claimDue(service, { perEndpoint: 12 }));
    expect(next).toHaveLength(4);
    expect(next.filter((one) => byAge.indexOf(one) < 10)).toHaveLength(2);
  });

  const slowMs = secondsToMs(deliveryLimits.slowAfterSeconds);
  it.each<[string, { code: number; ms: number }[], number, boolean]>([
    ['a success', [{ code: 204, ms: 5 }], 0, false],
    ['a failure', [{ code: 500, ms: 5 }], 0, true],
    ['a failure long ago', [{ code: 500, ms: 5 }], deliveryLimits.slowForSeconds, true],
    [
      'a failure and a success',
      [
        { code: 500, ms: 5 },
        { code: 204, ms: 5 },
      ],
      0,
      false,
    ],
    ['an almost slow answer', [{ code: 204, ms: slowMs - 1 }], 0, false],
    ['a slow answer', [{ code: 204, ms: slowMs }], 0, true],
    [
      'a slow answer and a quick one',
      [
        { code: 204, ms: slowMs },
        { code: 204, ms: 5 },
      ],
      0,
      true,
    ],
    ['a slow answer almost a minute ago', [{ code: 204, ms: slowMs }], deliveryLimits.slowForSeconds - 1, true],
    ['a slow answer a minute ago', [{ code: 204, ms: slowMs }], deliveryLimits.slowForSeconds, false],
  ])('after %s: an endpoint that fails or was slow recently has a quarter of the slots', async (...row) => {
    const [_after, answers, secondsLater, isThrottled] = row;
    service.clock.stop();
    onTestFinished(() => service.clock.set(new Date()));
    const { id } = await theReceivingEndpoint();
    await anEvent(service, team, 20);
    for (const { code, ms } of answers) {
      const [claimed] = await claimDue(service, { perEndpoint: 1 });
      if (!claimed) throw new Error('nothing was claimed');
      const outcome = await sending(claimed);
      const startedAt = new Date(service.clock.now().getTime() - ms);
      const result = { ...outcome.result, code, ms, startedAt };
      expect(await writeOutcomes(service.platform, [{ ...outcome, result }])).toHaveLength(1);
      service.clock.forward(1);
    }
    // The attempt ended one millisecond ago.
    service.clock.forward(secondsToMs(secondsLater) - 1);
    expect(await claimDue(service, { perEndpoint: 8 })).toHaveLength(isThrottled ? 2 : 8);
    expect((await endpointNow(service, team, id)).status).toBe('active');
  });

  it('says whether it took the last free place, and when the next delivery is due', async () => {
    const { id } = await theReceivingEndpoint();
    await anEvent(service, team, 3);
    const claimSome = (perEndpoint: number) =>
      claim(service.platform, { tenantId: team.id, endpointId: id, claimId: makeId(), perEndpoint });
    const sizes = async (perEndpoint: number) => {
      const { claimed, isFull } = await claimSome(perEndpoint);
      return [claimed.length, isFull];
    };
    expect(await sizes(2)).toEqual([2, true]);
    expect(await sizes(2)).toEqual([0, true]);
    expect(await sizes(8)).toEqual([1, false]);
    const [row] = await waitingFor(service, id);
    const dueAt = new Date(service.clock.now().getTime() + 60_000);
    await service.database.prisma.webhookWaiting.updateMany({
      where: { deliveryId: row?.deliveryId ?? '' },
      data: { claimId: null, dueAt },
    });
    expect(await claimSome(8)).toEqual({ claimed: [], isFull: false, nextDue: dueAt });
  });

  it('counts every claim until its outcome is written', async () => {
    const { id } = await theReceivingEndpoint();
    await anEvent(service, team, 20);
    const claimId = makeId();
    const claimMore = async (of: string) =>
      (await claim(service.platform, { tenantId: team.id, endpointId: id, claimId: of, perEndpoint: 8 })).claimed;
    const claimed = await claimMore(claimId);
    expect(claimed).toHaveLength(8);
    expect(await claimMore(claimId)).toHaveLength(0);
    expect(await claimMore(makeId())).toHaveLength(0);
    await writeOutcomes(service.platform, await Promise.all(claimed.slice(0, 3).map(sending)));
    expect(await claimMore(makeId())).toHaveLength(3);
    expect(await claimMore(claimId)).toHaveLength(0);
  });

  it('of ten jobs at the same time stays within the endpoint’s slots', async () => {
    await theReceivingEndpoint();
    await anEvent(service, team, 40);
    const claimed = await Promise.all(Array.from({ length: 10 }, () => claimDue(service, { perEndpoint: 8 })));
    expect(claimed.flat()).toHaveLength(8);
  });

  it('of a delivery that two jobs have chosen at the same moment is made by one', async () => {
    const { id } = await theReceivingEndpoint();
    await anEvent(service, team);
    // Both choose it before either can claim it.
    const release = await holdRows(
      service,
      (tx) => tx.$executeRaw`select 1 from webhook_waiting where endpoint_id = ${id}::uuid for update`,
    );
    const claims = [claimDue(service), claimDue(service)];
    await untilLockWaits(service, { count: 2, query: '%webhook_waiting%' });
    await release();
    expect((await Promise.all(claims)).map(({ length }) => length).toSorted()).toEqual([0, 1]);
  });

  it('that is given back leaves the delivery due as before, and takes no other’s claim', async () => {
    const { id } = await theReceivingEndpoint();
    await anEvent(service, team, 3);
    const [first, second] = await claimDue(service, { perEndpoint: 2 });
    if (!first || !second) throw new Error('nothing was claimed');
    await release(service.platform, first);
    expect((await claimDue(service)).map(({ deliveryId }) => deliveryId)).not.toContain(second.deliveryId);
    const rows = await service.database.prisma.webhookWaiting.findMany({ where: { endpointId: id } });
    expect(rows.find(({ deliveryId }) => deliveryId === second.deliveryId)?.claimId).toBe(second.claimId);

    // Another job has claimed it since.
    await release(service.platform, { ...second, claimId: makeId() });
    expect(await claimDue(service)).toEqual([]);
  });

  it('takes nothing of an endpoint that is disabled', async () => {
    const { id } = await theReceivingEndpoint();
    await anEvent(service, team, 3);
    await service.database.prisma.webhookEndpoint.updateMany({ where: { id }, data: { status: 'disabled' } });
    expect(await claimDue(service)).toEqual([]);
  });
});

describe('a lease', () => {
  it('is longer than an attempt with its waits for slots, and leaves time to write the outcome', () => {
    expect(leaseMs).toBeGreaterThanOrEqual(longestAttemptMs + secondsToMs(5));
  });

  it('is exclusive while it lasts, and releases the delivery when its holder died', async () => {
    const { receiver, id } = await theReceivingEndpoint();
    await anEvent(service, team);
    expect(await claimDue(service)).toHaveLength(1);
    expect(await claimDue(service)).toEqual([]);
    service.clock.forward(leaseMs + 1);
    await aDispatcher(service);
    await untilAllAre(service, 'ok', id, 1);
    service.clock.set(new Date());
    expect(receiver.received).toHaveLength(1);
    expect(await attemptsTo(service, id)).toHaveLength(1);
  });

  it('that has ended leaves its holder nothing to write', async () => {
    const { id } = await theReceivingEndpoint(() => ({ status: 500 }));
    await anEvent(service, team);
    const [stale] = await claimDue(service);
    if (!stale) throw new Error('nothing was claimed');
    const staleOutcome = await sending(stale);
    service.clock.forward(leaseMs + 1);
    const [current] = await claimDue(service);
    service.clock.set(new Date());
    if (!current) throw new Error('nothing was claimed again');
    expect(await writeOutcomes(service.platform, [staleOutcome])).toEqual([undefined]);
    expect(await statusesOf(service, id)).toEqual(['pending']);
    expect(await writeOutcomes(service.platform, [await sending(current)])).toMatchObject([{ status: 'failed' }]);
    expect(await writeOutcomes(service.platform, [staleOutcome])).toEqual([undefined]);
    expect(await attemptsTo(service, id)).toHaveLength(1);
  });

  it('that has ended still lets its holder write if no other process took over', async () => {
    const { id } = await theReceivingEndpoint();
    await anEvent(service, team);
    const [claimed] = await claimDue(service);
    if (!claimed) throw new Error('nothing was claimed');
    const outcome = await sending(claimed);
    service.clock.forward(leaseMs + 1);
    expect(await writeOutcomes(service.platform, [outcome])).toHaveLength(1);
    service.clock.set(new Date());
    expect(await statusesOf(service, id)).toEqual(['ok']);
  });

  it('is exclusive to one process: many dispatchers send each delivery once', async () => {
    const { receiver, id } = await theReceivingEndpoint();
    await Promise.all([1, 2, 3, 4].map(() => aDispatcher(service)));
    await anEvent(service, team, 80);
    await untilAllAre(service, 'ok', id, 80);
    expect(receiver.received).toHaveLength(80);
    expect(await attemptsTo(service, id)).toHaveLength(80);
  });
});

describe('an endpoint that changes between claim and outcome', () => {
  /** Holds the answer until the test releases it. */
  const held = () => {
    let letGo = (_status: number) => {};
    const answer = new Promise<{ status: number }>((resolve) => (letGo = (status) => resolve({ status })));
    return { answerProgress: () => answer, letGo };
  };
  const setStatus = (id: string, status: 'active' | 'disabled' | 'disabled_failures') =>
    service.database.prisma.webhookEndpoint.update({
      where: { tenantId_id: { tenantId: team.id, id } },
      data: { status },
    });

  const inFlight = async () => {
    const { answerProgress, letGo } = held();
    const endpoint = await theReceivingEndpoint(answerProgress);
    await aDispatcher(service);
    await anEvent(service, team);
    await endpoint.receiver.untilReceived(1);
    return { ...endpoint, letGo };
  };

  it('disabled: a failure waits for the reactivation', async () => {
    const { id, letGo } = await inFlight();
    await setStatus(id, 'disabled');
    letGo(500);
    await untilAllAre(service, 'failed', id, 1);
    expect(await waitingFor(service, id)).toMatchObject([{ claimId: null, byHand: false }]);
    service.clock.forward(secondsToMs(3_600));
    expect(await claimDue(service)).toEqual([]);
    // Through the API, as customers do it: until then the waiting rows have no job.
    await team.client.patch(`/webhook-endpoints/${id}`, { status: 'active' });
    await expect.poll(async () => (await deliveriesTo(service, id))[0]?.attempt).toBe(2);
    service.clock.set(new Date());
  });

  it('paused: a failure is the last', async () => {
    const { id, letGo } = await inFlight();
    await setStatus(id, 'disabled_failures');
    letGo(500);
    await untilAllAre(service, 'gave_up', id, 1);
    expect(await waitingFor(service, id)).toEqual([]);
  });

  it.each(['disabled', 'disabled_failures'] as const)(
    '%s: a success is a success, and does not reactivate',
    async (status) => {
      const { id, letGo } = await inFlight();
      await setStatus(id, status);
      letGo(204);
      await untilAllAre(service, 'ok', id, 1);
      expect((await endpointNow(service, team, id)).status).toBe(status);
    },
  );

  it('deleted: there is nothing left to write', async () => {
    const { id, receiver, letGo } = await inFlight();
    await service.database.prisma.webhookWaiting.deleteMany({ where: { endpointId: id } });
    await service.database.prisma.webhookEndpoint.delete({ where: { tenantId_id: { tenantId: team.id, id } } });
    letGo(500);
    const { meter } = await aDispatcher(service);
    const next = await theReceivingEndpoint();
    await anEvent(service, team);
    await untilAllAre(service, 'ok', next.id, 1);
    expect(await attemptsTo(service, id)).toEqual([]);
    expect(receiver.received).toHaveLength(1);
    expect(await meter.text()).not.toMatch(/result="gave_up"/);
  });
});

describe('an endpoint that another transaction has locked', () => {
  it('delays its own outcomes, and no others', async () => {
    const held = await theReceivingEndpoint();
    const free = await aReceivingEndpoint(service, team);
    await aDispatcher(service);
    await service.database.transaction(async (tx) => {
      await tx.$executeRaw`select 1 from webhook_endpoint where id = ${held.id}::uuid for update`;
      await anEvent(service, team, 100);
      await untilAllAre(service, 'ok', free.id, 100);
      expect(await statusesOf(service, held.id)).toEqual(Array(100).fill('pending'));
      // It has eight slots. While eight outcomes are not written, no further attempt begins.
      expect(held.receiver.received.length).toBeLessThanOrEqual(16);
    });
    await untilAllAre(service, 'ok', held.id, 100);
    expect(held.receiver.received).toHaveLength(100);
  });
});

describe('stopping', () => {
  it('waits for running attempts, and writes their outcomes', async () => {
    let letGo = () => {};
    const answered = new Promise<void>((resolve) => (letGo = resolve));
    const { receiver, id } = await theReceivingEndpoint(async () => {
      await answered;
      return { status: 200 };
    });
    const dispatcher = await aDispatcher(service);
    await anEvent(service, team);
    await receiver.untilReceived(1);
    const stopped = dispatcher.stop();
    await anEvent(service, team);
    letGo();
    await stopped;
    expect(await statusesOf(service, id)).toEqual(['ok', 'pending']);
  });
});
