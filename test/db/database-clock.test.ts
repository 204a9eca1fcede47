import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeDatabaseClock, differenceAfter } from '../../src/db/database-clock.ts';
import { startTestService, useTestService } from '../support/service.ts';

const service = await useTestService({ own: true });

const aClock = (wrongBy: number) => {
  const clock = makeDatabaseClock(service.database, { own: () => Date.now() + wrongBy });
  onTestFinished(() => clock.stop());
  return clock;
};

describe('the database’s clock', () => {
  it.each([600_000, -600_000, 86_400_000, 0])('is right although the own clock is wrong by %d ms', async (wrongBy) => {
    const clock = aClock(wrongBy);
    await clock.compare();
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(1_000);
  });

  it('is the own clock until the database has answered', () => {
    expect(aClock(600_000).now().getTime() - Date.now()).toBeGreaterThan(590_000);
  });

  it('is compared every half minute', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const clock = aClock(600_000);
    const error = () => Math.abs(clock.now().getTime() - Date.now());
    await vi.advanceTimersByTimeAsync(29_999);
    expect(error()).toBeGreaterThan(590_000);
    await vi.advanceTimersByTimeAsync(1);
    await expect.poll(error).toBeLessThan(1_000);
  });

  it('does not jump with every comparison', async () => {
    const clock = aClock(0);
    let last = clock.now();
    for (let compared = 0; compared < 20; compared += 1) {
      await clock.compare();
      const now = clock.now();
      expect(now.getTime()).toBeGreaterThanOrEqual(last.getTime());
      last = now;
    }
  });

  it.each([
    ['the question', [-900, 0]],
    ['the answer', [0, 900]],
  ])('is not moved by %s being slow: it may have been right', async (_what, [before = 0, after = 0]) => {
    // The machine's clock is right. It was read this long before the database's, and this long after it.
    const late = [before, after, 0];
    const clock = makeDatabaseClock(service.database, { own: () => Date.now() + (late.shift() ?? 0) });
    onTestFinished(() => clock.stop());
    await clock.compare();
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(400);
  });

  it('continues while the database is unavailable', async () => {
    const away = await startTestService({ own: true });
    const clock = makeDatabaseClock(away.database, { own: () => Date.now() + 600_000 });
    onTestFinished(() => clock.stop());
    await clock.compare();
    await away.close();
    await clock.compare();
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(1_000);
  });
});

describe('a comparison of the clocks', () => {
  /** The machine's time is whole milliseconds, PostgreSQL's is exact. */
  const exact = (max: number) => fc.integer({ min: 0, max: max * 8 }).map((eighths) => eighths / 8);
  const walk = fc.record({
    ahead: fc.tuple(fc.boolean(), exact(100_000_000)).map(([isBehind, ms]) => (isBehind ? -ms : ms)),
    before: fc.integer({ min: -100_000_000, max: 100_000_000 }),
    rounds: fc.array(fc.record({ pause: exact(30_000), there: exact(60_000), back: exact(60_000) }), { minLength: 1 }),
  });

  it('never moves the time away from the database’s, and leaves an error of at most its round trip', () => {
    fc.assert(
      fc.property(walk, ({ ahead, before, rounds }) => {
        let time = 1_000_000;
        let difference = before;
        for (const { pause, there, back } of rounds) {
          const asked = time + pause;
          const answered = asked + there + back;
          const read = asked + there + ahead;
          const former = difference;
          difference = differenceAfter(former, { asked: Math.floor(asked), read, answered: Math.floor(answered) });
          expect(Math.abs(difference - ahead)).toBeLessThanOrEqual(Math.abs(former - ahead));
          expect(Math.abs(difference - ahead)).toBeLessThanOrEqual(there + back + 1);
          // What may be right is kept.
          if (Math.abs(former - ahead) <= Math.min(there, back)) expect(difference).toBe(former);
          time = answered;
        }
      }),
    );
  });
});
