import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { webhookLimits } from '../../src/core/limits.ts';
import { afterAttempt } from '../../src/deliveries/outcomes.ts';
import type { Standing } from '../../src/deliveries/outcomes.ts';

const { retrySeconds } = webhookLimits;
const fresh: Standing = { attempt: 0, scheduled: 0, resumeStatus: null, resumeAt: null };
const start = new Date('2026-11-20T08:00:00.000Z');

interface Move {
  manual: boolean;
  delivered: boolean;
}

/** Follows a delivery through attempts, each at its due time, or by hand a second earlier. */
const follow = (moves: readonly Move[]) => {
  let standing = fresh;
  let status: string = 'pending';
  let at = start;
  let due: Date | null = start;
  const seen = [];
  for (const { manual, delivered } of moves) {
    if (status === 'ok') break;
    if (status === 'gave_up' && !manual) break;
    const byHand = manual && (status === 'failed' || status === 'gave_up');
    if (byHand) {
      standing = { ...standing, resumeStatus: status === 'failed' ? 'failed' : 'gave_up', resumeAt: due };
    } else {
      at = due ?? at;
      standing = { ...standing, resumeStatus: null, resumeAt: null };
    }
    const step = afterAttempt(standing, { delivered, at }, retrySeconds);
    seen.push({ ...step, byHand, at, before: { ...standing, status } });
    ({ status } = step);
    due = step.nextTryAt;
    standing = { ...standing, attempt: step.attempt, scheduled: step.scheduled };
  }
  return seen;
};

const failing: Move = { manual: false, delivered: false };
const move = fc.record({ manual: fc.boolean(), delivered: fc.boolean() });

describe('a delivery', () => {
  it('that always fails is sent eight times in 44 hours and 36 minutes, and then given up', () => {
    const seen = follow(Array.from({ length: 20 }, () => failing));
    expect(seen.map(({ status }) => status)).toEqual([...Array(7).fill('failed'), 'gave_up']);
    const pauses = seen.slice(1).map(({ at }, index) => (at.getTime() - (seen[index]?.at.getTime() ?? 0)) / 1000);
    expect(pauses).toEqual([60, 300, 1_800, 7_200, 21_600, 43_200, 86_400]);
    expect(((seen.at(-1)?.at.getTime() ?? 0) - start.getTime()) / 60_000).toBe(44 * 60 + 36);
  });

  it('is sent again exactly one pause after each attempt has ended, whatever its duration and the retries by hand', () => {
    const time = fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(time, fc.nat(6), fc.nat(3), (at, scheduled, byHand) => {
        const standing = { ...fresh, attempt: scheduled + byHand, scheduled };
        const { nextTryAt } = afterAttempt(standing, { delivered: false, at }, retrySeconds);
        expect((nextTryAt?.getTime() ?? 0) - at.getTime()).toBe((retrySeconds[scheduled] ?? 0) * 1_000);
      }),
    );
  });

  it('retried by hand counts the attempt, but keeps its schedule', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        const seen = follow(moves);
        for (const [index, { status, attempt, scheduled, byHand, before, nextTryAt, manual }] of seen.entries()) {
          expect(attempt).toBe(index + 1);
          expect(manual).toBe(byHand);
          expect(scheduled).toBe(before.scheduled + (byHand ? 0 : 1));
          expect(nextTryAt !== null).toBe(status === 'failed');
          if (byHand && status !== 'ok') expect([status, nextTryAt]).toEqual([before.resumeStatus, before.resumeAt]);
        }
        expect(seen.filter(({ byHand }) => !byHand).length).toBeLessThanOrEqual(8);
      }),
    );
  });

  it('ends with the first 2xx, in the schedule or by hand', () => {
    fc.assert(
      fc.property(fc.array(move, { minLength: 1, maxLength: 30 }), (moves) => {
        const statuses = follow(moves).map(({ status }) => status);
        expect(statuses.slice(0, -1)).not.toContain('ok');
      }),
    );
  });
});
