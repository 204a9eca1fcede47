import { snakeName } from '../core/spelling.ts';
import { runLater, type Tx } from './database.ts';
import { namesOf, query, uuid, type ParametersOf, type Query } from './query.ts';

/** The tables whose rows are locked, and the columns of their keys. */
const keys = {
  assignment: { tenantId: uuid, id: uuid },
  case: { tenantId: uuid, id: uuid },
  crm_connection: { tenantId: uuid, id: uuid },
  erasure: { tenantId: uuid, id: uuid },
  event_feed: { tenantId: uuid },
  person: { id: uuid },
  request_budget: { subject: uuid },
  session: { id: uuid },
  team: { id: uuid },
  team_user: { tenantId: uuid, id: uuid },
  training: { tenantId: uuid, id: uuid },
  webhook_delivery: { tenantId: uuid, id: uuid },
  webhook_endpoint: { tenantId: uuid, id: uuid },
  webhook_waiting: { tenantId: uuid, deliveryId: uuid },
} as const;

type Table = keyof typeof keys;

/**
 * - `update`: for a row whose key changes or that is deleted
 * - `no key update`: for a row that is changed. Rows that refer to it can be written meanwhile
 */
type Strength = 'update' | 'no key update';

const strengths: readonly Strength[] = ['update', 'no key update'];

const nameOf = (table: string, strength: Strength): string => `db.lockRow ${table} ${strength}`;

const locks = new Map<string, Query>(
  Object.entries(keys).flatMap(([table, parameters]: [string, Query['parameters']]) =>
    strengths.map((strength) => {
      const isIt = namesOf(parameters).map((name) => `${snakeName(name)} = :${name}`);
      const lock = query({
        name: nameOf(table, strength),
        why: 'Prisma has no row locks',
        sql: `select from "${table}" where ${isIt.join(' and ')} for ${strength}`,
        parameters,
        row: {},
      });
      return [lock.name, lock] as const;
    }),
  ),
);

const lockOf = (table: Table, strength: Strength): Query => {
  const lock = locks.get(nameOf(table, strength));
  if (!lock) throw new Error(`rows of ${table} can't be locked`);
  return lock;
};

/**
 * Locks a row until the transaction ends. The lock is sent with the transaction's next statement, which waits for other
 * transactions that have locked the row. Read the row after this call, because a row that was read before may have
 * changed.
 */
export const lockRow = <Name extends Table>(
  tx: Tx,
  table: Name,
  key: ParametersOf<(typeof keys)[Name]>,
  strength: Strength = 'no key update',
): void => {
  runLater(tx, lockOf(table, strength), key);
};
