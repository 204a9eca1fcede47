import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ServerProcess {
  readonly origin: string;
  stop(): Promise<void>;
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return address && typeof address === 'object' ? address.port : 0;
};

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    (response) => response.ok,
    () => false,
  );

/** Starts a server in a process of its own, with the pool and log level of everyday use; its output goes nowhere. */
export const startServer = async (
  program: string,
  args: readonly string[],
  databaseUrl: string,
): Promise<ServerProcess> => {
  const port = await freePort();
  const child = spawn(process.execPath, [program, ...args], {
    env: { PORT: String(port), DATABASE_URL: databaseUrl, DATABASE_POOL: '10' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const origin = `http://127.0.0.1:${port}`;
  while (!(await answers(`${origin}/readyz`))) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
    await sleep(50);
  }
  return {
    origin,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
};
