import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { callbackify } from 'node:util';
import type { buildConnector } from 'undici';
import { Failure, failureOf, handshakeFailure } from './failure.ts';
import type { Guard } from './guard.ts';
import { opened } from './opening.ts';
import type { Tunnel } from './proxy.ts';
import type { Target } from './target-url.ts';

/** The only place that connects: to addresses that the guard gave, which it takes from nobody else. */
export interface Connector {
  readonly connect: buildConnector.connector;
  /** How many connections are open. */
  open(): number;
  close(): void;
}

interface Way {
  guard: Guard;
  secureContext: SecureContext;
  /** Milliseconds for look-up, connection and handshake. */
  timeout: number;
  tunnel?: Tunnel | undefined;
}

const mostAddresses = 3;
const grace = 100;

/** Both families in turn, the first one's first: if one of them leads nowhere from here, the other gets its try. */
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

export const makeConnector = ({ guard, secureContext, timeout, tunnel = directly }: Way): Connector => {
  const sockets = new Set<Socket>();
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

  const secure = async (socket: Socket, { host, isAddress }: Target, deadline: number): Promise<Socket> => {
    const servername = isAddress ? {} : { servername: host };
    const secured = connectTls({ socket, secureContext, host, ...servername, ALPNProtocols: ['http/1.1'] });
    keep(secured);
    try {
      return await opened(
        secured,
        'secureConnect',
        Math.max(deadline - performance.now(), 1),
        () => new Failure('The receiver did not finish the TLS handshake in time.'),
      );
    } catch (error) {
      socket.destroy();
      throw handshakeFailure(error);
    }
  };

  const establish = async (host: string): Promise<Socket> => {
    // The attempt that waits for this has the same time, and tells its end better.
    const deadline = performance.now() + timeout + grace;
    const target = guard.read(`https://${host}/`);
    if ('refused' in target) throw new Failure(target.refused);
    const addresses = inTurns(await guard.addressesOf(target, { waitMs: timeout }));
    const socket = await reach(target, addresses, deadline);
    return secure(socket, target, deadline);
  };

  const establishThen = callbackify(establish);

  return {
    connect: ({ host, hostname }, callback) =>
      establishThen(host ?? hostname, (error, socket) => {
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
