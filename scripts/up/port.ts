import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../../src/config.ts';

/** Says in a person's words why the service can't listen; anything else is returned as it is. */
export const explained = (error: unknown, { HOST, PORT }: { HOST: string; PORT: number }): unknown => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new ConfigError(
      `Port ${PORT} is taken: most likely the service already runs. Stop it, or choose another with PORT (0: any that is free).`,
    );
  }
  if (code === 'EACCES') return new ConfigError(`Port ${PORT} is not open to this user: choose another with PORT.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new ConfigError(`HOST: ${HOST} is no address of this machine.`);
  return error;
};

/**
 * Finds out whether the port can be had before anything else is touched, and which one it is if any will do: the public URL
 * is made from it.
 */
export const probePort = (address: { HOST: string; PORT: number }): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => reject(explained(error, address)));
    server.listen(address.PORT, address.HOST, () => {
      const port = portOf(server.address()) ?? address.PORT;
      server.close(() => resolve(port));
    });
  });

const portOf = (address: AddressInfo | string | null): number | undefined =>
  address !== null && typeof address === 'object' ? address.port : undefined;
