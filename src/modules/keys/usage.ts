import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../db/database.ts';
import { keys } from './store.ts';

/**
 * Remembers when keys were used and writes it now and then, so that no request waits for it: a key's first use soon, and
 * from then on once a minute. A busy service has thousands of keys in use, and a row written for each every few seconds
 * would cost as much as the requests.
 */
export interface KeyUsage {
  note(key: { tenantId: string; id: string }): void;
  /** Writes what is due; what can't be written is kept for the next time. */
  write(options?: { everything?: boolean }): Promise<void>;
}

const everySoOften = 60_000;
const rowsAtOnce = 500;

interface Use {
  readonly tenantId: string;
  at: number;
  writtenAt: number;
}

export const makeKeyUsage = (database: Database, clock: Clock): KeyUsage => {
  const uses = new Map<string, Use>();

  const save = async (due: readonly [id: string, use: Use][]): Promise<void> => {
    const times = due.map(([, { at }]) => at);
    await keys.saveUses(database, {
      tenantIds: due.map(([, { tenantId }]) => tenantId),
      keyIds: due.map(([id]) => id),
      times: times.map((at) => new Date(at)),
    });
    due.forEach(([, use], index) => (use.writtenAt = times[index] ?? 0));
  };

  return {
    note({ id, tenantId }) {
      const at = clock.now().getTime();
      const use = uses.get(id);
      if (use) use.at = at;
      else uses.set(id, { tenantId, at, writtenAt: 0 });
    },
    async write({ everything = false } = {}) {
      const before = clock.now().getTime() - everySoOften;
      const due: [string, Use][] = [];
      for (const [id, use] of uses) {
        if (use.at > use.writtenAt) {
          if (everything || use.writtenAt <= before) due.push([id, use]);
        } else if (use.at <= before) uses.delete(id);
      }
      for (let from = 0; from < due.length; from += rowsAtOnce) await save(due.slice(from, from + rowsAtOnce));
    },
  };
};
