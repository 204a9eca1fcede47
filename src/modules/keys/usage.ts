import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../db/database.ts';
import { keys } from './store.ts';

/**
 * Remembers when keys were used, and writes it later, so that no request waits for it: a key's first use soon, then once a minute. A busy
 * service has thousands of keys in use; one row for each every few seconds would cost as much as the requests.
 *
 * Keys that were first used together are due together. They are written in small groups with pauses between them. Thousands of rows at once
 * would keep a core of the database busy for a tenth of a second, and all requests would wait.
 */
export interface KeyUsage {
  note(key: { tenantId: string; id: string }): void;
  /** Writes the uses that are due. If that fails, they are written the next time. */
  write(options?: { everything?: boolean }): Promise<void>;
}

const intervalMs = 60_000;
const rowsAtOnce = 200;
const pauseMs = 20;

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

  /** Writes the uses of keys that were last written at this time or earlier, and forgets unused keys. */
  const writeDue = async (lastWrittenBy: number, pause: number): Promise<void> => {
    const quietSince = clock.now().getTime() - intervalMs;
    const due: [string, Use][] = [];
    for (const [id, use] of uses) {
      if (use.at > use.writtenAt) {
        if (use.writtenAt <= lastWrittenBy) due.push([id, use]);
      } else if (use.at <= quietSince) uses.delete(id);
    }
    for (let from = 0; from < due.length; from += rowsAtOnce) {
      if (from > 0 && pause > 0) await sleep(pause);
      await save(due.slice(from, from + rowsAtOnce));
    }
  };

  let writing: Promise<void> | undefined;

  return {
    note({ id, tenantId }) {
      const at = clock.now().getTime();
      const use = uses.get(id);
      if (use) use.at = at;
      else uses.set(id, { tenantId, at, writtenAt: 0 });
    },
    async write({ everything = false } = {}) {
      if (everything) {
        // If the running write fails, its uses are written below.
        await writing?.catch(() => undefined);
        return writeDue(Infinity, 0);
      }
      writing ??= writeDue(clock.now().getTime() - intervalMs, pauseMs).finally(() => (writing = undefined));
      return writing;
    },
  };
};
