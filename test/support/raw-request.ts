import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { readAnswer, type Answer } from './client.ts';

interface RawRequest {
  method?: string;
  /** Names and values alternate, so that a header can be sent twice. */
  headers?: readonly string[];
  body?: string;
}

/** A request that normal HTTP clients would not send. */
export const rawRequest = (url: string, { method = 'GET', headers = [], body }: RawRequest = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { host } = new URL(url);
    const length = body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(body))];
    const sent = request(url, { method, headers: ['Host', host, ...headers, ...length] }, (response) => {
      const pairs = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      text(response).then((body) => resolve(readAnswer(response.statusCode ?? 0, new Headers(pairs), body)), reject);
    });
    sent.once('error', reject);
    // As bytes: with a string body, Node would write the headers in the body's encoding.
    sent.end(body === undefined ? undefined : Buffer.from(body));
  });
