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

interface Listing<Row, P extends Position> {
  /** The list's name and filter: a cursor is good for these alone. */
  list: string;
  /** The shape of a position in it. */
  position: z.ZodType<P>;
  query: { cursor?: string | undefined; limit: number };
  /** Up to `limit` rows behind a position, or from the start. */
  read: (after: NoInfer<P> | undefined, limit: number) => Promise<Row[]>;
  positionOf: (row: Row) => NoInfer<P>;
}

/** One page of a list by keyset: stays right and costs the same however deep it is and whatever is added meanwhile. */
export const readPage = async <Row, P extends Position>(
  team: Team,
  { list, position, query, read, positionOf }: Listing<Row, P>,
): Promise<Page<Row>> => {
  const { vault } = team.platform;
  const scope = `${team.id} ${list}`;
  let after: P | undefined;
  if (query.cursor !== undefined) {
    const read = position.safeParse(readCursor(vault, scope, query.cursor));
    after = read.success ? read.data : fail('validation_error', { field: 'cursor' });
  }
  const rows = await read(after, query.limit + 1);
  const data = rows.slice(0, query.limit);
  const last = data.at(-1);
  const more = rows.length > query.limit && last !== undefined;
  return { data, next_cursor: more ? writeCursor(vault, scope, positionOf(last)) : null };
};
