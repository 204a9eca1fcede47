import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plan, runChaos, type Outcome } from './chaos.ts';
import { removeServer, throwAwayFolder } from '../support/throw-away-postgres.ts';

describe('while workers are killed, PostgreSQL is restarted and receivers fail', () => {
  let folder: string;
  let outcome: Outcome;
  beforeAll(async () => {
    folder = throwAwayFolder();
    const settings = { fsync: 'off', full_page_writes: 'off' };
    outcome = await runChaos({ folder, settings });
  }, 360_000);
  afterAll(() => removeServer(folder));

  it('every event arrives at least once', () => {
    expect(outcome).toMatchObject({ raised: plan.events, forgotten: 0, lost: 0, restarts: 1 });
    expect(outcome.deliveries).toBeGreaterThanOrEqual(plan.events);
    expect(outcome.kills).toBeGreaterThan(2);
    // Some were refused and delivered again.
    expect(outcome.requests).toBeGreaterThan(outcome.deliveries);
  });

  it('delivered events are recorded as delivered', () => {
    expect(outcome.unnoted).toBe(0);
  });

  it('only events that a killed worker was sending are delivered twice', () => {
    expect(outcome.duplicates).toBeLessThanOrEqual(outcome.kills * plan.concurrency * 3);
  });

  it('soon after the last kill nothing that is due waits', () => {
    expect(outcome.left).toBe(0);
    expect(outcome.recoveredAfter).toBeLessThan(plan.recoverWithinMs);
  });
});
