import { z } from 'zod';
import { readCursor, writeCursor } from '../core/cursor.ts';
import type { Position } from '../core/cursor.ts';
import { limits } from '../core/limits.ts';
import { fail } from '../core/problem.ts';
import type { Team } from './team.ts';

const { pageSize } = limits;

/** The query of a list route; routes add their filters with `.extend`. */
export const PageQuery = z.strictObject({
  cursor: z.string().optional().meta({ description: '`next_cursor` of the page before, unchanged.' }),
  limit: z
    .int()
    .min(pageSize.least)
    .max(pageSize.most)
    .default(pageSize.default)
    .meta({ description: 'How many entries a page has at most.' }),
});

export const pageOf = <Item extends z.ZodObject>(item: Item) =>
  z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().meta({ description: 'Opaque; null on the last page.' }),
  });

export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

interface Sorted<Row, P extends Position> {
  /** The list's name and filter: a cursor is good for these alone. */
  list: string;
  /** The shape of a position in it. */
  position: z.ZodType<P>;
  query: { cursor?: string | undefined; limit: number };
  positionOf: (row: Row) => NoInfer<P>;
}

interface Walk<Row, P extends Position> extends Sorted<Row, P> {
  /** Up to `limit` rows that pass the filter, and where it stopped if it did so before the end of the list. */
  walk: (after: NoInfer<P> | undefined, limit: number) => Promise<{ rows: Row[]; stoppedAt?: NoInfer<P> | undefined }>;
}

/**
 * One page of a list whose filter may let little through: it walks only so far, and the next page goes on where it stopped.
 * Such a page may be short, or empty, and is not the last one.
 */
export const walkPage = async <Row, P extends Position>(
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
export const cutAt = <Row extends object, P extends Position>(
  rows: Row[],
  positionOf: (row: Row) => P,
): { rows: Row[]; stoppedAt?: P | undefined } => {
  const last = rows.at(-1);
  return { rows, stoppedAt: last && isCut(last) ? positionOf(last) : undefined };
};
