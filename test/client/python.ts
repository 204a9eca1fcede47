import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { readDocument } from '../../scripts/openapi/document.ts';
import { readOperations } from '../../scripts/client/operations.ts';
import { inSnakeCase } from '../../scripts/client/write-python-types.ts';
import { Call, type Answer } from '../../src/packages/client/call.ts';
import { ApiError, ConnectionError } from '../../src/packages/client/errors.ts';
import type { createClient, ClientOptions, WebhookEvent } from '../../src/packages/client/index.ts';
import { WebhookError, type WebhookErrorReason, type verifyWebhook } from '../../src/packages/client/webhooks.ts';

// The client for Python, with the methods and errors of the client for TypeScript, so that the same tests run with both. It runs in a
// process of its own (driver.py), which gets each call as a line of JSON.

/** The package, as its wheel has it. */
export const pythonPackage = join(import.meta.dirname, '..', '..', 'src', 'packages', 'client-py');

/** What the driver says of an error. */
interface Described {
  type: string;
  message: string;
  reason?: string;
  attempts?: number;
  cause?: string;
  status?: number;
  problem?: object;
  headers?: [string, string][];
  replayed?: boolean;
  request_id?: string | null;
  [member: string]: unknown;
}

interface DrivenAnswer {
  data: unknown;
  status: number;
  headers: [string, string][];
  request_id?: string | null;
  rate_limit?: [number, number, number] | null;
  replayed: boolean;
  attempts: number;
  text: string;
}

type Message =
  | { id: number; value: unknown; error?: undefined }
  | { id: number; error: Described }
  | { id?: undefined; callback: number; error: Described; wait: number };

const errorOf = (described: Described): Error => {
  const { type, message, reason = '', attempts = 0 } = described;
  if (type === 'ApiError') {
    const { problem = {}, status = 0, headers, replayed = false, request_id, excerpt, ...members } = described;
    const error = new ApiError({
      problem,
      status,
      headers: new Headers(headers),
      attempts,
      replayed,
      ...(typeof excerpt === 'string' && { excerpt }),
    });
    const given = Object.entries(members).filter(([name, value]) => name !== 'type' && value !== null);
    return Object.assign(error, Object.fromEntries(given), { requestId: request_id ?? undefined });
  }
  if (type === 'ApiConnectionError') {
    const cause = new Error(described.cause);
    return new ConnectionError(reason === 'timeout' ? 'timeout' : 'network', message, { cause, attempts });
  }
  // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- the tests compare the reason
  if (type === 'WebhookError') return new WebhookError(reason as WebhookErrorReason, message);
  return type === 'ValueError' || type === 'TypeError' ? new TypeError(message) : new Error(`${type}: ${message}`);
};

const answerOf = (driven: DrivenAnswer): Answer<unknown> => {
  const { data, status, headers, request_id, rate_limit: limit, replayed, attempts, text } = driven;
  return {
    data,
    status,
    headers: new Headers(headers),
    requestId: request_id ?? undefined,
    rateLimit: !limit ? undefined : { limit: limit[0], remaining: limit[1], resetSeconds: limit[2] },
    replayed,
    attempts,
    text,
  };
};

const lists = new Set(
  readOperations(await readDocument())
    .filter(({ item, isExport }) => item ?? isExport)
    .map(({ name }) => name),
);

export type Python = Awaited<ReturnType<typeof startPython>>;

/** Starts the driver; with a clock if pauses take no time. Without python3 on this machine it fails. */
export const startPython = async ({ onAClock = false, packages = pythonPackage, program = 'python3' } = {}) => {
  // Every warning is an error: unclosed connections and what a later version of Python won't have.
  const args = ['-W', 'error', join(import.meta.dirname, 'driver.py'), ...(onAClock ? ['--on-a-clock'] : [])];
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' };
  const child = spawn(program, args, { env, stdio: 'pipe' });
  await once(child, 'spawn');
  const complaints = text(child.stderr);
  const ended = once(child, 'close');
  child.stdin.on('error', () => {}); // when it has ended

  let count = 0;
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  const callbacks = new Map<number, (error: Error, waitMs: number) => void>();
  createInterface(child.stdout).on('line', (line) => {
    const message: Message = JSON.parse(line);
    if (message.id === undefined) {
      callbacks.get(message.callback)?.(errorOf(message.error), message.wait * 1000);
      return;
    }
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error) asked?.reject(errorOf(message.error));
    else asked?.resolve(message.value);
  });
  void ended.then(async () => {
    const said = await complaints;
    for (const { reject } of waiting.values()) reject(new Error(`python3 has ended: ${said}`));
  });

  const send = (command: object): Promise<unknown> =>
    new Promise((resolve, reject) => {
      count += 1;
      waiting.set(count, { resolve, reject });
      child.stdin.write(`${JSON.stringify({ id: count, ...command })}\n`);
    });
  const makeNumber = (): number => (count += 1);

  /** A value for the driver. A signal is an event there, and a function is called by it. */
  const encoded = (value: unknown): unknown => {
    if (value instanceof Date) return { $ms: value.getTime() };
    if (value instanceof ArrayBuffer) return { $bytes: Buffer.from(value).toString('base64') };
    if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
    if (value instanceof Headers) return Object.fromEntries(value);
    if (value instanceof AbortSignal) {
      const event = makeNumber();
      const stop = () => void child.stdin.write(`${JSON.stringify({ do: 'stop', event })}\n`);
      if (value.aborted) stop();
      value.addEventListener('abort', stop, { once: true });
      return { $event: event };
    }
    if (typeof value === 'function') {
      const callback = makeNumber();
      callbacks.set(callback, (error, waitMs) => void value(error, waitMs));
      return { $callback: callback };
    }
    if (Array.isArray(value)) return value.map(encoded);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) =>
        name === 'timeoutMs' || name === 'toleranceSeconds'
          ? [name === 'timeoutMs' ? 'timeout' : 'tolerance', name === 'timeoutMs' ? Number(one) / 1000 : one]
          : [optionNames[name] ?? name, encoded(one)],
      ),
    );
  };

  const open = (client: Promise<number>, method: string, args: readonly unknown[]) => {
    const list = makeNumber();
    let cursor: unknown;
    const opened = (async () => {
      await send({ do: 'open', as: list, client: await client, method: inSnakeCase(method), args: args.map(encoded) });
    })();
    opened.catch(() => {}); // each use awaits it
    const iterate = async function* (pages: boolean): AsyncGenerator<unknown, void, undefined> {
      await opened;
      const iterator = makeNumber();
      await send({ do: 'iterate', as: iterator, list, pages });
      try {
        for (;;) {
          const next: { found: unknown[]; cursor: unknown } = Object(await send({ do: 'next', iterator, list }));
          cursor = next.cursor ?? undefined;
          if (next.found.length === 0) return;
          yield next.found[0];
        }
      } finally {
        await send({ do: 'close', iterator });
      }
    };
    const first = async (): Promise<Answer<unknown>> => {
      await opened;
      return answerOf(Object(await send({ do: 'first', list })));
    };
    return {
      get cursor() {
        return cursor;
      },
      withResponse: first,
      pages: () => iterate(true),
      [Symbol.asyncIterator]: () => iterate(false),
      all: async (max?: number) => {
        await opened;
        return send({ do: 'all', list, max });
      },
      // oxlint-disable-next-line unicorn/no-thenable -- as the list for TypeScript
      then: (onFulfilled: (page: unknown) => unknown, onRejected: (error: unknown) => unknown) =>
        first()
          .then(({ data }) => data)
          .then(onFulfilled, onRejected),
    };
  };

  const callOf = (client: Promise<number>, method: string, args: readonly unknown[]) => {
    if (lists.has(method) || method.endsWith('.stream')) return open(client, method, args);
    return new Call(
      (async () => {
        const command = { do: 'call', client: await client, method: inSnakeCase(method), args: args.map(encoded) };
        return answerOf(Object(await send(command)));
      })(),
    );
  };

  const makeClient = (options: object, proxy?: string): ReturnType<typeof createClient> => {
    const client = (async () => {
      const as = makeNumber();
      await send({ do: 'client', as, options: encoded(options), proxy });
      return as;
    })();
    client.catch(() => {}); // each call awaits it
    const at = (path: readonly string[]): object =>
      new Proxy(() => {}, {
        get: (_target, name) => at([...path, String(name)]),
        apply: (_target, _this, args) => callOf(client, path.join('.'), args),
      });
    // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- it forwards every call
    return at([]) as ReturnType<typeof createClient>;
  };

  return {
    createClient: (options: ClientOptions) => makeClient(options),
    /** A client whose requests all go to a proxy, with the time of the clock in a header. */
    createProxied: makeClient,
    verifyWebhook: async (request: Parameters<typeof verifyWebhook>[0]): Promise<WebhookEvent> =>
      Object(await send({ do: 'verify', request: encoded(request) })),
    retryAfterMs: async (headers: Record<string, string>): Promise<number | undefined> => {
      const seconds = await send({ do: 'retry_after', headers });
      return typeof seconds === 'number' ? seconds * 1000 : undefined;
    },
    pauseBefore: async (random: number, attempt: number, askedMs?: number): Promise<number> =>
      Number(await send({ do: 'pause_before', random, attempt, asked: askedMs && askedMs / 1000 })) * 1000,
    /** What a program prints, which has a value as `given`. */
    run: async (program: string, given?: unknown): Promise<string> => String(await send({ do: 'run', program, given })),
    /** Ends the driver. Returns what it has written to stderr, warnings too. */
    close: async (): Promise<string> => {
      child.stdin.end();
      await ended;
      return complaints;
    },
  };
};

/** What options are called in Python. */
const optionNames: Readonly<Record<string, string>> = {
  baseUrl: 'base_url',
  idempotencyKey: 'idempotency_key',
  onRetry: 'on_retry',
  signal: 'stop',
};
