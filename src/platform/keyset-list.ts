import { z } from 'zod';
import { isId } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { snakeName } from '../core/spelling.ts';
import { bool, int, query, uuid, type Query, type RowOf, type SqlType } from '../db/query.ts';
import {
  countAmong,
  maxCounted,
  smallRowBytes,
  withinBudget,
  cutAt,
  pageAfter,
  type ListCount,
  type Page,
} from './paging.ts';
import type { Team } from './team.ts';

// Lists with keyset pagination: a page starts after the last row of the previous page, by the values that order the
// list. So every page costs the same, and no row is skipped or repeated while rows are added.
//
// Each set of filters is a separate named query, made at its first call, so that PostgreSQL plans it with its own
// index. So is a page of the default length: with the limit as a parameter PostgreSQL would plan the statement again on
// every call.

type Types = Readonly<Record<string, SqlType<unknown>>>;

/** The SQL expression of each column that is not simply a column of the table (`user_id` for `userId`). */
type Expressions = Readonly<Record<string, string>>;

/** SQL: the columns of a select. */
export const select = (columns: Types, expressions: Expressions = {}, table?: string): string =>
  Object.keys(columns)
    .map((column) => `${expressionOf(column, expressions, table)} as "${column}"`)
    .join(', ');

const expressionOf = (column: string, expressions: Expressions, table: string | undefined): string =>
  expressions[column] ?? (table === undefined ? snakeName(column) : `${table}.${snakeName(column)}`);

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
  /**
   * The columns that may be too large for a full page within the budget. A large value is read only if the page
   * includes it.
   */
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
  /**
   * The columns that order the list. The id comes last, because a page goes on after one row and not after a moment.
   */
  order: readonly [...(string & keyof Plain)[], 'id'];
  direction: 'asc' | 'desc';
  filters?: Readonly<Record<Name, Filter>>;
  /** Whether the list has a count. */
  counted?: boolean;
}

/** One more row than the page has is read: it shows whether another page follows. */
const usualRows = limits.pageSize.default + 1;

type PositionPart = string | boolean | number;

const positionTypes: readonly [typeName: string, value: z.ZodType<PositionPart>][] = [
  ['timestamp with time zone', z.iso.datetime()],
  ['uuid', z.uuid()],
  ['boolean', z.boolean()],
  ['text', z.string()],
  ['integer', z.int()],
  ['double precision', z.number()],
];

/** The values of this type in a cursor. */
export const positionType = ({ names: [name = ''] }: SqlType<unknown>): z.ZodType<PositionPart> => {
  const found = positionTypes.find(([known]) => known === name);
  if (!found) throw new Error(`no list can be ordered by ${name}`);
  return found[1];
};

type Position = PositionPart[];

/** A row as the driver returns it. */
type Found = Readonly<Record<string, unknown>>;

/**
 * Defines a list and returns the function that reads a page of it. If the list is `counted`, `count` counts all its
 * rows.
 *
 * A list with `bulk` is first read without the large columns of large rows, which is as cheap as a list without a
 * budget. Only if a row is large, the page is read again with a query that ends at the budget.
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
  const knownFilters: Readonly<Record<string, Filter>> = filters ?? {};
  const large: Types = bulk?.columns ?? {};
  const inOrder = orderNames.map((column) => `"${column}" ${direction}`).join(', ');
  const plainColumns = select(columns, expressions, table);
  const storedIn = (column: string): string => expressionOf(column, expressions, table);
  const orderColumns = orderNames.map((column) => `${storedIn(column)} as "${column}"`).join(', ');
  const ofList = [`${storedIn('tenant_id')} = :tenantId`, ...(where === undefined ? [] : [`(${where})`])].join(' and ');
  const orderBy = orderNames.map((column) => `${storedIn(column)} ${direction}`).join(', ');

  const sql = ({ columns: selected, conditions, limit }: Parts): string =>
    around(`select ${selected} from ${tables} where ${ofList} ${conditions} order by ${orderBy} limit ${limit}`, limit);

  const statementOf = (parts: Omit<Parts, 'columns'>, cut: boolean): string => {
    if (!bulk) return sql({ ...parts, columns: plainColumns });
    const { bytes } = bulk;
    if (!cut) {
      const unlessLarge = Object.keys(large).map(
        (column) => `case when ${bytes} <= ${smallRowBytes} then ${storedIn(column)} end as "${column}"`,
      );
      // Null is the cheapest value to send, so only large rows have `is_large`.
      const isLarge = `nullif(${bytes} > ${smallRowBytes}, false) as is_large`;
      return sql({ ...parts, columns: [plainColumns, ...unlessLarge, isLarge].join(', ') });
    }
    const stored = Object.keys(large).map((column) => `${storedIn(column)} as "${column}"`);
    return withinBudget({
      page: sql({ ...parts, columns: [plainColumns, ...stored, `${bytes} as bytes`].join(', ') }),
      order: inOrder,
      columns: [...Object.keys(columns), ...Object.keys(large), 'more'].map((column) => `"${column}"`).join(', '),
      bytes: 'bytes',
    });
  };

  const rowOf = (cut: boolean): Types => ({
    ...columns,
    ...(cut ? large : Object.fromEntries(Object.entries(large).map(([column, type]) => [column, type.orNull]))),
    ...(bulk && (cut ? { more: bool.checked } : { is_large: bool.orNull })),
  });

  const positionParameters = orderNames.map((column) => `:after_${column}`);
  const after = `and (${orderNames.map(storedIn).join(', ')}) ${direction === 'desc' ? '<' : '>'} (${positionParameters.join(', ')})`;

  const conditionsOf = (given: readonly string[], paged: boolean): string =>
    [...given.map((filter) => `and ${knownFilters[filter]?.sql}`), ...(paged ? [after] : [])].join(' ');

  const typesOf = (given: readonly string[]): Types =>
    Object.fromEntries(given.map((filter) => [filter, knownFilters[filter]?.type ?? uuid]));

  const queries = new Map<string, Query>();

  /** The named query for these filters, made at the first call. */
  const queryFor = (given: readonly string[], { paged, cut, rows }: Variant): Query => {
    const isUsual = rows === usualRows;
    const variant = [name, ...given, paged && 'after', isUsual && 'usual', cut && 'cut'].filter(Boolean).join(' ');
    const known = queries.get(variant);
    if (known) return known;
    const made = query({
      name: variant,
      why,
      sql: statementOf(
        { conditions: conditionsOf(given, paged), limit: isUsual ? String(usualRows) : ':limit::int' },
        cut,
      ),
      parameters: {
        tenantId: uuid,
        ...typesOf(given),
        ...(paged && Object.fromEntries(orderNames.map((column) => [`after_${column}`, columns[column] ?? uuid]))),
        ...(!isUsual && { limit: int }),
      },
      row: rowOf(cut),
    });
    queries.set(variant, made);
    return made;
  };

  /** Counts the rows with these filters, but reads no more than the limit of counts. */
  const countFor = (given: readonly string[]): Query => {
    const variant = [name, ...given, 'count'].join(' ');
    const all = sql({ columns: orderColumns, conditions: conditionsOf(given, false), limit: String(maxCounted + 1) });
    const made =
      queries.get(variant) ??
      query({
        name: variant,
        why,
        sql: `select count(*)::int as count from (${all}) as counted`,
        parameters: { tenantId: uuid, ...typesOf(given) },
        row: { count: int.checked },
      });
    queries.set(variant, made);
    return made;
  };

  const filterNames = Object.keys(knownFilters);
  const always = filterNames.filter((filter) => knownFilters[filter]?.always);

  // A test compares all named queries with the database. Other sets of filters have no other conditions, parameters and
  // columns.
  for (const cut of bulk ? (bulk.always ? [true] : [false, true]) : [false]) {
    queryFor(always, { paged: false, cut, rows: usualRows });
    queryFor(filterNames, { paged: true, cut, rows: 1 });
  }
  if (counted) countFor(filterNames);

  /** Large columns that are never null. They are null only in a row that was read without them. */
  const neverNull = Object.keys(large).filter((column) => large[column]?.nullable === false);

  /**
   * A test compares the queries' declarations with the database. What remains to check is that large columns were read.
   */
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
      return typeof value === 'boolean' || typeof value === 'number' ? value : String(value);
    });

  type Values = Partial<Record<Name, string | number | undefined>>;

  const givenIn = (values: Values) =>
    filterNames.flatMap((filter) => {
      const value: unknown = Reflect.get(values, filter);
      if (typeof value === 'string' || typeof value === 'number') {
        return [{ filter, value, mustBeId: knownFilters[filter]?.isId === true }];
      }
      if (always.includes(filter)) throw new Error(`the list ${name} needs ${filter}`);
      return [];
    });

  const count = async (team: Team, values: Values = {}): Promise<ListCount> => {
    const given = givenIn(values);
    if (given.some(({ value, mustBeId }) => mustBeId && !isId(String(value)))) return { count: 0, more: false };
    const counting = countFor(given.map(({ filter }) => filter));
    const filterValues = Object.fromEntries(given.map(({ filter, value }) => [filter, value]));
    const [row] = await team.platform.database.run(counting, { tenantId: team.id, ...filterValues });
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
    const givenNames = given.map(({ filter }) => filter);

    const run = async (from: Position | undefined, rows: number, cut: boolean): Promise<Found[]> => {
      const behind = Object.fromEntries((from ?? []).map((value, index) => [`after_${orderNames[index]}`, value]));
      const page = queryFor(givenNames, { paged: from !== undefined, cut, rows });
      return team.platform.database.run(page, { tenantId: team.id, limit: rows, ...filterValues, ...behind });
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
        if (given.some(({ value, mustBeId }) => mustBeId && !isId(String(value)))) return { rows: [] };
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
  /** It ends at the budget. */
  cut: boolean;
  /** How many rows it has at most. */
  rows: number;
}
