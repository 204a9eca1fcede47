import { createServer, connect, type Socket } from 'node:net';
import { listen } from './listen.ts';

export interface TcpAddress {
  readonly port: number;
  /** Ends all connections; new ones are possible. */
  disconnect(): void;
  /** Ends all connections, and refuses new ones until `restore`. */
  cut(): void;
  restore(): Promise<void>;
}

/** An address on this machine whose connections lead to a server that may be another one for each. */
export const openAddress = async (server: () => { host: string; port: number }): Promise<TcpAddress> => {
  const sockets = new Set<Socket>();
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
  return { port, disconnect, cut, restore: async () => void (await listen(listener, port)) };
};
