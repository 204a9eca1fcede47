import { z } from 'zod';
import { later, secondsToMs } from '../core/clock.ts';
import { listExportLimits } from '../core/limits.ts';
import type { Camel } from '../core/spelling.ts';
import { entriesOf, readCursor, refuseCursor, writeCursor, type Page } from './paging.ts';
import type { Team } from './team.ts';
import { Instant } from './values.ts';

// Exports of lists, `GET /exports/…`: all rows of a list in the order of their changes, for programs that keep a copy.
//
// A call of the procedure reads a page with the list's own statements, as any list does. The REST adapter calls it until
// there is no more, and sends all pages as one answer (server/rest/streamed-answer.ts).

export const ListExportQuery = z.strictObject({
  cursor: z.string().optional().meta({
    description: 'The `cursor` in the last line of an earlier export of this resource: only rows that changed since.',
  }),
  updated_since: Instant.optional().meta({
    description:
      'Only rows whose `updated_at` is this time or later. To go on after an export that broke off: the `updated_at` of its last row, or five minutes before its start if that is earlier. With `cursor` too, the later of the two times counts.',
  }),
});
type ListExportQuery = z.output<typeof ListExportQuery>;

/** A page of an export with rows of this form. */
export const listExportOf = <Item extends z.ZodObject>(item: Item) =>
  z.object({
    data: entriesOf(item, 'Rows, the earliest change first.'),
    cursor: z.string().meta({ description: 'Where to go on: at once if `has_more` is true, or with the next export.' }),
    has_more: z.boolean().meta({ description: 'Whether this export has more rows.' }),
  });

/**
 * The time of change from which an export reads. A position in a running export also has the list's own cursor, at
 * which the export continues, and the time when the export began.
 */
const Position = z.tuple([z.iso.datetime(), z.string().optional(), z.iso.datetime().optional()]);
type Position = z.output<typeof Position>;

const beginning = new Date(0).toISOString();

interface ListExportPage<Row> {
  data: Row[];
  cursor: string;
  hasMore: boolean;
}

/** Reads the rows of a list that changed since a time, in the order of their changes. */
type ReadChanges<Row> = (query: {
  limit: number;
  updatedSince: Date;
  cursor: string | undefined;
}) => Promise<Page<Row>>;

/**
 * A page of an export. The cursor of an ended export begins the next one, with the rows that have changed since. The
 * next one begins so early that it includes rows that were committed in the meantime.
 */
export const readListExport = async <Row>(
  team: Team,
  resource: string,
  { cursor, updatedSince }: Camel<ListExportQuery>,
  read: ReadChanges<Row>,
): Promise<ListExportPage<Row>> => {
  const { vault, clock } = team.platform;
  const scope = `${team.id} export of ${resource}`;
  const position: Position =
    cursor === undefined ? [beginning] : (Position.safeParse(readCursor(vault, scope, cursor)).data ?? refuseCursor());
  const [from, listCursor, began] = position;
  const since = new Date(Math.max(Date.parse(from), updatedSince?.getTime() ?? 0));
  const startedAt = began === undefined ? clock.now() : new Date(began);

  const page = await read({ limit: listExportLimits.rowsAtOnce, updatedSince: since, cursor: listCursor });
  const { data, nextCursor } = page;
  if (nextCursor !== null) {
    const next = [since.toISOString(), nextCursor, startedAt.toISOString()];
    return { data, cursor: writeCursor(vault, scope, next), hasMore: true };
  }
  const end = later(startedAt, -secondsToMs(listExportLimits.overlapSeconds));
  return { data, cursor: writeCursor(vault, scope, [end.toISOString()]), hasMore: false };
};
