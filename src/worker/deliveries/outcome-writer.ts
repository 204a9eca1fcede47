import { setTimeout as sleep } from 'node:timers/promises';
import { isLockTimeout, isUnavailable } from '../../db/unavailable.ts';
import type { Outcome, Settled } from '../../modules/webhooks/service.ts';

interface Parts {
  /** With `skip`, what somebody else holds is left for later instead of waited for. */
  write: (outcomes: readonly Outcome[], patience: 'wait' | 'skip') => Promise<Settled[]>;
  /** Told once for each outcome; null where the claim was no longer held. */
  onWritten: (outcome: Outcome, status: Settled['status']) => void;
  complain: (error: unknown, outcome: Outcome) => void;
}

const most = 200;
const pauseMs = { first: 50, longest: 1_000 };
/** How long an endpoint is left alone that somebody else holds. */
const asideMs = 250;

/** Everything that a receiver had a say in left out: what can't be kept of an outcome must not keep it from being known. */
const bare = (outcome: Outcome): Outcome => ({
  ...outcome,
  requestHeaders: {},
  exchange: { ...outcome.exchange, headers: null, excerpt: null },
});

/**
 * Writes outcomes in batches: while one is being written the next gathers, so that the busier it is the fewer statements a
 * delivery costs. While the database is away it holds on to them: what was delivered should not be delivered again. An endpoint
 * that somebody else holds for long keeps its own outcomes waiting, and nobody else's.
 */
export const outcomeWriter = ({ write, onWritten, complain }: Parts) => {
  const gathered: Outcome[] = [];
  /** Of endpoints that were held when they should have been written. */
  const aside: Outcome[] = [];
  const givenUp = new AbortController();
  let writing = false;

  const insist = async (batch: readonly Outcome[], patience: 'wait' | 'skip'): Promise<Settled[]> => {
    for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.longest)) {
      try {
        return await write(batch, patience);
      } catch (error) {
        if (isLockTimeout(error) && patience === 'wait') return insist(batch, 'skip');
        if (!isUnavailable(error) || givenUp.signal.aborted) throw error;
        await sleep(pause);
      }
    }
  };

  const putAside = (outcome: Outcome) => {
    aside.push(outcome);
    if (aside.length === 1) setTimeout(() => start(), asideMs).unref();
  };

  const tell = (batch: readonly Outcome[], settled: readonly Settled[]) => {
    const known = new Map(settled.map((one) => [one.deliveryId, one]));
    for (const outcome of batch) {
      const { status = null, later = false } = known.get(outcome.claimed.deliveryId) ?? {};
      if (later) putAside(outcome);
      else onWritten(outcome, status);
    }
  };

  /** One that can't be written must not take the others along. */
  const writeAlone = async (outcome: Outcome): Promise<void> => {
    const settled = await insist([outcome], 'skip').catch((error: unknown) => {
      complain(error, outcome);
      return insist([bare(outcome)], 'skip').catch(() => []);
    });
    tell([outcome], settled);
  };

  const writeBatch = async (batch: readonly Outcome[], patience: 'wait' | 'skip') => {
    try {
      tell(batch, await insist(batch, patience));
    } catch (error) {
      if (isUnavailable(error)) return;
      for (const outcome of batch) await writeAlone(outcome);
    }
  };

  const writeAll = async () => {
    const again = aside.splice(0);
    if (again.length > 0) await writeBatch(again, 'skip');
    while (gathered.length > 0 && !givenUp.signal.aborted) await writeBatch(gathered.splice(0, most), 'wait');
  };

  const start = () => {
    if (writing || givenUp.signal.aborted) return;
    writing = true;
    // A moment later, so that what ends together is written together.
    setImmediate(() => {
      void writeAll().finally(() => {
        writing = false;
        if (gathered.length > 0) start();
      });
    });
  };

  return {
    add(outcome: Outcome) {
      gathered.push(outcome);
      start();
    },
    /** What is not written by now is let go: its lease brings it back. */
    giveUp: () => givenUp.abort(),
  };
};
