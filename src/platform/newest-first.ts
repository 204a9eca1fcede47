import { z } from 'zod';
import { isId } from '../core/ids.ts';
import { statement } from '../db/statement.ts';
import type { Statement } from '../db/statement.ts';
import { walkPage } from './paging.ts';
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

interface NewestFirst<At extends string, Name extends string> {
  /** The list's name: its cursors are good for nothing else. */
  list: string;
  /** The two columns of its order, as the statement calls them. */
  order: readonly [at: string, id: string];
  /** Under which name a row has the first of them. */
  at: At;
  /** The whole statement, given the conditions of page and filters. `$1` is the tenant, `$2` how many rows at most. */
  sql: (conditions: string) => string;
  filters?: Readonly<Record<Name, Filter>>;
}

type Given<Name extends string> = Partial<Record<Name, string | undefined>>;

/** Rows that a page looks at where it has to leave some out: at least so many at a time, and so many at most. */
const lookedAt = { atLeast: 200, most: 5_000 };

/**
 * A list by keyset, newest first. Rows that are `hidden` are left out: a page with many of them may be short, or empty, and
 * have a `next_cursor` all the same. Each set of filters becomes a statement of its own, so that PostgreSQL plans it with the
 * index that was made for it. An id that can't be one is of nothing: the page is empty.
 */
export const newestFirst = <
  Row extends { id: string; hidden?: boolean } & Record<At, string>,
  At extends string,
  Name extends string,
>({
  list,
  order: [atColumn, idColumn],
  at,
  sql,
  filters,
}: NewestFirst<At, Name>) => {
  const statements = new Map<string, Statement<Row, unknown[]>>();
  const known: [string, Filter][] = Object.entries<Filter>(filters ?? {});

  const statementFor = (given: readonly Filter[], paged: boolean): Statement<Row, unknown[]> => {
    const name = `${paged} ${given.map((filter) => filter.sql).join(' ')}`;
    const made = statements.get(name);
    if (made) return made;
    const conditions = given.map((filter, index) => `and ${filter.sql.replaceAll('?', () => `$${index + 3}`)}`);
    const [time, id] = [given.length + 3, given.length + 4];
    if (paged) conditions.push(`and (${atColumn}, ${idColumn}) < ($${time}::timestamptz, $${id}::uuid)`);
    const next = statement<Row, unknown[]>(sql(conditions.join(' ')));
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
    const read = (after: Position | undefined, limit: number): Promise<Row[]> => {
      const wanted = statementFor(
        given.map(({ filter }) => filter),
        after !== undefined,
      );
      return team.platform.database.rows(wanted, team.id, limit, ...given.map(({ value }) => value), ...(after ?? []));
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
          const rows = await read(after, size);
          shown.push(...rows.filter(({ hidden }) => hidden !== true));
          const last = rows.at(-1);
          if (!last || rows.length < size || shown.length >= limit) return { rows: shown };
          after = positionOf(last);
          seen += rows.length;
          if (seen >= lookedAt.most) return { rows: shown, stoppedAt: after };
          size = Math.max(limit, lookedAt.atLeast);
        }
      },
      positionOf,
    });
  };
};
