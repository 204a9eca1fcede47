import { spawn, type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { startApi } from '../../src/run/api.ts';
import { openFoundation } from '../../src/run/foundation.ts';
import { startService } from '../../src/run/service.ts';
import { startJobs } from '../../src/run/worker.ts';
import { readConfig } from '../../src/config.ts';
import { countingErrors } from '../../src/core/log.ts';
import { basePath } from '../../src/core/product.ts';
import { testSecret } from './service.ts';

// The service as it runs in production: wired in this process, or in a process of its own.

interface ObservedService {
  readonly port: number;
  readonly origin: string;
  readonly baseUrl: string;
  readonly workerPort: number | undefined;
  readonly metricsPort: number | undefined;
  readonly logged: () => Record<string, unknown>[];
  stop(): Promise<void>;
}

/** The service as it is wired in production, on another one's database; it stops at the end of the test. */
export const startObserved = async (
  databaseUrl: string,
  role: 'api' | 'worker',
  environment: Record<string, string> = {},
): Promise<ObservedService> => {
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: databaseUrl,
    APP_SECRET: testSecret,
    // All tests share one address, whose tries are in the database.
    ANON_RATE_PER_MIN: '100000',
    SIGN_IN_RATE_PER_MIN: '100000',
    ...environment,
  });
  const lines: string[] = [];
  let errors = 0;
  const hooks = countingErrors(() => (errors += 1));
  const log = pino({ level: 'info', base: null, hooks }, { write: (line) => void lines.push(line) });
  const foundation = await openFoundation(config);
  const roles = role === 'api' ? { api: startApi } : { worker: startJobs };
  const service = await startService(foundation, roles, { config, log, errors: () => errors });
  service.ready();
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= service.stop().then(() => foundation.close()));
  onTestFinished(stop);
  const origin = `http://127.0.0.1:${service.port}`;
  return {
    port: service.port ?? 0,
    origin,
    baseUrl: `${origin}${basePath}`,
    workerPort: service.workerPort,
    metricsPort: service.metricsPort,
    logged: () => lines.map((line) => JSON.parse(line)),
    stop,
  };
};

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

/** The ids of the processes that a process has started. */
export const childrenOf = (pid: number): number[] => {
  if (process.platform === 'linux')
    return (readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? []).map(Number);
  const pairs = execFileSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' }).trim().split('\n');
  return pairs
    .map((pair) => pair.trim().split(/ +/).map(Number))
    .flatMap(([of, child = 0]) => (of === pid ? child : []));
};
