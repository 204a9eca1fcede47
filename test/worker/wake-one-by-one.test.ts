import { EventEmitter } from 'node:events';
import type { WorkerEvents } from 'graphile-worker';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { wakeOneByOne } from '../../src/worker/wake-one-by-one.ts';

const aPool = () => {
  const emitter = new EventEmitter();
  const events: WorkerEvents = emitter;
  const woken: number[] = [];
  const pool = { nudge: (count: number) => void woken.push(count) };
  wakeOneByOne(pool, events);
  return { pool, woken, events: emitter };
};

describe('a pool of workers', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
  });

  it('searches once for any number of new jobs, at most 20 times a second', () => {
    const { pool, woken } = aPool();
    for (let second = 0; second < 3; second += 1) {
      for (let turn = 0; turn < 500; turn += 1) {
        pool.nudge(10);
        vi.advanceTimersByTime(2);
      }
    }
    expect(woken.length).toBeLessThanOrEqual(61);
    expect(new Set(woken)).toEqual(new Set([1]));
  });

  it('searches at once after a rest, and once more for jobs that came since the last search', () => {
    const { pool, woken } = aPool();
    pool.nudge(1);
    expect(woken).toHaveLength(1);
    pool.nudge(1);
    expect(woken).toHaveLength(1);
    vi.advanceTimersByTime(50);
    expect(woken).toHaveLength(2);
    vi.advanceTimersByTime(10_000);
    expect(woken).toHaveLength(2);
    pool.nudge(1);
    expect(woken).toHaveLength(3);
  });

  it('wakes the next worker when one has found a job, so that many jobs start together', () => {
    const { pool, woken, events } = aPool();
    pool.nudge(10);
    for (let found = 0; found < 9; found += 1) events.emit('job:start');
    expect(woken).toHaveLength(10);
  });

  it('that has ended wakes no worker', () => {
    const { pool, woken, events } = aPool();
    pool.nudge(1);
    pool.nudge(1);
    events.emit('pool:gracefulShutdown');
    vi.advanceTimersByTime(1_000);
    events.emit('job:start');
    pool.nudge(1);
    expect(woken).toHaveLength(1);
  });
});
