import { runIn, type Database, type Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { bool, listOf, query, text, time, uuid } from '../../db/query.ts';

// The table `idempotency_record`.

/**
 * The most answers in a batch of deletions. They are few, because a call with one of these keys waits for the deletion,
 * and an answer may have hundreds of kilobytes.
 */
const deletedAtOnce = 500;

const deleteExpired = query({
  name: 'idempotency.deleteExpired',
  why: 'skips records that are locked',
  sql: `with old as (
          select key from idempotency_record
           where tenant_id = :tenantId and key = any (:keys) and expires_at <= :now for update skip locked)
        delete from idempotency_record r using old where r.tenant_id = :tenantId and r.key = old.key
        returning true as gone`,
  parameters: { tenantId: uuid, keys: listOf(text), now: time },
  row: { gone: bool.checked },
});

const keyOf = (tenantId: string, key: string) => ({ tenantId_key: { tenantId, key } });

export const answers = {
  get: (tx: Tx, tenantId: string, key: string) => tx.idempotencyRecord.findUnique({ where: keyOf(tenantId, key) }),

  /** Stores an answer, or replaces an expired one. */
  keep: ({ idempotencyRecord }: Tx, { tenantId, key, ...content }: Prisma.IdempotencyRecordUncheckedCreateInput) =>
    idempotencyRecord.upsert({
      where: keyOf(tenantId, key),
      create: { tenantId, key, ...content },
      update: content,
      select: { key: true },
    }),

  /**
   * Deletes a batch of expired answers, team by team, except those that calls have locked. Returns whether some were
   * deleted.
   */
  deleteExpired: async (database: Database, now: Date): Promise<boolean> => {
    const expired = await database.prisma.idempotencyRecord.findMany({
      where: { expiresAt: { lte: now } },
      select: { tenantId: true, key: true },
      orderBy: { expiresAt: 'asc' },
      take: deletedAtOnce,
    });
    let gone = 0;
    for (const [tenantId, records] of Map.groupBy(expired, (record) => record.tenantId)) {
      const keys = records.map(({ key }) => key);
      gone += (await database.run(deleteExpired, { tenantId, keys, now })).length;
    }
    return gone > 0;
  },
};

/** How many keys a batch of an erasure searches. */
const searchedAtOnce = 1_000;

const naming = query({
  name: 'idempotency.naming',
  why: 'searches by a regular expression',
  sql: `select key, key ~* :any::text as found from idempotency_record
         where tenant_id = :tenantId and key > :after order by key limit ${searchedAtOnce}`,
  parameters: { tenantId: uuid, after: text, any: text },
  row: { key: text, found: bool.checked },
});

/**
 * Searches the next keys after the key `after`, and deletes the answers whose key matches a regular expression. Returns
 * the last key that was searched; undefined if there were no more.
 */
export const deleteAnswersNaming = async (tx: Tx, tenantId: string, { any, after }: { any: string; after: string }) => {
  const page = await runIn(tx, naming, { tenantId, any, after });
  const found = page.flatMap(({ key, found: isFound }) => (isFound ? [key] : []));
  await tx.idempotencyRecord.deleteMany({ where: { tenantId, key: { in: found } } });
  return page.at(-1)?.key;
};
