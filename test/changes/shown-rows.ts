import type { Answer, Client } from '../support/client.ts';

// What readers of the lists see, over HTTP. Member details must be on.

const lists = ['users', 'trainings', 'assignments', 'cases'] as const;

const namesIn = (list: string, { status, text, data, body }: Answer): [string, Record<string, unknown>][] => {
  if (status !== 200 || body['next_cursor'] !== null) throw new Error(`${list}: ${text.slice(0, 500)}`);
  return data.map((row) => [`${list} ${String(row['id'])}`, row]);
};

/** The rows of all lists, each by a name such as `cases 0199…`. */
export const shownRows = async (client: Client): Promise<Map<string, Record<string, unknown>>> => {
  const rows = new Map<string, Record<string, unknown>>();
  for (const list of lists) {
    const more = list === 'trainings' ? '&include=evaluation' : '';
    const page = await client.get(`/${list}?limit=200${more}`);
    for (const [name, row] of namesIn(list, page)) rows.set(name, row);
  }
  return rows;
};

/** The names of the rows that changed since a time. */
export const updatedSince = async (client: Client, time: Date): Promise<string[]> => {
  const names: string[] = [];
  for (const list of lists) {
    const page = await client.get(`/${list}?limit=200&updated_since=${time.toISOString()}`);
    names.push(...namesIn(list, page).map(([name]) => name));
  }
  return names.toSorted();
};

/** The names of the rows that were deleted since a time. */
export const deletedSince = async (client: Client, time: Date): Promise<string[]> => {
  const names: string[] = [];
  for (const list of lists) {
    const page = await client.get(`/deletions?resource=${list}&limit=200&since=${time.toISOString()}`);
    names.push(...namesIn(list, page).map(([name]) => name));
  }
  return names.toSorted();
};

const content = ({ updated_at: _updatedAt, ...values }: Record<string, unknown>): string => JSON.stringify(values);

type Rows = ReadonlyMap<string, Record<string, unknown>>;

/** The names of new rows, and of rows that show another value than before, apart from `updated_at`. */
export const alteredIn = (after: Rows, before: Rows): string[] =>
  [...after.entries()]
    .filter(([name, row]) => {
      const former = before.get(name);
      return former === undefined || content(former) !== content(row);
    })
    .map(([name]) => name)
    .toSorted();

export const missingIn = (after: Rows, before: Rows): string[] =>
  [...before.keys()].filter((name) => !after.has(name)).toSorted();
