import { z } from 'zod';
import { snakeName } from '../core/spelling.ts';
import { behindOuterJoin, bigint, bool, foundIn, int, query, uuid, type RowOf, type SqlType } from '../db/query.ts';
import { positionType } from './keyset-list.ts';
import { select } from './keyset-statements.ts';
import { countAmong, cutAt, maxCounted, pageAfter, withinBudget, type ListCount, type Page } from './paging.ts';
import type { Team } from './team.ts';

// Lists whose filters may match very few rows: a page reads a limited number of rows and may be short or empty, and the
// next page continues where this page stopped.

/** How many rows one page examines. */
const lookedAt = 5_000;

type ColumnTypes = Readonly<Record<string, SqlType<unknown>>>;

type Direction = 'asc' | 'desc';

/** Columns and their values, in SQL. */
type ColumnValues = Readonly<Record<string, string>>;

interface Walk<Row extends ColumnTypes, Parameters extends ColumnTypes> {
  /** `module.what`. */
  name: string;
  /** Why it is not Prisma. */
  why: string;
  table: string;
  /** Columns of the table. */
  columns: Row;
  /** Values that all rows of the walk share besides the team, `:tenantId`. */
  common?: ColumnValues;
  /** The order of the rows; descending if it is missing. */
  direction?: Direction;
  /**
   * The columns that order the rows, and the position after which the walk starts. An index has these columns after the
   * common ones.
   */
  after: ColumnValues;
  /** The end of the walk, by the first columns of `after`. A descending walk includes it, an ascending one does not. */
  end?: ColumnValues;
  /** A further condition for every row of the walk. */
  also?: string;
  /** The condition that found rows meet. */
  filter: string;
  /** The size of a row in bytes, if rows may be large: the page ends at its budget. */
  bytes?: string;
  /** Parameters besides `:tenantId` and `:limit`. */
  parameters: Parameters;
  /** Whether the list has a count. */
  counted?: boolean;
}

const columnsOf = (columns: ColumnValues): string[] => Object.keys(columns).map(snakeName);

const tuple = (parts: readonly string[]): string => `(${parts.join(', ')})`;

/**
 * SQL: the condition of the rows that a walk visits, and their order.
 *
 * The common values are a range and part of the order, so that only an index that begins with them provides the order.
 * The common values and the limits are subqueries, so that the planner ignores its statistics and walks this index. The
 * statistics may mislead it, because one team may have a thousand times the rows of others.
 */
const routeOf = ({
  common = {},
  direction = 'desc',
  after,
  end = {},
  also,
}: Pick<Walk<ColumnTypes, ColumnTypes>, 'common' | 'direction' | 'after' | 'end' | 'also'>) => {
  const asked = Object.values(common).map((value) => `(select ${value})`);
  const start = {
    columns: [...columnsOf(common), ...columnsOf(after)],
    values: [...asked, ...Object.values(after)],
  };
  const stop = {
    columns: [...columnsOf(common), ...columnsOf(end)],
    values: [...asked, ...Object.values(end)],
  };
  const [beyond, within] = direction === 'desc' ? ['<', '>='] : ['>', columnsOf(end).length === 0 ? '<=' : '<'];
  const range = [
    `tenant_id = :tenantId and ${tuple(start.columns)} ${beyond} ${tuple(start.values)}`,
    ...(stop.columns.length === 0 ? [] : [`${tuple(stop.columns)} ${within} ${tuple(stop.values)}`]),
    ...(also === undefined ? [] : [also]),
  ].join(' and ');
  return { range, order: start.columns.map((column) => `${column} ${direction}`).join(', ') };
};

/** SQL: how many rows match the filter among those that a count reads at most. */
const countSql = ({ table, filter, ...route }: Walk<ColumnTypes, ColumnTypes>): string => {
  const { range, order } = routeOf(route);
  return `select count(*)::int as read, (count(*) filter (where ${filter}))::int as matches
     from (select * from ${table} where ${range} order by ${order} limit (select ${maxCounted + 1})) as walked`;
};

/**
 * SQL: up to `:limit` rows that match the filter, among the next few thousand. If the walk finds fewer rows and stops
 * before its end, every row has the position of the stop (`stopped_…`). Without a match there is one row with only this
 * position. With `bytes`, the column `more` of the last row shows whether the page ended at its budget.
 */
const walkSql = ({ table, columns, after, filter, bytes, ...route }: Walk<ColumnTypes, ColumnTypes>): string => {
  const { range, order } = routeOf({ ...route, after });
  const stored = Object.keys(columns).map(snakeName).join(', ');
  const found = select(columns, {}, 'page');
  const position = Object.keys(after).map((column) => `${snakeName(column)} as "${stopped(column)}"`);
  return `with found as materialized (
     select *
       from (select ${stored} from ${table} where ${range} order by ${order} limit (select ${lookedAt})) as walked
      where ${filter} order by ${order} limit :limit),
   page as (${bytes === undefined ? 'select * from found' : withinBudget({ page: 'select * from found', order, columns: `${stored}, more`, bytes })})
   select ${found}${bytes === undefined ? '' : ', page.more'}, stop.*
     from (select) as one
     left join (
       select ${position.join(', ')} from ${table}
        where ${range} and (select count(*) from found) < :limit
        order by ${order} offset (select ${lookedAt - 1}) limit (select 1)) as stop on true
     left join page on true
    order by ${order}`;
};

const stopped = (column: string): string => `stopped_${column}`;

interface PageWanted<Parameters extends ColumnTypes> {
  /** The list's name and filters in cursors: a cursor is valid only for these. */
  cursorOf: string;
  query: { cursor?: string | undefined; limit: number };
  /** A position before all rows of the walk: the values of `after`, in its order. */
  start: readonly string[];
  /** The parameters for a page that starts after this position. */
  parameters: (position: readonly string[]) => { readonly [Name in keyof Parameters]: Parameters[Name]['in'] };
}

/**
 * Defines a list of this kind and returns the function that reads a page of it. If the list is `counted`, `count`
 * counts the rows that match.
 */
export const walkList = <const Row extends ColumnTypes, const Parameters extends ColumnTypes>(
  walk: Walk<Row, Parameters>,
) => {
  const { name, why, columns, after, bytes, parameters, counted = false } = walk;
  const order = Object.keys(after);
  const found = query({
    name,
    why,
    sql: walkSql(walk),
    parameters: { tenantId: uuid, limit: bigint, ...parameters },
    row: {
      ...behindOuterJoin(columns),
      ...(bytes !== undefined && { more: bool.orNull }),
      ...behindOuterJoin(Object.fromEntries(order.map((column) => [stopped(column), columns[column] ?? uuid]))),
    },
  });

  const counting =
    counted &&
    query({
      name: `${name} count`,
      why,
      sql: countSql(walk),
      parameters: { tenantId: uuid, ...parameters },
      row: { read: int.checked, matches: int.checked },
    });

  const partTypes = order.map((column) => positionType(columns[column] ?? uuid));
  const Position = z
    .array(z.string())
    .refine(
      (values) => values.length === order.length && partTypes.every((type, at) => type.safeParse(values[at]).success),
    );
  const positionIn = (row: Readonly<Record<string, unknown>>, nameOf: (column: string) => string): string[] =>
    order.flatMap((column) => {
      const value = row[nameOf(column)];
      return typeof value === 'string' ? [value] : [];
    });

  const count = async (
    { id: tenantId, platform: { database } }: Team,
    { start, parameters: valuesAt }: Pick<PageWanted<Parameters>, 'start' | 'parameters'>,
  ): Promise<ListCount> => {
    if (!counting) throw new Error(`the list ${name} has no count`);
    const [row] = await database.run(counting, { tenantId, ...valuesAt(start) });
    return countAmong(row?.read ?? 0, row?.matches);
  };

  const readPage = (
    team: Team,
    { cursorOf, query: wanted, start, parameters: valuesAt }: PageWanted<Parameters>,
  ): Promise<Page<RowOf<Row>>> =>
    pageAfter<Readonly<Record<string, unknown>> & RowOf<Row>, string[]>(team, {
      list: cursorOf,
      position: Position,
      query: wanted,
      read: async (from, limit) => {
        const values = { tenantId: team.id, limit, ...valuesAt(from ?? start) };
        const rows = await team.platform.database.run(found, values);
        const stop = positionIn(rows[0] ?? {}, stopped);
        const page = cutAt(foundIn(columns, rows), (row) => positionIn(row, (column) => column));
        return page.stoppedAt || stop.length === 0 ? page : { rows: page.rows, stoppedAt: stop };
      },
      positionOf: (row) => positionIn(row, (column) => column),
    });
  return Object.assign(readPage, { count });
};
