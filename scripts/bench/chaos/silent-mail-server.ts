import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';

/** A mail server that accepts every connection and never answers, so that the job of each mail stays locked until its time-out. */
export const startSilentMailServer = async (): Promise<{ url: string; close(): void }> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('close', () => sockets.delete(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `smtp://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};
