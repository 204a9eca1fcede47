import { describe, expect, it, onTestFinished } from 'vitest';
import { databaseClock } from '../../src/db/database-clock.ts';
import { startTestService, useTestService } from '../support/service.ts';

const service = await useTestService({ own: true });

const aClock = (wrongBy: number) => {
  const clock = databaseClock(service.database, { own: () => Date.now() + wrongBy });
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

  it('continues while the database is unavailable', async () => {
    const away = await startTestService({ own: true });
    const clock = databaseClock(away.database, { own: () => Date.now() + 600_000 });
    onTestFinished(() => clock.stop());
    await clock.compare();
    await away.close();
    await clock.compare();
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(1_000);
  });
});
