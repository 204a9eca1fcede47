import { z } from 'zod';
import type { Vault } from '../core/crypto.ts';
import { limits } from '../core/limits.ts';
import { fieldMessages } from '../core/messages/fields.ts';
import { fail } from '../core/problem.ts';
import type { Team } from './team.ts';
import { Instant } from './values.ts';

// Lists that are read page by page, and the parts that all of them share: the query and answer, counts, cursors, and
// the end of a page at a number of bytes. There are two kinds:
//
//   keysetList   each page has the next rows that match. An index finds them: nearly all lists
//   walkList     each page looks for matches among the next thousands of rows: histories, with filters without an index
//
// Both are made of `pageAfter`. Short lists of the app, which are read through Prisma, call it themselves.

const { pageSize } = limits;

/** The query of a list route; routes add their filters with `.extend`. */
export const PageQuery = z.strictObject({
  cursor: z.string().optional().meta({
    description: 'The `next_cursor` of the previous page, unchanged. It is valid only with the same filters.',
  }),
  limit: z
    .int()
    .min(pageSize.min)
    .max(pageSize.max)
    .default(pageSize.default)
    .meta({ description: 'The maximum number of entries in a page.' }),
});

/**
 * The filter of a list that can be read in the order of its changes. `entries` is the word for its entries in the
 * description.
 */
export const updatedSince = (entries: string) =>
  Instant.optional().meta({
    description: `Only ${entries} whose \`updated_at\` is this time or later, in the order of \`updated_at\`. To miss none, begin each read without a \`cursor\` five minutes before the start of your last one, and ignore duplicates.`,
  });

/**
 * The entries of a list. Zod generates code that checks them, with `new Function`: a check then takes a third to a
 * tenth of the time. If that code refuses a page, the page is checked again without it, so the flaws are the same.
 */
export const entriesOf = <Item extends z.ZodObject>(item: Item, description: string) =>
  z.compile(z.array(item).meta({ description }));

export const pageOf = <Item extends z.ZodObject>(item: Item) =>
  z.object({
    data: entriesOf(item, 'The entries of this page.'),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'Send it as `cursor` to get the next page, with the same filters. Null on the last page.' }),
  });

/** An answer that lists everything at once. */
export const listOf = <Item extends z.ZodObject>(item: Item) => z.object({ data: entriesOf(item, 'The entries.') });

export interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
}

/** Counts read no more rows than this, so that a long list costs no more than a few milliseconds. */
export const maxCounted = 10_000;

export const ListCount = z.object({
  count: z.int(),
  more: z.boolean().meta({ description: 'There are more than `count`.' }),
});
export type ListCount = z.output<typeof ListCount>;

/**
 * A count reads at most `maxCounted` rows and one more. `read`: how many it has read. `matches`: how many of them
 * count.
 */
export const countAmong = (read: number, matches = read): ListCount =>
  read <= maxCounted ? { count: matches, more: false } : { count: Math.max(0, matches - 1), more: true };

/** The position of a page's last row: the values that order the list. */
type Position = readonly (string | number | boolean)[];

const purpose = 'cursor';

/**
 * A cursor is a position, signed together with its list (team, route and filters). So a cursor of another list, and one
 * that was changed, are refused.
 */
export const writeCursor = (vault: Vault, list: string, position: Position): string => {
  const payload = Buffer.from(JSON.stringify(position)).toString('base64url');
  return `${payload}.${vault.sign(purpose, `${list}\n${payload}`)}`;
};

/** The position in a cursor of this list; undefined for any other text. */
export const readCursor = (vault: Vault, list: string, cursor: string): unknown => {
  const [payload = '', signature = '', ...rest] = cursor.split('.');
  if (rest.length > 0 || !vault.isSigned(purpose, `${list}\n${payload}`, signature)) return undefined;
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
};

export const refuseCursor = (): never =>
  fail('validation_error', {
    field: 'cursor',
    detail: fieldMessages.cursor,
  });

/** The bytes that a row has in an answer besides its large columns: ids, times, and the names of all fields. */
export const rowOverhead = 512;

/** If no row's large columns have more bytes than this, a full page is within the budget. */
export const smallRowBytes = Math.floor(limits.pageBytes / (limits.pageSize.max + 1)) - rowOverhead;

interface BudgetedPage {
  /** A select of the page's rows in the list's order, with one more row. */
  page: string;
  /** The order, in the page's columns. */
  order: string;
  /** The columns that are selected from the rows that fit, including `more`. Large columns are read only here. */
  columns: string;
  /** SQL: the size of a row's large columns in bytes, from the page's columns. It must not read the large columns. */
  bytes: string;
}

/**
 * SQL of a page that ends when its rows reach the budget. It always has the first row. `more` says whether another row
 * follows. Rows after the end are cheap, because PostgreSQL reads a large column only when it is selected.
 */
export const withinBudget = ({ page, order, columns, bytes }: BudgetedPage): string =>
  `select ${columns}
     from (select page.*, lead(true, 1, false) over in_order as more,
                  sum(${bytes} + ${rowOverhead}) over in_order as bytes_so_far, row_number() over in_order as place
             from (${page}) as page
           window in_order as (order by ${order} rows unbounded preceding)) as page
    where place = 1 or bytes_so_far <= ${limits.pageBytes}
    order by ${order}`;

interface PageSource<Row, P extends Position> {
  /** The list's name and filters: a cursor is valid only for these. */
  list: string;
  /** The schema of the position in a cursor of this list. */
  position: z.ZodType<P>;
  query: { cursor?: string | undefined; limit: number };
  positionOf: (row: Row) => NoInfer<P>;
  /**
   * Reads up to `limit` rows that match the filters. `stoppedAt` is the row at which the read stopped before the end of
   * the list.
   */
  read: (after: NoInfer<P> | undefined, limit: number) => Promise<{ rows: Row[]; stoppedAt?: NoInfer<P> | undefined }>;
}

/**
 * The page after the position in the query's cursor. If reading stopped before the list's end, the page may be short or
 * empty without being the last.
 */
export const pageAfter = async <Row, P extends Position>(
  team: Team,
  { list, position, query, read, positionOf }: PageSource<Row, P>,
): Promise<Page<Row>> => {
  const { vault } = team.platform;
  const scope = `${team.id} ${list}`;
  let after: P | undefined;
  if (query.cursor !== undefined) {
    const parsed = position.safeParse(readCursor(vault, scope, query.cursor));
    after = parsed.success ? parsed.data : refuseCursor();
  }
  const { rows, stoppedAt } = await read(after, query.limit + 1);
  const data = rows.slice(0, query.limit);
  const last = data.at(-1);
  const end = rows.length > query.limit && last !== undefined ? positionOf(last) : stoppedAt;
  return { data, nextCursor: end === undefined ? null : writeCursor(vault, scope, end) };
};

/** Whether the page ended at this row because of its budget. */
const isCut = (row: object): boolean => 'more' in row && row.more === true;

/** The rows of a page that its budget may have shortened, and where the next page continues. */
export const cutAt = <Row extends object, P extends Position>(
  rows: Row[],
  positionOf: (row: Row) => P,
): { rows: Row[]; stoppedAt?: P | undefined } => {
  const last = rows.at(-1);
  return { rows, stoppedAt: last && isCut(last) ? positionOf(last) : undefined };
};
