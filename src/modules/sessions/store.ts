import type { Database, Tx } from '../../db/database.ts';
import { float, int, query, text } from '../../db/query.ts';

// The tables `session`, `verification` and `two_factor`, which the sign-in library reads and writes as well, and `rate_window`.

export const sessions = {
  /** A person's sessions that have not run out, the latest first. */
  ofPerson: (tx: Tx, personId: string, now: Date, most: number) =>
    tx.session.findMany({ where: { personId, expiresAt: { gt: now } }, orderBy: { createdAt: 'desc' }, take: most }),

  remove: (tx: Tx, which: { id: string; personId?: string } | { token: string } | { personId: string }) =>
    tx.session.deleteMany({ where: which }),

  removeExpired: (tx: Tx, now: Date) => tx.session.deleteMany({ where: { expiresAt: { lt: now } } }),
};

interface NewVerification {
  id: string;
  identifier: string;
  /** The person's id. */
  value: string;
  expiresAt: Date;
  createdAt: Date;
}

/** Steps of signing in that were begun, and browsers that are known. */
export const verifications = {
  /** Those of these identifiers that have not run out. */
  among: (tx: Tx, identifiers: string[], now: Date) =>
    tx.verification.findMany({
      where: { identifier: { in: identifiers }, expiresAt: { gt: now } },
      select: { identifier: true, value: true },
    }),

  /** The ids of a person's whose identifiers begin so, without the newest ones. */
  beyondNewest: async (tx: Tx, personId: string, { startsWith, kept }: { startsWith: string; kept: number }) => {
    const rows = await tx.verification.findMany({
      where: { value: personId, identifier: { startsWith } },
      orderBy: [{ expiresAt: 'desc' }, { id: 'desc' }],
      skip: kept,
      select: { id: true },
    });
    return rows.map(({ id }) => id);
  },

  insert: (tx: Tx, data: NewVerification) => tx.verification.create({ data }),

  extend: (tx: Tx, identifier: string, expiresAt: Date) =>
    tx.verification.updateMany({ where: { identifier }, data: { expiresAt } }),

  remove: (tx: Tx, ids: string[]) => tx.verification.deleteMany({ where: { id: { in: ids } } }),

  removeExpired: (tx: Tx, now: Date) => tx.verification.deleteMany({ where: { expiresAt: { lt: now } } }),
};

interface Sealed {
  secret: string;
  backupCodes: string;
}

export const secondFactors = {
  /** Some of them, behind an id. */
  after: (tx: Tx, id: string, most: number) =>
    tx.twoFactor.findMany({
      where: { id: { gt: id } },
      select: { id: true, secret: true, backupCodes: true },
      orderBy: { id: 'asc' },
      take: most,
    }),

  /** Replaces what is sealed, unless it was changed meanwhile; whether it was replaced. */
  replace: async (tx: Tx, id: string, former: Sealed, next: Sealed) =>
    (await tx.twoFactor.updateMany({ where: { id, ...former }, data: next })).count > 0,
};

// The window begins anew with the try that reaches `most`, so that a budget that is spent stays so for its full time.
const countTry = query({
  name: 'sessions.countTry',
  why: 'counts and begins windows by the clock of the database, in one step',
  sql: `insert into rate_window as known (subject, started_at, used) values (:subject, clock_timestamp(), 1)
        on conflict (subject) do update
           set used = case when known.started_at + make_interval(secs => :seconds::float8) <= clock_timestamp() then 1 else known.used + 1 end,
               started_at = case when known.started_at + make_interval(secs => :seconds::float8) <= clock_timestamp() or known.used + 1 = :most
                                 then clock_timestamp() else known.started_at end
        returning used,
                  greatest(1, ceil(extract(epoch from started_at + make_interval(secs => :seconds::float8) - clock_timestamp())))::int as wait`,
  parameters: { subject: text, seconds: float, most: int },
  row: { used: int, wait: int.checked },
});

export const tries = {
  /** Counts one more: how many there were in the window, and in how many seconds it ends. */
  count: async (database: Database, counted: { subject: string; seconds: number; most: number }) =>
    (await database.run(countTry, counted))[0],

  forget: ({ prisma }: Database, subject: string) => prisma.rateWindow.deleteMany({ where: { subject } }),
};
