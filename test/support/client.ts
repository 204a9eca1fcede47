import { z } from 'zod';

/** An answer as it came over HTTP. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON body. Reading a field of any other body fails the test. */
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

export const readAnswer = (status: number, headers: Headers, text: string): Answer => ({
  status,
  headers,
  text,
  get body() {
    return Body.parse(JSON.parse(text));
  },
  get data() {
    return List.parse(JSON.parse(text)).data;
  },
});

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
