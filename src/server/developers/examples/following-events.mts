import { setTimeout as sleep } from 'node:timers/promises';

interface Event {
  id: string;
  type: string;
  created_at: string;
  data: Record<string, unknown>;
}

interface Page {
  data: Event[];
  next_cursor: string;
  has_more: boolean;
  has_gap: boolean;
}

/** Your database. */
export interface Store {
  /** The cursor that was saved last; undefined at the first start. */
  cursor(): Promise<string | undefined>;
  /** Processes the events and saves the cursor, both in one transaction. */
  save(events: Event[], cursor: string): Promise<void>;
  /** Reads everything again from the lists: events were deleted before you read them. */
  readAgain(): Promise<void>;
}

/**
 * Follows the feed until the signal is aborted. After a crash, start it again: it continues at the last saved cursor.
 */
export const followEvents = async (baseUrl: string, key: string, store: Store, signal: AbortSignal) => {
  while (!signal.aborted) {
    const query = new URLSearchParams({ limit: '200', wait: '20' });
    const cursor = await store.cursor();
    if (cursor !== undefined) query.set('cursor', cursor);
    const headers = { Authorization: `Bearer ${key}` };
    const answer = await fetch(`${baseUrl}/events?${query.toString()}`, { headers, signal }).catch(() => undefined);
    if (signal.aborted) return;
    if (!answer || answer.status === 429 || answer.status >= 500) {
      const seconds = Number(answer?.headers.get('retry-after'));
      await sleep(seconds > 0 ? seconds * 1000 : 5000); // no connection, or no number: five seconds
      continue;
    }
    if (!answer.ok) throw new Error(`events: ${answer.status} ${await answer.text()}`);
    const page: Page = JSON.parse(await answer.text());
    if (page.has_gap) await store.readAgain();
    await store.save(page.data, page.next_cursor);
  }
};
