import pg from 'pg';
import { inBatches } from '../core/batch.ts';
import type { Cell } from './cells.ts';
import { enterAll, goTo, inCellOf } from './entry.ts';
import { sendTogether, type Answer, type Statement } from './round-trip.ts';
import { isUnreachable } from './unavailable.ts';

// Statements of several cells of a machine share a round trip. Waking a process of PostgreSQL and beginning a transaction
// cost as much as a small statement does, and the busier a machine is, the more of them come at once. Without this, the
// cheapest read costs a distributed database a tenth more.
//
// The statements of a trip are one transaction. So they must not wait for rows that others lock, because two trips could
// wait for each other; and if one fails, each is sent alone.

/** A statement for an open cell. */
interface Placed {
  readonly statement: Statement;
  readonly cell: Cell;
  /** Whether the transaction must have entered the cell. */
  readonly enters: boolean;
}

/** The answer; undefined if the statement has to be sent alone. */
type Send = (placed: Placed) => Promise<Answer | undefined>;

/** What the first statement locks is locked until the last one ends. */
const mostInTrip = 16;
/** A trip that takes longer may wait for a cell that is being moved, so the next one no longer waits for it. */
const lateAfterMs = 50;

const sendAll = async (pool: pg.Pool, placed: readonly Placed[]): Promise<(Answer | undefined)[]> => {
  if (placed.length === 1) return [undefined];
  const entered = new Set(placed.flatMap(({ cell, enters }) => (enters ? cell : [])));
  const entering = entered.size > 0 ? [enterAll([...entered])] : [];
  const client = await pool.connect();
  try {
    const sent = placed.flatMap(({ cell, statement }) => [goTo(cell), inCellOf(cell, statement)]);
    const answers = await sendTogether(client, [...entering, ...sent]);
    client.release();
    return placed.map((_, at) => answers[entering.length + 2 * at + 1]);
  } catch (error) {
    client.release(isUnreachable(error));
    if (error instanceof pg.DatabaseError && !isUnreachable(error)) return placed.map(() => undefined);
    throw error; // whether it was committed is not known
  }
};

/** Statements that come while a trip is under way share the next one. */
export const sharedTrips = (): ((pool: pg.Pool, placed: Placed) => Promise<Answer | undefined>) => {
  const machines = new WeakMap<pg.Pool, Send>();
  return (pool, placed) => {
    const send =
      machines.get(pool) ??
      inBatches((all: readonly Placed[]) => sendAll(pool, all), { max: mostInTrip, nextAfterMs: lateAfterMs });
    machines.set(pool, send);
    return send(placed);
  };
};
