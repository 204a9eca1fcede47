import { expect } from 'vitest';
import { z } from 'zod';
import { EventPage } from '../../src/modules/events/schema.ts';
import type { Answer, Client } from './client.ts';

interface Page<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}

/** All rows of a list, page by page. `read` reads one: the first page without a cursor, each next one with its cursor. */
export const allRows = async <Row>(read: (from: { cursor?: string }) => Promise<Page<Row>>): Promise<Row[]> => {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Row> = await read(cursor === null ? {} : { cursor });
    rows.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return rows;
};

/** All rows of a list of the API; the path has a query. `onPage` runs before the next page is read. */
export const allListed = (
  client: Client,
  path: string,
  onPage: (page: Answer) => unknown = () => {},
): Promise<Record<string, unknown>[]> =>
  allRows(async ({ cursor }) => {
    const page = await client.get(cursor === undefined ? path : `${path}&cursor=${cursor}`);
    expect(page.status, page.text).toBe(200);
    await onPage(page);
    const next = page.body['next_cursor'];
    return { data: page.data, next_cursor: typeof next === 'string' ? next : null };
  });

/** Requests a page of the feed and expects success. */
export const readFeed = async (client: Client, query: Record<string, string | number> = {}): Promise<EventPage> => {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const answer = await client.get(`/events?${parameters.toString()}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return EventPage.strict()
    .extend({ next_cursor: z.string().min(1) })
    .parse(answer.body);
};

/** All events from a cursor to the current end of the feed, and the next cursor. */
export const readToEnd = async (
  client: Client,
  query: Record<string, string | number> = {},
): Promise<{ events: EventPage['data']; cursor: string; pages: EventPage[] }> => {
  const pages: EventPage[] = [];
  let next = query;
  for (;;) {
    const page = await readFeed(client, next);
    pages.push(page);
    next = { ...query, cursor: page.next_cursor };
    if (!page.has_more) return { events: pages.flatMap(({ data }) => data), cursor: page.next_cursor, pages };
  }
};
