import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, vi } from 'vitest';
import { createClient } from '../../src/packages/client/index.ts';
import type { ClientOptions } from '../../src/packages/client/send.ts';
import { listen } from '../support/ports.ts';

interface Asked {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Reply = (response: ServerResponse) => void;

export const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response
      .writeHead(status, { 'Content-Type': status < 400 ? 'application/json' : 'application/problem+json', ...headers })
      .end(JSON.stringify(body));

export const problem = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
  members: object = {},
): Reply => answer(status, { type: 'about:blank', title: code, status, code, request_id: 'r', ...members }, headers);

export const lost: Reply = (response) => response.destroy();

/** A server that gives these answers in order, and a client of it. */
export const scripted = async (replies: readonly Reply[], options: Partial<ClientOptions> = {}) => {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method, url, headers } = request;
      const reply = replies[asked.length] ?? lost;
      asked.push({ method, path: url, headers, body });
      reply(response);
    });
  });
  const port = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, api: createClient({ key: 'svck_live_k', baseUrl: `http://127.0.0.1:${port}`, ...options }) };
};

/**
 * A client on a clock that only the test moves, whose service gives these answers at once: what was asked, and when.
 * Without an answer, a request waits until it is aborted. A random part of a pause is as long as possible.
 */
export const onAClock = (
  replies: readonly (() => Response | Promise<Response>)[],
  options: Partial<ClientOptions> = {},
) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  vi.spyOn(Math, 'random').mockReturnValue(1);
  const begin = Date.now();
  const asked: { url: string; init: RequestInit; at: number }[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const reply = replies[asked.length];
    asked.push({ url, init, at: Date.now() - begin });
    if (reply) return reply();
    return new Promise((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(new Error('aborted')));
    });
  };
  return { asked, api: createClient({ key: 'svck_live_k', fetch, ...options }) };
};

export const down = (): Promise<Response> => Promise.reject(new TypeError('fetch failed'));

export const refused =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  (): Response =>
    Response.json({ code }, { status, headers: { 'Content-Type': 'application/problem+json', ...headers } });

export const errorOf = (call: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(call).then(
    () => expect.unreachable('it did not fail'),
    (error: unknown) => error,
  );
