import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';

/** An answer as it came over HTTP. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /**
   * The JSON body; the lines of an export as a page of the app has them. Reading a field of any other body fails the
   * test.
   */
  readonly body: Record<string, unknown>;
  /** `data` of a list. */
  readonly data: Record<string, unknown>[];
}

const Body = z.record(z.string(), z.unknown());
const List = z.object({ data: z.array(Body) });

interface RequestOptions {
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Client {
  readonly key: string | undefined;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  patch(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  delete(path: string, options?: RequestOptions): Promise<Answer>;
}

/** The lines of an export: its rows, and its end. */
export const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => Body.parse(JSON.parse(line)));

const isExport = (headers: Headers) => headers.get('content-type')?.startsWith('application/x-ndjson') === true;

/** A whole export as a page. */
const pageOf = (text: string) => {
  const lines = linesOf(text);
  return { data: lines.slice(0, -1), ...lines.at(-1), has_more: false };
};

export const readAnswer = (status: number, headers: Headers, text: string): Answer => {
  const value = (): unknown => (isExport(headers) ? pageOf(text) : JSON.parse(text));
  return {
    status,
    headers,
    text,
    get body() {
      return Body.parse(value());
    },
    get data() {
      return List.parse(value()).data;
    },
  };
};

const read = async (response: Response): Promise<Answer> =>
  readAnswer(response.status, response.headers, await response.text());

/** A client of the API over real HTTP. A string body is sent unchanged. */
export const makeClient = (baseUrl: string, key?: string): Client => {
  const request: Client['request'] = async (method, path, { body, headers = {} } = {}) =>
    read(
      await fetch(`${baseUrl}${path}`, {
        method,
        redirect: 'manual',
        headers: {
          ...(key !== undefined && { Authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
  return {
    key,
    request,
    get: (path, options) => request('GET', path, options),
    post: (path, body, options) => request('POST', path, { ...options, body }),
    patch: (path, body, options) => request('PATCH', path, { ...options, body }),
    delete: (path, options) => request('DELETE', path, options),
  };
};

interface RawRequest {
  method?: string;
  /** Names and values alternate, so that a header can be sent twice. */
  headers?: readonly string[];
  body?: string | Uint8Array;
  /** The target exactly as it is written; by default it is that of the URL. */
  target?: string;
}

interface RawAnswer extends Answer {
  /** The body as it came, also if it is compressed. */
  readonly bytes: Buffer;
}

/** A request that normal HTTP clients would not send. */
export const rawRequest = (
  url: string,
  { method = 'GET', headers = [], body, target }: RawRequest = {},
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const { host } = new URL(url);
    const length = body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(body))];
    const path = target === undefined ? {} : { path: target };
    const sent = request(url, { method, ...path, headers: ['Host', host, ...headers, ...length] }, (response) => {
      const pairs = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      buffer(response).then((bytes) => {
        const answer = readAnswer(response.statusCode ?? 0, new Headers(pairs), bytes.toString());
        resolve(Object.assign(answer, { bytes }));
      }, reject);
    });
    sent.once('error', reject);
    // As bytes: with a string body, Node would write the headers in the body's encoding.
    sent.end(body === undefined ? undefined : Buffer.from(body));
  });
