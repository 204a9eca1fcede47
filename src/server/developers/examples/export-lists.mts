import { createWriteStream } from 'node:fs';
import { open, readFile, rename, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createClient } from 'team-customer-api-client';

const { BASE_URL, API_KEY = '' } = process.env;
const api = createClient({ baseUrl: BASE_URL, key: API_KEY });

type Query = { cursor: string | undefined };
const lists = {
  members: (query: Query) => api.exports.members(query),
  trainings: (query: Query) => api.exports.trainings({ ...query, include: 'evaluation' }),
  assignments: (query: Query) => api.exports.assignments(query),
  cases: (query: Query) => api.exports.cases(query),
  deals: (query: Query) => api.exports.deals(query),
  objections: (query: Query) => api.exports.objections(query),
};

async function* asLines(rows: AsyncIterable<unknown>) {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** Removes the half of a row that a killed run has left at the end of the file. */
const removeHalfRow = async (path: string) => {
  const file = await open(path, 'a+');
  const { size } = await file.stat();
  const byte = Buffer.alloc(1);
  let end = size;
  while (end > 0 && (await file.read(byte, 0, 1, end - 1)) && byte.toString() !== '\n') end -= 1;
  if (end < size) await file.truncate(end);
  await file.close();
};

for (const [name, list] of Object.entries(lists)) {
  await removeHalfRow(`${name}.ndjson`);
  // Without a cursor all rows, afterwards those that have changed since.
  const rows = list({ cursor: await readFile(`${name}.cursor`, 'utf8').catch(() => undefined) });
  await pipeline(asLines(rows), createWriteStream(`${name}.ndjson`, { flags: 'a' }));
  await writeFile(`${name}.cursor.new`, rows.cursor ?? '');
  await rename(`${name}.cursor.new`, `${name}.cursor`); // the old cursor or the new one, also if the program is killed
}
