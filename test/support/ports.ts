import { once } from 'node:events';
import { type Server, createServer, connect, type Socket } from 'node:net';
import { randomInt } from 'node:crypto';
import { onTestFinished } from 'vitest';

// Ports of this machine: free ones, occupied ones, and one whose connections lead to another server.

/** Starts a server on this machine, by default on a free port. Returns the port. */
export const listen = async (server: Server, port = 0, host = '127.0.0.1'): Promise<number> => {
  await once(server.listen(port, host), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen');
  return address.port;
};

const listenOn = async (port: number): Promise<Server | undefined> => {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined; // the port is in use
  }
};

const close = (server: Server): Promise<unknown> => new Promise((resolve) => server.close(resolve));

/**
 * The first of two neighbouring free ports. They are below the range from which the system assigns ports (from 32,768),
 * so no other test gets one of them by chance.
 */
export const twoFreePorts = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const servers = [await listenOn(port), await listenOn(port + 1)].filter((server) => server !== undefined);
    for (const server of servers) await close(server);
    if (servers.length === 2) return port;
  }
};

/** Listens on a port until the end of the test. */
export const occupy = async (port: number): Promise<void> => {
  const server = await listenOn(port);
  if (!server) throw new Error(`Port ${port} is taken already.`);
  onTestFinished(async () => void (await close(server)));
};

export interface TcpAddress {
  readonly port: number;
  /** Ends all connections; new ones are possible. */
  disconnect(): void;
  /** Ends all connections, and refuses new ones until `restore`. */
  cut(): void;
  restore(): Promise<void>;
  /** Passes nothing on, in either direction, until the returned function is called: the server seems to hang. */
  hang(): () => void;
}

/** An address on this machine whose connections lead to a server that may be another one for each. */
export const openAddress = async (server: () => { host: string; port: number }): Promise<TcpAddress> => {
  const sockets = new Set<Socket>();
  let hangs = false;
  const listener = createServer((client) => {
    const { host, port } = server();
    const behind = connect(port, host);
    for (const [one, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(one);
      one
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
      one.pipe(other);
      if (hangs) one.pause();
    }
  });
  const port = await listen(listener);
  const disconnect = () => {
    for (const socket of sockets) socket.destroy();
  };
  const cut = () => {
    listener.close();
    disconnect();
  };
  const hang = () => {
    hangs = true;
    for (const socket of sockets) socket.pause();
    return () => {
      hangs = false;
      for (const socket of sockets) socket.resume();
    };
  };
  return { port, disconnect, cut, restore: async () => void (await listen(listener, port)), hang };
};
