import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { newId } from '../../src/core/ids.ts';
import type { AttemptOutcome, Settled } from '../../src/webhooks/settle.ts';
import { outcomeWriter } from '../../src/webhooks/settle.ts';
import { eventually } from '../support/eventually.ts';

const anOutcome = (): AttemptOutcome => ({
  claimed: {
    tenantId: newId(),
    deliveryId: newId(),
    claimId: newId(),
    endpointId: newId(),
    eventId: newId(),
    eventType: 'ping',
    attempt: 0,
    scheduled: 0,
    resumeStatus: null,
    resumeAt: null,
    url: 'https://example.com/',
    secret: Uint8Array.from([]),
    memberDetail: true,
    apiVersion: '2026-11',
    eventAt: null,
    data: {},
  },
  step: { status: 'ok', attempt: 1, scheduled: 1, nextTryAt: null, manual: false },
  requestHeaders: {},
  result: { startedAt: new Date(), ms: 1, code: 200, headers: {}, excerpt: '', error: null, fault: null },
});

const settled = (outcomes: readonly AttemptOutcome[]): Settled[] =>
  outcomes.map(({ claimed: { deliveryId } }) => ({ deliveryId, status: 'ok', later: false }));

const failure = (code: string) => Object.assign(new Error(code), { code });

const aWriter = (write: (outcomes: readonly AttemptOutcome[], patience: 'wait' | 'skip') => Promise<Settled[]>) => {
  const written: string[] = [];
  const complaints: unknown[] = [];
  const writer = outcomeWriter({
    write,
    onWritten: ({ claimed }, status) => void written.push(`${claimed.deliveryId} ${status}`),
    complain: (error) => void complaints.push(error),
  });
  return { ...writer, written, complaints };
};

const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 60_000, interval: 10 });

describe('outcomes', () => {
  it('that end while others are being written are written together', async () => {
    const batches: number[] = [];
    let letGo = () => {};
    const first = new Promise<void>((resolve) => (letGo = resolve));
    const writer = aWriter(async (outcomes) => {
      batches.push(outcomes.length);
      if (batches.length === 1) await first;
      return settled(outcomes);
    });
    writer.add(anOutcome());
    await until(() => batches.length === 1);
    for (let more = 0; more < 450; more += 1) writer.add(anOutcome());
    letGo();
    await until(() => writer.written.length === 451);
    expect(batches).toEqual([1, 200, 200, 50]);
  });

  it('that are few do not wait for a running statement, with two statements at once at most', async () => {
    const batches: number[] = [];
    const holds = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const writer = aWriter(async (outcomes) => {
      batches.push(outcomes.length);
      await holds[batches.length - 1]?.promise;
      return settled(outcomes);
    });
    writer.add(anOutcome());
    await until(() => batches.length === 1);
    writer.add(anOutcome());
    writer.add(anOutcome());
    await until(() => batches.length === 2);
    writer.add(anOutcome());
    await nextTurn();
    await nextTurn();
    expect(batches).toEqual([1, 2]);
    // The first batch is still being written.
    holds[1]?.resolve();
    await until(() => writer.written.length === 3);
    expect(batches).toEqual([1, 2, 1]);
    holds[0]?.resolve();
    await until(() => writer.written.length === 4);
  });

  it('are kept while the database is unavailable, in one batch', async () => {
    let tries = 0;
    const writer = aWriter((outcomes) => {
      tries += 1;
      return tries < 4 ? Promise.reject(failure('57P01')) : Promise.resolve(settled(outcomes));
    });
    for (let more = 0; more < 20; more += 1) writer.add(anOutcome());
    await until(() => writer.written.length === 20);
    expect([tries, writer.complaints]).toEqual([4, []]);
  });

  it('are dropped at once when the worker gives up, without further tries', async () => {
    let tries = 0;
    const writer = aWriter(() => {
      tries += 1;
      return Promise.reject(failure('57P01'));
    });
    for (let more = 0; more < 20; more += 1) writer.add(anOutcome());
    await until(() => tries > 0);
    writer.giveUp();
    const before = tries;
    writer.add(anOutcome());
    await eventually(() => expect(tries).toBeLessThanOrEqual(before + 1));
    expect([writer.written, writer.complaints]).toEqual([[], []]);
  });

  it('of an endpoint that is locked for long are postponed, the others’ are written', async () => {
    const [held, free] = [anOutcome(), anOutcome()];
    let isHeld = true;
    const writer = aWriter((outcomes, patience) => {
      if (!isHeld) return Promise.resolve(settled(outcomes));
      if (patience === 'wait') return Promise.reject(failure('55P03'));
      return Promise.resolve(
        settled(outcomes).map((one) =>
          one.deliveryId === held.claimed.deliveryId ? { ...one, status: null, later: true } : one,
        ),
      );
    });
    writer.add(held);
    writer.add(free);
    await until(() => writer.written.length === 1);
    expect(writer.written).toEqual([`${free.claimed.deliveryId} ok`]);
    isHeld = false;
    await until(() => writer.written.length === 2);
    expect(writer.complaints).toEqual([]);
  });

  it('that were postponed while others are being written are written without waiting for new ones', async () => {
    const held = [anOutcome(), anOutcome()];
    const { promise: over, resolve: letGo } = Promise.withResolvers<void>();
    let isHeld = true;
    const writer = aWriter(async (outcomes, patience) => {
      if (!isHeld) return settled(outcomes);
      if (patience === 'wait') {
        // The second outcome waits for its endpoint until long after the first one should be retried.
        if (outcomes[0]?.claimed === held[1]?.claimed) await over;
        throw failure('55P03');
      }
      return settled(outcomes).map((one) => ({ ...one, status: null, later: true }));
    });
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    for (const one of held) {
      writer.add(one);
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(1_000);
    letGo();
    await vi.advanceTimersByTimeAsync(1);
    isHeld = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(writer.written).toHaveLength(2);
  });

  it('that can’t be stored are reported individually, and stored without the answer if necessary', async () => {
    const poison = anOutcome();
    const writer = aWriter((outcomes) => {
      const refused = outcomes.some(({ claimed, result }) => claimed === poison.claimed && result.headers !== null);
      return refused ? Promise.reject(failure('22P05')) : Promise.resolve(settled(outcomes));
    });
    for (const one of [anOutcome(), poison, anOutcome()]) writer.add(one);
    await until(() => writer.written.length === 3);
    expect(writer.written.every((line) => line.endsWith(' ok'))).toBe(true);
    expect(writer.complaints).toHaveLength(1);
  });
});
