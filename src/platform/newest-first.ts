import { z } from 'zod';
import { isId } from '../core/ids.ts';
import { statement } from '../db/statement.ts';
import type { Statement } from '../db/statement.ts';
import { smallRowBytes, withinBudget } from './page-budget.ts';
import { cutAt, walkPage } from './paging.ts';
import type { Page } from './paging.ts';
import type { Team } from './team.ts';

const Position = z.tuple([z.iso.datetime(), z.uuid()]);
type Position = z.output<typeof Position>;

/** What a filter's value is: an id that may be anything a caller wrote, or a value that its schema has already read. */
type FilterKind = 'id' | 'value';

interface Filter {
  kind: FilterKind;
  /** The condition; each `?` stands for the value. */
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

/** Rows that a page looks at where it has to leave some out: at least so many at a time, and so many at most. */
const lookedAt = { atLeast: 200, most: 5_000 };

/** As the rows of a page have it: the last word of `a.due_date::text as due_date`. */
const nameOf = (column: string): string => /\w+$/.exec(column)?.[0] ?? column;

/**
 * The columns of a page on which no row is large. A large row has its large columns left out and `is_large`, which is null on all
 * others: null is the cheapest value to write and to read.
 */
const smallColumns = ({ plain, large, bytes }: Bulk): string =>
  [
    ...plain,
    ...Object.entries(large).map(
      ([name, { column, as = '' }]) => `case when ${bytes} <= ${smallRowBytes} then ${column}${as} end as ${name}`,
    ),
    `nullif(${bytes} > ${smallRowBytes}, false) as is_large`,
  ].join(', ');

const allColumns = ({ plain, large, bytes }: Bulk): string =>
  [...plain, ...Object.entries(large).map(([name, { column }]) => `${column} as ${name}`), `${bytes} as bytes`].join(
    ', ',
  );

const answeredColumns = ({ plain, large }: Bulk): string =>
  [...plain.map(nameOf), ...Object.entries(large).map(([name, { as = '' }]) => `${name}${as} as ${name}`), 'more'].join(
    ', ',
  );

const isLarge = (row: object): boolean => 'is_large' in row && row.is_large === true;

/**
 * A list by keyset, newest first. Rows that are `hidden` are left out: a page with many of them may be short, or empty, and
 * have a `next_cursor` all the same. Each set of filters becomes a statement of its own, so that PostgreSQL plans it with the
 * index that was made for it. An id that can't be one is of nothing: the page is empty.
 *
 * A list whose rows may be large (`bulk`) is read as if none were: that costs what it costs without a budget, and leaves large
 * columns out. Only where a row turns out to be large, the page is read again by a statement that ends at the budget.
 */
export const newestFirst = <
  Row extends { id: string; hidden?: true | null } & Record<At, string>,
  At extends string,
  Name extends string,
>({
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
    const conditions = given.map((filter, index) => `and ${filter.sql.replaceAll('?', () => `$${index + 3}`)}`);
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
    const positionOf = (row: Row): Position => [row[at], row.id];
    const impossible = given.some(({ filter, value }) => filter.kind === 'id' && !isId(value));
    const read = async (after: Position | undefined, limit: number): Promise<{ rows: Row[]; isLarge: boolean }> => {
      const conditions = given.map(({ filter }) => filter);
      const rows = (cut: boolean) =>
        team.platform.database.rows(
          statementFor(conditions, after !== undefined, cut),
          team.id,
          limit,
          ...given.map(({ value }) => value),
          ...(after ?? []),
        );
      const found = bulk?.always ? undefined : await rows(false);
      if (found && !found.some(isLarge)) return { rows: found, isLarge: false };
      return { rows: await rows(true), isLarge: true };
    };

    return walkPage<Row, Position>(team, {
      list: [list, ...given.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)].join('&'),
      position: Position,
      query,
      walk: async (start, limit) => {
        if (impossible) return { rows: [] };
        const shown: Row[] = [];
        let [after, size, seen] = [start, limit, 0];
        for (;;) {
          const found = await read(after, size);
          const { rows, stoppedAt } = cutAt(found.rows, positionOf);
          shown.push(...rows.filter(({ hidden }) => hidden !== true));
          if (stoppedAt) return { rows: shown, stoppedAt };
          const last = rows.at(-1);
          if (!last || rows.length < size || shown.length >= limit) return { rows: shown };
          after = positionOf(last);
          seen += rows.length;
          // Large rows have used part of the page's budget, so the page ends here.
          if (seen >= lookedAt.most || found.isLarge) return { rows: shown, stoppedAt: after };
          size = Math.max(limit, lookedAt.atLeast);
        }
      },
      positionOf,
    });
  };
};
