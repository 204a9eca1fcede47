import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { webhookLimits } from '../../src/core/limits.ts';
import { writeOutcomes, type AttemptOutcome } from '../../src/deliveries/outcomes.ts';
import { retryDelivery } from '../../src/modules/webhooks/manual-deliveries.ts';
import { anEndpointAt, anEvent, attemptsTo, claimDue, deliveriesTo } from '../support/deliveries.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService({ own: true });
const team = await aTeam(service);
const attemptMs = 1_234;

interface Move {
  byHand: boolean;
  delivered: boolean;
}

/** Follows a new delivery through attempts, each at its due time, or by hand a second earlier. */
const follow = async (moves: readonly Move[]) => {
  await service.database.prisma.webhookEndpoint.deleteMany();
  await service.database.prisma.webhookWaiting.deleteMany();
  const { id: endpointId } = await anEndpointAt(service, team, 'https://receiver.test');
  await anEvent(service, team);
  const acting = await team.acting();
  const delivery = async () => {
    const [row] = await deliveriesTo(service, endpointId);
    if (!row) throw new Error('the endpoint has no delivery');
    return row;
  };
  const seen = [];
  for (const move of moves) {
    const before = await delivery();
    if (before.status === 'ok' || (before.status === 'gave_up' && !move.byHand)) break;
    const byHand = move.byHand && before.status !== 'pending';
    if (before.nextTryAt) service.clock.set(new Date(before.nextTryAt.getTime() - (byHand ? 1_000 : 0)));
    if (byHand) await retryDelivery(acting, before.id);
    const [claimed, ...more] = await claimDue(service);
    if (!claimed || more.length > 0) throw new Error('one delivery is due');
    const startedAt = service.clock.now();
    const answer = { code: move.delivered ? 200 : 500, headers: {}, excerpt: '', error: null, fault: null };
    const outcome: AttemptOutcome = { claimed, requestHeaders: {}, result: { startedAt, ms: attemptMs, ...answer } };
    const [written] = await writeOutcomes(service.platform, [outcome]);
    const after = await delivery();
    expect(written?.status).toBe(after.status);
    expect(written?.nextTryAt ?? null).toBe(after.nextTryAt?.toISOString() ?? null);
    seen.push({ ...after, byHand, endedAt: startedAt.getTime() + attemptMs, before });
  }
  const attempts = await attemptsTo(service, endpointId);
  expect(attempts.map(({ number, manual }) => [number, manual])).toEqual(
    seen.map(({ byHand }, index) => [index + 1, byHand]),
  );
  return seen;
};

const move = fc.record({ byHand: fc.boolean(), delivered: fc.nat(9).map((chance) => chance === 0) });

describe('a delivery', () => {
  it('that always fails is sent eight times, each time one pause after the last attempt ended, and then given up', async () => {
    const seen = await follow(Array.from({ length: 20 }, () => ({ byHand: false, delivered: false })));
    expect(seen.map(({ status }) => status)).toEqual([...Array(7).fill('failed'), 'gave_up']);
    const pauses = seen.map(({ nextTryAt, endedAt }) => nextTryAt && (nextTryAt.getTime() - endedAt) / 1_000);
    expect(pauses).toEqual([60, 300, 1_800, 7_200, 21_600, 43_200, 86_400, null]);
  });

  it('retried by hand counts the attempt and keeps its schedule; the first 2xx ends it', async () => {
    const { retrySeconds } = webhookLimits;
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 16 }), async (moves) => {
        const seen = await follow(moves);
        for (const [index, { status, attempt, scheduled, byHand, before, nextTryAt, endedAt }] of seen.entries()) {
          expect(attempt).toBe(index + 1);
          expect(scheduled).toBe(before.scheduled + (byHand ? 0 : 1));
          if (status === 'ok') expect([index, nextTryAt]).toEqual([seen.length - 1, null]);
          else if (byHand) expect([status, nextTryAt]).toEqual([before.status, before.nextTryAt]);
          else {
            const pause = retrySeconds[before.scheduled];
            expect(status).toBe(pause === undefined ? 'gave_up' : 'failed');
            expect(nextTryAt?.getTime()).toBe(pause && endedAt + pause * 1_000);
          }
        }
      }),
      { numRuns: 12 },
    );
  });
});
