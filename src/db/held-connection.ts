import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface HeldConnection {
  close(): Promise<void>;
}

interface Wanted {
  /** As PostgreSQL shows it among its connections. */
  name: string;
  /** Called with each new connection. */
  onOpen: (client: pg.Client) => Promise<void>;
  onLost: (error: unknown) => void;
}

const againAfterMs = 500;
const patienceMs = 5_000;

/**
 * Keeps one connection open for what lasts as long as a connection does: advisory locks and `listen`. When it is lost, another one is
 * opened as soon as the database is there again.
 */
export const holdConnection = (url: string, { name, onOpen, onLost }: Wanted): HeldConnection => {
  const closing = new AbortController();
  const { signal } = closing;
  const aborted = once(signal, 'abort');

  const holdOne = async (): Promise<void> => {
    const client = new pg.Client({
      connectionString: url,
      application_name: name,
      keepAlive: true,
      connectionTimeoutMillis: patienceMs,
    });
    client.on('error', onLost);
    const ended = new Promise<void>((resolve) => void client.once('end', resolve));
    try {
      await client.connect();
      await onOpen(client);
      await Promise.race([ended, aborted]);
    } finally {
      // A connection that hangs is left to itself.
      await Promise.race([client.end().catch(() => undefined), sleep(patienceMs, undefined, { ref: false })]);
    }
  };

  const keep = async (): Promise<void> => {
    while (!signal.aborted) {
      await holdOne().catch(onLost);
      await sleep(againAfterMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const kept = keep();

  return {
    async close() {
      closing.abort();
      await kept;
    },
  };
};
