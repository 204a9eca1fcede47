import { z } from 'zod';
import { isId } from '../core/ids.ts';
import { uuid, type RowOf, type SqlType } from '../db/query.ts';
import {
  filterNamesOf,
  givenAs,
  statementsOf,
  type ListFilter,
  type KeysetList,
  type ColumnTypes,
} from './keyset-statements.ts';
import { countAmong, cutAt, pageAfter, type ListCount, type Page } from './paging.ts';
import type { Team } from './team.ts';

// Lists with keyset pagination: a page starts after the last row of the previous page, by the values that order the
// list. So every page costs the same, and no row is skipped or repeated while rows are added.

type PositionPart = string | boolean | number;

const positionTypes: readonly [typeName: string, value: z.ZodType<PositionPart>][] = [
  ['timestamp with time zone', z.iso.datetime()],
  ['uuid', z.uuid()],
  ['boolean', z.boolean()],
  ['text', z.string()],
  ['integer', z.int()],
  ['double precision', z.number()],
];

/** The schema of values of this type in a cursor. */
export const positionType = ({ names: [name = ''] }: SqlType<unknown>): z.ZodType<PositionPart> => {
  const found = positionTypes.find(([known]) => known === name);
  if (!found) throw new Error(`no list can be ordered by ${name}`);
  return found[1];
};

type Position = PositionPart[];

/** A row as the driver returns it. */
type FoundRow = Readonly<Record<string, unknown>>;

/**
 * Defines a list and returns the function that reads a page of it. If the list is `counted`, `count` counts all its
 * rows.
 *
 * A list with `bulk` (unless `bulk.always`) is first read without the large columns of large rows, which is as cheap as
 * a list without a budget. Only if a row is large, the page is read again with a query that ends at the budget.
 */
export const keysetList = <
  const Plain extends ColumnTypes,
  const Name extends string = never,
  const Large extends ColumnTypes = Readonly<Record<never, never>>,
>(
  list: KeysetList<Plain, Large, Name>,
) => {
  type Row = RowOf<Plain> & RowOf<Large>;
  const { name, columns, order, bulk } = list;
  const knownFilters: Readonly<Record<string, ListFilter>> = list.filters ?? {};
  const large: ColumnTypes = bulk?.columns ?? {};
  const { names: filterNames, always } = filterNamesOf(knownFilters);
  const { queryFor, countFor } = statementsOf(list);

  /** Large columns that no stored row has as null: null shows that the row was read without them. */
  const neverNull = Object.keys(large).filter((column) => large[column]?.nullable === false);

  /** A test compares the queries' declarations with the database. This only checks that large columns were read. */
  const assertWhole: (rows: FoundRow[]) => asserts rows is (FoundRow & Row)[] = (rows) => {
    for (const column of neverNull) {
      if (rows.some((row) => row[column] === null)) throw new Error(`${name} gave null as ${column}`);
    }
  };

  const position = z.tuple([z.unknown()], z.unknown());
  const positionParts = order.map((column) => positionType(columns[column] ?? uuid));
  const Position: z.ZodType<Position> = position.transform((values, context): Position => {
    const parts = positionParts.map((type, index) => type.safeParse(values[index]));
    if (values.length === parts.length && parts.every((part) => part.success)) return parts.map((part) => part.data);
    context.addIssue({ code: 'custom', message: 'no position of this list' });
    return z.NEVER;
  });

  const positionOf = (row: FoundRow): Position =>
    order.map((column) => {
      const value = row[column];
      return typeof value === 'boolean' || typeof value === 'number' ? value : String(value);
    });

  type FilterValues = Partial<Record<Name, string | number | undefined>>;

  const givenIn = (values: FilterValues) =>
    filterNames.flatMap((filter) => {
      const value: unknown = Reflect.get(values, filter);
      if (typeof value === 'string' || typeof value === 'number') {
        return [{ filter, value, mustBeId: knownFilters[filter]?.isId === true }];
      }
      if (always.includes(filter)) throw new Error(`the list ${name} needs ${filter}`);
      return [];
    });

  const namesIn = (given: readonly { filter: string; value: unknown }[]): string[] =>
    given.map(({ filter, value }) => givenAs(filter, knownFilters[filter], value));

  const count = async (team: Team, values: FilterValues = {}): Promise<ListCount> => {
    const given = givenIn(values);
    if (given.some(({ value, mustBeId }) => mustBeId && !isId(String(value)))) return { count: 0, more: false };
    const counting = countFor(namesIn(given));
    const filterValues = Object.fromEntries(given.map(({ filter, value }) => [filter, value]));
    const [row] = await team.platform.database.run(counting, { tenantId: team.id, ...filterValues });
    const found = Number(row?.['count'] ?? 0);
    return countAmong(found);
  };

  const readPage = async (
    team: Team,
    { limit, cursor: start }: { cursor?: string | undefined; limit: number },
    values: FilterValues = {},
  ): Promise<Page<Row>> => {
    const given = givenIn(values);
    const filterValues = Object.fromEntries(given.map(({ filter, value }) => [filter, value]));
    const givenNames = namesIn(given);

    const run = async (from: Position | undefined, rows: number, cut: boolean): Promise<FoundRow[]> => {
      const behind = Object.fromEntries((from ?? []).map((value, index) => [`after_${order[index]}`, value]));
      const page = queryFor(givenNames, { paged: from !== undefined, cut, rows });
      return team.platform.database.run(page, { tenantId: team.id, limit: rows, ...filterValues, ...behind });
    };

    const read = async (from: Position | undefined, rows: number): Promise<(FoundRow & Row)[]> => {
      const small = bulk?.always ? undefined : await run(from, rows, false);
      const isLarge = !small || small.some((row) => row['is_large'] === true);
      const whole = isLarge ? await run(from, rows, true) : small;
      assertWhole(whole);
      return whole;
    };

    return pageAfter<FoundRow & Row, Position>(team, {
      list: [list.cursor, ...given.map(({ filter, value }) => `${filter}=${encodeURIComponent(value)}`)].join('&'),
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
