import type { Message } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import { runOn, type Database, type Tx } from '../../db/database.ts';
import { float, int, query, text, time } from '../../db/query.ts';
import type { Team } from '../../platform/team.ts';

// The table `rate_window`: counters in fixed windows of time. Other modules use it to limit how often something is
// done.

const now = 'coalesce(:now::timestamptz, clock_timestamp())';
const isOpen = `known.ends_at > ${now}`;

const count = query({
  name: 'windows.count',
  why: 'adds to the window, or starts it anew, in one step',
  sql: `insert into rate_window as known (subject, ends_at, used)
        values (:subject, ${now} + make_interval(secs => :seconds::float8), :count)
        on conflict (subject) do update
           set used = case when ${isOpen} then known.used else 0 end + excluded.used,
               ends_at = case when ${isOpen} then known.ends_at else excluded.ends_at end
        returning used, greatest(1, ceil(extract(epoch from ends_at - ${now})))::int as wait`,
  parameters: { subject: text, seconds: float, now: time.orNull, count: int },
  row: { used: int, wait: int.checked },
});

// A request that has locked a window may be waiting for other locks, so a deletion that waited for this window could
// deadlock with it.
const deleteOld = query({
  name: 'windows.deleteOld',
  why: 'skips windows that are locked',
  sql: `delete from rate_window
         where subject in (select subject from rate_window where ends_at < clock_timestamp() for update skip locked)`,
  parameters: {},
  row: {},
});

interface CountInWindow {
  subject: string;
  /** The length of the window, if this count starts it. */
  seconds: number;
  /** By default the time of the database. */
  now?: Date | null;
  count?: number;
}

export const windows = {
  /**
   * Counts once, or `count` times, and locks the window until the transaction ends. Returns the count of the window,
   * and the seconds until the window ends.
   */
  count: async (connection: Tx | Database, { now: at = null, count: added = 1, ...window }: CountInWindow) => {
    const values = { ...window, now: at, count: added };
    const [row] = await runOn(connection, count, values);
    return row ?? { used: added, wait: 1 };
  },

  /** Subtracts counts that this transaction has added. */
  takeBack: (tx: Tx, subject: string, counted = 1) =>
    tx.rateWindow.update({ where: { subject }, data: { used: { decrement: counted } } }),

  /** The count and the end of a window; null if none is open. */
  current: ({ prisma }: { readonly prisma: Tx }, subject: string, at: Date) =>
    prisma.rateWindow.findFirst({ where: { subject, endsAt: { gt: at } }, select: { used: true, endsAt: true } }),

  /** Those of these subjects that have an open window. */
  open: async ({ prisma }: Database, subjects: string[], at: Date) => {
    const found = await prisma.rateWindow.findMany({
      where: { subject: { in: subjects }, endsAt: { gt: at } },
      select: { subject: true },
    });
    return new Set(found.map(({ subject }) => subject));
  },

  /** Lets a window end later. */
  extend: ({ prisma }: Database, subject: string, endsAt: Date) =>
    prisma.rateWindow.updateMany({ where: { subject }, data: { endsAt } }),

  remove: ({ prisma }: Database, subject: string) => prisma.rateWindow.deleteMany({ where: { subject } }),

  /** Deletes windows that are over. */
  deleteOld: (database: Database) => database.run(deleteOld, {}),
};

interface HourBudget {
  subject: string;
  max: number;
  detail: Message;
}

/**
 * Counts a request in an hour that starts with the first one. Refuses it with 429 beyond `max`. A refusal rolls the
 * transaction back, so the refused request does not count.
 */
export const countInHour = async (tx: Tx, { platform }: Team, { subject, max, detail }: HourBudget): Promise<void> => {
  const { used, wait } = await windows.count(tx, { subject, seconds: 3_600, now: platform.clock.now() });
  if (used > max) fail('rate_limited', { retry_after: wait, detail });
};
