import { once } from 'node:events';
import type { Server } from 'node:net';

/** Starts a server on this machine, by default on a free port. Returns the port. */
export const listen = async (server: Server, port = 0, host = '127.0.0.1'): Promise<number> => {
  await once(server.listen(port, host), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen');
  return address.port;
};
