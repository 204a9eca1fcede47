import { readFile, rename, writeFile } from 'node:fs/promises';
import { createClient } from 'team-customer-api-client';

const { BASE_URL, API_KEY = '', QUEUE_URL = '', CURSOR_FILE = 'forward-events.cursor' } = process.env;
const api = createClient({ baseUrl: BASE_URL, key: API_KEY });

/**
 * Your queue: SQS, Pub/Sub, Kafka, a table. It must have stored all messages when this returns; otherwise it throws.
 */
const enqueue = async (messages: readonly { id: string; body: string }[]): Promise<void> => {
  for (const { id, body } of messages) {
    // A message may come twice, after a crash. The id lets the queue, or its readers, recognize it.
    const headers = { 'Content-Type': 'application/json', 'Message-Id': id };
    const answer = await fetch(QUEUE_URL, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`The queue answered with ${answer.status}.`);
  }
};

/** The file has the old cursor or the new one, also if the program is killed meanwhile. */
const saveCursor = async (cursor: string): Promise<void> => {
  await writeFile(`${CURSOR_FILE}.new`, cursor);
  await rename(`${CURSOR_FILE}.new`, CURSOR_FILE);
};

const cursor = await readFile(CURSOR_FILE, 'utf8').catch(() => undefined);
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopping.abort());

// Without a cursor it starts with the oldest event that is kept; `start: 'now'` forwards only new ones.
const stream = api.events.stream({ cursor, start: 'oldest' }, { signal: stopping.signal });
for await (const page of stream.pages()) {
  if (page.has_gap) console.error('Events were deleted before they were read: read the lists again.');
  await enqueue(page.data.map((event) => ({ id: event.id, body: JSON.stringify(event) })));
  await saveCursor(page.next_cursor); // only after the queue has them
}
