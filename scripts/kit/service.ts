// The service as an operator runs it: API processes behind a proxy with its shipped configuration, and worker processes.

import { openSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, startServer, type Server } from './processes.ts';
import { ConfigError } from '../../src/core/config-error.ts';
import { installProxy, startProxy, type ProxyName } from './proxy.ts';

type Environment = Readonly<Record<string, string>>;

export interface ServiceOptions {
  folder: string;
  /** The settings of all processes, with DATABASE_URL. */
  environment: Environment;
  /** Settings of one role only. They replace those of all processes. */
  apiEnvironment?: Environment | undefined;
  workerEnvironment?: Environment | undefined;
  /** The number of processes; at most two API processes, as in the shipped configuration. */
  apis?: 1 | 2;
  workers?: number;
  /** By default haproxy. */
  proxy?: ProxyName;
}

/** A process of the service that can be stopped and started again, at the same ports. */
export interface ServiceProcess {
  /** As haproxy's configuration names it: `api1`, `api2`; then `worker1` and so on. */
  readonly name: string;
  readonly role: 'api' | 'worker';
  readonly port: number;
  readonly metricsPort: number;
  readonly pid: () => number;
  /** Starts it, and waits until it is ready. */
  readonly start: () => Promise<void>;
  /** Resolves when the process has ended. */
  readonly stop: (signal: 'SIGTERM' | 'SIGKILL') => Promise<void>;
}

export interface Service {
  /** The proxy's. */
  readonly origin: string;
  /** The certificate that clients must trust, as PEM. */
  readonly certificate: string;
  readonly processes: readonly ServiceProcess[];
  /** The requests that ended with status 5xx or without an answer, by haproxy's log. Other proxies do not log them. */
  readonly failures: () => ProxyFailure[];
}

export interface ProxyFailure {
  at: Date;
  line: string;
}

const makeProcess = async (
  role: 'api' | 'worker',
  name: string,
  { folder, environment }: { folder: string; environment: Environment },
): Promise<ServiceProcess> => {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const log = openSync(join(folder, `${name}.log`), 'a');
  // A worker's readiness has a port of its own; an API's is at its only port.
  const ports = { METRICS_PORT: String(metricsPort), ...(role === 'worker' && { WORKER_PORT: String(port) }) };
  let running: Server | undefined;
  return {
    name,
    role,
    port,
    metricsPort,
    pid: () => running?.pid ?? 0,
    start: async () => {
      running = await startServer(['src/main.ts', role], { ...environment, ...ports }, { port, log });
    },
    stop: async (signal) => running?.kill(signal),
  };
};

/** Starts the processes, and then the proxy in front of the API processes. All are stopped at the end. */
export const startService = async (
  opened: AsyncDisposableStack,
  { folder, environment, apiEnvironment, workerEnvironment, apis = 2, workers = 2, proxy = 'haproxy' }: ServiceOptions,
): Promise<Service> => {
  const missing = await installProxy(proxy);
  if (missing !== undefined) throw new ConfigError(missing);
  const make = async (role: 'api' | 'worker', count: number, own: Environment = {}) => {
    const made: ServiceProcess[] = [];
    for (let number = 1; number <= count; number += 1)
      made.push(await makeProcess(role, `${role}${number}`, { folder, environment: { ...environment, ...own } }));
    return made;
  };
  // As docs/operations.md recommends for production, where the delay is five seconds by default.
  const memory = (megabytes: number) => ({ NODE_OPTIONS: `--max-old-space-size=${megabytes}` });
  const asInProduction = {
    api: { ...memory(1024), MALLOC_ARENA_MAX: '2', TRUST_PROXY: '1', SHUTDOWN_DELAY_SECONDS: '5' },
    worker: memory(512),
  };
  const apiProcesses = await make('api', apis, { ...asInProduction.api, ...apiEnvironment });
  const workerProcesses = await make('worker', workers, { ...asInProduction.worker, ...workerEnvironment });
  const processes = [...apiProcesses, ...workerProcesses];
  for (const process of processes) {
    await process.start();
    opened.defer(() => process.stop('SIGKILL'));
  }
  const [first = 0, second] = apiProcesses.map(({ port }) => port);
  const { origin, certificate, logged } = opened.use(await startProxy(proxy, [first, second]));
  return {
    origin,
    certificate,
    processes,
    // CLIENT [TIME] BACKEND/SERVER TIMES STATUS …
    failures: () =>
      logged.flatMap(({ at, line }) => {
        const [, status] = /\] \S+\/\S+ \S+ (-1|\d+) /.exec(line) ?? [];
        return status === '-1' || Number(status) >= 500 ? [{ at, line }] : [];
      }),
  };
};
