import { limits } from '../core/limits.ts';
import { snakeName } from '../core/spelling.ts';
import { bool, int, query, uuid, type Query, type SqlType } from '../db/query.ts';
import { maxCounted, smallRowBytes, withinBudget } from './paging.ts';

// The statements of a list with keyset pagination: those of its pages, and the one that counts its rows.
//
// Each set of filters is a separate named query, made at its first call, so that PostgreSQL plans it with its own
// index. A page of the default length is a separate query, too, because with the limit as a parameter PostgreSQL would
// plan the statement again on every call.

/**
 * How many statements of a list this process keeps, and each connection keeps prepared. People and programs use few
 * sets of filters. The limit is for a caller who tries all of them, which must not fill the memory.
 */
const maxKept = 200;

export type ColumnTypes = Readonly<Record<string, SqlType<unknown>>>;

/** The SQL expression of each column that is not simply a column of the table (`user_id` for `userId`). */
type Expressions = Readonly<Record<string, string>>;

/** SQL: the columns of a select. */
export const select = (columns: ColumnTypes, expressions: Expressions = {}, table?: string): string =>
  Object.keys(columns)
    .map((column) => `${expressionOf(column, expressions, table)} as "${column}"`)
    .join(', ');

const expressionOf = (column: string, expressions: Expressions, table: string | undefined): string =>
  expressions[column] ?? (table === undefined ? snakeName(column) : `${table}.${snakeName(column)}`);

export interface ListFilter {
  /** The condition. The value is the parameter with the filter's name. */
  sql: string;
  type: SqlType<unknown>;
  /** The value must be an id. Any other text matches nothing, and the page is empty. */
  isId?: boolean;
  /** Every read of the list has this filter. */
  always?: boolean;
  /**
   * Each value of this enum has statements of its own, with the value in them, so that the index of the rows with this
   * value can be used. With a parameter PostgreSQL can't know that this index has all matching rows.
   */
  inStatement?: boolean;
  /**
   * Whether the condition is the bound at which the list begins, so that all rows behind a position meet it. A page
   * behind a position leaves such a condition out: with several bounds PostgreSQL would expect few rows between them,
   * and walk these rows instead of using an index with fewer rows.
   */
  impliedByPosition?: boolean;
}

/**
 * The name of a filter in a statement's set of filters. If the value is in the statement, the name contains it
 * (`status=open`).
 */
export const givenAs = (name: string, filter: ListFilter | undefined, value: unknown): string =>
  filter?.inStatement ? `${name}=${String(value)}` : name;

interface LargeColumns<Large extends ColumnTypes> {
  /**
   * The columns that may be too large for a full page within the budget. A large value is read only if the page
   * includes it.
   */
  columns: Large;
  /** SQL: the size of a row's large columns in bytes. It must not read them. */
  bytes: string;
  /**
   * Set if nearly every row may be large. Then the first query, without the large columns of large rows, is left out.
   */
  always?: boolean;
}

/** The texts of which a statement of the list is made. */
interface StatementTexts {
  columns: string;
  /** The conditions of the filters and the position, each with `and` before it. */
  conditions: string;
  limit: string;
}

export interface KeysetList<Plain extends ColumnTypes, Large extends ColumnTypes, Name extends string> {
  /** `module.what`. */
  name: string;
  /** Why it is not Prisma. */
  why: string;
  /** The list's name in cursors: a cursor is valid only for its list. */
  cursor: string;
  columns: Plain;
  expressions?: Expressions;
  /** The table of the team's id and of all columns without an expression. */
  table?: string;
  /** Absent if rows are so small that a full page of the largest rows is within the budget. */
  bulk?: LargeColumns<Large>;
  /** SQL: the tables of the statement. The team is `:tenantId`. */
  from: string;
  /** SQL: a condition of all rows of the list. */
  where?: string;
  /** SQL: a statement that contains the statement of the page. */
  around?: (page: string, limit: string) => string;
  /**
   * The columns by which the list is ordered. The id comes last, because a page continues after one row, and several
   * rows may have the same time.
   */
  order: readonly [...(string & keyof Plain)[], 'id'];
  direction: 'asc' | 'desc';
  filters?: Readonly<Record<Name, ListFilter>>;
  /** Whether the list has a count. */
  counted?: boolean;
}

/**
 * How many rows are read for a page of the default length: one more than it has, which shows whether another page
 * follows.
 */
export const usualRows = limits.pageSize.default + 1;

/** Which of the statements of a set of filters this is. */
interface StatementVariant {
  /** Whether the page starts after a position. */
  paged: boolean;
  /** Whether the page ends at the budget. */
  cut: boolean;
  /** How many rows the page has at most. */
  rows: number;
}

/** The names by which a list identifies its filters, and the filters that every read has. */
export const filterNamesOf = (filters: Readonly<Record<string, ListFilter>>) => {
  const names = Object.keys(filters);
  return { names, always: names.filter((name) => filters[name]?.always) };
};

/** The texts of a list's statements. */
const textsOf = ({
  columns,
  expressions = {},
  table,
  bulk,
  from: tables,
  where,
  around = (page) => page,
  order: orderNames,
  direction,
}: KeysetList<ColumnTypes, ColumnTypes, string>) => {
  const large: ColumnTypes = bulk?.columns ?? {};
  const inOrder = orderNames.map((column) => `"${column}" ${direction}`).join(', ');
  const plainColumns = select(columns, expressions, table);
  const storedIn = (column: string): string => expressionOf(column, expressions, table);
  const ofList = [`${storedIn('tenant_id')} = :tenantId`, ...(where === undefined ? [] : [`(${where})`])].join(' and ');
  const orderBy = orderNames.map((column) => `${storedIn(column)} ${direction}`).join(', ');
  const positionParameters = orderNames.map((column) => `:after_${column}`);

  const sql = ({ columns: selected, conditions, limit }: StatementTexts): string =>
    around(`select ${selected} from ${tables} where ${ofList} ${conditions} order by ${orderBy} limit ${limit}`, limit);

  return {
    sql,
    orderColumns: orderNames.map((column) => `${storedIn(column)} as "${column}"`).join(', '),
    /** The condition of the rows after a position. */
    after: `and (${orderNames.map(storedIn).join(', ')}) ${direction === 'desc' ? '<' : '>'} (${positionParameters.join(', ')})`,

    statementOf: (parts: Omit<StatementTexts, 'columns'>, cut: boolean): string => {
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
    },

    rowOf: (cut: boolean): ColumnTypes => ({
      ...columns,
      ...(cut ? large : Object.fromEntries(Object.entries(large).map(([column, type]) => [column, type.orNull]))),
      ...(bulk && (cut ? { more: bool.checked } : { is_large: bool.orNull })),
    }),
  };
};

/** A filter that a page uses, with its value if the value is in the statement. */
interface AskedFilter {
  filter: string;
  value: string | undefined;
  declared: ListFilter | undefined;
}

/** Reads the names of the filters that a page uses, in the form that `givenAs` writes. */
const askedIn = (
  filters: Readonly<Record<string, ListFilter>>,
  given: readonly string[],
  paged: boolean,
): AskedFilter[] =>
  given
    .map((one) => {
      const [filter = '', value] = one.split('=');
      return { filter, value, declared: filters[filter] };
    })
    .filter(({ declared }) => !(paged && declared?.impliedByPosition));

/** The conditions of the filters, each with `and` before it. */
const conditionsOf = (list: string, asked: readonly AskedFilter[]): string[] =>
  asked.map(({ filter, value, declared }) => {
    const condition = declared?.sql ?? '';
    if (value === undefined) return `and ${condition}`;
    if (!declared?.type.labels?.includes(value))
      throw new Error(`the filter ${filter} of ${list} has no value ${value}`);
    return `and ${condition.replaceAll(`:${filter}`, `'${value}'`)}`;
  });

const parametersOf = (asked: readonly AskedFilter[]): ColumnTypes =>
  Object.fromEntries(
    asked.flatMap(({ filter, value, declared }) =>
      value === undefined ? [[filter, declared?.type ?? uuid] as const] : [],
    ),
  );

/** The statements of a list. Each is made when it is first needed. */
export const statementsOf = (list: KeysetList<ColumnTypes, ColumnTypes, string>) => {
  const { name, why, columns, bulk, order: orderNames, filters = {}, counted = false } = list;
  const { sql, statementOf, rowOf, after, orderColumns } = textsOf(list);
  const queries = new Map<string, Query>();

  const keptOr = (variant: string, make: (isKept: boolean) => Query): Query => {
    const known = queries.get(variant);
    if (known) return known;
    const isKept = queries.size < maxKept;
    const made = make(isKept);
    if (isKept) queries.set(variant, made);
    return made;
  };

  /** The named query for these filters, made at the first call. */
  const queryFor = (given: readonly string[], { paged, cut, rows }: StatementVariant): Query => {
    const isUsual = rows === usualRows;
    const variant = [name, ...given, paged && 'after', isUsual && 'usual', cut && 'cut'].filter(Boolean).join(' ');
    const make = (isKept: boolean) => {
      const asked = askedIn(filters, given, paged);
      const conditions = [...conditionsOf(name, asked), ...(paged ? [after] : [])].join(' ');
      return query({
        name: variant,
        isKept,
        why,
        sql: statementOf({ conditions, limit: isUsual ? String(usualRows) : ':limit::int' }, cut),
        parameters: {
          tenantId: uuid,
          ...parametersOf(asked),
          ...(paged && Object.fromEntries(orderNames.map((column) => [`after_${column}`, columns[column] ?? uuid]))),
          ...(!isUsual && { limit: int }),
        },
        row: rowOf(cut),
      });
    };
    return keptOr(variant, make);
  };

  /** Counts the rows with these filters, but reads no more than the limit of counts. */
  const countFor = (given: readonly string[]): Query => {
    const variant = [name, ...given, 'count'].join(' ');
    return keptOr(variant, (isKept) => {
      const asked = askedIn(filters, given, false);
      const conditions = conditionsOf(name, asked).join(' ');
      const all = sql({ columns: orderColumns, conditions, limit: String(maxCounted + 1) });
      return query({
        name: variant,
        isKept,
        why,
        sql: `select count(*)::int as count from (${all}) as counted`,
        parameters: { tenantId: uuid, ...parametersOf(asked) },
        row: { count: int.checked },
      });
    });
  };

  // A test compares all named queries with the database, so a few queries of each list are made at once. Those for
  // other sets of filters consist of the same conditions, parameters and columns.
  const { names: known, always } = filterNamesOf(filters);
  const names = known.map((filter) => givenAs(filter, filters[filter], filters[filter]?.type.labels?.[0]));
  for (const cut of bulk ? (bulk.always ? [true] : [false, true]) : [false]) {
    queryFor(always, { paged: false, cut, rows: usualRows });
    queryFor(names, { paged: true, cut, rows: 1 });
  }
  if (counted) countFor(names);

  return { queryFor, countFor };
};
