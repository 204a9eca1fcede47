import { readFile, rename, writeFile } from 'node:fs/promises';
import { createClient } from 'team-customer-api-client';

const { BASE_URL, API_KEY = '', ELASTIC_URL = '', ELASTIC_API_KEY = '', SINCE_FILE = 'audit.since' } = process.env;
const api = createClient({ baseUrl: BASE_URL, key: API_KEY });

type AuditEntry = { id: string; created_at: string };
type BulkAnswer = { items?: { create: { status: number; error?: unknown } }[] };

/** Stores entries under their ids. One that the index has already (409) stays as it is. */
const store = async (entries: readonly AuditEntry[]) => {
  const lines = entries.flatMap((entry) => [
    { create: { _id: entry.id } },
    { '@timestamp': entry.created_at, ...entry },
  ]);
  const headers = { Authorization: `ApiKey ${ELASTIC_API_KEY}`, 'Content-Type': 'application/x-ndjson' };
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const answer = await fetch(`${ELASTIC_URL}/_bulk`, { method: 'POST', headers, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`Elasticsearch answered with ${answer.status}: ${text}`);
  const { items = [] }: BulkAnswer = JSON.parse(text);
  const refused = items.find(({ create: { status } }) => status >= 300 && status !== 409);
  if (refused) throw new Error(`Elasticsearch refused an entry: ${JSON.stringify(refused.create)}`);
};

const since = await readFile(SINCE_FILE, 'utf8').catch(() => undefined);
let startedAt = '';
let cursor: string | undefined;
do {
  const { data: page, headers } = await api.auditEntries
    .list({ order: 'asc', limit: 200, since, cursor })
    .withResponse();
  startedAt ||= headers.get('date') ?? ''; // by the clock of the service
  if (page.data.length > 0) await store(page.data);
  cursor = page.next_cursor ?? undefined;
} while (cursor);

// An entry can be read only after its action was committed, so the next run begins five minutes earlier.
await writeFile(`${SINCE_FILE}.new`, new Date(Date.parse(startedAt) - 5 * 60_000).toISOString());
await rename(`${SINCE_FILE}.new`, SINCE_FILE); // the old time or the new one, also if the program is killed
