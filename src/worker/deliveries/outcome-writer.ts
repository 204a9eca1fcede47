import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../../db/unavailable.ts';
import type { Outcome, Settled } from '../../modules/webhooks/service.ts';

interface Parts {
  write: (outcomes: readonly Outcome[]) => Promise<Settled[]>;
  /** Told once for each outcome: what became of it, or undefined where the claim was no longer held. */
  onWritten: (outcome: Outcome, status: Settled['status'] | undefined) => void;
  complain: (error: unknown, outcome: Outcome) => void;
}

const most = 200;
const pauseMs = { first: 50, longest: 1_000 };

/** Everything that a receiver had a say in left out: what can't be kept of an outcome must not keep it from being known. */
const bare = (outcome: Outcome): Outcome => ({
  ...outcome,
  requestHeaders: {},
  exchange: { ...outcome.exchange, headers: null, excerpt: null },
});

/**
 * Writes outcomes in batches: while one is being written the next gathers, so that the busier it is the fewer statements a
 * delivery costs. While the database is away it holds on to them: what was delivered should not be delivered again.
 */
export const outcomeWriter = ({ write, onWritten, complain }: Parts) => {
  const gathered: Outcome[] = [];
  let writing: Promise<void> | undefined;
  const givenUp = new AbortController();

  const tell = (batch: readonly Outcome[], settled: readonly Settled[]) => {
    const statuses = new Map(settled.map(({ deliveryId, status }) => [deliveryId, status]));
    for (const outcome of batch) onWritten(outcome, statuses.get(outcome.claimed.deliveryId));
  };

  const insist = async (batch: readonly Outcome[]): Promise<Settled[]> => {
    for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.longest)) {
      try {
        return await write(batch);
      } catch (error) {
        if (!isUnavailable(error) || givenUp.signal.aborted) throw error;
        await sleep(pause);
      }
    }
  };

  /** One that can't be written must not take the others along. */
  const writeAlone = async (outcome: Outcome): Promise<void> => {
    const settled = await insist([outcome]).catch((error: unknown) => {
      complain(error, outcome);
      return insist([bare(outcome)]).catch(() => []);
    });
    tell([outcome], settled);
  };

  const writeAll = async () => {
    while (gathered.length > 0 && !givenUp.signal.aborted) {
      const batch = gathered.splice(0, most);
      const settled = await insist(batch).catch(() => undefined);
      if (settled) tell(batch, settled);
      else for (const outcome of batch) await writeAlone(outcome);
    }
    writing = undefined;
  };

  return {
    add(outcome: Outcome) {
      gathered.push(outcome);
      // A moment later, so that what ends together is written together.
      writing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(writeAll);
    },
    /** Resolves once everything added so far is written, or the time is over: what the database does not take then is let go. */
    async finish(withinMs: number) {
      const over = setTimeout(() => givenUp.abort(), withinMs);
      await writing;
      clearTimeout(over);
    },
  };
};
