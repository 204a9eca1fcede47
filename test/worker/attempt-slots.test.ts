import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliveryLimits } from '../../src/core/limits.ts';
import { makeAttemptSlots, NotBegun } from '../../src/deliveries/attempt-slots.ts';

const { attemptsPerHost } = deliveryLimits;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Attempts {
  tenantId: string;
  /** Different hosts, unless it is given. */
  host?: string;
  throttled?: boolean;
}

/** A worker whose attempts take as long as the test wants. */
const aWorker = (concurrency: number) => {
  const inSlots = makeAttemptSlots(concurrency);
  const running: { tenantId: string; end: () => void }[] = [];
  const refused: unknown[] = [];
  let hosts = 0;
  const begin = async (count: number, { tenantId, host, throttled = false }: Attempts): Promise<void> => {
    for (let begun = 0; begun < count; begun += 1) {
      hosts += 1;
      const url = `https://${host ?? `r${hosts}.example`}/hook`;
      const attempt = () =>
        new Promise<void>((resolve) => {
          const one = { tenantId, end: () => resolve(void running.splice(running.indexOf(one), 1)) };
          running.push(one);
        });
      inSlots({ tenantId, url, throttled }, attempt).catch((error: unknown) => refused.push(error));
    }
    await vi.advanceTimersByTimeAsync(0);
  };
  const runningOf = (tenantId: string) => running.filter((one) => one.tenantId === tenantId).length;
  return { begin, running, runningOf, refused };
};

describe('the slots of a worker', () => {
  it('are never more than half taken by one team, and half of the rest by the next', async () => {
    const worker = aWorker(16);
    await worker.begin(20, { tenantId: 'a' });
    expect(worker.runningOf('a')).toBe(8);
    await worker.begin(20, { tenantId: 'b' });
    expect([worker.runningOf('a'), worker.runningOf('b')]).toEqual([8, 4]);
    worker.running[0]?.end();
    await vi.advanceTimersByTimeAsync(0);
    expect(worker.running.length).toBe(12);
  });

  it('are at most half for throttled endpoints, of which one team has half', async () => {
    const worker = aWorker(15);
    await worker.begin(20, { tenantId: 'a', throttled: true });
    expect(worker.runningOf('a')).toBe(4);
    for (const tenantId of ['b', 'c', 'd', 'e']) await worker.begin(20, { tenantId, throttled: true });
    expect(worker.running.length).toBe(8);
    await worker.begin(20, { tenantId: 'f' });
    expect(worker.runningOf('f')).toBe(4);
  });

  it('are limited for one host, of which one team has half; those that wait for it take no slot from others', async () => {
    const worker = aWorker(1_000);
    await worker.begin(attemptsPerHost, { tenantId: 'a', host: 'busy.example' });
    expect(worker.runningOf('a')).toBe(attemptsPerHost / 2);
    await worker.begin(1, { tenantId: 'a', host: 'other.example' });
    expect(worker.runningOf('a')).toBe(attemptsPerHost / 2 + 1);
    await worker.begin(attemptsPerHost, { tenantId: 'b', host: 'busy.example' });
    expect(worker.runningOf('b')).toBe(attemptsPerHost / 2);
    await worker.begin(1, { tenantId: 'c', host: 'busy.example' });
    expect(worker.runningOf('c')).toBe(0);
  });

  it('refuse an attempt at once if as many wait for its host as may use it', async () => {
    const worker = aWorker(1_000);
    const half = attemptsPerHost / 2;
    for (const tenantId of ['a', 'b', 'c', 'd']) await worker.begin(half, { tenantId, host: 'busy.example' });
    expect([worker.running.length, worker.refused.length]).toEqual([attemptsPerHost, 0]);
    await worker.begin(1, { tenantId: 'e', host: 'busy.example' });
    expect(worker.refused).toEqual([expect.any(NotBegun)]);
  });

  it('refuse an attempt that has waited for three seconds', async () => {
    const worker = aWorker(2);
    await worker.begin(2, { tenantId: 'a' });
    await vi.advanceTimersByTimeAsync(2_999);
    expect(worker.refused).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(worker.refused).toEqual([expect.any(NotBegun)]);
    expect(worker.running.length).toBe(1);
  });
});
