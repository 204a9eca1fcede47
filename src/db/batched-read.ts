import type { Database } from './database.ts';
import { arrayText, int, listText, query, uuid, type Query, type RowOf } from './query.ts';
import { currentTeam } from './row-security.ts';

// Reads of single rows by team and id. Reads in one turn of the event loop share a statement: for a small row, sending
// a statement and waking a process of PostgreSQL for it costs several times as much as the read itself.
//
// Requests of several teams share the statement, so row level security can't protect it. Instead the statement itself
// compares the team of each row. If all requests are of one team, the statement has it as a parameter: then any planner
// of a distributed database runs it on one machine. Where a statement of several teams would reach other machines, each
// row is read alone.

const position = { wanted_at: int.checked } as const;

interface LookUpDeclaration<Columns extends Query['row']> {
  name: string;
  why: string;
  /**
   * Returns SQL that selects at most one row, by `wanted.id` and the team (`tenantId` is an expression of SQL): the id
   * as the first column, then the other columns, and `tenant_id`.
   */
  sql: (tenantId: string) => string;
  row: Columns;
}

interface RowKey {
  readonly tenantId: string;
  readonly id: string;
}

/** How many look-ups one statement has at most. With more, the first ones would wait for the last. */
const maxAtOnce = 64;

type Runner = Pick<Database, 'run' | 'parts'>;

/** Declares a look-up, which is a named query. The function finds a row, or nothing. */
export const batchedRead = <const Columns extends Query['row']>({
  name,
  why,
  sql,
  row,
}: LookUpDeclaration<Columns>) => {
  type Row = RowOf<Columns>;
  const columns = Object.keys(row).map((column) => `found."${column}", `);
  // `order by` makes PostgreSQL plan the subquery by itself, so that it uses an index even if the table was small when
  // it was planned. The arrays are wrapped in subqueries so that the planner ignores their lengths: it would plan short
  // ones anew at every execution, which takes longer than finding the rows.
  const found = (tenantId: string) => `cross join lateral (${sql(tenantId)} order by 1) as found
           where found.tenant_id = ${tenantId}`;
  const findInTeam = query({
    name,
    why,
    sql: `select ${columns.join('')}wanted.at::int as wanted_at
            from unnest((select :ids::uuid[])) with ordinality as wanted (id, at)
           ${found(':tenantId')}`,
    parameters: { tenantId: uuid, ids: listText(uuid) },
    row: { ...row, ...position },
  });
  const findInTeams = query({
    name: `${name} of several teams`,
    why,
    sql: `select ${columns.join('')}wanted.at::int as wanted_at
            from unnest((select :tenantIds::uuid[]), (select :ids::uuid[])) with ordinality as wanted (tenant_id, id, at)
           ${found('wanted.tenant_id')}`,
    parameters: { tenantIds: listText(uuid), ids: listText(uuid) },
    row: { ...row, ...position },
  });

  const find = async (database: Runner, wanted: readonly RowKey[]): Promise<(Row | undefined)[]> => {
    const ids = arrayText(wanted.map(({ id }) => id));
    const [tenantId = '', ...others] = new Set(wanted.map((one) => one.tenantId));
    if (others.length > 0 && !database.parts.spansTeams())
      return (await Promise.all(wanted.map((one) => find(database, [one])))).flat();
    const rows =
      others.length === 0
        ? await database.run(findInTeam, { tenantId, ids })
        : await database.run(findInTeams, { tenantIds: arrayText(wanted.map((one) => one.tenantId)), ids });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/consistent-type-assertions -- the rest has the declared columns
    const byPosition = new Map(rows.map(({ wanted_at, ...values }) => [wanted_at, values as unknown as Row]));
    return wanted.map((_, index) => byPosition.get(index + 1));
  };

  const finders = new WeakMap<Runner, (wanted: RowKey) => Promise<Row | undefined>>();

  return (database: Runner, tenantId: string, id: string): Promise<Row | undefined> => {
    const team = currentTeam();
    if (team !== undefined && team !== tenantId) throw new Error(`${name} looks up a row of another team`);
    const finder =
      finders.get(database) ??
      database.parts.inBatches(
        (wanted: RowKey) => wanted.tenantId,
        (wanted) => find(database, wanted),
        { max: maxAtOnce, nextAfterMs: 0, onlyReads: true, waitsForNoRows: true },
      );
    finders.set(database, finder);
    return finder({ tenantId, id });
  };
};
