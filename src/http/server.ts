import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import type { Logger } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import { cutOff } from '../rest/read-body.ts';
import type { Meter } from '../telemetry/meter.ts';
import { hangUp, makeRefusals } from './refusal.ts';
import { originForm } from './request-target.ts';
import { trackRequests } from './running-requests.ts';

/** How long a client may take, in milliseconds. */
export interface Patience {
  /** Until the header is complete. */
  readonly header: number;
  /** Until the whole request is there. */
  readonly request: number;
  /** Without a byte in either direction, such as a client that doesn't take its answer. */
  readonly silence: number;
  /** Until the next request on a connection that is kept. */
  readonly keepAlive: number;
  /** How often header and request are looked at. */
  readonly check: number;
}

const usualPatience: Patience = { header: 10_000, request: 30_000, silence: 60_000, keepAlive: 65_000, check: 5_000 };

export interface ListeningServer {
  readonly port: number;
  /** Waits for the requests that run, as long as it may, then closes every connection. */
  drain(milliseconds: number): Promise<void>;
}

interface ServerOptions {
  app: Express;
  host: string;
  port: number;
  publicUrl: string;
  /** Told of what is refused before there is a request. */
  log?: Logger;
  meter?: Meter | undefined;
  patience?: Patience;
}

/** What a fault of the connection is answered with; anything else is malformed. */
const statusOf: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The connection is gone or no longer worth a word. */
const isGone = (socket: Duplex, code: string | undefined) =>
  !socket.writable || code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT';

/** HTTP/1.1 asks for exactly one `Host`. */
const namesHost = ({ httpVersion, headersDistinct }: IncomingMessage) =>
  httpVersion !== '1.1' || headersDistinct['host']?.length === 1;

/** A body comes plain or in chunks; any other coding would leave its end to guesswork. */
const hasKnownFraming = ({ headers }: IncomingMessage) => /^chunked$/i.test(headers['transfer-encoding'] ?? 'chunked');

/** The HTTP server: slow and oversized requests are cut off, malformed ones get an answer that says so. */
export const listen = async ({
  app,
  host,
  port,
  publicUrl,
  log,
  meter,
  patience = usualPatience,
}: ServerOptions): Promise<ListeningServer> => {
  const server = createServer({
    maxHeaderSize: 16 * 1024,
    headersTimeout: patience.header,
    requestTimeout: patience.request,
    keepAliveTimeout: patience.keepAlive,
    connectionsCheckingInterval: patience.check,
    requireHostHeader: false, // Node's own refusal would be no problem document
  });
  server.timeout = patience.silence;
  server.maxHeadersCount = 0; // bounded by their size; a count would drop the ones behind it without a word
  const requests = trackRequests();
  const refusals = makeRefusals({ publicUrl, log, meter });

  const answer = (request: IncomingMessage, response: ServerResponse) => {
    requests.add(request, response);
    const target = originForm(request.url ?? '');
    if (target === undefined || !namesHost(request) || !hasKnownFraming(request)) {
      refusals.onRequest(response, 400);
      return;
    }
    request.url = target;
    app(request, response);
  };

  const faulty = new WeakSet<Duplex>();
  const refuse = async (socket: Duplex, code: string | undefined): Promise<void> => {
    if (faulty.has(socket)) return; // the parser reports every further piece again
    faulty.add(socket);
    if (isGone(socket, code)) {
      socket.destroy();
      return;
    }
    const status = statusOf[code ?? ''] ?? 400;
    const last = requests.lastOn(socket);
    if (last && !last.request.complete) {
      if (last.response.writableEnded) hangUp(socket);
      else cutOff(last.request, last.response, new Problem('bad_request', { status }));
      return;
    }
    // The fault lies behind the requests that run: they are answered first.
    await requests.settled(socket);
    if (socket.writable) refusals.onConnection(socket, status);
  };

  server.on('request', answer);
  server.on('checkExpectation', answer);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => void refuse(socket, error.code));
  server.on('connect', (_request, socket) => void refuse(socket, undefined));

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

  return {
    port: portOf(server.address()),
    async drain(milliseconds) {
      const timeIsUp = new Promise<void>((resolve) => {
        setTimeout(resolve, milliseconds).unref();
      });
      await Promise.race([requests.settled(), timeIsUp]);
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      // What came meanwhile was refused in a moment: that answer is let out too.
      await Promise.race([requests.settled(), timeIsUp]);
      server.closeAllConnections();
      await closed;
    },
  };
};

const portOf = (address: AddressInfo | string | null): number =>
  address && typeof address === 'object' ? address.port : 0;
