import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { WebhookError, verifyWebhook, type WebhookEvent } from '../webhooks.ts';
import type { Forward } from './forward.ts';
import type { Print } from './print.ts';

interface ReceiverOptions {
  host: string;
  port: number;
  /** Without secrets, signatures are not checked. */
  secrets: readonly string[];
  forward: Forward | undefined;
  print: Print;
  tls: { cert: string; key: string } | undefined;
}

/** A larger body is not read. The service sends at most 16 KiB. */
const largestBody = 1024 * 1024;

const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > largestBody) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
};

/** The headers of a delivery that a receiver needs. */
const forwardedHeaders = (headers: IncomingMessage['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      /^(svc-|webhook-|content-type$|user-agent$)/.test(name) && typeof value === 'string' ? [[name, value]] : [],
    ),
  );

const eventIn = async (body: Buffer, request: IncomingMessage, secrets: readonly string[]): Promise<WebhookEvent> => {
  if (secrets.length > 0) return verifyWebhook({ body, headers: request.headers, secret: secrets });
  const event: WebhookEvent | null = JSON.parse(body.toString());
  if (typeof event?.type !== 'string') throw new Error('There is no event in it.');
  return event;
};

const take = async (
  request: IncomingMessage,
  response: ServerResponse,
  { secrets, forward, print }: ReceiverOptions,
): Promise<void> => {
  const body = request.method === 'POST' ? await readBody(request) : undefined;
  if (!body) {
    response.writeHead(request.method === 'POST' ? 413 : 405, { Allow: 'POST', Connection: 'close' }).end();
    return;
  }
  let event: WebhookEvent;
  try {
    event = await eventIn(body, request, secrets);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    response.writeHead(400).end();
    print({
      refused: { reason: error instanceof WebhookError ? error.reason : 'not_an_event', message },
      answered: 400,
    });
    return;
  }
  const isVerified = secrets.length > 0;
  if (!forward) {
    response.writeHead(204).end();
    print({ event, isVerified, answered: 204 });
    return;
  }
  const forwarded = await forward(body, forwardedHeaders(request.headers));
  const answered = 'error' in forwarded ? 502 : forwarded.status;
  response.writeHead(answered).end('error' in forwarded ? '' : forwarded.body);
  print({ event, isVerified, forwarded: 'error' in forwarded ? forwarded : { status: forwarded.status }, answered });
};

/** Starts a receiver of webhooks; returns its URL and a function that ends it. */
export const startReceiver = async (options: ReceiverOptions): Promise<{ url: string; close: () => Promise<void> }> => {
  const listener: RequestListener = (request, response) => {
    // An aborted request must not end the receiver.
    take(request, response, options).catch(() => response.destroy());
  };
  const { tls, host } = options;
  const server = tls
    ? createTlsServer({ cert: readFileSync(tls.cert), key: readFileSync(tls.key) }, listener)
    : createServer(listener);
  server.listen(options.port, host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : options.port;
  return {
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
