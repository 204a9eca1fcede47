import type { Database, Tx } from '../../db/database.ts';
import { bigint, query, uuid } from '../../db/query.ts';

// The tables `session`, `verification` and `two_factor`, which the sign-in library reads and writes as well.

const endOldest = query({
  name: 'sessions.endOldest',
  why: 'deletes all but the newest in one statement; Prisma would read the ids first',
  sql: `delete from session where id in (
          select id from session where person_id = :personId order by created_at desc, id desc offset :kept)`,
  parameters: { personId: uuid, kept: bigint },
  row: {},
});

export const sessions = {
  /** A person's sessions that have not run out, the latest first. */
  ofPerson: (tx: Tx, personId: string, now: Date, most: number) =>
    tx.session.findMany({ where: { personId, expiresAt: { gt: now } }, orderBy: { createdAt: 'desc' }, take: most }),

  remove: (tx: Tx, which: { id: string; personId?: string } | { token: string } | { personId: string }) =>
    tx.session.deleteMany({ where: which }),

  /** Ends a person's sessions except the newest ones. */
  endOldest: (database: Database, personId: string, kept: number) => database.run(endOldest, { personId, kept }),

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

  removeOf: (tx: Tx, personId: string) => tx.verification.deleteMany({ where: { value: personId } }),

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

/** Deletes everything that a person signs in with beside the password. */
export const removeSignIns = async (tx: Tx, personId: string): Promise<void> => {
  await sessions.remove(tx, { personId });
  await verifications.removeOf(tx, personId);
  await tx.twoFactor.deleteMany({ where: { personId } });
};
