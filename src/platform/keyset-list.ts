import { z } from 'zod';
import { readCursor, writeCursor } from '../core/cursor.ts';
import type { Position as AnyPosition } from '../core/cursor.ts';
import { isId } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { fail } from '../core/problem.ts';
import { bool, int, query, uuid } from '../db/query.ts';
import type { Query, RowOf, SqlType } from '../db/query.ts';
import { smallRowBytes, withinBudget } from './page-budget.ts';
import type { Page } from './paging.ts';
import type { Team } from './team.ts';

// Lists by keyset: a page begins behind the last row of the page before, by the values that order the list. So a page costs the same
// however deep it is, and neither skips nor repeats a row while rows are added.
//
// Each set of filters is a named query of its own, so that PostgreSQL plans it with the index that was made for it. So is a page of
// the usual length: with the limit as a parameter PostgreSQL would plan the statement anew on every call.

type Types = Readonly<Record<string, SqlType<unknown>>>;

/** Where columns come from: an SQL expression for each that is not simply the table's column of its name. */
type Expressions = Readonly<Record<string, string>>;

/** SQL: the columns of a select. */
export const select = (columns: Types, expressions: Expressions = {}, table?: string): string =>
  Object.keys(columns)
    .map((column) => `${expressionOf(column, expressions, table)} as "${column}"`)
    .join(', ');

const expressionOf = (column: string, expressions: Expressions, table: string | undefined): string =>
  expressions[column] ?? (table === undefined ? column : `${table}.${column}`);

interface Filter {
  /** The condition; the value stands as `:name`, with the filter's name. */
  sql: string;
  type: SqlType<unknown>;
  /** A caller may have written anything: what can't be an id matches nothing, and the page is empty. */
  isId?: boolean;
}

interface Bulk<Large extends Types> {
  /** The columns that may take more than a page's budget has for each row. */
  columns: Large;
  /** The cast from what is stored to what an answer has. A large value is only read, and cast, where it is part of the answer. */
  casts?: Expressions;
  /** SQL: the bytes that a row's large columns take. It must not read them. */
  bytes: string;
  /** Nearly every row may be large: the first try, as if none were, is left out. */
  always?: boolean;
}

interface Parts {
  columns: string;
  /** The conditions of filters and position, each with `and` before it. */
  conditions: string;
  limit: string;
}

interface KeysetList<Plain extends Types, Large extends Types, Name extends string> {
  /** `module.what`. */
  name: string;
  /** Why it is not Prisma. */
  why: string;
  /** The list's name in cursors: a cursor is good for this list alone. */
  cursor: string;
  columns: Plain;
  expressions?: Expressions;
  /** The table whose columns all others are. */
  table?: string;
  /** Without it the rows are so small that a full page of the largest is within the budget. */
  bulk?: Bulk<Large>;
  /** What orders the list, the last one unique: SQL, and the name of the column that has it. */
  order: readonly (readonly [sql: string, name: string & keyof Plain])[];
  direction: 'asc' | 'desc';
  /** The statement, which has the order by itself. The team is `:tenantId`. */
  sql: (parts: Parts) => string;
  filters?: Readonly<Record<Name, Filter>>;
}

/** A page is read with one row more than it has, which says whether another page follows. */
const usualRows = limits.pageSize.default + 1;

/** Rows that a page reads where it has to leave some out: at least so many at a time, and so many at most. */
const readAtOnce = { atLeast: 200, most: 5_000 };

const positionTypes: readonly [typeName: string, value: z.ZodType<string | boolean>][] = [
  ['timestamp with time zone', z.iso.datetime()],
  ['uuid', z.uuid()],
  ['boolean', z.boolean()],
];

/** What a cursor's value of this type looks like. */
export const positionType = ({ names: [name = ''] }: SqlType<unknown>): z.ZodType<string | boolean> => {
  const found = positionTypes.find(([known]) => known === name);
  if (!found) throw new Error(`no list can be ordered by ${name}`);
  return found[1];
};

type Position = (string | boolean)[];

/** All subsets of these, in their order. */
const subsetsOf = <Item>(items: readonly Item[]): Item[][] =>
  items.reduce<Item[][]>((subsets, item) => [...subsets, ...subsets.map((subset) => [...subset, item])], [[]]);

/** A row as the driver gives it. */
type Found = Readonly<Record<string, unknown>>;

/**
 * Defines a list.
 *
 * Rows in which `hidden` is true are left out: a page with many of them may be short, or empty, and have a `next_cursor` all the
 * same. A list whose rows may be large (`bulk`) is read as if none were, without the large columns of rows that are: that costs
 * what it costs without a budget. Only where a row turns out to be large, the page is read again by a query that ends at the budget.
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
  order,
  direction,
  sql,
  filters,
}: KeysetList<Plain, Large, Name>) => {
  type Row = RowOf<Plain> & RowOf<Large>;
  const knownFilters = Object.entries<Filter>(filters ?? {});
  const large: Types = bulk?.columns ?? {};
  const casts: Expressions = bulk?.casts ?? {};
  const orderNames = order.map(([, column]) => column);
  const inOrder = orderNames.map((column) => `${column} ${direction}`).join(', ');
  const plainColumns = select(columns, expressions, table);
  const castOf = (column: string): string => casts[column] ?? '';
  const storedIn = (column: string): string => expressionOf(column, expressions, table);

  const statementOf = (parts: Omit<Parts, 'columns'>, cut: boolean): string => {
    if (!bulk) return sql({ ...parts, columns: plainColumns });
    const { bytes } = bulk;
    if (!cut) {
      const unlessLarge = Object.keys(large).map(
        (column) => `case when ${bytes} <= ${smallRowBytes} then ${storedIn(column)}${castOf(column)} end as ${column}`,
      );
      // Null is the cheapest value to write and to read: only large rows have `is_large`.
      const isLarge = `nullif(${bytes} > ${smallRowBytes}, false) as is_large`;
      return sql({ ...parts, columns: [plainColumns, ...unlessLarge, isLarge].join(', ') });
    }
    const stored = Object.keys(large).map((column) => `${storedIn(column)} as ${column}`);
    const answered = Object.keys(large).map((column) => `${column}${castOf(column)} as ${column}`);
    return withinBudget({
      page: sql({ ...parts, columns: [plainColumns, ...stored, `${bytes} as bytes`].join(', ') }),
      order: inOrder,
      columns: [...Object.keys(columns), ...answered, 'more'].join(', '),
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
  const after = `and (${order.map(([expression]) => expression).join(', ')}) ${direction === 'desc' ? '<' : '>'} (${positionParameters.join(', ')})`;

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

  const both = [false, true];
  const cuts = bulk ? (bulk.always ? [true] : both) : [false];
  const queries = new Map<string, Query>();
  for (const given of subsetsOf(knownFilters)) {
    for (const paged of both) {
      for (const usual of both) {
        for (const cut of cuts) {
          const made = define(given, { paged, usual, cut });
          queries.set(made.name, made);
        }
      }
    }
  }

  /** Large columns that are never null: a row that was read without them has null there. */
  const neverNull = Object.keys(large).filter((column) => large[column]?.nullable === false);

  /** The queries' declarations were compared with the database in CI; what is left to examine is whether large columns are there. */
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
  const mayHide = 'hidden' in columns;

  return async (
    team: Team,
    { limit, cursor: start }: { cursor?: string | undefined; limit: number },
    values: Partial<Record<Name, string | undefined>> = {},
  ): Promise<Page<Row>> => {
    const given = knownFilters.flatMap(([filter, { isId: mustBeId = false }]) => {
      const value: unknown = Reflect.get(values, filter);
      return typeof value === 'string' ? [{ filter, value, mustBeId }] : [];
    });
    const filterValues = Object.fromEntries(given.map(({ filter, value }) => [filter, value]));
    const filterNames = given.map(({ filter }) => filter);

    const run = async (from: Position | undefined, rows: number, cut: boolean): Promise<Found[]> => {
      const variant = { paged: from !== undefined, usual: rows === usualRows, cut };
      const made = queries.get(variantName(filterNames, variant));
      if (!made) throw new Error(`the list ${name} has no such variant`);
      const behind = Object.fromEntries((from ?? []).map((value, index) => [`after_${orderNames[index]}`, value]));
      return team.platform.database.run(made, { tenantId: team.id, limit: rows, ...filterValues, ...behind });
    };

    const read = async (
      from: Position | undefined,
      rows: number,
    ): Promise<{ rows: (Found & Row)[]; isLarge: boolean }> => {
      const small = bulk?.always ? undefined : await run(from, rows, false);
      const isLarge = !small || small.some((row) => row['is_large'] === true);
      const whole = isLarge ? await run(from, rows, true) : small;
      assertWhole(whole);
      return { rows: whole, isLarge };
    };

    return walkPage<Found & Row, Position>(team, {
      list: [cursor, ...given.map(({ filter, value }) => `${filter}=${encodeURIComponent(value)}`)].join('&'),
      position: Position,
      query: { cursor: start, limit },
      walk: async (from, wanted) => {
        if (given.some(({ value, mustBeId }) => mustBeId && !isId(value))) return { rows: [] };
        const shown: (Found & Row)[] = [];
        let [behind, size, seen] = [from, wanted, 0];
        for (;;) {
          const found = await read(behind, size);
          const { rows, stoppedAt } = cutAt(found.rows, positionOf);
          shown.push(...(mayHide ? rows.filter((row) => row['hidden'] !== true) : rows));
          if (stoppedAt) return { rows: shown, stoppedAt };
          const last = rows.at(-1);
          if (!last || rows.length < size || shown.length >= wanted) return { rows: shown };
          behind = positionOf(last);
          seen += rows.length;
          // Large rows have used part of the page's budget, so the page ends here.
          if (seen >= readAtOnce.most || found.isLarge) return { rows: shown, stoppedAt: behind };
          size = Math.max(wanted, readAtOnce.atLeast);
        }
      },
      positionOf,
    });
  };
};

interface Variant {
  /** Behind a position. */
  paged: boolean;
  /** Of the usual length. */
  usual: boolean;
  /** Ends at the budget. */
  cut: boolean;
}

// Pages

interface Sorted<Row, P extends AnyPosition> {
  /** The list's name and filter: a cursor is good for these alone. */
  list: string;
  /** The shape of a position in it. */
  position: z.ZodType<P>;
  query: { cursor?: string | undefined; limit: number };
  positionOf: (row: Row) => NoInfer<P>;
}

interface Walk<Row, P extends AnyPosition> extends Sorted<Row, P> {
  /** Up to `limit` rows that pass the filter, and where it stopped if it did so before the end of the list. */
  walk: (after: NoInfer<P> | undefined, limit: number) => Promise<{ rows: Row[]; stoppedAt?: NoInfer<P> | undefined }>;
}

/**
 * One page of a list whose filter may let little through: it walks only so far, and the next page goes on where it stopped.
 * Such a page may be short, or empty, and is not the last one.
 */
export const walkPage = async <Row, P extends AnyPosition>(
  team: Team,
  { list, position, query, walk, positionOf }: Walk<Row, P>,
): Promise<Page<Row>> => {
  const { vault } = team.platform;
  const scope = `${team.id} ${list}`;
  let after: P | undefined;
  if (query.cursor !== undefined) {
    const read = position.safeParse(readCursor(vault, scope, query.cursor));
    after = read.success ? read.data : fail('validation_error', { field: 'cursor' });
  }
  const { rows, stoppedAt } = await walk(after, query.limit + 1);
  const data = rows.slice(0, query.limit);
  const last = data.at(-1);
  const end = rows.length > query.limit && last !== undefined ? positionOf(last) : stoppedAt;
  return { data, next_cursor: end === undefined ? null : writeCursor(vault, scope, end) };
};

/** Whether a page ended at this row because what follows was too much for it. */
const isCut = (row: object): boolean => 'more' in row && row.more === true;

/** Rows that the page's budget may have cut short, and where the next page goes on. */
export const cutAt = <Row extends object, P extends AnyPosition>(
  rows: Row[],
  positionOf: (row: Row) => P,
): { rows: Row[]; stoppedAt?: P | undefined } => {
  const last = rows.at(-1);
  return { rows, stoppedAt: last && isCut(last) ? positionOf(last) : undefined };
};
