import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { networkOf } from '../core/window-counter.ts';
import { plainAddress } from './address.ts';
import type { IsProxy } from './address.ts';

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** An open connection and its requests that are not answered yet. */
export interface Connection {
  readonly socket: Socket;
  /** The client's network: an IPv4 address or an IPv6 /64. Undefined for a trusted proxy, which connects for many clients. */
  readonly network: string | undefined;
  /** The time when it was opened or when its last answer ended. */
  idleSince: number;
  /** The newest request. */
  last: Asked | undefined;
  /** Every response that is not finished, oldest first. */
  readonly running: Set<ServerResponse>;
}

/** The maximum numbers of open connections. */
export interface ConnectionCaps {
  readonly all: number;
  readonly perAddress: number;
}

export type Admitted = 'admitted' | 'address_full' | 'full';

/** All open connections of the server, within the limits. */
export interface Connections {
  /** Counts a new connection. A refused one is not counted and must be closed by the caller. */
  open(socket: Socket): Admitted;
  of(socket: Duplex): Connection | undefined;
  all(): Iterable<Connection>;
  readonly count: number;
  add(request: IncomingMessage, response: ServerResponse): Connection | undefined;
  /** Resolves when all current requests of a connection have been answered or given up. */
  settled(socket: Duplex): Promise<void>;
  /**
   * Replaces the list of connections that wait for their clients, slowest first. They are closed when all places are taken and no
   * connection is idle.
   */
  setSlowest(slowest: Iterable<Connection>): void;
}

interface Options {
  caps: ConnectionCaps;
  isProxy: IsProxy;
  /** Called when a connection was closed to make room for another. */
  onDisplaced?: () => void;
}

/** Milliseconds after which a connection may be closed for a new one: before its first complete request, and between two requests. */
const spared = { unasked: 1_000, idle: 100 };

/** Whether the server waits for the client: its request is incomplete, or its oldest answer is complete but not read yet. */
export const waitsForClient = ({ running, last }: Connection): boolean => {
  const oldest = running.values().next().value;
  if (!oldest) return false;
  return oldest.writableEnded || (oldest === last?.response && !last.request.complete);
};

export const trackConnections = ({ caps, isProxy, onDisplaced = () => {} }: Options): Connections => {
  const connections = new Map<Duplex, Connection>();
  const byNetwork = new Map<string, Set<Connection>>();
  /** Connections without a running request, the longest idle first. */
  const idle = new Set<Connection>();
  /** Connections that wait for their clients, slowest first, from the last check. */
  let slowest = new Set<Connection>();
  const waiting = new WeakMap<Connection, Set<() => void>>();
  const somethingEnded = (connection: Connection) => {
    for (const look of waiting.get(connection) ?? []) look();
  };

  const networkBehind = ({ remoteAddress = '' }: Socket): string | undefined => {
    const address = plainAddress(remoteAddress) ?? '0.0.0.0';
    return isProxy(address, 0) ? undefined : networkOf(address);
  };

  const membersOf = (network: string | undefined): ReadonlySet<Connection> =>
    (network === undefined ? undefined : byNetwork.get(network)) ?? new Set();

  /** Each connection of a proxy counts separately. */
  const sizeOf = (network: string | undefined): number => membersOf(network).size;

  const largest = (): ReadonlySet<Connection> => {
    let found: ReadonlySet<Connection> = new Set();
    for (const members of byNetwork.values()) if (members.size > found.size) found = members;
    return found;
  };

  const mayGiveWay = ({ running, last, idleSince }: Connection, now: number): boolean =>
    running.size === 0 && now - idleSince > (last ? spared.idle : spared.unasked);

  const longestIdle = (members: ReadonlySet<Connection>): Connection | undefined => {
    let found: Connection | undefined;
    for (const connection of members) {
      if (connection.running.size > 0) continue;
      if (!found || connection.idleSince < found.idleSince) found = connection;
    }
    return found;
  };

  const slowestOf = (members: ReadonlySet<Connection>): Connection | undefined =>
    slowest.values().find((connection) => members.has(connection) && waitsForClient(connection));

  /**
   * The connection to close for a new one when all places are taken: one of the network with the most connections (of the newcomer's own
   * network if it has as many), else any. Idle connections are closed before those that wait for their clients. A connection is never
   * closed while the server works on its request. A network never displaces a running request or answer of a network that has fewer
   * connections.
   */
  const leastNeeded = (newcomer: string | undefined): Connection | undefined => {
    const now = performance.now();
    const own = membersOf(newcomer);
    const most = largest();
    const crowd = most.size > own.size + 1 ? most : own;
    return (
      longestIdle(crowd) ??
      slowestOf(crowd) ??
      idle.values().find((connection) => mayGiveWay(connection, now)) ??
      slowest
        .values()
        .find((connection) => waitsForClient(connection) && sizeOf(connection.network) >= sizeOf(newcomer))
    );
  };

  const makeRoom = (newcomer: string | undefined): boolean => {
    const displaced = leastNeeded(newcomer);
    if (!displaced) return false;
    forget(displaced);
    // A reset also clears the unread bytes in the system's buffer. An idle client still gets the end of its last answer.
    if (displaced.running.size > 0) displaced.socket.resetAndDestroy();
    else displaced.socket.destroy();
    onDisplaced();
    return true;
  };

  const forget = (connection: Connection): void => {
    if (!connections.delete(connection.socket)) return;
    idle.delete(connection);
    slowest.delete(connection);
    const { network } = connection;
    const members = network === undefined ? undefined : byNetwork.get(network);
    members?.delete(connection);
    if (network !== undefined && members?.size === 0) byNetwork.delete(network);
  };

  return {
    open(socket) {
      const network = networkBehind(socket);
      if (network !== undefined && membersOf(network).size >= caps.perAddress) return 'address_full';
      if (connections.size >= caps.all && !makeRoom(network)) return 'full';
      const connection: Connection = {
        socket,
        network,
        idleSince: performance.now(),
        last: undefined,
        running: new Set(),
      };
      connections.set(socket, connection);
      idle.add(connection);
      if (network !== undefined) {
        const members = byNetwork.get(network) ?? new Set();
        byNetwork.set(network, members.add(connection));
      }
      // Queued responses (pipelining) emit no event when the connection ends.
      socket.once('close', () => {
        forget(connection);
        connection.running.clear();
        somethingEnded(connection);
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
      connection.running.add(response);
      idle.delete(connection);
      response.once('close', () => {
        connection.running.delete(response);
        connection.idleSince = performance.now();
        if (connection.running.size === 0 && connections.has(connection.socket)) idle.add(connection);
        somethingEnded(connection);
      });
      return connection;
    },
    settled(socket) {
      const connection = connections.get(socket);
      const awaited = [...(connection?.running ?? [])];
      if (!connection || awaited.length === 0) return Promise.resolve();
      const looks = waiting.get(connection) ?? new Set();
      waiting.set(connection, looks);
      return new Promise((resolve) => {
        const look = () => {
          if (awaited.some((response) => connection.running.has(response))) return;
          looks.delete(look);
          resolve();
        };
        looks.add(look);
      });
    },
    setSlowest(connectionsNow) {
      slowest = new Set(connectionsNow);
    },
  };
};
