import { createServer, type AddressInfo } from 'node:net';
import { ConfigError } from '../../src/core/config-error.ts';

/** Turns the known errors of listening into messages for the user; returns other errors unchanged. */
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
 * Checks that the port is free before anything else starts, and chooses one if PORT is 0: the public URL contains it.
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
