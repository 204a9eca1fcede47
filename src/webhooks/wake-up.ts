import type { Database } from '../db/database.ts';
import { nothing, query } from '../db/query.ts';

/** What the feeders of all worker processes listen to. */
export const wakeUpChannel = 'webhook_waiting';

/** A process notifies at most 50 times a second: each NOTIFY holds up every other commit that notifies. */
const notifyEveryMs = 20;

const notify = query({
  name: 'webhooks.wakeFeeders',
  why: 'a notification of PostgreSQL',
  sql: `select pg_notify('${wakeUpChannel}', '') as notified`,
  parameters: {},
  row: { notified: nothing },
});

/**
 * Tells the feeders that deliveries were committed. A feeder of this process is called directly; otherwise those of other processes
 * get a NOTIFY, which carries nothing and stands for everything that was committed before it. One that is lost does no harm: feeders
 * look on their own several times a second.
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

/** A process has one for each database that it writes to. */
export const wakeUpOf = (database: Database): WakeUp => {
  const known = wakeUps.get(database) ?? new WakeUp(database);
  wakeUps.set(database, known);
  return known;
};
