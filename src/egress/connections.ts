import { isIP, Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { callbackify } from 'node:util';
import { Agent, buildConnector, Client, Pool, type Dispatcher } from 'undici';
import { failureMessages } from '../core/messages/requests.ts';
import { connectionFailure, Failure, failureOf } from './failure.ts';
import type { Guard } from './guard.ts';

/** Opens a connection to an address through a proxy. */
export type Tunnel = (address: string, port: number, signal: AbortSignal) => Promise<Socket>;

const credentials = ({ username, password }: URL): Record<string, string> => {
  if (username === '' && password === '') return {};
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(plain).toString('base64')}` };
};

/** The statuses of a proxy that could not reach the target. */
const targetNotReached = new Set([502, 504]);

interface ConnectionSettings {
  secureContext: SecureContext;
  /** Milliseconds for a whole request. */
  timeout: number;
}

/**
 * Connects through the proxy to addresses. undici's own proxy agent would pass the target's name to the proxy, which
 * would look it up again, without the guard's check.
 */
export const proxyTunnel = (proxyUrl: string, { secureContext, timeout }: ConnectionSettings): Tunnel => {
  const url = new URL(proxyUrl);
  // An unreachable proxy must be distinguished from a silent target, so the proxy has half of the time to accept the
  // connection.
  const connect = { secureContext, timeout: timeout / 2 };
  return async (address, port, signal) => {
    const proxy = new Client(url.origin, { connect, allowH2: false, headersTimeout: timeout });
    const path = isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
    const asked = await proxy.connect({ path, headers: { Host: path, ...credentials(url) }, signal }).catch(() => {
      throw new Failure(failureMessages.proxyUnreachable, 'service');
    });
    const { statusCode, socket } = asked;
    if (statusCode >= 200 && statusCode <= 299 && socket instanceof Socket) return socket;
    socket.on('error', () => {}).destroy();
    const fault = targetNotReached.has(statusCode) ? 'receiver' : 'service';
    throw new Failure(failureMessages.proxyAnswered(statusCode), fault);
  };
};

/** The only place that opens connections to receivers, and only to addresses that the guard has checked. */
export interface Connector {
  readonly connect: buildConnector.connector;
  /** The number of connections that are open or being opened. */
  open(): number;
  close(): void;
}

interface ConnectorParts extends ConnectionSettings {
  guard: Guard;
  tunnel?: Tunnel | undefined;
}

/** To how many addresses of a name one attempt connects at most. */
const maxAddresses = 3;

/**
 * How much longer than a request the opening of its connection may take. The request that waits for the connection has
 * a better error message, so it should end first. undici's timer for the connection may end half a second early.
 */
const grace = 1_000;

export const openConnector = ({ guard, secureContext, timeout, tunnel }: ConnectorParts): Connector => {
  /**
   * Aborting a controller ends its connection. The connections have no common signal, because a socket never removes
   * its listener from a signal.
   */
  const connections = new Set<AbortController>();

  /** A connection through the proxy to the first address that it reaches. The addresses share the time. */
  const throughProxy = async (
    through: Tunnel,
    addresses: readonly string[],
    port: number,
    signal: AbortSignal,
  ): Promise<Socket> => {
    let failure = new Failure(failureMessages.notFoundInDns);
    for (const address of addresses) {
      try {
        const late = AbortSignal.timeout((timeout + grace) / addresses.length);
        return await through(address, port, AbortSignal.any([signal, late]));
      } catch (error) {
        failure = failureOf(error);
      }
    }
    throw failure;
  };

  const establish = async (wanted: buildConnector.Options, signal: AbortSignal): Promise<Socket> => {
    const target = guard.read(`${wanted.protocol}//${wanted.host ?? wanted.hostname}/`);
    if ('refused' in target) throw new Failure(target.refused);
    const addresses = (await guard.addressesOf(target)).slice(0, maxAddresses);
    const httpSocket = tunnel && (await throughProxy(tunnel, addresses, target.port, signal));
    const connect = buildConnector({
      secureContext,
      timeout: timeout + grace,
      allowH2: false,
      // A resumed session would not verify the receiver's certificate again.
      maxCachedSessions: 0,
      signal,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: timeout / 4,
      lookup: (_name, _options, found) =>
        found(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        ),
    });
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const options = { ...wanted, hostname: target.host, ...(httpSocket && { httpSocket }) };
    connect(target.isAddress ? options : { ...options, servername: target.host }, (error, socket) => {
      if (error) reject(connectionFailure(error));
      else resolve(socket);
    });
    return promise;
  };

  const establishCounted = async (wanted: buildConnector.Options): Promise<Socket> => {
    const connection = new AbortController();
    connections.add(connection);
    try {
      const socket = await establish(wanted, connection.signal);
      return socket.once('close', () => connections.delete(connection));
    } catch (error) {
      connections.delete(connection);
      throw error;
    }
  };

  const establishThen = callbackify(establishCounted);

  return {
    connect: (wanted, callback) =>
      establishThen(wanted, (error, socket) => {
        if (error) callback(failureOf(error), null);
        else callback(null, socket);
      }),
    open: () => connections.size,
    close: () => {
      for (const connection of connections) connection.abort();
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

/**
 * A connection to a receiver. It is reopened if it was lost and is needed again, and counts the requests since it was
 * opened.
 */
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

  /**
   * Counts a request. Returns whether the connection has already served another one, because then the receiver may have
   * closed it since.
   */
  beginRequest(): boolean {
    this.#requests += 1;
    return this.#requests > 1;
  }
}

/** How long an idle connection is kept, unless the receiver wants a shorter time. */
const keptMs = 10_000;
const maxHeaderBytes = 16 * 1024;

/**
 * The connections to all receivers, one for each running request. Without `keepAlive` each connection serves a single
 * request.
 */
export const openConnections = (connect: buildConnector.connector, { keepAlive }: { keepAlive: boolean }): Agent => {
  const options: Client.Options = {
    connect,
    allowH2: false,
    pipelining: keepAlive ? 1 : 0,
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: keptMs,
    keepAliveMaxTimeout: keptMs,
    // Each request has its own time limit, from the look-up to the end. undici's limits would start again with every
    // chunk.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const factory = (origin: string | URL) => new ReceiverConnection(origin, options);
  return new Agent({ allowH2: false, factory: (origin) => new Pool(origin, { allowH2: false, factory }) });
};
