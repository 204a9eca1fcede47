import { route, type OperationMeta } from './procedures.ts';

// The metadata of an export of a list, `GET /exports/…`. It is the same for all exports, except that each needs the
// scopes and privacy of its list.

interface ListExport extends Pick<OperationMeta['operation'], 'operationId' | 'scope' | 'privacy' | 'needsBy'> {
  /** The path of the list. */
  list: `/${string}`;
  /** More sentences for the description. */
  more?: string;
  /** A row. */
  example: Readonly<Record<string, unknown>>;
}

/** The cursor in the last line of an export. Its payload is a time. */
const cursor = 'WyIyMDI2LTExLTIwVDA4OjI1OjAwLjAwMFoiXQ.q1Jx0bXo0QmXo4y8v8Jk1lq0bq6l8v0r8C2xZc3fN1s';

export const exportRoute = (resource: string, { list, more, example, ...declared }: ListExport): OperationMeta =>
  route(`GET /exports/${resource}`, {
    ...declared,
    streamed: true,
    summary: `Export ${resource}`,
    description: [
      `All rows of \`GET ${list}\` in one response, for a copy: one line of JSON for each row, in the order of \`updated_at\`. The last line is \`{"cursor": …}\`; an export without this line broke off. With that \`cursor\`, the next export has the rows that changed since. A row that changes meanwhile comes again: replace the row with this \`id\`. Rows that are gone are in \`GET /deletions\`.`,
      ...(more === undefined ? [] : [more]),
      'An export counts as one request. A team can run one at a time; a second one is 429.',
    ].join(' '),
    example: { output: { data: [example], cursor, has_more: false } },
  });
