import { readConfig, type Config } from '../config.ts';
import { makeLogger, type Logger } from '../core/log.ts';
import { requireMigrated } from '../db/migrate.ts';
import { readBacklog } from '../deliveries/queue-status.ts';
import { erasureState } from '../modules/erasure/service.ts';
import { watchMaintenance, type MaintenanceWatch } from '../modules/maintenance/service.ts';
import { makeHealth } from '../platform/health.ts';
import { jobs as queuedJobs } from '../platform/jobs.ts';
import { startSidePort } from '../platform/telemetry/side-port.ts';
import { openTelemetry, type Telemetry } from '../platform/telemetry/telemetry.ts';
import { openFoundation, type Foundation } from './foundation.ts';

/** The part of a process that `api.ts` starts. */
export interface RunningApi {
  readonly port: number;
  ready(): void;
  /** Answers the running requests, then ends. */
  stop(): Promise<void>;
}

/** The part of a process that `worker.ts` starts. */
export interface RunningJobs {
  /**
   * Whether each queue fetches jobs, by its name and the name of the database's part, which is empty for a plain
   * database.
   */
  queues(): Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  /** Finishes the running jobs, then ends. */
  stop(): Promise<unknown>;
}

interface ServiceOptions {
  config: Config;
  log: Logger;
  /** How many lines at `error` the log has. */
  errors?: () => number;
  /**
   * Whether the worker starts its recurring tasks at their times, which is the default. The sandbox starts them when
   * its clock is moved.
   */
  scheduled?: boolean;
}

/** The parts that both roles of a process share. */
export interface RoleParts extends ServiceOptions {
  telemetry: Telemetry;
  maintenance: MaintenanceWatch;
}

/** The roles of a process. They are passed as functions, so that it loads only the code that it runs. */
export interface Roles {
  readonly api?: ((foundation: Foundation, parts: RoleParts) => Promise<RunningApi>) | undefined;
  readonly worker?: ((foundation: Foundation, parts: RoleParts) => RunningJobs) | undefined;
}

export interface RunningService {
  /** The port of the HTTP server; undefined without the role `api`. */
  readonly port: number | undefined;
  /** The port of the worker's health; undefined if it has none of its own. */
  readonly workerPort: number | undefined;
  /** The port of the metrics; undefined if they are not served. */
  readonly metricsPort: number | undefined;
  ready(): void;
  /** Finishes the running work, then ends. The foundation stays open. */
  stop(): Promise<void>;
}

/** Starts these roles on a foundation. */
export const startService = async (
  foundation: Foundation,
  roles: Roles,
  { config, log, errors, scheduled }: ServiceOptions,
): Promise<RunningService> => {
  // The worker's ports are open before it starts, and until it has stopped.
  let state: 'starting' | 'ready' | 'stopping' = 'starting';
  let inMaintenance: boolean | undefined;
  // Once the state is `ready`, the jobs have been started.
  const queues = () => (state === 'ready' ? (jobs?.queues() ?? {}) : {});
  const paths =
    roles.worker &&
    makeHealth({
      database: foundation.platform.database,
      state: () => state,
      inMaintenance: () => inMaintenance,
      isFetching: () => Object.values(queues()).every((byPart) => Object.values(byPart).some(Boolean)),
      awayParts: () => foundation.platform.database.parts.away(),
    });
  const workerServer =
    paths && config.WORKER_PORT !== undefined ? await startSidePort(config.HOST, config.WORKER_PORT, paths) : undefined;
  const telemetry = await openTelemetry({
    host: config.HOST,
    metricsPort: config.METRICS_PORT,
    otherPaths: paths,
    collectorUrl: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    backlog: async () => ({
      ...(await readBacklog(foundation.platform)),
      dueJobs: await queuedJobs.oldestDue(foundation.platform.database),
      erasures: await erasureState(foundation.platform),
    }),
    connections: () => foundation.platform.database.connections(),
    parts: foundation.measures,
    queues,
    errors,
    log,
  });
  const maintenance = await watchMaintenance({
    database: foundation.platform.database,
    log,
    prepare: () => foundation.compareClock(),
    report: (isOn) => {
      inMaintenance = isOn;
      telemetry.meter.maintenance.set(isOn ? 1 : 0);
    },
  });
  const parts = { config, log, telemetry, maintenance, ...(scheduled !== undefined && { scheduled }) };
  const api = await roles.api?.(foundation, parts);
  const jobs = roles.worker?.(foundation, parts);
  state = 'ready';
  return {
    port: api?.port,
    workerPort: workerServer?.port,
    metricsPort: telemetry.port,
    ready: () => api?.ready(),
    async stop() {
      state = 'stopping';
      await api?.stop();
      await jobs?.stop();
      await maintenance.stop();
      await telemetry.close();
      await workerServer?.close();
    },
  };
};

/**
 * Starts the roles with the configuration of the environment. For everything that was started, the stack gets the
 * function that ends it: for the foundation first, so that it ends last.
 */
export const startConfigured = async (roles: Roles, started: AsyncDisposableStack): Promise<Logger> => {
  const config = readConfig();
  const names = Object.keys(roles);
  let errors = 0;
  const log = makeLogger(config.LOG_LEVEL, names.join(' and '), () => (errors += 1));
  const foundation = await openFoundation(config, {
    onlyRequests: roles.worker === undefined,
    report: (line) => log.info(line),
    onDatabaseEnd: (error) => log.error({ err: error }, 'the embedded database has ended'),
    onFailure: (what, error) => log.warn({ err: error }, what),
    onLostConnection: (error) => log.warn({ err: error }, 'a database connection was lost'),
  });
  started.defer(() => foundation.close());
  await requireMigrated(foundation.databaseUrl);
  const service = await startService(foundation, roles, { config, log, errors: () => errors });
  started.defer(() => service.stop());
  service.ready();
  log.info(
    { roles: names, port: service.port, worker_port: service.workerPort, metrics_port: service.metricsPort },
    'started',
  );
  return log;
};
