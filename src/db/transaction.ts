import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { isoTimes } from './iso-time.ts';
import type { Prisma, PrismaClient } from './generated/client.ts';
import { examineRows, valuesOf } from './query.ts';
import type { ParametersOf, Query, RowOf } from './query.ts';
import type { Statement } from './statement.ts';

// Named queries run in Prisma's transactions: on the connection that Prisma took for the transaction, and never after its end.
//
//   transact ──▶ prisma.$transaction ──▶ pool.connect (the pool notes the connection) ──▶ BEGIN ──▶ action ──▶ the connection is
//   forgotten ──▶ COMMIT or ROLLBACK
//
// A statement behind the COMMIT or ROLLBACK would run outside of any transaction, and stay. So the connection is forgotten before
// Prisma can send either: when the action ends, or when its time is up. That time is measured here; Prisma's own limit is later.

export type Tx = Prisma.TransactionClient;

/** The connection of a transaction, from its start until its action ends. */
interface Place {
  client?: pg.PoolClient | undefined;
  readonly afterCommit: (() => void)[];
}

const starting = new AsyncLocalStorage<Place>();
const places = new WeakMap<Tx, Place>();

/** A pool that notes which connection the transaction that is being started gets. */
export class TransactionPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(
    callback: (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void,
  ): void;
  override connect(
    callback?: (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void,
  ): Promise<pg.PoolClient> | undefined {
    // `pool.query` comes this way.
    if (callback) {
      super.connect(callback);
      return undefined;
    }
    const place = starting.getStore();
    const connecting = super.connect();
    if (!place) return connecting;
    return connecting.then((client) => {
      place.client = client;
      return client;
    });
  }
}

/** The code that Prisma gives to the same errors of its own statements. */
const transactionError = (message: string) => Object.assign(new Error(message), { code: 'P2028' });

/** How much later than ours Prisma's own time limit is: it must never be the first. */
const prismasDelayMs = 5_000;

/** A transaction of Prisma's in which named queries can run too. */
export const transact = async <T>(
  prisma: PrismaClient,
  action: (tx: Tx) => Promise<T>,
  { timeout }: { timeout: number },
): Promise<T> => {
  const place: Place = { afterCommit: [] };
  const limited = async (tx: Tx): Promise<T> => {
    places.set(tx, place);
    const { promise: timeUp, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      place.client = undefined;
      reject(transactionError(`the transaction took longer than ${timeout} ms`));
    }, timeout);
    try {
      return await Promise.race([starting.exit(() => action(tx)), timeUp]);
    } finally {
      clearTimeout(timer);
      place.client = undefined;
    }
  };
  const result = await starting.run(place, () => prisma.$transaction(limited, { timeout: timeout + prismasDelayMs }));
  for (const act of place.afterCommit) act();
  return result;
};

/** Does something once the transaction is committed, and nothing if it is undone. */
export const afterCommit = (tx: Tx, act: () => void): void => {
  places.get(tx)?.afterCommit.push(act);
};

const connectionOf = (tx: Tx): pg.PoolClient => {
  const client = places.get(tx)?.client;
  if (!client) throw transactionError('the transaction is over');
  return client;
};

/** Runs a named query in a transaction. */
export const runIn = async <Parameters extends Query['parameters'], Columns extends Query['row']>(
  tx: Tx,
  query: Query<Parameters, Columns>,
  parameters: ParametersOf<Parameters>,
): Promise<RowOf<Columns>[]> => {
  const { rows } = await connectionOf(tx).query<RowOf<Columns>, unknown[]>({
    name: query.statement,
    text: query.text,
    values: valuesOf(query, parameters),
    types: isoTimes,
  });
  return examineRows(query, rows);
};

/** Runs a statement that is not a named query yet, in a transaction. */
export const rowsIn = async <Row extends object, Values extends unknown[]>(
  tx: Tx,
  { name, text }: Statement<Row, Values>,
  ...values: Values
): Promise<Row[]> => {
  const client = connectionOf(tx);
  return (await client.query<Row, unknown[]>({ name, text, values, types: isoTimes })).rows;
};
