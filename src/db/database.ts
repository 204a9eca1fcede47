import { AsyncLocalStorage } from 'node:async_hooks';
import { PrismaPg } from '@prisma/adapter-pg';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isoTimes } from './iso-time.ts';
import { statementName } from './statement.ts';
import type { Statement } from './statement.ts';
import { PrismaClient } from './generated/client.ts';
import type { Prisma } from './generated/client.ts';

export type Tx = Prisma.TransactionClient;

/** The connection that a transaction of Prisma's runs on, for as long as it does. */
interface Place {
  client?: pg.PoolClient | undefined;
}

const starting = new AsyncLocalStorage<Place>();
const places = new WeakMap<Tx, Place>();

/** Tells a transaction that starts which connection it got; forgets it when the connection is given back. */
class NotingPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Parameters<pg.Pool['connect']>[0]): void;
  override connect(callback?: Parameters<pg.Pool['connect']>[0]): Promise<pg.PoolClient> | void {
    if (callback) return super.connect(callback);
    const place = starting.getStore();
    return super.connect().then((client) => {
      if (!place || place.client) return client;
      place.client = client;
      const release = client.release.bind(client);
      client.release = (broken) => {
        place.client = undefined;
        release(broken);
      };
      return client;
    });
  }
}

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
  if (!client) throw new Error('the transaction is over');
  return (await client.query<Row, unknown[]>({ name, text, values, types: isoTimes })).rows;
};

/** The way to PostgreSQL: one pool, used by Prisma and by the hand-written statements of the hot reads. */
export interface Database {
  readonly prisma: PrismaClient;
  /** Runs a prepared statement in one round trip. Times come as answers write them: UTC with milliseconds. */
  rows<Row extends object, Values extends unknown[]>(
    statement: Statement<Row, Values>,
    ...values: Values
  ): Promise<Row[]>;
  /** All or nothing. One that takes longer than its `timeout` (milliseconds) is undone. */
  transaction<T>(action: (tx: Tx) => Promise<T>, limits?: { timeout: number }): Promise<T>;
  /** Whether it answers right now. */
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  poolSize: number;
  /** Told of connections lost while idle; they are replaced by themselves. */
  onLostConnection?: (error: Error) => void;
  /** Milliseconds without a byte after which a connection is given up. */
  silence?: number;
}

const statementTimeout = 30_000;
const reachableWithin = 2_000;

/** A server that went silent must not hold a request, nor its place in the pool, until TCP notices. */
const giveUpOnSilence = ({ connection }: pg.PoolClient, milliseconds: number): void => {
  const { stream } = connection;
  if (!(stream instanceof Socket)) return;
  const silent = () => stream.destroy(Object.assign(new Error('the database went silent'), { code: 'ETIMEDOUT' }));
  stream.setTimeout(milliseconds, silent);
};

export const openDatabase = (
  url: string,
  { poolSize, onLostConnection = () => {}, silence = statementTimeout + 5_000 }: DatabaseOptions,
): Database => {
  const pool = new NotingPool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    statement_timeout: statementTimeout,
    options: '-c timezone=UTC',
    application_name: 'team-customer-api',
  });
  pool.on('error', onLostConnection);
  pool.on('connect', (client) => giveUpOnSilence(client, silence));

  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: ({ sql }) => statementName(sql) }),
    transactionOptions: { maxWait: 5_000, timeout: 20_000 },
  });

  return {
    prisma,
    rows: async <Row extends object, Values extends unknown[]>(
      { name, text }: Statement<Row, Values>,
      ...values: Values
    ) => (await pool.query<Row, unknown[]>({ name, text, values, types: isoTimes })).rows,
    transaction: (action, limits) => {
      const place: Place = {};
      return starting.run(place, () =>
        prisma.$transaction((tx) => {
          places.set(tx, place);
          return action(tx);
        }, limits),
      );
    },
    isReachable: () =>
      Promise.race([
        pool.query('select 1').then(
          () => true,
          () => false,
        ),
        sleep(reachableWithin, false, { ref: false }),
      ]),
    close: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  };
};
