import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { createClient } from '../../src/packages/client/index.ts';
import type { ClientOptions } from '../../src/packages/client/send.ts';
import { listen } from '../support/listen.ts';

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
