import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { basePath } from '../../src/core/product.ts';
import { testSecret } from './service.ts';

export interface ServiceProcess {
  /** Undefined for a process without the role `api`. */
  readonly baseUrl: string | undefined;
  readonly origin: string | undefined;
  readonly child: ChildProcess;
  /** The process's stderr, which must stay empty while there is no fault. */
  readonly complaints: () => string;
  /** The log so far, one entry per line. */
  readonly logged: () => Record<string, unknown>[];
  /** The exit code. */
  readonly ended: Promise<number | null>;
  isRunning(): boolean;
  /** Stops the process gracefully and waits until it has ended; returns the exit code. */
  stop(): Promise<number | null>;
}

const Line = z.record(z.string(), z.unknown());
const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

interface ProcessOptions {
  databaseUrl: string;
  /** Without a role, the process has both. */
  role?: 'api' | 'worker';
  environment?: Record<string, string>;
}

/** The service as an operator runs it: in its own process, on a free port. */
export const startServiceProcess = async ({
  databaseUrl,
  role,
  environment = {},
}: ProcessOptions): Promise<ServiceProcess> => {
  const child = spawn(process.execPath, role ? [main, role] : [main], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      PORT: '0',
      APP_SECRET: testSecret,
      ANON_RATE_PER_MIN: '100000',
      ...environment,
    },
  });
  const ended = once(child, 'close').then(() => child.exitCode);
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));

  const logged: Record<string, unknown>[] = [];
  const port = await new Promise<unknown>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const entry = Line.parse(JSON.parse(line));
      logged.push(entry);
      if (entry['msg'] === 'started') resolve(entry['port']);
    });
    child.once('close', (code) => reject(new Error(`the process ended with ${code}: ${complaints}`)));
  });

  const origin = typeof port === 'number' ? `http://127.0.0.1:${port}` : undefined;
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    origin,
    baseUrl: origin && `${origin}${basePath}`,
    child,
    complaints: () => complaints,
    logged: () => logged,
    ended,
    isRunning,
    stop() {
      if (isRunning()) child.kill('SIGTERM');
      return ended;
    },
  };
};
