import './egress/look-up-threads.ts';
import process from 'node:process';
import { ConfigError, readConfig } from './config.ts';
import type { Config } from './config.ts';
import { makeLogger } from './core/log.ts';
import type { Logger } from './core/log.ts';
import { pendingMigrations } from './db/migrate.ts';
import { openFoundation } from './foundation.ts';
import type { Foundation } from './foundation.ts';
import { makeLifecycle } from './platform/lifecycle.ts';
import { listen } from './http/server.ts';
import { serviceApp } from './http/service-app.ts';
import { makeAdmission } from './modules/keys/admission.ts';
import { makeKeyUsage } from './modules/keys/usage.ts';
import { makeRequestLog } from './modules/requests/writer.ts';
import { readBacklog } from './modules/webhooks/backlog.ts';
import { onStopSignal } from './stop-signal.ts';
import { openTelemetry } from './telemetry/telemetry.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import { startDeliveries } from './worker/deliveries/deliveries.ts';
import { mailer } from './worker/mailer.ts';
import { startWorker } from './worker/worker.ts';

const keyUsageEvery = 5_000;
const requestLogEvery = 1_000;

export type Role = 'api' | 'worker';

export interface RunningService {
  /** Where it listens; undefined without the role `api`. */
  readonly port: number | undefined;
  /** Where metrics are served; undefined where they are not. */
  readonly metricsPort: number | undefined;
  ready(): void;
  /** Finishes what runs, then ends. The foundation is left to whoever made it. */
  stop(): Promise<void>;
}

const startApi = async ({ platform }: Foundation, config: Config, log: Logger, telemetry: Telemetry) => {
  const lifecycle = makeLifecycle();
  const usage = makeKeyUsage(platform.database, platform.clock);
  const writeUsage = (everything: boolean) =>
    usage.write({ everything }).catch((error: unknown) => log.warn({ err: error }, 'key usage could not be written'));
  const writing = setInterval(() => void writeUsage(false), keyUsageEvery);
  const requestLog = makeRequestLog({ database: platform.database, clock: platform.clock, log });
  const logging = setInterval(() => void requestLog.write(), requestLogEvery);

  const admission = makeAdmission(platform.database, config.ANON_RATE_PER_MIN);
  const app = serviceApp({ platform, log, lifecycle, admission, usage, requestLog, telemetry }, config);
  const server = await listen({
    app,
    host: config.HOST,
    port: config.PORT,
    publicUrl: platform.publicUrl,
    log,
    meter: telemetry.meter,
  });
  return {
    port: server.port,
    ready: () => lifecycle.ready(),
    async stop() {
      lifecycle.stopping();
      await server.drain(config.SHUTDOWN_SECONDS * 1000);
      clearInterval(writing);
      clearInterval(logging);
      await writeUsage(true);
      await requestLog.end();
    },
  };
};

/** Wires the service together and starts the roles asked for. */
export const startService = async (
  foundation: Foundation,
  { config, log, roles }: { config: Config; log: Logger; roles: ReadonlySet<Role> },
): Promise<RunningService> => {
  const { platform, databaseUrl } = foundation;
  const telemetry = await openTelemetry({
    host: config.HOST,
    metricsPort: config.METRICS_PORT,
    collectorUrl: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    backlog: () => readBacklog(platform),
    log,
  });
  const api = roles.has('api') ? await startApi(foundation, config, log, telemetry) : undefined;
  const worker = roles.has('worker')
    ? startWorker({
        platform,
        log,
        databaseUrl,
        sendMail: mailer(config.MAIL_URL, config.MAIL_FROM),
        retentionDays: config.RETENTION_DAYS,
        telemetry,
      })
    : undefined;
  const deliveries = roles.has('worker')
    ? startDeliveries({
        platform,
        databaseUrl,
        log,
        telemetry,
        settings: {
          retrySeconds: config.WEBHOOK_RETRY_SECONDS,
          pauseAfter: config.WEBHOOK_PAUSE_AFTER_SECONDS,
          concurrency: config.WEBHOOK_CONCURRENCY,
          perEndpoint: config.WEBHOOK_ENDPOINT_CONCURRENCY,
        },
      })
    : undefined;
  return {
    port: api?.port,
    metricsPort: telemetry.port,
    ready: () => api?.ready(),
    async stop() {
      await api?.stop();
      await Promise.all([worker?.stop(), deliveries?.stop()]);
      await telemetry.close();
    },
  };
};

const rolesOf = (text: string | undefined): ReadonlySet<Role> => {
  if (text === undefined) return new Set<Role>(['api', 'worker']);
  if (text === 'api' || text === 'worker') return new Set([text]);
  throw new ConfigError(`Unknown role ${text}: it is api, worker, or nothing for both`);
};

/** Starts what the environment asks for; what was started is left on the stack, PostgreSQL at its bottom. */
const start = async (started: AsyncDisposableStack): Promise<Logger> => {
  const roles = rolesOf(process.argv[2]);
  const config = readConfig();
  const log = makeLogger(config.LOG_LEVEL);
  const foundation = await openFoundation(config, {
    onLostConnection: (error) => log.warn({ err: error }, 'a database connection was lost'),
  });
  started.defer(() => foundation.close());
  const pending = await pendingMigrations(foundation.databaseUrl);
  if (pending.length > 0)
    throw new ConfigError(`The database lacks migrations: run npm run migrate (${pending.join(', ')})`);

  const service = await startService(foundation, { config, log, roles });
  started.defer(() => service.stop());
  service.ready();
  log.info({ roles: [...roles], port: service.port, metrics_port: service.metricsPort }, 'started');
  return log;
};

const main = async (): Promise<void> => {
  const started = new AsyncDisposableStack();
  try {
    const log = await start(started);
    onStopSignal(async (signal) => {
      log.info({ signal }, 'stopping');
      await started.disposeAsync();
      log.info('stopped');
      log.flush();
    });
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
};

/** What an operator can mend is said in a sentence; anything else with where it came from. */
const explained = (error: unknown): string => {
  if (error instanceof ConfigError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const isTaken = Reflect.get(error, 'code') === 'EADDRINUSE';
  return isTaken ? `${error.message}: give this process another PORT or METRICS_PORT` : String(error.stack);
};

if (import.meta.main) {
  main().catch((error: unknown) => {
    process.stderr.write(`${explained(error)}\n`);
    process.exit(1);
  });
}
