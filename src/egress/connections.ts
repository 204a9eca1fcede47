import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { SecureContext, TLSSocket } from 'node:tls';
import { callbackify } from 'node:util';
import { Agent, Client, Pool } from 'undici';
import type { buildConnector, Dispatcher } from 'undici';
import { TtlMap } from '../core/ttl-map.ts';
import { Failure, failureOf, handshakeFailure } from './failure.ts';
import type { Fault } from './failure.ts';
import type { Guard } from './guard.ts';
import { placeOf } from './targets.ts';
import type { Target } from './targets.ts';

/** Resolves once the socket is open; destroys it with `late` if that takes longer than `limit` milliseconds. */
export const opened = <Opening extends Socket>(
  socket: Opening,
  event: 'connect' | 'secureConnect',
  limit: number,
  late: () => Error,
): Promise<Opening> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(late()), limit);
    const settle = (then: () => void) => {
      clearTimeout(timer);
      socket.off(event, open).off('error', fail).off('close', close);
      then();
    };
    const open = () => settle(() => resolve(socket));
    const fail = (error: Error) => settle(() => reject(error));
    const close = () => settle(() => reject(new Error('The socket was closed')));
    socket.once(event, open).once('error', fail).once('close', close);
    // Until the caller adds its own listener, an error without one would end the process.
    socket.on('error', () => {});
  });

/** Opens a connection to an address, directly or through a proxy. */
export type Tunnel = (address: string, port: number, limit: number, signal: AbortSignal) => Promise<Socket>;

const credentials = ({ username, password }: URL): Record<string, string> => {
  if (username === '' && password === '') return {};
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(plain).toString('base64')}` };
};

const failed = (why: string, fault: Fault) =>
  new Failure(`The connection through the service’s outgoing proxy failed: ${why}.`, fault);

/** The statuses of a proxy that could not reach the target. */
const targetNotReached = new Set([502, 504]);

export const proxyTunnel = (proxyUrl: string, secureContext: SecureContext): Tunnel => {
  const url = new URL(proxyUrl);
  const { host, port: proxyPort } = placeOf(url);
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const toProxy = {
    host,
    port: proxyPort,
    method: 'CONNECT',
    agent: false,
    secureContext,
    ...(isIP(host) === 0 ? { servername: host } : {}),
  };

  return (address, port, limit, signal) =>
    new Promise((resolve, reject) => {
      const place = isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
      const headers = { Host: place, Connection: 'keep-alive', ...credentials(url) };
      const asking = request({ ...toProxy, path: place, headers, signal });
      const deadline = performance.now() + limit;
      // An unreachable proxy must be distinguished from a silent target, so the proxy has half of the time to accept the request.
      let timer = setTimeout(() => asking.destroy(failed('it can’t be reached', 'service')), limit / 2);
      asking.once('finish', () => {
        clearTimeout(timer);
        const late = () => asking.destroy(failed('it did not answer in time', 'receiver'));
        timer = setTimeout(late, deadline - performance.now());
      });
      asking.once('connect', ({ statusCode = 0 }, socket, head) => {
        clearTimeout(timer);
        socket.on('error', () => {});
        if (statusCode >= 200 && statusCode <= 299) {
          if (head.length > 0) socket.unshift(head);
          resolve(socket);
        } else {
          socket.destroy();
          reject(failed(`it answered ${statusCode}`, targetNotReached.has(statusCode) ? 'receiver' : 'service'));
        }
      });
      asking.on('error', (error) => {
        clearTimeout(timer);
        reject(error instanceof Failure ? error : failed('it can’t be reached', 'service'));
      });
      asking.end();
    });
};

/** How long a session is used without verifying the receiver's certificate again. */
const sessionMs = 10 * 60_000;
const mostSessions = 1_000;

interface Session {
  readonly session: Buffer;
  /** When the certificate was verified. */
  readonly verifiedAt: number;
}

/**
 * TLS sessions of receivers, whose certificates were verified when the sessions began. Another connection to the same host and port resumes
 * the session, which costs both sides a fraction of a full handshake.
 */
class TlsSessions {
  readonly #sessions = new TtlMap<Session>({ capacity: mostSessions });

  /** The session to offer, if there is one. */
  of(place: string): Session | undefined {
    return this.#sessions.get(place);
  }

  /** After a receiver has refused its session, the next connection makes a full handshake. */
  forget(place: string): void {
    this.#sessions.delete(place);
  }

  /**
   * Keeps the sessions that a receiver issues on a connection. A session that continues an offered one expires when that one would have.
   */
  keepOf(secured: TLSSocket, place: string, offered: Session | undefined): void {
    const verifiedAt = offered && secured.isSessionReused() ? offered.verifiedAt : performance.now();
    secured.on('session', (session: Buffer) => {
      const ttlMs = verifiedAt + sessionMs - performance.now();
      this.#sessions.set(place, { session, verifiedAt }, { ttlMs });
    });
  }
}

/** The only place that opens connections, and only to addresses that the guard has checked. */
export interface Connector {
  readonly connect: buildConnector.connector;
  /** The number of open connections. */
  open(): number;
  close(): void;
}

interface ConnectorParts {
  guard: Guard;
  secureContext: SecureContext;
  /** Milliseconds for look-up, connection and handshake. */
  timeout: number;
  tunnel?: Tunnel | undefined;
}

const mostAddresses = 3;
const grace = 100;

/** Both families alternately, starting with the first address's family: if one family does not work from here, the other one is tried. */
const inTurns = (addresses: readonly string[]): string[] => {
  const [first = ''] = addresses;
  const family = isIP(first);
  const ones = addresses.filter((address) => isIP(address) === family);
  const others = addresses.filter((address) => isIP(address) !== family);
  return ones
    .flatMap((one, index) => [one, ...others.slice(index, index + 1)])
    .concat(others.slice(ones.length))
    .slice(0, mostAddresses);
};

const directly: Tunnel = (host, port, limit, signal) =>
  opened(
    connectTcp({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000, signal }),
    'connect',
    limit,
    () => new Failure('The receiver accepted no connection in time.'),
  );

export const makeConnector = ({ guard, secureContext, timeout, tunnel = directly }: ConnectorParts): Connector => {
  const sockets = new Set<Socket>();
  const sessions = new TlsSessions();
  const closing = new AbortController();

  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };

  const reach = async ({ port }: Target, addresses: readonly string[], deadline: number): Promise<Socket> => {
    let failure = new Failure('The host name can’t be found in the DNS.');
    for (const [index, address] of addresses.entries()) {
      const share = (deadline - performance.now()) / (addresses.length - index);
      try {
        return await tunnel(address, port, Math.max(share, 1), closing.signal);
      } catch (error) {
        failure = failureOf(error);
      }
    }
    throw failure;
  };

  const secure = async (socket: Socket, { host, port, isAddress }: Target, deadline: number): Promise<Socket> => {
    const servername = isAddress ? {} : { servername: host };
    const place = `${host}:${port}`;
    const offered = sessions.of(place);
    const secured = connectTls({
      socket,
      secureContext,
      host,
      ...servername,
      ALPNProtocols: ['http/1.1'],
      ...(offered && { session: offered.session }),
    });
    keep(secured);
    try {
      await opened(
        secured,
        'secureConnect',
        Math.max(deadline - performance.now(), 1),
        () => new Failure('The receiver did not finish the TLS handshake in time.'),
      );
      // Not earlier, because the certificate may not have been verified before.
      sessions.keepOf(secured, place, offered);
      return secured;
    } catch (error) {
      if (offered) sessions.forget(place);
      socket.destroy();
      throw handshakeFailure(error);
    }
  };

  const establish = async (protocol: string, host: string): Promise<Socket> => {
    // The request that waits for this has the same limit and a better error message, so it should end first.
    const deadline = performance.now() + timeout + grace;
    const target = guard.read(`${protocol}//${host}/`);
    if ('refused' in target) throw new Failure(target.refused);
    const addresses = inTurns(await guard.addressesOf(target, { waitMs: timeout }));
    const socket = await reach(target, addresses, deadline);
    if (protocol === 'https:') return secure(socket, target, deadline);
    // The guard allows this only in the sandbox.
    keep(socket);
    return socket;
  };

  const establishThen = callbackify(establish);

  return {
    connect: ({ protocol, host, hostname }, callback) =>
      establishThen(protocol, host ?? hostname, (error, socket) => {
        if (error) callback(failureOf(error), null);
        else callback(null, socket);
      }),
    open: () => sockets.size,
    close: () => {
      closing.abort();
      for (const socket of sockets) socket.destroy();
    },
  };
};

/** A request that gets a reference to the connection on which it is sent. */
export abstract class ConnectedRequest implements Dispatcher.DispatchHandler {
  protected connection: ReceiverConnection | undefined;

  sentOn(connection: ReceiverConnection): void {
    this.connection = connection;
  }

  abstract onRequestStart(controller: Dispatcher.DispatchController): void;
}

/** A connection to a receiver. It is reopened if it was lost and is needed again, and counts the requests since it was opened. */
class ReceiverConnection extends Client {
  #requests = 0;

  constructor(origin: string | URL, options: Client.Options) {
    super(origin, options);
    this.on('connect', () => {
      this.#requests = 0;
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof ConnectedRequest) handler.sentOn(this);
    return super.dispatch(options, handler);
  }

  /** Counts a request. Returns whether the connection had already served another one: then the receiver may have closed it since. */
  beginRequest(): boolean {
    this.#requests += 1;
    return this.#requests > 1;
  }
}

/** How long an idle connection is kept, unless the receiver wants a shorter time. */
const keptMs = 10_000;
const mostHeaderBytes = 16 * 1024;

/** The connections to all receivers, one for each running request. Without `keepAlive` each connection serves a single request. */
export const openConnections = (connect: buildConnector.connector, { keepAlive }: { keepAlive: boolean }): Agent => {
  const options: Client.Options = {
    connect,
    allowH2: false,
    pipelining: keepAlive ? 1 : 0,
    maxHeaderSize: mostHeaderBytes,
    keepAliveTimeout: keptMs,
    keepAliveMaxTimeout: keptMs,
    // Each request has its own time limit, from the look-up to the end. undici's limits would start again with every chunk.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const factory = (origin: string | URL) => new ReceiverConnection(origin, options);
  return new Agent({ allowH2: false, factory: (origin) => new Pool(origin, { allowH2: false, factory }) });
};
