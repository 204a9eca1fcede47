import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HistoryBudget } from '../../src/webhooks/history-budget.ts';

const kept = { tenantId: 'team', day: '2026-11-21', detailBytes: 5, excerptBytes: 3, byHand: false };
const bytesOfOne = kept.detailBytes + 2 * kept.excerptBytes;

/** A team's row of the day, and statements on it that end when the test says so. */
const aTable = (budget: HistoryBudget) => {
  const row = { bytes: 0, attempts: 0 };
  /** Judges a batch. The result writes it like the statement, and then reports it; false: nothing was written. */
  const begin = (size: number) => {
    const batch = Array.from({ length: size }, () => kept);
    const judgements = budget.judge(batch);
    return {
      write: (): (() => void) => {
        const [{ known, carried, carriedAttempts } = expect.fail('an empty batch')] = judgements;
        const spent = known === null ? row.bytes : null;
        if (known === null) {
          row.bytes += size * bytesOfOne + carried;
          row.attempts += judgements.filter(({ beyond }) => !beyond).length + carriedAttempts;
        }
        const attempts = known === null ? row.attempts : null;
        return () =>
          budget.settled(
            batch,
            judgements,
            judgements.map(() => ({ spent, attempts })),
          );
      },
      fail: () => budget.settled(batch, judgements, Array(size).fill(null)),
    };
  };
  return { row, begin };
};

/** More than is gathered in memory. */
const many = 500;

describe('a team’s budget of the day', () => {
  it('counts each attempt and byte once if two statements run at once, whichever ends first', () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const { row, begin } = aTable(new HistoryBudget());
      begin(400).write()();
      const both = [begin(many), begin(many)];
      const ends = order.map((at) => both[at]?.write() ?? expect.fail('no statement'));
      for (const end of ends.toReversed()) end();
      expect(row).toEqual({ attempts: 400 + 2 * many, bytes: (400 + 2 * many) * bytesOfOne });
      begin(100).write()();
      begin(many).write()();
      expect(row).toEqual({ attempts: 500 + 3 * many, bytes: (500 + 3 * many) * bytesOfOne });
    }
  });

  it('does not reach its number of attempts too early, in any order of statements', () => {
    const budget = new HistoryBudget(1_000);
    const { begin } = aTable(budget);
    const [first, second] = [begin(many), begin(200)];
    const [endOfFirst, endOfSecond] = [first.write(), second.write()];
    endOfSecond();
    endOfFirst();
    expect(budget.judge(Array.from({ length: 300 }, () => kept)).filter(({ beyond }) => beyond)).toEqual([]);
  });

  it('loses and doubles nothing, however statements overlap and fail', () => {
    const step = fc.record({
      begins: fc.option(fc.integer({ min: 1, max: 600 })),
      ends: fc.nat(5),
      fails: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { row, begin } = aTable(new HistoryBudget(1_000_000));
        const open: { size: number; statement: ReturnType<typeof begin> }[] = [];
        let total = 0;
        const end = (at: number, fails: boolean): void => {
          const [ended] = open.splice(at % open.length, 1);
          if (!ended) return;
          if (fails) {
            ended.statement.fail();
            return;
          }
          total += ended.size;
          ended.statement.write()();
        };
        for (const { begins, ends, fails } of steps) {
          if (begins !== null) open.push({ size: begins, statement: begin(begins) });
          else if (open.length > 0) end(ends, fails);
        }
        while (open.length > 0) end(0, false);
        // This many are counted at once, with everything that was gathered.
        const last = 20_000;
        begin(last).write()();
        expect(row).toEqual({ attempts: total + last, bytes: (total + last) * bytesOfOne });
      }),
    );
  });
});
