// The service as an operator runs it: API processes behind a proxy and worker processes, by the shipped configurations.

import { openSync } from 'node:fs';
import { join } from 'node:path';
import { freeInstance, startServer, type Server } from './processes.ts';
import { ConfigError } from '../../src/core/config-error.ts';
import { installProxy, startProxy, type ProxyName } from './proxy.ts';
import { readUnit } from './shipped.ts';

type Environment = Readonly<Record<string, string>>;

export interface ServiceOptions {
  folder: string;
  /** The settings of all processes, with DATABASE_URL. They replace those of the units. */
  environment: Environment;
  /** Settings of one role only. They replace those of all processes. */
  apiEnvironment?: Environment | undefined;
  workerEnvironment?: Environment | undefined;
  /** The number of processes. */
  apis?: number;
  workers?: number;
  /** The folder in which they start, by default this project. It may be a link that leads elsewhere later. */
  root?: string | undefined;
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
  /** The origin of the proxy. */
  readonly origin: string;
  /** The certificate that clients must trust, as PEM. */
  readonly certificate: string;
  readonly processes: readonly ServiceProcess[];
  /** Changes settings of all processes, for their next start. */
  readonly configure: (settings: Environment) => void;
  /** The requests that ended with status 5xx or without an answer, by haproxy's log. Other proxies do not log them. */
  readonly failures: () => ProxyFailure[];
}

export interface ProxyFailure {
  at: Date;
  line: string;
}

interface ProcessOptions extends Pick<ServiceOptions, 'folder' | 'root'> {
  environment: () => Environment;
}

const makeProcess = async (
  role: 'api' | 'worker',
  name: string,
  { folder, root, environment }: ProcessOptions,
): Promise<ServiceProcess> => {
  const port = await freeInstance();
  const unit = await readUnit(role, port);
  const log = openSync(join(folder, `${name}.log`), 'a');
  let running: Server | undefined;
  return {
    name,
    role,
    port,
    metricsPort: Number(unit.environment['METRICS_PORT']),
    pid: () => running?.pid ?? 0,
    start: async () => {
      running = await startServer(unit.command, { ...unit.environment, ...environment() }, { port, log, root });
    },
    stop: async (signal) => running?.kill(signal),
  };
};

/** Starts the processes, and then the proxy in front of the API processes. All are stopped at the end. */
export const startService = async (
  opened: AsyncDisposableStack,
  { apis = 2, workers = 2, proxy = 'haproxy', ...options }: ServiceOptions,
): Promise<Service> => {
  const missing = await installProxy(proxy);
  if (missing !== undefined) throw new ConfigError(missing);
  let { environment } = options;
  const make = async (role: 'api' | 'worker', count: number, own: Environment = {}) => {
    const made: ServiceProcess[] = [];
    const ofRole = { ...options, environment: () => ({ ...environment, ...own }) };
    for (let number = 1; number <= count; number += 1) made.push(await makeProcess(role, `${role}${number}`, ofRole));
    return made;
  };
  const apiProcesses = await make('api', apis, options.apiEnvironment);
  const processes = [...apiProcesses, ...(await make('worker', workers, options.workerEnvironment))];
  for (const process of processes) {
    await process.start();
    opened.defer(() => process.stop('SIGKILL'));
  }
  const ports = apiProcesses.map(({ port }) => port);
  const { origin, certificate, logged } = opened.use(await startProxy(proxy, ports));
  return {
    origin,
    certificate,
    processes,
    configure: (settings) => void (environment = { ...environment, ...settings }),
    // CLIENT [TIME] BACKEND/SERVER TIMES STATUS …
    failures: () =>
      logged.flatMap(({ at, line }) => {
        const [, status] = /\] \S+\/\S+ \S+ (-1|\d+) /.exec(line) ?? [];
        return status === '-1' || Number(status) >= 500 ? [{ at, line }] : [];
      }),
  };
};
