import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import { float, int, query, text, time } from '../../db/query.ts';

// The table `rate_window`: counters in fixed windows of time. Other modules use it to limit how often something is done. The subject of a
// window that lasts longer than ten minutes begins with `day `, and its row is kept for a day.

const isOver = 'known.started_at + make_interval(secs => :seconds::float8) <= clock_timestamp()';

const countTry = query({
  name: 'windows.countTry',
  why: 'counts and begins windows by the clock of the database, in one step',
  sql: `insert into rate_window as known (subject, started_at, used) values (:subject, clock_timestamp(), 1)
        on conflict (subject) do update
           set used = case when ${isOver} then 1 else known.used + 1 end,
               started_at = case when ${isOver} then clock_timestamp() else known.started_at end
        returning used,
                  greatest(1, ceil(extract(epoch from started_at + make_interval(secs => :seconds::float8) - clock_timestamp())))::int as wait`,
  parameters: { subject: text, seconds: float },
  row: { used: int, wait: int.checked },
});

const add = query({
  name: 'windows.add',
  why: 'adds to the window, or starts it anew, in one step',
  sql: `insert into rate_window as known (subject, started_at, used) values (:subject, :now, :count)
        on conflict (subject) do update
           set started_at = case when known.started_at > :startedAfter then known.started_at else excluded.started_at end,
               used = case when known.started_at > :startedAfter then known.used else 0 end + excluded.used
        returning started_at as since, used`,
  parameters: { subject: text, now: time, startedAfter: time, count: int },
  row: { since: time, used: int },
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

interface Added {
  subject: string;
  now: Date;
  /** A window that began at this time or earlier is over. */
  startedAfter: Date;
  count: number;
}

export const windows = {
  /** Counts one more. Returns the count of the window, and in how many seconds the window ends. */
  countTry: async (database: Database, counted: { subject: string; seconds: number }) =>
    (await database.run(countTry, counted))[0],

  /** Adds to a window, and locks it until the transaction ends. Returns its start and its count. */
  add: async (tx: Tx, added: Added) => (await runIn(tx, add, added))[0],

  /** Takes back what this transaction has added to a window. */
  takeBack: (tx: Tx, subject: string, count: number) =>
    tx.rateWindow.updateMany({ where: { subject }, data: { used: { decrement: count } } }),

  /** The count of a window; 0 if none is open. */
  used: async ({ prisma }: Database, { subject, startedAfter }: Pick<Added, 'subject' | 'startedAfter'>) => {
    const where = { subject, startedAt: { gt: startedAfter } };
    return (await prisma.rateWindow.findFirst({ where, select: { used: true } }))?.used ?? 0;
  },

  /** Begins a window. Returns false if one is open already. */
  begin: async (
    { rateWindow }: Tx,
    { subject, now, startedBefore }: { subject: string; now: Date; startedBefore: Date },
  ) => {
    const started = { startedAt: now, used: 1 };
    const begun = await rateWindow.updateMany({ where: { subject, startedAt: { lte: startedBefore } }, data: started });
    if (begun.count > 0) return true;
    return (await rateWindow.createMany({ data: { subject, ...started }, skipDuplicates: true })).count > 0;
  },

  forget: ({ prisma }: Database, subject: string) => prisma.rateWindow.deleteMany({ where: { subject } }),

  /** Deletes windows that are over. */
  forgetOld: (database: Database) => database.run(forgetOld, {}),
};
