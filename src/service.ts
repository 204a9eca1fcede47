import type { Config } from './config.ts';
import type { Logger } from './core/log.ts';
import type { Foundation } from './foundation.ts';
import { makeLifecycle } from './platform/lifecycle.ts';
import { listen } from './http/server.ts';
import { serviceApp } from './http/service-app.ts';
import { trustedProxies } from './http/trusted-proxies.ts';
import { makeAdmission } from './modules/keys/admission.ts';
import { makeKeyUsage } from './modules/keys/usage.ts';
import { makeRequestLog } from './modules/requests/writer.ts';
import { readBacklog } from './webhooks/queue-status.ts';
import type { Role } from './role.ts';
import { openTelemetry } from './telemetry/telemetry.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import { startDeliveries } from './worker/deliveries.ts';
import { mailer } from './worker/mailer.ts';
import { startWorker } from './worker/worker.ts';

const keyUsageEvery = 5_000;
const requestLogEvery = 1_000;

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
    caps: { all: config.MAX_CONNECTIONS, perAddress: config.MAX_CONNECTIONS_PER_ADDRESS },
    isProxy: trustedProxies(config.TRUST_PROXY),
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
