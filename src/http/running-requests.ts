import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** What every connection still waits for, and what it asked last. */
export interface RunningRequests {
  add(request: IncomingMessage, response: ServerResponse): void;
  /** The newest request of a connection, with its answer. */
  lastOn(socket: Duplex): Asked | undefined;
  /** Resolves once everything that runs now, on one connection or on all, has been answered or given up. */
  settled(socket?: Duplex): Promise<void>;
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Connection {
  last: Asked | undefined;
  readonly running: Set<ServerResponse>;
}

export const trackRequests = (): RunningRequests => {
  const connections = new Map<Duplex, Connection>();
  const waiting = new Set<() => void>();
  const somethingEnded = () => {
    for (const look of waiting) look();
  };

  const connectionOf = (socket: Duplex): Connection => {
    const known = connections.get(socket);
    if (known) return known;
    const made: Connection = { last: undefined, running: new Set() };
    connections.set(socket, made);
    // Answers that wait behind another one on a connection hear nothing of its end: the connection tells for all.
    socket.once('close', () => {
      connections.delete(socket);
      made.running.clear();
      somethingEnded();
    });
    return made;
  };

  return {
    add(request, response) {
      const connection = connectionOf(request.socket);
      connection.last = { request, response };
      connection.running.add(response);
      response.once('close', () => {
        connection.running.delete(response);
        somethingEnded();
      });
    },
    lastOn: (socket) => connections.get(socket)?.last,
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
