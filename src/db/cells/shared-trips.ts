import pg from 'pg';
import { inBatches } from '../../core/batch.ts';
import { noAnswer, requireSendable, sendTogether, type StatementAnswer, type Statement } from '../round-trip.ts';
import { isUnreachable } from '../unavailable.ts';
import type { Cell } from './cells.ts';
import { beginTrip, goTo, inCellOf, inPathOf } from './entry.ts';

// Statements for several cells of a node share a round trip, because waking a process of PostgreSQL and beginning a
// transaction cost as much as a small statement. Without this, the cheapest read costs a distributed database more than
// 1.6 times what it costs a plain one.
//
// A trip is one transaction, so rows that one of its statements has locked stay locked until all statements have ended.
// Therefore none of them may wait for rows or run for long. If one does, the trip is rolled back, and each statement is
// run alone.

/** A statement without a team, for an open cell. */
interface SharedStatement {
  readonly statement: Statement;
  readonly cell: Cell;
  readonly isNamed: boolean;
  /** Whether the transaction has to enter the cell. */
  readonly enters: boolean;
  readonly runAlone: () => Promise<StatementAnswer>;
}

const mostInTrip = 16;
/** How long statements wait at most for the end of the former trip, so that they can share the next one. */
const lateAfterMs = 10;

/** Returns, for each statement, a function with which its caller gets the answer. */
const runTrip = async (
  pool: pg.Pool,
  shared: readonly SharedStatement[],
): Promise<(() => Promise<StatementAnswer>)[]> => {
  const [first, ...others] = shared;
  if (first && others.length === 0) {
    const running = first.runAlone();
    await Promise.allSettled([running]);
    return [() => running];
  }
  const entered = new Set(shared.flatMap(({ cell, enters }) => (enters ? cell : [])));
  const client = await pool.connect();
  try {
    const sent = [beginTrip([...entered])];
    const positions = shared.map(({ cell, statement, isNamed }) => {
      if (isNamed) return sent.push(inCellOf(cell, statement)) - 1;
      return sent.push(goTo(cell), inPathOf(cell, statement)) - 1;
    });
    const answers = await sendTogether(client, sent);
    client.release();
    return positions.map((at) => async () => answers[at] ?? noAnswer);
  } catch (error) {
    client.release(isUnreachable(error));
    // After a lost connection nobody knows whether the trip was committed.
    if (!(error instanceof pg.DatabaseError) || isUnreachable(error)) throw error;
    return shared.map(({ runAlone }) => runAlone);
  }
};

/**
 * Returns a function that runs a statement, together with other statements for the same pool if they come at the same
 * time.
 */
export const makeSharedTrips = (): ((pool: pg.Pool, shared: SharedStatement) => Promise<StatementAnswer>) => {
  const pools = new WeakMap<pg.Pool, (shared: SharedStatement) => Promise<() => Promise<StatementAnswer>>>();
  return async (pool, shared) => {
    requireSendable(shared.statement); // later in the trip, this error would fail all its statements
    const join =
      pools.get(pool) ??
      inBatches((all: readonly SharedStatement[]) => runTrip(pool, all), { max: mostInTrip, nextAfterMs: lateAfterMs });
    pools.set(pool, join);
    const answer = await join(shared);
    return answer();
  };
};
