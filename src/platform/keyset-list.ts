import { z } from 'zod';
import { isId } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { bool, int, query, uuid, type Query, type RowOf, type SqlType } from '../db/query.ts';
import {
  countAmong,
  mostCounted,
  smallRowBytes,
  withinBudget,
  cutAt,
  pageAfter,
  type ListCount,
  type Page,
} from './paging.ts';
import type { Team } from './team.ts';

// Lists with keyset pagination: a page starts after the last row of the previous page, by the values that order the list. So every page
// costs the same, and no row is skipped or repeated while rows are added.
//
// Each set of filters is a separate named query, so that PostgreSQL plans it with its own index. So is a page of the default length: with
// the limit as a parameter PostgreSQL would plan the statement again on every call.

type Types = Readonly<Record<string, SqlType<unknown>>>;

/** The SQL expression of each column that is not simply a column of the table. */
type Expressions = Readonly<Record<string, string>>;

/** SQL: the columns of a select. */
export const select = (columns: Types, expressions: Expressions = {}, table?: string): string =>
  Object.keys(columns)
    .map((column) => `${expressionOf(column, expressions, table)} as "${column}"`)
    .join(', ');

const expressionOf = (column: string, expressions: Expressions, table: string | undefined): string =>
  expressions[column] ?? (table === undefined ? column : `${table}.${column}`);

export interface Filter {
  /** The condition. The value is the parameter with the filter's name. */
  sql: string;
  type: SqlType<unknown>;
  /** The value must be an id. Any other text matches nothing, and the page is empty. */
  isId?: boolean;
  /** Every read of the list has this filter. */
  always?: boolean;
}

interface Bulk<Large extends Types> {
  /** The columns that may be too large for a full page within the budget. A large value is read only if the page includes it. */
  columns: Large;
  /** SQL: the size of a row's large columns in bytes. It must not read them. */
  bytes: string;
  /** Nearly every row may be large, so the first query, without large rows, is left out. */
  always?: boolean;
}

/** The texts that a statement of the list is made of. */
interface Parts {
  columns: string;
  /** The conditions of the filters and the position, each with `and` before it. */
  conditions: string;
  limit: string;
}

interface KeysetList<Plain extends Types, Large extends Types, Name extends string> {
  /** `module.what`. */
  name: string;
  /** Why it is not Prisma. */
  why: string;
  /** The list's name in cursors: a cursor is valid only for its list. */
  cursor: string;
  columns: Plain;
  expressions?: Expressions;
  /** The table of all columns without an expression, and of the team's id. */
  table?: string;
  /** Absent if rows are so small that a full page of the largest rows is within the budget. */
  bulk?: Bulk<Large>;
  /** SQL: the tables of the statement. The team is `:tenantId`. */
  from: string;
  /** SQL: a condition of all rows of the list. */
  where?: string;
  /** SQL: a statement around that of the page. */
  around?: (page: string, limit: string) => string;
  /** The columns that order the list. The last one is unique. */
  order: readonly (string & keyof Plain)[];
  direction: 'asc' | 'desc';
  filters?: Readonly<Record<Name, Filter>>;
  /** Whether the list has a count. */
  counted?: boolean;
}

/** One more row than the page has is read: it shows whether another page follows. */
const usualRows = limits.pageSize.default + 1;

const positionTypes: readonly [typeName: string, value: z.ZodType<string | boolean>][] = [
  ['timestamp with time zone', z.iso.datetime()],
  ['uuid', z.uuid()],
  ['boolean', z.boolean()],
  ['text', z.string()],
];

/** The values of this type in a cursor. */
export const positionType = ({ names: [name = ''] }: SqlType<unknown>): z.ZodType<string | boolean> => {
  const found = positionTypes.find(([known]) => known === name);
  if (!found) throw new Error(`no list can be ordered by ${name}`);
  return found[1];
};

type Position = (string | boolean)[];

/** All subsets of these, in their order. */
const subsetsOf = <Item>(items: readonly Item[]): Item[][] =>
  items.reduce<Item[][]>((subsets, item) => [...subsets, ...subsets.map((subset) => [...subset, item])], [[]]);

/** A row as the driver returns it. */
type Found = Readonly<Record<string, unknown>>;

/**
 * Defines a list and returns the function that reads a page of it. If the list is `counted`, `count` counts all its rows.
 *
 * A list with `bulk` is first read without the large columns of large rows, which is as cheap as a list without a budget. Only if a row
 * is large, the page is read again with a query that ends at the budget.
 */
export const keysetList = <
  const Plain extends Types,
  const Name extends string = never,
  const Large extends Types = Readonly<Record<never, never>>,
>({
  name,
  why,
  cursor,
  columns,
  expressions = {},
  table,
  bulk,
  from: tables,
  where,
  around = (page) => page,
  order: orderNames,
  direction,
  filters,
  counted = false,
}: KeysetList<Plain, Large, Name>) => {
  type Row = RowOf<Plain> & RowOf<Large>;
  const knownFilters = Object.entries<Filter>(filters ?? {});
  const large: Types = bulk?.columns ?? {};
  const inOrder = orderNames.map((column) => `${column} ${direction}`).join(', ');
  const plainColumns = select(columns, expressions, table);
  const storedIn = (column: string): string => expressionOf(column, expressions, table);
  const orderColumns = orderNames.map((column) => `${storedIn(column)} as ${column}`).join(', ');
  const ofList = [`${storedIn('tenant_id')} = :tenantId`, ...(where === undefined ? [] : [`(${where})`])].join(' and ');
  const orderBy = orderNames.map((column) => `${storedIn(column)} ${direction}`).join(', ');

  const sql = ({ columns: selected, conditions, limit }: Parts): string =>
    around(`select ${selected} from ${tables} where ${ofList} ${conditions} order by ${orderBy} limit ${limit}`, limit);

  const statementOf = (parts: Omit<Parts, 'columns'>, cut: boolean): string => {
    if (!bulk) return sql({ ...parts, columns: plainColumns });
    const { bytes } = bulk;
    if (!cut) {
      const unlessLarge = Object.keys(large).map(
        (column) => `case when ${bytes} <= ${smallRowBytes} then ${storedIn(column)} end as ${column}`,
      );
      // Null is the cheapest value to send, so only large rows have `is_large`.
      const isLarge = `nullif(${bytes} > ${smallRowBytes}, false) as is_large`;
      return sql({ ...parts, columns: [plainColumns, ...unlessLarge, isLarge].join(', ') });
    }
    const stored = Object.keys(large).map((column) => `${storedIn(column)} as ${column}`);
    return withinBudget({
      page: sql({ ...parts, columns: [plainColumns, ...stored, `${bytes} as bytes`].join(', ') }),
      order: inOrder,
      columns: [...Object.keys(columns), ...Object.keys(large), 'more'].join(', '),
      bytes: 'bytes',
    });
  };

  const rowOf = (cut: boolean): Types => ({
    ...columns,
    ...(cut ? large : Object.fromEntries(Object.entries(large).map(([column, type]) => [column, type.orNull]))),
    ...(bulk && (cut ? { more: bool.checked } : { is_large: bool.orNull })),
  });

  const variantName = (given: readonly string[], { paged, usual, cut }: Variant): string =>
    [name, ...given, ...(paged ? ['after'] : []), ...(usual ? ['usual'] : []), ...(cut ? ['cut'] : [])].join(' ');

  const positionParameters = orderNames.map((column) => `:after_${column}`);
  const after = `and (${orderNames.map(storedIn).join(', ')}) ${direction === 'desc' ? '<' : '>'} (${positionParameters.join(', ')})`;

  const define = (given: readonly [string, Filter][], variant: Variant): Query => {
    const conditions = given.map(([, filter]) => `and ${filter.sql}`);
    const parameters: Record<string, SqlType<unknown>> = { tenantId: uuid };
    for (const [filter, { type }] of given) parameters[filter] = type;
    if (variant.paged) {
      conditions.push(after);
      for (const column of orderNames) {
        const type = columns[column];
        if (type) parameters[`after_${column}`] = type;
      }
    }
    if (!variant.usual) parameters['limit'] = int;
    const limit = variant.usual ? String(usualRows) : ':limit::int';
    return query({
      name: variantName(
        given.map(([filter]) => filter),
        variant,
      ),
      why,
      sql: statementOf({ conditions: conditions.join(' '), limit }, variant.cut),
      parameters,
      row: rowOf(variant.cut),
    });
  };

  /** Counts the rows with these filters, but reads no more than the limit of counts. */
  const defineCount = (given: readonly [string, Filter][]): Query => {
    const conditions = given.map(([, filter]) => `and ${filter.sql}`).join(' ');
    const names = given.map(([filter]) => filter);
    return query({
      name: [name, ...names, 'count'].join(' '),
      why,
      sql: `select count(*)::int as count from (${sql({ columns: orderColumns, conditions, limit: String(mostCounted + 1) })}) as counted`,
      parameters: { tenantId: uuid, ...Object.fromEntries(given.map(([filter, { type }]) => [filter, type])) },
      row: { count: int.checked },
    });
  };

  const both = [false, true];
  const cuts = bulk ? (bulk.always ? [true] : both) : [false];
  const queries = new Map<string, Query>();
  const always = knownFilters.filter(([, filter]) => filter.always);
  const optional = knownFilters.filter(([, filter]) => !filter.always);
  for (const given of subsetsOf(optional).map((some) => [...always, ...some])) {
    if (counted) {
      const counting = defineCount(given);
      queries.set(counting.name, counting);
    }
    for (const paged of both) {
      for (const usual of both) {
        for (const cut of cuts) {
          const made = define(given, { paged, usual, cut });
          queries.set(made.name, made);
        }
      }
    }
  }

  /** Large columns that are never null. They are null only in a row that was read without them. */
  const neverNull = Object.keys(large).filter((column) => large[column]?.nullable === false);

  /** A test compares the queries' declarations with the database. What remains to check is that large columns were read. */
  const assertWhole: (rows: Found[]) => asserts rows is (Found & Row)[] = (rows) => {
    for (const column of neverNull) {
      if (rows.some((row) => row[column] === null)) throw new Error(`${name} gave null as ${column}`);
    }
  };

  const position = z.tuple([z.unknown()], z.unknown());
  const positionParts = orderNames.map((column) => positionType(columns[column] ?? uuid));
  const Position: z.ZodType<Position> = position.transform((values, context): Position => {
    const parts = positionParts.map((type, index) => type.safeParse(values[index]));
    if (values.length === parts.length && parts.every((part) => part.success)) return parts.map((part) => part.data);
    context.addIssue({ code: 'custom', message: 'no position of this list' });
    return z.NEVER;
  });

  const positionOf = (row: Found): Position =>
    orderNames.map((column) => {
      const value = row[column];
      return typeof value === 'boolean' ? value : String(value);
    });

  type Values = Partial<Record<Name, string | undefined>>;

  const givenIn = (values: Values) =>
    [...always, ...optional].flatMap(([filter, { isId: mustBeId = false }]) => {
      const value: unknown = Reflect.get(values, filter);
      return typeof value === 'string' ? [{ filter, value, mustBeId }] : [];
    });

  const count = async (team: Team, values: Values = {}): Promise<ListCount> => {
    const given = givenIn(values);
    if (given.some(({ value, mustBeId }) => mustBeId && !isId(value))) return { count: 0, more: false };
    const made = queries.get([name, ...given.map(({ filter }) => filter), 'count'].join(' '));
    if (!made) throw new Error(`the list ${name} has no such count`);
    const filterValues = Object.fromEntries(given.map(({ filter, value }) => [filter, value]));
    const [row] = await team.platform.database.run(made, { tenantId: team.id, ...filterValues });
    const found = Number(row?.['count'] ?? 0);
    return countAmong(found);
  };

  const readPage = async (
    team: Team,
    { limit, cursor: start }: { cursor?: string | undefined; limit: number },
    values: Values = {},
  ): Promise<Page<Row>> => {
    const given = givenIn(values);
    const filterValues = Object.fromEntries(given.map(({ filter, value }) => [filter, value]));
    const filterNames = given.map(({ filter }) => filter);

    const run = async (from: Position | undefined, rows: number, cut: boolean): Promise<Found[]> => {
      const variant = { paged: from !== undefined, usual: rows === usualRows, cut };
      const made = queries.get(variantName(filterNames, variant));
      if (!made) throw new Error(`the list ${name} has no such variant`);
      const behind = Object.fromEntries((from ?? []).map((value, index) => [`after_${orderNames[index]}`, value]));
      return team.platform.database.run(made, { tenantId: team.id, limit: rows, ...filterValues, ...behind });
    };

    const read = async (from: Position | undefined, rows: number): Promise<(Found & Row)[]> => {
      const small = bulk?.always ? undefined : await run(from, rows, false);
      const isLarge = !small || small.some((row) => row['is_large'] === true);
      const whole = isLarge ? await run(from, rows, true) : small;
      assertWhole(whole);
      return whole;
    };

    return pageAfter<Found & Row, Position>(team, {
      list: [cursor, ...given.map(({ filter, value }) => `${filter}=${encodeURIComponent(value)}`)].join('&'),
      position: Position,
      query: { cursor: start, limit },
      read: async (from, wanted) => {
        if (given.some(({ value, mustBeId }) => mustBeId && !isId(value))) return { rows: [] };
        return cutAt(await read(from, wanted), positionOf);
      },
      positionOf,
    });
  };
  return Object.assign(readPage, { count });
};

interface Variant {
  /** It starts after a position. */
  paged: boolean;
  /** It has the default length. */
  usual: boolean;
  /** It ends at the budget. */
  cut: boolean;
}
