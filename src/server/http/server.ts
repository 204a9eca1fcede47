import { createServer, ServerResponse, type IncomingMessage, type Server } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';
import type { Clock } from '../../core/clock.ts';
import { httpLimits } from '../../core/limits.ts';
import type { Logger } from '../../core/log.ts';
import { Problem } from '../../core/problem.ts';
import type { Meter } from '../../platform/telemetry/meter.ts';
import { cutOff } from './bodies.ts';
import { hangUp, lingering, makeRefusals, type Refusals } from './refusal.ts';
import type { Lifecycle } from './request-context.ts';

// The HTTP server: Node's own, with its limits. Slow clients, many connections of one client, and floods of requests on
// one connection are the work of the proxy in front of it (docs/deploy/proxy). Without a proxy such clients can make
// the service slow or unreachable.

/** Time-outs for clients, in milliseconds. */
export interface Timeouts {
  /** Until the header is complete. */
  readonly header: number;
  /** Until the whole request has arrived. */
  readonly request: number;
  /** Without a byte in either direction, for example while a client doesn't read its answer. */
  readonly silence: number;
  /** Until the next request on a keep-alive connection. */
  readonly keepAlive: number;
  /** The interval of the checks of `header` and `request`. */
  readonly check: number;
  /** How long the server waits without a new request while it stops, before it closes the listener. */
  readonly quiet: number;
}

export const defaultTimeouts: Timeouts = {
  header: 10_000,
  request: 30_000,
  silence: 60_000,
  keepAlive: 65_000, // longer than a proxy keeps an idle connection, so that the proxy closes it
  check: 5_000,
  quiet: 200,
};

/** Milliseconds after which the listener is closed even if new requests still arrive. */
const quietWithinMs = 2_000;

/**
 * The queue of the system for connections that are not accepted yet. With a shorter one, a burst of a thousand
 * connections loses some, and their clients retry only after a second.
 */
const backlog = 4_096;

export interface ListeningServer {
  readonly port: number;
  /**
   * Stops the server without losing requests. From now on every answer has `Connection: close`. The listener is closed
   * as soon as no new request arrives, so that a proxy without health checks turns to other processes. Requests that
   * have arrived are answered, and may take this many milliseconds. Then every connection is closed.
   */
  drain(milliseconds: number): Promise<void>;
}

export interface ServerOptions {
  app: Express;
  /** The time of the `Date` headers. */
  clock: Clock;
  host: string;
  port: number;
  publicUrl: string;
  /** A connection beyond this number is closed at once. */
  maxConnections: number;
  /**
   * Headers of the answers to requests for a path, in addition to those of every answer. Only for answers before the
   * middlewares, which set these headers themselves.
   */
  headersOf?: (path: string) => Readonly<Record<string, string>>;
  /** Logs requests that are refused before they reach the middlewares. */
  log?: Logger;
  meter?: Meter | undefined;
  /**
   * While the server is `leaving`, each answer closes its connection, so that the client's next one leads to another
   * process.
   */
  lifecycle?: Pick<Lifecycle, 'state'>;
  timeouts?: Timeouts;
}

/** The status for an error of the connection; any other error is a malformed request. */
const statusOf: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Whether the connection is closed or broken, so that no answer can be sent. */
const isGone = (socket: Duplex, code: string | undefined) =>
  !socket.writable || code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT';

/**
 * A request's target in the form for routing: path and query. The origin of an absolute form (from a proxy) is removed.
 * Undefined if the target is invalid (other characters, a fragment, another scheme). Nothing is decoded or normalised.
 */
export const originForm = (target: string): string | undefined => {
  if (!/^[!-~]+$/.test(target) || target.includes('#')) return undefined;
  if (target.startsWith('/') || target === '*') return target;
  const rest = /^https?:\/\/[^/?]+(.*)$/is.exec(target)?.[1];
  if (rest === undefined) return undefined;
  return rest.startsWith('/') ? rest : `/${rest}`;
};

/** A name or an address, with or without a port. Libraries build a URL from it and throw if that fails. */
const isHost = (text: string): boolean =>
  /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(text) && URL.canParse(`http://${text}`);

/** HTTP/1.1 requires exactly one `Host`; in HTTP/1.0 it may be missing. */
const namesHost = ({ httpVersion, headersDistinct }: IncomingMessage): boolean => {
  const hosts = headersDistinct['host'] ?? [];
  return hosts.every(isHost) && (hosts.length === 1 || (hosts.length === 0 && httpVersion !== '1.1'));
};

/** A body has a plain length, or chunks. With any other coding its end would be unknown. */
const hasKnownFraming = ({ headers }: IncomingMessage) => /^chunked$/i.test(headers['transfer-encoding'] ?? 'chunked');

const preferences = ['accept', 'accept-encoding', 'accept-language'] as const;

const shortenPreferences = ({ headers }: IncomingMessage): void => {
  for (const name of preferences) {
    const value = headers[name];
    if (value !== undefined && value.length > httpLimits.preferenceCharacters) {
      headers[name] = value.slice(0, httpLimits.preferenceCharacters);
    }
  }
};

/**
 * Programs read the `Date` header as the time of the service. Node's own header would have the machine's time, which
 * may be wrong, and which the sandbox does not move. Express has `app.response` for extending responses.
 */
const dateResponses = (app: Express, clock: Clock): void => {
  app.response.writeHead = function writeHead(...head: unknown[]) {
    this.setHeader('Date', clock.now().toUTCString());
    // oxlint-disable-next-line typescript/unbound-method -- `this` is the second argument
    Reflect.apply(ServerResponse.prototype.writeHead, this, head);
    return this;
  };
};

/** Node's server with our limits. */
const makeServer = (timeouts: Timeouts, maxConnections: number): Server => {
  const server = createServer({
    maxHeaderSize: 16 * 1024,
    headersTimeout: timeouts.header,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: timeouts.check,
    requireHostHeader: false, // Node's own answer would not be a problem document
  });
  server.timeout = timeouts.silence;
  server.maxConnections = maxConnections;
  server.maxHeadersCount = httpLimits.headerLines + 1; // Node silently drops further lines; the extra line shows that there were too many
  return server;
};

/** Returns the function that gives a request to the app, or refuses it if it is malformed. */
const makeWork = (app: Express, refusals: Refusals) => (request: IncomingMessage, response: ServerResponse) => {
  if (request.rawHeaders.length > 2 * httpLimits.headerLines) {
    refusals.onRequest(response, 431);
    return;
  }
  const target = originForm(request.url ?? '');
  if (target === undefined || !namesHost(request) || !hasKnownFraming(request)) {
    refusals.onRequest(response, 400);
    return;
  }
  request.url = target;
  shortenPreferences(request);
  app(request, response);
};

/** The connections and responses that a server has open at this moment. */
interface OpenParts {
  /** The open connections, each with the response to its last request. */
  readonly connections: Map<Duplex, ServerResponse | undefined>;
  /** Every response that is not finished. */
  readonly running: Set<ServerResponse>;
}

/** Returns the function that answers data that Node's parser refuses, or a CONNECT, and closes the connection. */
const makeRefuse = ({ connections, running }: OpenParts, refusals: Refusals) => {
  const faulty = new WeakSet<Duplex>();
  return (socket: Duplex, code: string | undefined): void => {
    if (faulty.has(socket)) return; // the parser reports an error for every further chunk
    faulty.add(socket);
    if (isGone(socket, code)) {
      socket.destroy();
      return;
    }
    const status = statusOf[code ?? ''] ?? 400;
    const last = connections.get(socket);
    if (last && !last.req.complete) {
      if (last.writableEnded) {
        hangUp(socket);
        return;
      }
      // Makes reading the body fail, so that the adapter answers with the problem at once.
      cutOff(last.req, last, new Problem('bad_request', { status }));
      setTimeout(() => socket.destroy(), lingering).unref();
      return;
    }
    const answerNow = () => {
      if (socket.writable) refusals.onConnection(socket, status);
    };
    // The faulty data came after the running requests, so these are answered first.
    if (last && running.has(last)) last.once('close', answerNow);
    else answerNow();
  };
};

const addConnection = ({ connections, running }: OpenParts, socket: Duplex): void => {
  connections.set(socket, undefined);
  socket.once('close', () => {
    const last = connections.get(socket);
    connections.delete(socket);
    if (!last || last.closed) return;
    // A response that waits for an earlier one of its connection is not closed with the earlier one.
    for (const response of running) if (response.req.socket === socket) running.delete(response);
  });
  // A client may reset its connection at any time. After CONNECT and Upgrade, Node removes its own error listener,
  // and an error without a listener would end the process.
  socket.on('error', () => {});
};

const startListening = (server: Server, { host, port }: Pick<ServerOptions, 'host' | 'port'>): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog }, () => {
      server.off('error', reject);
      resolve();
    });
  });

/** Starts the HTTP server, which answers malformed requests itself and stops without losing requests. */
export const listen = async ({
  app,
  clock,
  host,
  port,
  publicUrl,
  maxConnections,
  headersOf = () => ({}),
  log,
  meter,
  lifecycle,
  timeouts = defaultTimeouts,
}: ServerOptions): Promise<ListeningServer> => {
  const server = makeServer(timeouts, maxConnections);
  dateResponses(app, clock);
  const refusals = makeRefusals({ clock, publicUrl, headersOf, log, meter });
  const open: OpenParts = { connections: new Map(), running: new Set() };
  const { connections, running } = open;
  let stopping = false;
  /** Requests that start only after the listener is closed; undefined while no request is held back. */
  let heldBack: (() => void)[] | undefined;
  let lastArrival = performance.now();

  const work = makeWork(app, refusals);
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (!connections.has(request.socket)) return; // closed
    connections.set(request.socket, response);
    running.add(response);
    response.once('close', () => running.delete(response));
    if (stopping) lastArrival = performance.now();
    if (stopping || lifecycle?.state === 'leaving') response.setHeader('Connection', 'close');
    if (heldBack) heldBack.push(() => work(request, response));
    else work(request, response);
  };
  const refuse = makeRefuse(open, refusals);

  server.on('connection', (socket) => {
    lastArrival = performance.now();
    addConnection(open, socket);
  });
  server.on('drop', () => meter?.connectionsRefused.inc());
  server.on('request', answer);
  server.on('checkExpectation', answer);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(socket, error.code));
  server.on('connect', (_request, socket) => refuse(socket, undefined));

  await startListening(server, { host, port });

  /**
   * Closes the listener as soon as no new request arrives. A client whose request is held back opens no further
   * connection. So closing the listener resets no connection that the system has accepted for the server.
   */
  const closeListener = async (deadline: number) => {
    heldBack = [];
    const until = Math.min(deadline, performance.now() + quietWithinMs);
    do {
      await sleep(10);
      // On a busy machine the timer may be late. This lets the server accept the connections that have come in the
      // meantime.
      await setImmediate();
    } while (performance.now() < Math.min(until, lastArrival + timeouts.quiet));
    const closed = new Promise<void>((resolve) => {
      // The HTTP server's own `close` would also cut off answers that clients have not read completely.
      NetServer.prototype.close.call(server, () => resolve());
    });
    const late = heldBack;
    heldBack = undefined;
    for (const start of late) start();
    return { closed };
  };

  return {
    port: portOf(server.address()),
    async drain(milliseconds) {
      const deadline = performance.now() + milliseconds;
      const untilIdle = async () => {
        while (running.size > 0 && performance.now() < deadline) await sleep(10);
      };
      stopping = true;
      for (const response of running) if (!response.headersSent) response.setHeader('Connection', 'close');
      const { closed } = await closeListener(deadline);
      await untilIdle();
      for (const socket of connections.keys()) socket.destroy();
      await closed;
    },
  };
};

const portOf = (address: AddressInfo | string | null): number =>
  address && typeof address === 'object' ? address.port : 0;
