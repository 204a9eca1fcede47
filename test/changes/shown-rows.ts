import type { Answer, Client } from '../support/client.ts';

// What readers of the lists see, over HTTP. Member details must be on.

/** The path of each list, by the name that its deletions have. */
const lists = {
  users: '/users',
  trainings: '/trainings',
  assignments: '/assignments',
  cases: '/cases',
  deals: '/crm/deals',
  objections: '/crm/objections',
} as const;

/** The path of a request, from that of the list and its name. */
type PathOf = (path: string, list: string) => string;

type Named = readonly [name: string, row: Record<string, unknown>];

const namedIn = (list: string, { status, text, data, body }: Answer): Named[] => {
  if (status !== 200 || body['next_cursor'] !== null) throw new Error(`${list}: ${text.slice(0, 500)}`);
  return data.map((row) => [`${list} ${String(row['id'])}`, row]);
};

/** The rows of a page for each list. */
const rowsOf = async (client: Client, pathOf: PathOf): Promise<Named[]> => {
  const pages = await Promise.all(
    Object.entries(lists).map(async ([list, path]) => namedIn(list, await client.get(pathOf(path, list)))),
  );
  return pages.flat();
};

const namesOf = async (client: Client, pathOf: PathOf): Promise<string[]> =>
  (await rowsOf(client, pathOf)).map(([name]) => name).toSorted();

/** The rows of all lists, each by a name such as `cases 0199…`. */
export const shownRows = async (client: Client): Promise<Map<string, Record<string, unknown>>> =>
  new Map(
    await rowsOf(client, (path, list) => `${path}?limit=200${list === 'trainings' ? '&include=evaluation' : ''}`),
  );

/** The names of the rows that changed since a time. */
export const updatedSince = (client: Client, time: Date): Promise<string[]> =>
  namesOf(client, (path) => `${path}?limit=200&updated_since=${time.toISOString()}`);

/** The names of the rows that were deleted since a time. */
export const deletedSince = (client: Client, time: Date): Promise<string[]> =>
  namesOf(client, (_path, list) => `/deletions?resource=${list}&limit=200&since=${time.toISOString()}`);

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
