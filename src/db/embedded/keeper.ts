import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const KEEPER = 'team-customer-api keeper';

/** Milliseconds until a lost connection is looked after again. */
const again = 500;

/** A connection that does nothing but be there: as long as one is, the server is in use and nobody stops it. */
export interface Keeper {
  /** Whether the server is used by anybody else; other keepers count at once, other clients get a moment to leave. */
  othersAreConnected(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * `currentUrl` is asked for every connection, since the server may come back on another port. When the connection is lost,
 * `revive` is called and then connected to again, until that works; nothing is thrown meanwhile.
 */
export const connectKeeper = async (
  currentUrl: () => string | undefined,
  revive: () => Promise<void>,
): Promise<Keeper> => {
  let closed = false;
  let current: Promise<pg.Client> | undefined;

  const hold = (): Promise<pg.Client> => (current ??= begin());

  const begin = async (): Promise<pg.Client> => {
    try {
      const client = await connect(currentUrl());
      client.once('end', () => {
        current = undefined;
        void holdAgain();
      });
      return client;
    } catch (error) {
      current = undefined;
      throw error;
    }
  };

  const holdAgain = async (): Promise<void> => {
    await sleep(again, undefined, { ref: false });
    if (closed) return;
    // Still away: the next try may bring it.
    await revive()
      .then(() => (closed ? undefined : hold()))
      .catch(holdAgain);
  };

  await hold();
  return {
    othersAreConnected: async () => {
      for (let tries = 0; tries < 40; tries += 1) {
        const { keepers, clients } = await others(await hold());
        if (keepers > 0) return true;
        if (clients === 0) return false;
        await sleep(25);
      }
      return true;
    },
    close: async () => {
      closed = true;
      const client = await current?.catch(() => undefined);
      await client?.end();
    },
  };
};

const connect = async (url: string | undefined): Promise<pg.Client> => {
  if (url === undefined) throw new Error('The embedded PostgreSQL does not run.');
  const client = new pg.Client({ connectionString: url, application_name: KEEPER, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {}); // followed by `end`, which is what counts
  await client.connect();
  return client;
};

const others = async (client: pg.Client): Promise<{ keepers: number; clients: number }> => {
  const { rows } = await client.query<{ keepers: number; clients: number }>(
    `select count(*) filter (where application_name = $1)::int as keepers, count(*)::int as clients
       from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    [KEEPER],
  );
  return rows[0] ?? { keepers: 0, clients: 0 };
};
