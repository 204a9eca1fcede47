import { runIn } from '../db/database.ts';
import type { Tx } from '../db/database.ts';
import { query, text, uuid } from '../db/query.ts';

/**
 * For the erasure of a person: finds the rows of a team whose `url` contains a text, in any case and also as URLs encode it. `rows` is `from`
 * and the table's name.
 */
export const urlsNaming = (name: string, rows: string) => {
  const naming = query({
    name,
    why: 'searches for a text in any case, with its special characters as they are',
    sql: `select id ${rows}
           where tenant_id = :tenantId and (position(lower(:text::text) in lower(url)) > 0 or position(lower(:encoded::text) in lower(url)) > 0)`,
    parameters: { tenantId: uuid, text, encoded: text },
    row: { id: uuid },
  });
  /** The ids of the rows. */
  return async (tx: Tx, tenantId: string, wanted: string): Promise<string[]> =>
    (await runIn(tx, naming, { tenantId, text: wanted, encoded: encodeURIComponent(wanted) })).map(({ id }) => id);
};
