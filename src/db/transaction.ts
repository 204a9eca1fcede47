import { PrismaPg } from '@prisma/adapter-pg';
import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { isoTimes } from './iso-time.ts';
import type { Prisma, PrismaClient } from './generated/client.ts';
import type { Statement } from './statement.ts';

export type Tx = Prisma.TransactionClient;

/** Where a transaction of Prisma's runs, until its end is sent. */
interface Place {
  client?: pg.Client | undefined;
  readonly afterCommit: (() => void)[];
}

const starting = new AsyncLocalStorage<Place>();
const places = new WeakMap<Tx, Place>();

/** Its own savepoints end nothing. */
const end = /^(commit|rollback)$/i;

/** Prisma's way to PostgreSQL, which also tells each transaction the connection that it got. */
export class PlacingAdapter extends PrismaPg {
  override async connect() {
    const adapter = await super.connect();
    const start = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (isolation) => {
      const transaction = await start(isolation);
      const place = starting.getStore();
      const client: unknown = Reflect.get(transaction, 'client');
      if (!place || !(client instanceof pg.Client)) return transaction;
      place.client = client;
      const execute = transaction.executeRaw.bind(transaction);
      transaction.executeRaw = (query) => {
        // Before it is sent: what is sent behind it would be on its own, and stay.
        if (end.test(query.sql)) place.client = undefined;
        return execute(query);
      };
      return transaction;
    };
    return adapter;
  }
}

/** A transaction of Prisma's in which prepared statements can run too. */
export const transact = async <T>(
  prisma: PrismaClient,
  action: (tx: Tx) => Promise<T>,
  limits?: { timeout?: number },
): Promise<T> => {
  const place: Place = { afterCommit: [] };
  const noted = (tx: Tx) => {
    places.set(tx, place);
    return action(tx);
  };
  const result = await starting.run(place, () => prisma.$transaction(noted, limits));
  for (const act of place.afterCommit) act();
  return result;
};

/** Does something once the transaction is committed, and nothing if it is undone. */
export const afterCommit = (tx: Tx, act: () => void): void => {
  places.get(tx)?.afterCommit.push(act);
};

/** As Prisma says it of its own statements. */
const isOver = () => Object.assign(new Error('the transaction is over'), { code: 'P2028' });

/**
 * Runs a prepared statement in a transaction: what a request always does goes this way, since Prisma's own takes several times
 * as long to say the same.
 */
export const rowsIn = async <Row extends object, Values extends unknown[]>(
  tx: Tx,
  { name, text }: Statement<Row, Values>,
  ...values: Values
): Promise<Row[]> => {
  const client = places.get(tx)?.client;
  if (!client) throw isOver();
  return (await client.query<Row, unknown[]>({ name, text, values, types: isoTimes })).rows;
};
