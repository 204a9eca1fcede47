import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import { bool, bytes, int, query, text, time, uuid } from '../../db/query.ts';
import { countUsage, rowBytes } from '../storage/service.ts';

// The table `idempotency_record`.

const lock = query({
  name: 'idempotency.lock',
  why: 'Prisma has no row locks',
  sql: 'select key from idempotency_record where tenant_id = :tenantId and key = :key for update',
  parameters: { tenantId: uuid, key: text },
  row: { key: text },
});

// Counts the answer like `stored_bytes`, minus the bytes of the old record that it replaces.
const keep = query({
  name: 'idempotency.keep',
  why: 'counts storage and inserts in one statement, so that the counter is not locked for another round trip',
  sql: `with counted as (${countUsage(
    'answers',
    `${rowBytes} + octet_length(:key::text) + octet_length(:answer::bytea)
       - coalesce((select stored_bytes(old) from idempotency_record old where old.tenant_id = :tenantId::uuid and old.key = :key::text), 0)`,
  )})
   insert into idempotency_record (tenant_id, key, fingerprint, answer, created_at, expires_at)
   select :tenantId::uuid, :key::text, :fingerprint::bytea, :answer::bytea, :createdAt::timestamptz, :expiresAt::timestamptz from counted
       on conflict (tenant_id, key) do update
      set fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at,
          expires_at = excluded.expires_at
   returning true as kept`,
  parameters: { tenantId: uuid, key: text, fingerprint: bytes, answer: bytes, createdAt: time, expiresAt: time },
  row: { kept: bool.checked },
});

/** A small number, so that a call with one of these keys does not wait noticeably. An answer may have hundreds of kilobytes. */
export const deletedAtOnce = 200;

const deleteExpired = query({
  name: 'idempotency.deleteExpired',
  why: 'deletes a bounded number, skips records that are locked, and takes them off the counters in the same statement',
  sql: `with old as (
     select tenant_id, key from idempotency_record
      where expires_at <= :now order by expires_at limit ${deletedAtOnce} for update skip locked),
   gone as (
     delete from idempotency_record r using old where r.tenant_id = old.tenant_id and r.key = old.key
     returning r.tenant_id, stored_bytes(r) as bytes),
   counted as (
     update team_usage usage set bytes = greatest(0, usage.bytes - freed.bytes)
       from (select tenant_id, sum(bytes) as bytes from gone group by tenant_id) freed
      where usage.tenant_id = freed.tenant_id and usage.kind = 'answers')
   select count(*)::int as gone from gone`,
  parameters: { now: time },
  row: { gone: int.checked },
});

const setSavepoint = query({
  name: 'idempotency.savepoint',
  why: 'Prisma has no savepoints within a transaction',
  sql: 'savepoint action',
  parameters: {},
  row: {},
});

const rollBack = query({
  name: 'idempotency.rollBack',
  why: 'Prisma has no savepoints within a transaction',
  sql: 'rollback to savepoint action',
  parameters: {},
  row: {},
});

const batch = 50;

const after = query({
  name: 'idempotency.after',
  why: 'compares two columns as a pair, so that the index gives the position',
  sql: `select tenant_id as "tenantId", key, answer as sealed from idempotency_record
         where (tenant_id, key) > (:tenantId, :key) and expires_at > :now order by tenant_id, key limit ${batch}`,
  parameters: { tenantId: uuid, key: text, now: time },
  row: { tenantId: uuid, key: text, sealed: bytes },
});

interface NewAnswer {
  tenantId: string;
  key: string;
  fingerprint: Uint8Array;
  answer: Uint8Array;
  createdAt: Date;
  expiresAt: Date;
}

export const answers = {
  get: (tx: Tx, tenantId: string, key: string) =>
    tx.idempotencyRecord.findUnique({ where: { tenantId_key: { tenantId, key } } }),

  lock: (tx: Tx, tenantId: string, key: string) => runIn(tx, lock, { tenantId, key }),

  /** Stores an answer, or replaces an expired one. Does nothing and returns false if that exceeds the team's storage. */
  keep: async (tx: Tx, answer: NewAnswer) => (await runIn(tx, keep, answer)).length > 0,

  /** A batch of answers that have not expired, after a position. */
  after: (database: Database, position: { tenantId: string; key: string; now: Date }) => database.run(after, position),

  /** Replaces an answer, unless it was changed meanwhile. Returns whether it did. */
  replace: async (
    tx: Tx,
    { tenantId, key }: { tenantId: string; key: string },
    { former, answer }: Record<'former' | 'answer', Uint8Array<ArrayBuffer>>,
  ) =>
    (await tx.idempotencyRecord.updateMany({ where: { tenantId, key, answer: former }, data: { answer } })).count > 0,

  /** Deletes a batch of expired answers, and returns how many. */
  deleteExpired: async (database: Database, now: Date) => (await database.run(deleteExpired, { now }))[0]?.gone ?? 0,
};

export const savepoint = {
  set: (tx: Tx) => runIn(tx, setSavepoint, {}),
  rollBack: (tx: Tx) => runIn(tx, rollBack, {}),
};

/** Keys that a batch of an erasure searches. */
const searchedAtOnce = 1_000;

const deleteNaming = query({
  name: 'idempotency.deleteNaming',
  why: 'searches by a regular expression, and takes what it deletes off the counter in the same statement',
  sql: `with page as materialized (
     select key, key ~* :any::text as found from idempotency_record
      where tenant_id = :tenantId and key > :after order by key limit ${searchedAtOnce}),
   gone as (
     delete from idempotency_record r
      where r.tenant_id = :tenantId and r.key = any (array(select key from page where found))
     returning stored_bytes(r) as bytes),
   counted as (
     update team_usage usage set bytes = greatest(0, usage.bytes - (select coalesce(sum(bytes), 0) from gone))
      where usage.tenant_id = :tenantId and usage.kind = 'answers' and exists (select from gone))
   select (select count(*) from gone)::int as gone, (select max(key) from page) as position`,
  parameters: { tenantId: uuid, after: text, any: text },
  row: { gone: int.checked, position: text.orNull },
});

/** Deletes the answers among the next ones after a key whose own key matches a regular expression. No position: there are no more. */
export const deleteAnswersNaming = async (tx: Tx, tenantId: string, { any, after }: { any: string; after: string }) =>
  (await runIn(tx, deleteNaming, { tenantId, any, after }))[0] ?? { gone: 0, position: null };
