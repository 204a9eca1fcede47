import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { networkOf } from '../core/network-of.ts';
import { plainAddress } from './address.ts';
import type { IsProxy } from './trusted-proxies.ts';

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** An open connection and the requests on it that are not yet answered. */
export interface Connection {
  readonly socket: Socket;
  /** Whose connection it is: an IPv4 address or an IPv6 /64. Undefined for a trusted proxy, which connects for many. */
  readonly network: string | undefined;
  /** When it was opened or last finished an answer. */
  idleSince: number;
  /** The newest request, and how many bytes had been read when it began. */
  last: Asked | undefined;
  readBefore: number;
  /** Every response that is not finished, oldest first. */
  readonly running: Set<ServerResponse>;
}

/** How many connections may be open. */
export interface ConnectionCaps {
  readonly all: number;
  readonly perAddress: number;
}

export type Admitted = 'admitted' | 'address_full' | 'full';

/** Every open connection of the server, within the caps. */
export interface Connections {
  /** Counts a new connection in. One that is refused is not counted and has to be closed by the caller. */
  open(socket: Socket): Admitted;
  of(socket: Duplex): Connection | undefined;
  all(): Iterable<Connection>;
  readonly count: number;
  add(request: IncomingMessage, response: ServerResponse): Connection | undefined;
  /** Resolves once everything that runs now, on one connection or on all, has been answered or given up. */
  settled(socket?: Duplex): Promise<void>;
}

interface Options {
  caps: ConnectionCaps;
  isProxy: IsProxy;
  /** Called when a connection was closed to make room for another. */
  onDisplaced?: () => void;
}

/** A connection that has not sent a whole request after so long may be closed to make room, in milliseconds. */
const slowStart = 1_000;

export const trackConnections = ({ caps, isProxy, onDisplaced = () => {} }: Options): Connections => {
  const connections = new Map<Duplex, Connection>();
  const byNetwork = new Map<string, Set<Connection>>();
  const waiting = new Set<() => void>();
  const somethingEnded = () => {
    for (const look of waiting) look();
  };

  const networkBehind = ({ remoteAddress = '' }: Socket): string | undefined => {
    const address = plainAddress(remoteAddress) ?? '0.0.0.0';
    return isProxy(address, 0) ? undefined : networkOf(address);
  };

  const countOf = (network: string | undefined) => (network === undefined ? 0 : (byNetwork.get(network)?.size ?? 0));

  /** Of the network that has the most, if that is more than the newcomer's has: the oldest that waits for nothing. */
  const idleOfTheLargest = (newcomer: string | undefined): Connection | undefined => {
    let largest: Set<Connection> | undefined;
    for (const members of byNetwork.values()) if (members.size > (largest?.size ?? 0)) largest = members;
    if (!largest || largest.size <= countOf(newcomer) + 1) return undefined;
    return largest.values().find(({ running }) => running.size === 0);
  };

  const oldestWithoutRequest = (now: number): Connection | undefined =>
    connections.values().find(({ last, idleSince }) => last === undefined && now - idleSince > slowStart);

  /** When all places are taken, those who hold many or say nothing give way, so that a crowd from few addresses keeps nobody out. */
  const makeRoom = (newcomer: string | undefined): boolean => {
    const displaced = idleOfTheLargest(newcomer) ?? oldestWithoutRequest(performance.now());
    if (!displaced) return false;
    forget(displaced);
    displaced.socket.destroy();
    onDisplaced();
    return true;
  };

  const forget = (connection: Connection): void => {
    if (!connections.delete(connection.socket)) return;
    const { network } = connection;
    const members = network === undefined ? undefined : byNetwork.get(network);
    members?.delete(connection);
    if (network !== undefined && members?.size === 0) byNetwork.delete(network);
  };

  return {
    open(socket) {
      const network = networkBehind(socket);
      if (network !== undefined && countOf(network) >= caps.perAddress) return 'address_full';
      if (connections.size >= caps.all && !makeRoom(network)) return 'full';
      const connection: Connection = {
        socket,
        network,
        idleSince: performance.now(),
        last: undefined,
        readBefore: 0,
        running: new Set(),
      };
      connections.set(socket, connection);
      if (network !== undefined) {
        const members = byNetwork.get(network) ?? new Set();
        byNetwork.set(network, members.add(connection));
      }
      // Answers that wait behind another one on a connection hear nothing of its end: the connection tells for all.
      socket.once('close', () => {
        forget(connection);
        connection.running.clear();
        somethingEnded();
      });
      return 'admitted';
    },
    of: (socket) => connections.get(socket),
    all: () => connections.values(),
    get count() {
      return connections.size;
    },
    add(request, response) {
      const connection = connections.get(request.socket);
      if (!connection) return undefined;
      connection.last = { request, response };
      connection.readBefore = request.socket.bytesRead;
      connection.running.add(response);
      response.once('close', () => {
        connection.running.delete(response);
        connection.idleSince = performance.now();
        somethingEnded();
      });
      return connection;
    },
    settled(socket) {
      const looked = socket ? [connections.get(socket)] : [...connections.values()];
      const awaited = looked.flatMap((connection) =>
        Array.from(connection?.running ?? [], (response) => () => connection?.running.has(response)),
      );
      return new Promise((resolve) => {
        const look = () => {
          if (awaited.some((isRunning) => isRunning())) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      });
    },
  };
};
