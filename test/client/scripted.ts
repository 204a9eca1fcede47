import { createServer, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, vi } from 'vitest';
import { createClient } from '../../src/packages/client/index.ts';
import { pauseBefore, retryAfterMs } from '../../src/packages/client/retry.ts';
import type { ClientOptions } from '../../src/packages/client/send.ts';
import { verifyWebhook } from '../../src/packages/client/webhooks.ts';
import { listen } from '../support/ports.ts';
import type { Python } from './python.ts';

export interface Asked {
  method: string | undefined;
  /** The path; on a clock the whole address. */
  path: string;
  /** By their names in lower case. */
  headers: Record<string, string | undefined>;
  body: string;
}

interface AskedOnAClock extends Asked {
  /** When, in milliseconds since the client was made. */
  at: number;
}

interface Given {
  status: number;
  text: string;
  headers: Record<string, string>;
  /** How long it takes, on a clock. */
  tookMs?: number;
  /** Whether the connection is lost before the end of the answer. */
  isCut?: boolean;
  /** Whether the answer does not end. */
  isOpen?: boolean;
  /** The byte before which it is sent in two parts. */
  splitAt?: number;
}

/** What a service answers, if it does. */
export type Reply = Given | 'lost' | 'waits';

export const raw = (status: number, text: string, headers: Record<string, string> = {}): Given => ({
  status,
  text,
  headers,
});

export const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Given =>
  raw(status, JSON.stringify(body), {
    'Content-Type': status < 400 ? 'application/json' : 'application/problem+json',
    ...headers,
  });

export const problem = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
  members: object = {},
): Given => answer(status, { type: 'about:blank', title: code, status, code, request_id: 'r', ...members }, headers);

const write = (response: ServerResponse, reply: Reply): void => {
  if (reply === 'lost') response.destroy();
  else if (reply !== 'waits') {
    const took = reply.tookMs === undefined ? {} : { 'X-Took-Ms': String(reply.tookMs) };
    response.writeHead(reply.status, { ...reply.headers, ...took });
    const bytes = Buffer.from(reply.text);
    if (reply.isCut) response.write(bytes, () => response.destroy());
    else if (reply.isOpen) response.write(bytes);
    else if (reply.splitAt === undefined) response.end(bytes);
    else response.write(bytes.subarray(0, reply.splitAt), () => response.end(bytes.subarray(reply.splitAt)));
  }
};

/** A server that gives these replies in order, and how many of those that do not end were left by the client. */
const serve = async (
  replies: readonly Reply[],
): Promise<{ asked: Asked[]; server: Server; origin: string; left: () => number }> => {
  const asked: Asked[] = [];
  let left = 0;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method, url = '' } = request;
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, value && String(value)]),
      );
      const reply = replies[asked.length] ?? 'lost';
      asked.push({ method, path: url, headers, body });
      if (typeof reply === 'object' && reply.isOpen) response.on('close', () => (left += 1));
      write(response, reply);
    });
  });
  const port = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, server, origin: `http://127.0.0.1:${port}`, left: () => left };
};

interface Clocked {
  api: ReturnType<typeof createClient>;
  asked: readonly AskedOnAClock[];
  /** Lets time pass. */
  pass: (milliseconds: number) => Promise<unknown>;
  /** How many answers that do not end the client has left. */
  left: () => number;
}

/** A client of one language, for tests of all of them. */
export interface Kit {
  language: 'TypeScript' | 'Python';
  createClient: typeof createClient;
  verifyWebhook: typeof verifyWebhook;
  retryAfterMs: (headers: Record<string, string>) => Promise<number | undefined>;
  /** The pause with a random part between 0 and 1. */
  pauseBefore: (random: number, attempt: number, askedMs?: number) => Promise<number>;
  /**
   * A client on a clock that only the test moves, whose service gives these replies at once. Without a reply, a request
   * waits. A random part of a pause is as long as possible.
   */
  onAClock: (replies: readonly Reply[], options?: Partial<ClientOptions>) => Promise<Clocked>;
}

/** A body that is lost after its text, or does not end. */
const unfinished = ({ text, isCut }: Given, leave: () => void) =>
  new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    pull: (controller) => {
      if (isCut) controller.error(new TypeError('terminated'));
    },
    cancel: leave,
  });

const fakeFetch = (replies: readonly Reply[], asked: AskedOnAClock[], leave: () => void) => {
  const begin = Date.now();
  return async (url: string, init: RequestInit): Promise<Response> => {
    const reply = replies[asked.length] ?? 'waits';
    const headers = Object.fromEntries(new Headers(init.headers));
    const sent = typeof init.body === 'string' ? init.body : '';
    asked.push({ method: init.method, path: url, headers, body: sent, at: Date.now() - begin });
    if (reply === 'lost') throw new TypeError('fetch failed');
    if (reply === 'waits') {
      return new Promise((_, reject) => {
        init.signal?.addEventListener('abort', () => reject(new Error('aborted')));
      });
    }
    const { status, text, tookMs = 0 } = reply;
    if (tookMs > 0) await new Promise((resolve) => setTimeout(resolve, tookMs));
    const body = reply.isCut || reply.isOpen ? unfinished(reply, leave) : text;
    return new Response(body, { status, headers: reply.headers });
  };
};

/** A key that every test may use. */
const key = 'svck_live_k';

export const typescript: Kit = {
  language: 'TypeScript',
  createClient,
  verifyWebhook,
  retryAfterMs: async (headers) => retryAfterMs(new Headers(headers)),
  pauseBefore: async (random, attempt, askedMs) => {
    vi.spyOn(Math, 'random').mockReturnValue(random);
    return pauseBefore(attempt, askedMs);
  },
  onAClock: async (replies, options = {}) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const asked: AskedOnAClock[] = [];
    let left = 0;
    const api = createClient({ key, fetch: fakeFetch(replies, asked, () => (left += 1)), ...options });
    return { api, asked, pass: (milliseconds) => vi.advanceTimersByTimeAsync(milliseconds), left: () => left };
  },
};

/** The client for Python. Its pauses take no time: each moves the clock, whose time is in a header of each request. */
export const pythonKit = (python: Python): Kit => ({
  language: 'Python',
  createClient: python.createClient,
  verifyWebhook: python.verifyWebhook,
  retryAfterMs: python.retryAfterMs,
  pauseBefore: python.pauseBefore,
  onAClock: async (replies, options = {}) => {
    // The server is a proxy, so that requests to any address reach it.
    const { asked, origin, left } = await serve(replies);
    const api = python.createProxied({ key, ...options }, origin);
    return {
      api,
      get asked() {
        return asked.map((one) => ({ ...one, at: Number(one.headers['x-clock-ms']) }));
      },
      pass: async () => undefined,
      left,
    };
  },
});

/** A server that gives these replies in order, and a client of it. */
export const scripted = async (kit: Kit, replies: readonly Reply[], options: Partial<ClientOptions> = {}) => {
  const { asked, server, origin } = await serve(replies);
  const api = kit.createClient({ key, baseUrl: origin, ...options });
  /** Ends the requests that wait, when the client has noticed what happened before. */
  const release = async () => {
    await kit.retryAfterMs({});
    server.closeAllConnections();
  };
  return { asked, api, release };
};

export const errorOf = (call: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(call).then(
    () => expect.unreachable('it did not fail'),
    (error: unknown) => error,
  );
