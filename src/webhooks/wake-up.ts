import type { Database } from '../db/database.ts';
import { nothing, query } from '../db/query.ts';

/** The channel of NOTIFY for the feeders of all worker processes. */
export const wakeUpChannel = 'webhook_waiting';

/** A process notifies at most 50 times a second, because each NOTIFY delays every other commit that notifies. */
const notifyEveryMs = 20;

const notify = query({
  name: 'webhooks.wakeFeeders',
  why: 'a notification of PostgreSQL',
  sql: `select pg_notify('${wakeUpChannel}', '') as notified`,
  parameters: {},
  row: { notified: nothing },
});

/**
 * Notifies the feeders of committed deliveries. A feeder of this process is called directly; otherwise a NOTIFY without content informs
 * those of other processes of everything that was committed before it. A lost one does no harm: feeders also poll several times a second.
 */
class WakeUp {
  readonly #database: Database;
  readonly #listeners = new Set<() => void>();
  #resting = false;
  #again = false;

  constructor(database: Database) {
    this.#database = database;
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  send(): void {
    for (const listener of this.#listeners) listener();
    if (this.#listeners.size > 0) return;
    this.#again = this.#resting;
    if (this.#resting) return;
    this.#resting = true;
    this.#database.run(notify, {}).catch(() => undefined);
    setTimeout(() => {
      this.#resting = false;
      if (this.#again) this.send();
    }, notifyEveryMs).unref();
  }
}

const wakeUps = new WeakMap<Database, WakeUp>();

/** The process has one object for each database that it writes to. */
export const wakeUpOf = (database: Database): WakeUp => {
  const known = wakeUps.get(database) ?? new WakeUp(database);
  wakeUps.set(database, known);
  return known;
};
