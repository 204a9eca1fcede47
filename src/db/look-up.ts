import { inBatches } from '../core/batch.ts';
import type { Database } from './database.ts';
import { arrayText, int, listText, query, uuid } from './query.ts';
import type { Query, RowOf } from './query.ts';
import { currentTeam } from './row-security.ts';

// Reads of single rows by team and id. Those of one turn of the event loop share a statement: for a small row, sending a statement and
// waking a process of PostgreSQL for it costs several times what the read itself does.
//
// Requests of several teams share it, so row level security can't hold here. Instead the statement compares the team of each row again.

const position = { wanted_at: int.checked } as const;

interface Declaration<Columns extends Query['row']> {
  name: string;
  why: string;
  /** Selects at most one row, that of `wanted.tenant_id` and `wanted.id`: the columns, and its `tenant_id`. */
  sql: string;
  row: Columns;
}

interface Wanted {
  readonly tenantId: string;
  readonly id: string;
}

/** Look-ups in one statement: with more, the first ones would wait for the last. */
const maxAtOnce = 64;

type Runner = Pick<Database, 'run'>;

/** Declares a look-up, which is a named query. The function finds a row, or nothing. */
export const lookUp = <const Columns extends Query['row']>({ name, why, sql, row }: Declaration<Columns>) => {
  type Row = RowOf<Columns>;
  const findAll = query({
    name,
    why,
    // With its limit the subquery is planned by itself, so that an index is used however small the table was at that time. The arrays are
    // wrapped in subqueries so that the planner ignores their lengths: it would plan short ones anew at every execution, which takes longer
    // than finding the rows.
    sql: `select ${Object.keys(row)
      .map((column) => `found.${column}, `)
      .join('')}wanted.at::int as wanted_at
            from unnest((select :tenantIds::uuid[]), (select :ids::uuid[])) with ordinality as wanted (tenant_id, id, at)
           cross join lateral (${sql} limit 1) as found
           where found.tenant_id = wanted.tenant_id`,
    parameters: { tenantIds: listText(uuid), ids: listText(uuid) },
    row: { ...row, ...position },
  });

  const find = async (database: Runner, wanted: readonly Wanted[]): Promise<(Row | undefined)[]> => {
    const rows = await database.run(findAll, {
      tenantIds: arrayText(wanted.map(({ tenantId }) => tenantId)),
      ids: arrayText(wanted.map(({ id }) => id)),
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/consistent-type-assertions -- the rest has the declared columns
    const found = new Map(rows.map(({ wanted_at, ...columns }) => [wanted_at, columns as unknown as Row]));
    return wanted.map((_, index) => found.get(index + 1));
  };

  const finders = new WeakMap<Runner, (wanted: Wanted) => Promise<Row | undefined>>();

  return (database: Runner, tenantId: string, id: string): Promise<Row | undefined> => {
    const team = currentTeam();
    if (team !== undefined && team !== tenantId) throw new Error(`${name} looks up a row of another team`);
    const finder =
      finders.get(database) ??
      inBatches((wanted: readonly Wanted[]) => find(database, wanted), { max: maxAtOnce, nextAfterMs: 0 });
    finders.set(database, finder);
    return finder({ tenantId, id });
  };
};
