import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';
import { FairQueue } from '../core/fair-semaphore.ts';
import { limits } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import type { Meter } from '../telemetry/meter.ts';
import type { IsProxy } from './address.ts';
import { guardBacklog, loadOf, usualHeldLimits } from './backlog-guard.ts';
import type { HeldLimits } from './backlog-guard.ts';
import { boundRestOfBodies, cutOff, watchPieces } from './bodies.ts';
import { trackConnections, waitsForClient } from './connections.ts';
import type { Connection, ConnectionCaps } from './connections.ts';
import { hangUp, lingering, makeRefusals } from './refusal.ts';
import { originForm } from './request-target.ts';

/** Time-outs for clients, in milliseconds. */
export interface Patience {
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
  /** Until the next request on a keep-alive connection while the server stops. */
  readonly parting: number;
  /** For the rest of a request, or for reading an answer, while the server stops: no client can delay a stop for longer. */
  readonly straggling: number;
  /** Without a new request while the server stops, before the listener is closed. */
  readonly quiet: number;
}

export const usualPatience: Patience = {
  header: 10_000,
  request: 30_000,
  silence: 60_000,
  keepAlive: 65_000,
  check: 5_000,
  parting: 2_000,
  straggling: 5_000,
  quiet: 200,
};

/**
 * Requests of one connection that are processed at once, and the maximum that may wait. While there are more than `atOnce`, nothing is read
 * from the connection, so only requests in the same packet can exceed `most`.
 */
const pipelined = { atOnce: 4, most: 64 };

/** Milliseconds after which the listener is closed even if new requests still arrive. */
const quietWithin = 2_000;

/** Connections that get a 503 at the same time; further ones are closed without an answer. */
const refusedAtOnce = 100;

/**
 * The queue of the system for connections that are not accepted yet. With a shorter one, a burst of a thousand connections loses some, and
 * their clients retry only after a second.
 */
const backlog = 4_096;

export interface ListeningServer {
  readonly port: number;
  /**
   * Stops the server without losing requests. From now on every answer has `Connection: close`. Requests that are on their way are still
   * answered, and running ones may take this many milliseconds; slow clients have less time. Then every connection is closed.
   */
  drain(milliseconds: number): Promise<void>;
}

export interface ServerOptions {
  app: Express;
  host: string;
  port: number;
  publicUrl: string;
  /**
   * Headers of the answers to requests for a path, in addition to those of every answer. Needed only before the stations, which set them
   * themselves.
   */
  headersOf?: (path: string) => Readonly<Record<string, string>>;
  /** Logs requests that are refused before they reach the stations. */
  log?: Logger;
  meter?: Meter | undefined;
  patience?: Patience;
  caps?: ConnectionCaps;
  heldLimits?: HeldLimits;
  /** The connections of a proxy belong to many clients, so the limit per address does not apply. */
  isProxy?: IsProxy;
}

/** The status for an error of the connection; any other error is a malformed request. */
const statusOf: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The connection is closed or broken, so no answer can be sent. */
const isGone = (socket: Duplex, code: string | undefined) =>
  !socket.writable || code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT';

/** A name or an address, with or without a port. Libraries build a URL from it and throw if that fails. */
const isHost = (text: string): boolean =>
  /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(text) && URL.canParse(`http://${text}`);

/** HTTP/1.1 requires exactly one `Host`; in HTTP/1.0 it may be missing. */
const namesHost = ({ httpVersion, headersDistinct }: IncomingMessage): boolean => {
  const hosts = headersDistinct['host'] ?? [];
  return hosts.every(isHost) && (hosts.length === 1 || (hosts.length === 0 && httpVersion !== '1.1'));
};

/** A body has a plain length or chunks. With any other coding its end would be unknown. */
const hasKnownFraming = ({ headers }: IncomingMessage) => /^chunked$/i.test(headers['transfer-encoding'] ?? 'chunked');

const preferences = ['accept', 'accept-encoding', 'accept-language'] as const;

const shortenPreferences = ({ headers }: IncomingMessage): void => {
  for (const name of preferences) {
    const value = headers[name];
    if (value !== undefined && value.length > limits.preferenceCharacters) {
      headers[name] = value.slice(0, limits.preferenceCharacters);
    }
  }
};

/** Requests that start before the event loop continues and new data is read from the sockets. */
const perTurn = 32;

/**
 * Starts requests in turns by group, which is the network of their sender. While few arrive, each starts at once. If thousands arrive
 * together, only a few start in each turn of the event loop, and the sockets are read in between. So a request from another network waits
 * for a few requests of each group, not for all of them.
 */
export const fairStart = (): ((group: string, begin: () => void) => void) => {
  const waiting = new FairQueue<() => void>();
  let begun = 0;
  let isScheduled = false;

  const nextTurn = (): void => {
    isScheduled = false;
    begun = 0;
    for (let count = 0; count < perTurn; count += 1) {
      const begin = waiting.next();
      if (!begin) return;
      run(begin);
    }
  };
  const run = (begin: () => void): void => {
    begun += 1;
    if (!isScheduled) {
      isScheduled = true;
      setImmediate(nextTurn);
    }
    begin();
  };

  return (group, begin) => {
    if (begun < perTurn) run(begin);
    else waiting.add(group, begin);
  };
};

/** The HTTP server. It cuts off slow and oversized requests, answers malformed ones, and keeps one client from using all connections. */
export const listen = async ({
  app,
  host,
  port,
  publicUrl,
  headersOf = () => ({}),
  log,
  meter,
  patience = usualPatience,
  caps = { all: Number.POSITIVE_INFINITY, perAddress: Number.POSITIVE_INFINITY },
  heldLimits = usualHeldLimits,
  isProxy = () => false,
}: ServerOptions): Promise<ListeningServer> => {
  const server = createServer({
    maxHeaderSize: 16 * 1024,
    headersTimeout: patience.header,
    requestTimeout: patience.request,
    keepAliveTimeout: patience.keepAlive,
    connectionsCheckingInterval: patience.check,
    requireHostHeader: false, // Node's own answer would not be a problem document
  });
  server.timeout = patience.silence;
  server.maxHeadersCount = limits.headerLines + 1; // Node silently drops further lines; the extra line shows that there were too many
  const connections = trackConnections({ caps, isProxy, onDisplaced: () => meter?.connectionShed('displaced') });
  const refusals = makeRefusals({ publicUrl, headersOf, log, meter });

  const inFairTurn = fairStart();
  /** The requests of a proxy are grouped by connection. */
  const groupOf = ({ network, socket }: Connection): string => network ?? `port ${socket.remotePort ?? 0}`;

  let stopping = false;
  /** Requests that start only after the listener is closed; undefined while no request is held back. */
  let keptBack: (() => void)[] | undefined;
  let lastArrival = performance.now();

  const work = (request: IncomingMessage, response: ServerResponse) => {
    if (response.destroyed) return;
    if (request.rawHeaders.length > 2 * limits.headerLines) {
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

  /** Requests that wait for the answers before them on the same connection. */
  const queues = new WeakMap<Connection, (() => void)[]>();
  const overfull = new WeakSet<Connection>();

  const inTurn = (connection: Connection, start: () => void) => {
    const queue = queues.get(connection) ?? [];
    queues.set(connection, queue);
    queue.push(start);
  };

  /** Whether to stop reading requests. While the server stops, requests that are on their way are still read and answered. */
  const hasEnough = (connection: Connection) =>
    overfull.has(connection) || (!stopping && connection.running.size > pipelined.atOnce);
  const notReading = new Set<Connection>();
  const pausable = new WeakSet<Connection>();

  /** Pauses reading from a connection until enough of its requests are answered. Data that was already read is not lost. */
  const stopReading = (connection: Connection) => {
    const { socket } = connection;
    notReading.add(connection);
    socket.pause();
    if (pausable.has(connection)) return;
    pausable.add(connection);
    // Node resumes the socket itself when the body of a request is read or discarded.
    socket.on('resume', () => {
      if (hasEnough(connection)) socket.pause();
    });
    socket.once('close', () => notReading.delete(connection));
  };

  const goOnReading = (connection: Connection) => {
    if (!hasEnough(connection) && notReading.delete(connection)) connection.socket.resume();
  };

  const boundRest = boundRestOfBodies();

  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.add(request, response);
    if (!connection || overfull.has(connection)) return; // closed, or about to be
    if (stopping) {
      lastArrival = performance.now();
      closeBehindLast(connection);
    }
    response.once('close', () => {
      queues.get(connection)?.shift()?.();
      goOnReading(connection);
      if (!request.complete) boundRest(request);
    });
    watchPieces(request, () => {
      meter?.connectionShed('tiny_chunks');
      request.socket.destroy();
    });
    const begin = () => {
      if (keptBack) keptBack.push(() => work(request, response));
      else work(request, response);
    };
    const start = () => inFairTurn(groupOf(connection), begin);
    const { size } = connection.running;
    if (size > pipelined.most) {
      overfull.add(connection);
      meter?.connectionShed('pipelined');
      refusals.onRequest(response, 503);
    } else if (size > pipelined.atOnce) inTurn(connection, start);
    else start();
    if (hasEnough(connection)) stopReading(connection);
  };

  const faulty = new WeakSet<Duplex>();
  const refuse = async (socket: Duplex, code: string | undefined): Promise<void> => {
    if (faulty.has(socket)) return; // the parser reports an error for every further chunk
    faulty.add(socket);
    if (isGone(socket, code)) {
      socket.destroy();
      return;
    }
    const status = statusOf[code ?? ''] ?? 400;
    const last = connections.of(socket)?.last;
    if (last && !last.request.complete) {
      if (last.response.writableEnded) {
        hangUp(socket);
        return;
      }
      // Makes reading the body fail, so that the adapter answers with the problem at once.
      cutOff(last.request, last.response, new Problem('bad_request', { status }));
      setTimeout(() => socket.destroy(), lingering).unref();
      return;
    }
    // The faulty data comes after the running requests, so these are answered first.
    await connections.settled(socket);
    if (socket.writable) refusals.onConnection(socket, status);
  };

  const turnedAway = new Set<Socket>();
  /** Answers 503 to a limited number of connections; further ones are closed without an answer. */
  const turnAway = (socket: Socket) => {
    socket.on('error', () => {});
    if (turnedAway.size >= refusedAtOnce) {
      socket.destroy();
      return;
    }
    turnedAway.add(socket);
    socket.once('close', () => turnedAway.delete(socket));
    socket.resume(); // closing on unread bytes would reset the answer
    refusals.onConnection(socket, 503);
  };

  // Node's own listener, which starts to read requests, is called only for admitted connections.
  const beginReading = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    // A client may reset its connection at any time. After CONNECT and Upgrade, Node removes its own error listener, and an error without a
    // listener would end the process.
    socket.on('error', () => {});
    const admitted = connections.open(socket);
    if (admitted === 'admitted') {
      lastArrival = performance.now();
      for (const listener of beginReading) Reflect.apply(listener, server, [socket]);
    } else {
      meter?.connectionShed(admitted);
      turnAway(socket);
    }
  });
  server.on('request', answer);
  server.on('checkExpectation', answer);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => void refuse(socket, error.code));
  server.on('connect', (_request, socket) => void refuse(socket, undefined));

  const look = guardBacklog({
    limits: heldLimits,
    loadOf,
    cut: ({ socket }, reason) => {
      meter?.connectionShed(reason);
      // A reset also clears the unread bytes in the system's buffer.
      socket.resetAndDestroy();
    },
  });
  const looking = setInterval(
    () => connections.setSlowest(look(connections.all(), performance.now())),
    heldLimits.every,
  ).unref();

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog }, () => {
      server.off('error', reject);
      resolve();
    });
  });

  /**
   * Waits until no new request arrives, so that closing the listener loses as few connections as possible; then closes only the listener.
   */
  const closeListener = async (deadline: number) => {
    keptBack = [];
    const until = Math.min(deadline, performance.now() + quietWithin);
    while (performance.now() < Math.min(until, lastArrival + patience.quiet)) await sleep(10);
    await nextTurn();
    const closed = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(server, () => resolve());
    });
    const late = keptBack;
    keptBack = undefined;
    for (const start of late) start();
    return { closed };
  };

  return {
    port: portOf(server.address()),
    async drain(milliseconds) {
      const begin = performance.now();
      const deadline = begin + milliseconds;
      const isIn = (time: number) => performance.now() < Math.min(time, deadline);
      stopping = true;
      for (const connection of notReading) goOnReading(connection);
      for (const connection of connections.all()) closeBehindLast(connection);
      const isBusy = (connection: Connection) =>
        connection.running.size > 0 && (!waitsForClient(connection) || isIn(begin + patience.straggling));
      const anyIsBusy = () => Iterator.from(connections.all()).some(isBusy);
      while (isIn(deadline) && (anyIsBusy() || (connections.count > 0 && isIn(begin + patience.parting))))
        await sleep(10);

      const { closed } = await closeListener(deadline);
      // A connection that was opened or answered a moment ago may have a request on its way.
      const mayStillAsk = (connection: Connection) =>
        connection.running.size > 0 ? isBusy(connection) : performance.now() - connection.idleSince < patience.parting;
      while (isIn(deadline) && Iterator.from(connections.all()).some(mayStillAsk)) await sleep(10);
      clearInterval(looking);
      server.close(); // the listener is closed already; this ends Node's own timers
      for (const socket of [...Array.from(connections.all(), (connection) => connection.socket), ...turnedAway]) {
        socket.destroy();
      }
      await closed;
    },
  };
};

/** Only the newest answer of a connection may have `Connection: close`: after an earlier one, Node would not send the others. */
const closeBehindLast = ({ last, running }: Connection): void => {
  for (const response of running) {
    if (response.headersSent) continue;
    if (response === last?.response) response.setHeader('Connection', 'close');
    else response.removeHeader('Connection');
  }
};

const portOf = (address: AddressInfo | string | null): number =>
  address && typeof address === 'object' ? address.port : 0;
