import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { readAnswer, type Answer } from './client.ts';

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
