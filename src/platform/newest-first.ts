import { z } from 'zod';
import { isId } from '../core/ids.ts';
import { statement } from '../db/statement.ts';
import type { Statement } from '../db/statement.ts';
import { smallRowBytes, withinBudget } from './page-budget.ts';
import { readPage } from './paging.ts';
import type { Page } from './paging.ts';
import type { Team } from './team.ts';

const Position = z.tuple([z.iso.datetime(), z.uuid()]);
type Position = z.output<typeof Position>;

/** What a filter's value is: an id that may be anything a caller wrote, or a value that its schema has already read. */
type FilterKind = 'id' | 'value';

interface Filter {
  kind: FilterKind;
  /** The condition; `?` stands for the value. */
  sql: string;
}

/** The columns of a list that may take more than a page's budget has for each row. */
interface Bulk {
  /** All other columns, as they are selected. */
  plain: readonly string[];
  /** The large ones: where each is, and how an answer has it (`::text`, or as it is). */
  large: Readonly<Record<string, { column: string; as?: string }>>;
  /** The bytes that a row's large columns take; it must not read them. */
  bytes: string;
  /** Nearly every row may be large: such a list is not looked at as if none were. */
  always?: boolean;
}

interface NewestFirst<At extends string, Name extends string> {
  /** The list's name: its cursors are good for nothing else. */
  list: string;
  /** The two columns of its order, as the statement calls them. */
  order: readonly [at: string, id: string];
  /** Under which name a row has the first of them. */
  at: At;
  /** The whole statement, given the conditions of page and filters. `$1` is the tenant, `$2` how many rows at most. */
  sql: (conditions: string, columns: string) => string;
  /** Without it the rows are so small that a full page of the largest is within the budget. */
  bulk?: Bulk;
  filters?: Readonly<Record<Name, Filter>>;
}

type Given<Name extends string> = Partial<Record<Name, string | undefined>>;

/** As the rows of a page have it: the last word of `a.due_date::text as due_date`. */
const nameOf = (column: string): string => /\w+$/.exec(column)?.[0] ?? column;

/** A page as it is while no row of it is large: the size is looked at, and a large column left out. */
const smallColumns = ({ plain, large, bytes }: Bulk): string =>
  [
    ...plain,
    ...Object.entries(large).map(
      ([name, { column, as = '' }]) => `case when ${bytes} <= ${smallRowBytes} then ${column}${as} end as ${name}`,
    ),
    `${bytes} as bytes`,
  ].join(', ');

const allColumns = ({ plain, large, bytes }: Bulk): string =>
  [...plain, ...Object.entries(large).map(([name, { column }]) => `${column} as ${name}`), `${bytes} as bytes`].join(
    ', ',
  );

const answeredColumns = ({ plain, large }: Bulk): string =>
  [...plain.map(nameOf), ...Object.entries(large).map(([name, { as = '' }]) => `${name}${as} as ${name}`), 'more'].join(
    ', ',
  );

const isLarge = (row: object): boolean => 'bytes' in row && typeof row.bytes === 'number' && row.bytes > smallRowBytes;

/**
 * A list by keyset, newest first. Each set of filters becomes a statement of its own, so that PostgreSQL plans it with the
 * index that was made for it. An id that can't be one is of nothing: the page is empty.
 *
 * A list whose rows may be large (`bulk`) is read as if none were: that costs what it costs without a budget, and leaves large
 * columns out. Only where a row turns out to be large, the page is read again by a statement that ends at the budget.
 */
export const newestFirst = <Row extends { id: string } & Record<At, string>, At extends string, Name extends string>({
  list,
  order: [atColumn, idColumn],
  at,
  sql,
  bulk,
  filters,
}: NewestFirst<At, Name>) => {
  const nameOfTime = nameOf(atColumn);
  const whole = (conditions: string, cut: boolean): string => {
    if (!bulk) return sql(conditions, '');
    if (!cut) return sql(conditions, smallColumns(bulk));
    return withinBudget({
      page: sql(conditions, allColumns(bulk)),
      order: `${nameOfTime} desc, id desc`,
      columns: answeredColumns(bulk),
      bytes: 'bytes',
    });
  };
  const statements = new Map<string, Statement<Row, unknown[]>>();
  const known: [string, Filter][] = Object.entries<Filter>(filters ?? {});

  const statementFor = (given: readonly Filter[], paged: boolean, cut: boolean): Statement<Row, unknown[]> => {
    const name = `${paged} ${cut} ${given.map((filter) => filter.sql).join(' ')}`;
    const made = statements.get(name);
    if (made) return made;
    const conditions = given.map((filter, index) => `and ${filter.sql.replace('?', () => `$${index + 3}`)}`);
    const [time, id] = [given.length + 3, given.length + 4];
    if (paged) conditions.push(`and (${atColumn}, ${idColumn}) < ($${time}::timestamptz, $${id}::uuid)`);
    const next = statement<Row, unknown[]>(whole(conditions.join(' '), cut));
    statements.set(name, next);
    return next;
  };

  return (
    team: Team,
    query: { cursor?: string | undefined; limit: number },
    values: Given<Name> = {},
  ): Promise<Page<Row>> => {
    const texts = new Map(Object.entries<string | undefined>(values));
    const given = known.flatMap(([name, filter]) => {
      const value = texts.get(name);
      return value === undefined ? [] : [{ name, filter, value }];
    });
    return readPage<Row, Position>(team, {
      list: [list, ...given.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)].join('&'),
      position: Position,
      query,
      read: async (after, limit) => {
        if (given.some(({ filter, value }) => filter.kind === 'id' && !isId(value))) return [];
        const conditions = given.map(({ filter }) => filter);
        const rows = (cut: boolean) =>
          team.platform.database.rows(
            statementFor(conditions, after !== undefined, cut),
            team.id,
            limit,
            ...given.map(({ value }) => value),
            ...(after ?? []),
          );
        if (!bulk) return rows(false);
        if (bulk.always) return rows(true);
        const found = await rows(false);
        return found.some(isLarge) ? rows(true) : found;
      },
      positionOf: (row) => [row[at], row.id],
    });
  };
};
