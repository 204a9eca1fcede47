import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { onTestFinished } from 'vitest';

const listen = async (port: number): Promise<Server | undefined> => {
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
    const servers = [await listen(port), await listen(port + 1)].filter((server) => server !== undefined);
    for (const server of servers) await close(server);
    if (servers.length === 2) return port;
  }
};

/** Listens on a port until the end of the test. */
export const occupy = async (port: number): Promise<void> => {
  const server = await listen(port);
  if (!server) throw new Error(`Port ${port} is taken already.`);
  onTestFinished(async () => void (await close(server)));
};
