import { z } from 'zod';
import { EventPage } from '../../src/modules/events/schema.ts';
import type { Client } from './client.ts';

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
