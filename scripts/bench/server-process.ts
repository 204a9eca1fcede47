import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { probePort } from '../up/port.ts';

export interface ServerProcess {
  readonly origin: string;
  readonly pid: number;
  /** Whether the server has ended by itself. */
  hasEnded(): boolean;
  stop(): Promise<void>;
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    (response) => response.ok,
    () => false,
  );

/** Starts a server in its own process, with the pool size and log level of production, and discards its output. */
export const startServer = async (
  program: string,
  args: readonly string[],
  databaseUrl: string,
): Promise<ServerProcess> => {
  const port = await probePort({ HOST: '127.0.0.1', PORT: 0 });
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
    pid: child.pid ?? 0,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
};
