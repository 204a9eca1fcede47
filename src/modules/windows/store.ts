import { later, secondsToMs } from '../../core/clock.ts';
import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import { float, int, query, text, time } from '../../db/query.ts';

// The table `rate_window`: counters in fixed windows of time. Other modules use it to limit how often something is done. The subject of a
// window that lasts longer than ten minutes begins with `day `, and its row is kept for a day.

const now = 'coalesce(:now::timestamptz, clock_timestamp())';
const length = 'make_interval(secs => :seconds::float8)';
const isOpen = `known.started_at > ${now} - ${length}`;

const count = query({
  name: 'windows.count',
  why: 'adds to the window, or starts it anew, in one step',
  sql: `insert into rate_window as known (subject, started_at, used) values (:subject, ${now}, :count)
        on conflict (subject) do update
           set used = case when ${isOpen} then known.used else 0 end + excluded.used,
               started_at = case when ${isOpen} then known.started_at else excluded.started_at end
        returning used, greatest(1, ceil(extract(epoch from started_at + ${length} - ${now})))::int as wait`,
  parameters: { subject: text, seconds: float, now: time.orNull, count: int },
  row: { used: int, wait: int.checked },
});

// A request that has locked a row may be waiting for other locks, so waiting for the row could deadlock.
const forgetOld = query({
  name: 'windows.forgetOld',
  why: 'skips windows that are locked',
  sql: `delete from rate_window
         where subject in (
           select subject from rate_window
            where started_at < clock_timestamp() - case when subject like 'day %' then interval '1 day' else interval '10 minutes' end
              for update skip locked)`,
  parameters: {},
  row: {},
});

interface Window {
  subject: string;
  /** Its length. */
  seconds: number;
}

interface Counted extends Window {
  /** By default the time of the database. */
  now?: Date | null;
  count?: number;
}

export const windows = {
  /**
   * Counts once, or `count` times, and locks the window until the transaction ends. Returns the count of the window, and in how many seconds
   * the window ends.
   */
  count: async (place: Tx | Database, { now: at = null, count: added = 1, ...window }: Counted) => {
    const values = { ...window, now: at, count: added };
    const [row] = 'run' in place ? await place.run(count, values) : await runIn(place, count, values);
    return row ?? { used: added, wait: 1 };
  },

  /** Takes back what this transaction has counted. */
  takeBack: (tx: Tx, subject: string, counted = 1) =>
    tx.rateWindow.update({ where: { subject }, data: { used: { decrement: counted } } }),

  /** The count of a window; 0 if none is open. */
  used: async ({ prisma }: Database, { subject, seconds, now: at }: Window & { now: Date }) => {
    const where = { subject, startedAt: { gt: later(at, -secondsToMs(seconds)) } };
    return (await prisma.rateWindow.findFirst({ where, select: { used: true } }))?.used ?? 0;
  },

  forget: ({ prisma }: Database, subject: string) => prisma.rateWindow.deleteMany({ where: { subject } }),

  /** Deletes windows that are over. */
  forgetOld: (database: Database) => database.run(forgetOld, {}),
};
