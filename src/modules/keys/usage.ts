import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';

/** Remembers when keys were used and writes it now and then, so that no request waits for it. */
export interface KeyUsage {
  note(key: { tenantId: string; id: string }): void;
  /** Writes what was noted since the last time; what can't be written is kept for the next. */
  write(): Promise<void>;
}

const save = statement<{ id: string }, [tenantIds: string[], keyIds: string[], times: Date[]]>(
  // Locked in one order, so that two processes that write the same keys can't deadlock.
  `with used as (
     select k.tenant_id, k.id, u.at
       from api_key k
       join unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as u (tenant_id, id, at) on u.tenant_id = k.tenant_id and u.id = k.id
      order by k.id
        for no key update of k
   )
   update api_key k
      set last_used_at = greatest(k.last_used_at, used.at)
     from used
    where k.tenant_id = used.tenant_id and k.id = used.id`,
);

export const makeKeyUsage = (database: Database, clock: Clock): KeyUsage => {
  let noted = new Map<string, { tenantId: string; at: Date }>();

  return {
    note: ({ id, tenantId }) => {
      noted.set(id, { tenantId, at: clock.now() });
    },
    async write() {
      if (noted.size === 0) return;
      const writing = noted;
      noted = new Map();
      const uses = [...writing.values()];
      try {
        await database.rows(
          save,
          uses.map((use) => use.tenantId),
          [...writing.keys()],
          uses.map((use) => use.at),
        );
      } catch (error) {
        noted = new Map([...writing, ...noted]);
        throw error;
      }
    },
  };
};
