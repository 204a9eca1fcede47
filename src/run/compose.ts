import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Express, RequestHandler } from 'express';
import { projectRoot, publicUrlOf, readConfig, retirementOf } from '../config.ts';
import { ConfigError } from '../core/config-error.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../core/clock.ts';
import { openVault } from '../core/crypto.ts';
import { makeLogger } from '../core/log.ts';
import type { Logger } from '../core/log.ts';
import { fail } from '../core/problem.ts';
import { databaseClock } from '../db/database-clock.ts';
import { openDatabase } from '../db/database.ts';
import type { Database } from '../db/database.ts';
import { openEmbedded } from '../db/embedded.ts';
import { defaultDataDir } from '../db/embedded/home.ts';
import { openEgress } from '../egress/egress.ts';
import { pendingMigrations } from '../db/migrate.ts';
import type { Lifecycle, MaintenanceState } from '../server/http/exchange.ts';
import type { ListeningServer, ServerOptions } from '../server/http/server.ts';
import type { MaintenanceWatch } from '../modules/maintenance/service.ts';
import type { RequestLog } from '../modules/requests/writer.ts';
import { feeds } from '../modules/events/store.ts';
import { counters } from '../modules/storage/store.ts';
import { EventWaits } from '../platform/event-waits.ts';
import { makeHealth } from '../platform/health.ts';
import { LargeReads } from '../platform/large-reads.ts';
import { StorageCounter } from '../platform/storage-counter.ts';
import { usualSignIn } from '../platform/team.ts';
import type { Platform, SignInSettings } from '../platform/team.ts';
import type { ApiVersion, RestParts } from '../server/rest/rest-app.ts';
import { reportStart } from './supervisor/process.ts';
import type { Role } from './supervisor/process.ts';
import type { Telemetry } from '../platform/telemetry/telemetry.ts';

// The only place that wires the service. `main.ts`, the tests, the benches and the command line use it, each as far as it needs:
//
//   openFoundation   the database and everything that rules use
//   makeApi          everything that answers over HTTP, on a foundation
//   startService     the roles of a process, on a foundation
//
// Modules that only some of them need are imported where they are wired: a command loads no server, a worker no HTTP.

// Foundation

/** The parts that every process of the service needs. */
export interface Foundation {
  readonly platform: Platform;
  readonly databaseUrl: string;
  /** Whether the database is the project's own (embedded), which no operator maintains. */
  readonly embedded: boolean;
  readonly dataDir: () => string;
  /** Compares the clock with the database's. */
  compareClock(): Promise<void>;
  /** Closes the platform, and stops an embedded database that no other process uses. */
  close(): Promise<void>;
}

interface Surroundings {
  report?: ((line: string) => void) | undefined;
  /** Called for each connection that was lost while idle. */
  onLostConnection?: ((error: Error) => void) | undefined;
  /** Replaces the database's clock. */
  clock?: Clock;
  /** Replaces the clock for the signatures of messages to receivers. */
  signingClock?: Clock;
  /** Replaces the cost of passwords and of refused sign-ins. */
  signIn?: SignInSettings;
  /** Whether receivers on this machine are allowed, with and without TLS. No setting allows them: only the sandbox does. */
  loopbackReceivers?: boolean;
}

/** Without a configured secret (never in production), a random one is generated for this installation and stored. */
const keptSecret = async (dataDir: string): Promise<string> => {
  const file = join(dataDir, 'app-secret');
  await mkdir(dataDir, { recursive: true });
  // If several processes start for the first time, only one writes the file; all of them read the stored secret.
  await writeFile(file, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 }).catch(() => undefined);
  return readFile(file, 'utf8');
};

/** Certificate authorities to trust in addition to the usual ones. */
const readCa = async (file: string | undefined): Promise<string | undefined> => {
  if (file === undefined) return undefined;
  try {
    const pem = await readFile(file, 'utf8');
    void new X509Certificate(pem);
    return pem;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`Bad configuration:\n  WEBHOOK_CA_FILE: no certificate can be read from ${file}: ${reason}`);
  }
};

/** The database's clock, which all processes share, unless the caller passes another one. */
const clockFor = (database: Database, given: Clock | undefined) => {
  if (given) return { clock: given, compareClock: async () => {}, stop: () => {} };
  const clock = databaseClock(database);
  return { clock, compareClock: () => clock.compare(), stop: () => clock.stop() };
};

/** Opens the configured or the embedded database, and everything that rules use. */
export const openFoundation = async (
  config: Config,
  { report, onLostConnection, clock: given, signingClock, signIn = usualSignIn, loopbackReceivers }: Surroundings = {},
): Promise<Foundation> => {
  let foundDir: string | undefined;
  // Only found when it is needed: the search for the default folder starts a process.
  const dataDir = () => (foundDir ??= config.DATA_DIR ?? defaultDataDir(projectRoot));
  // Read before anything is started, so that a failure leaves no server running.
  const extraCa = await readCa(config.WEBHOOK_CA_FILE);
  const secrets = config.APP_SECRET ?? ([await keptSecret(dataDir())] as const);
  const embedded =
    config.DATABASE_URL === undefined ? await openEmbedded(dataDir(), { ...(report && { report }) }) : undefined;
  const databaseUrl = embedded?.url ?? config.DATABASE_URL ?? '';
  const database = openDatabase(databaseUrl, {
    poolSize: config.DATABASE_POOL,
    ...(onLostConnection && { onLostConnection }),
  });
  const { clock, compareClock, stop } = clockFor(database, given);
  await compareClock();
  const publicUrl = publicUrlOf(config);
  const egress = openEgress({
    clock,
    publicUrl,
    allowTargets: config.WEBHOOK_ALLOW_TARGETS,
    extraCa,
    dnsServers: config.WEBHOOK_DNS_SERVERS,
    proxyUrl: config.WEBHOOK_PROXY_URL,
    loopback: loopbackReceivers,
  });
  const platform = {
    database,
    vault: openVault(secrets),
    clock,
    signingClock,
    egress,
    publicUrl,
    deliverySchedule: {
      retrySeconds: config.WEBHOOK_RETRY_SECONDS,
      pauseAfterSeconds: config.WEBHOOK_PAUSE_AFTER_SECONDS,
    },
    signIn: { ...signIn, triesPerMinute: config.SIGN_IN_RATE_PER_MIN },
    teamDeletionDays: config.TEAM_DELETION_DAYS,
    largeReads: new LargeReads(),
    eventWaits: new EventWaits((teamIds) => feeds.states(database, teamIds)),
    storage: new StorageCounter((added) => counters.add(database, added)),
  };
  return {
    platform,
    databaseUrl,
    embedded: embedded !== undefined,
    dataDir,
    compareClock,
    async close() {
      stop();
      await egress.close();
      await platform.storage.written();
      await database.close();
      await embedded?.release();
    },
  };
};

// HTTP

/** The folder of the built app. */
const uiFolder = join(projectRoot, 'dist', 'web');

/** The headers that every answer under a path has, by the API version of that path. */
const headersOfVersions = async (versions: readonly ApiVersion[], publicUrl: string) => {
  const { basePathOf, retirementHeaders } = await import('../core/product.ts');
  const { originForm } = await import('../server/http/server.ts');
  const known = versions.flatMap(({ version, retirement }) =>
    retirement ? [{ start: `${basePathOf(version)}/`, headers: retirementHeaders(retirement, publicUrl) }] : [],
  );
  return (target: string) => known.find(({ start }) => originForm(target)?.startsWith(start))?.headers ?? {};
};

/**
 * Everything that answers over HTTP: the versions of the public API, the MCP server for assistants, the app and its pages, and the health
 * endpoints.
 */
const httpApp = async (
  parts: RestParts,
  versions: readonly ApiVersion[],
  telemetry: Telemetry,
  config: Config,
): Promise<Express> => {
  const { default: express } = await import('express');
  const { basePathOf } = await import('../core/product.ts');
  const { arrival, problemResponse, refuseDuringMaintenance, refuseWhileStopping } =
    await import('../server/http/exchange.ts');
  const { trustedProxies } = await import('../server/http/exchange.ts');
  const { openAuth } = await import('../modules/sign-ins/service.ts');
  const { restApp } = await import('../server/rest/rest-app.ts');
  const { mcpApp } = await import('../server/mcp/mcp-app.ts');
  const { oauthApp } = await import('../server/mcp/oauth.ts');
  const { developerSite } = await import('../server/developers/site.ts');
  const { openApiDocument } = await import('../server/rest/openapi-document.ts');
  const { publicRouter } = await import('../modules/public-router.ts');
  const { exportDownload } = await import('../server/app/export.ts');
  const { trpcApp } = await import('../server/app/trpc.ts');
  const { ui } = await import('../server/app/ui.ts');

  const { lifecycle, maintenance, platform, log } = parts;
  const health = makeHealth({
    database: platform.database,
    state: () => lifecycle.state,
    inMaintenance: () => (maintenance.current === 'unknown' ? undefined : maintenance.current !== undefined),
  });
  const answerHealth =
    (path: keyof typeof health): RequestHandler =>
    async (_request, response) => {
      const { httpStatus, contentType, text } = await health[path]();
      response.status(httpStatus).type(contentType).send(text);
    };
  const trpcParts = { platform, auth: openAuth(platform), log, telemetry, maintenance };
  const app = express()
    .disable('x-powered-by')
    .disable('etag')
    .enable('case sensitive routing')
    .enable('strict routing')
    .set('trust proxy', trustedProxies(config.TRUST_PROXY));
  for (const version of versions) app.use(basePathOf(version.version), restApp({ ...parts, ...version, telemetry }));
  app.use('/mcp', mcpApp({ ...parts, telemetry })).use(oauthApp({ ...parts, telemetry }));
  return (
    app
      .use(arrival())
      .get('/healthz', answerHealth('/healthz'))
      .get('/readyz', answerHealth('/readyz'))
      .use(
        developerSite({
          publicUrl: platform.publicUrl,
          retirement: retirementOf(config),
          retrySeconds: config.WEBHOOK_RETRY_SECONDS,
          attemptsPerEndpoint: config.WEBHOOK_ENDPOINT_CONCURRENCY,
          retentionDays: config.RETENTION_DAYS,
          document: () =>
            openApiDocument(publicRouter, platform.publicUrl, { version: 'v1', retirement: retirementOf(config) }),
        }),
      )
      .use('/trpc', trpcApp(trpcParts))
      .get(
        '/exports/:ticket',
        refuseWhileStopping(lifecycle),
        refuseDuringMaintenance(maintenance),
        exportDownload({ platform, auth: trpcParts.auth, log }),
      )
      .use(ui(uiFolder))
      // All other paths get the API's problem `not_found`.
      .use(() => fail('not_found'))
      .use(problemResponse({ publicUrl: platform.publicUrl, log }))
  );
};

export interface Api {
  readonly lifecycle: Lifecycle;
  readonly requestLog: RequestLog;
  /** Starts the HTTP server with the configured options, except for those given here. */
  readonly listen: (options?: Partial<ServerOptions>) => Promise<ListeningServer>;
}

interface ApiOptions {
  config: Config;
  log: Logger;
  telemetry?: Telemetry | undefined;
  /** Replaces parts of the public API. */
  parts?: Partial<RestParts>;
  /** Without it, there is no maintenance. */
  maintenance?: MaintenanceState;
  /** Versions of the public API in addition to v1. */
  laterVersions?: readonly ApiVersion[];
}

/** Makes everything that answers over HTTP. It takes requests once its lifecycle is `ready`. */
export const makeApi = async (
  platform: Platform,
  { config, log, telemetry: given, parts, maintenance = { current: undefined }, laterVersions = [] }: ApiOptions,
): Promise<Api> => {
  const { makeLifecycle } = await import('../server/http/exchange.ts');
  const { listen } = await import('../server/http/server.ts');
  const { makeAdmission } = await import('../modules/keys/admission.ts');
  const { makeRequestLog } = await import('../modules/requests/writer.ts');
  const { publicRouter } = await import('../modules/public-router.ts');
  const { noopTelemetry } = await import('../platform/telemetry/telemetry.ts');

  const { database, clock } = platform;
  const telemetry = given ?? noopTelemetry();
  const lifecycle = makeLifecycle();
  const requestLog = makeRequestLog({ database, clock, log });
  const admission = makeAdmission(database, config.ANON_RATE_PER_MIN);
  const v1 = { version: 'v1', router: parts?.router ?? publicRouter, retirement: retirementOf(config) };
  const versions = [v1, ...laterVersions];
  const shared = { platform, log, lifecycle, maintenance, admission, requestLog, ...parts };
  const app = await httpApp(shared, versions, telemetry, config);
  const headersOf = await headersOfVersions(versions, platform.publicUrl);
  return {
    lifecycle,
    requestLog,
    listen: (options) =>
      listen({
        app,
        host: config.HOST,
        port: config.PORT,
        publicUrl: platform.publicUrl,
        headersOf,
        log,
        meter: telemetry.meter,
        maxConnections: config.MAX_CONNECTIONS,
        ...options,
      }),
  };
};

// Roles

export interface RunningService {
  /** The port of the HTTP server; undefined without the role `api`. */
  readonly port: number | undefined;
  /** The port of the worker's health; undefined if it has none of its own. */
  readonly workerPort: number | undefined;
  /** The port of the metrics; undefined if they are not served. */
  readonly metricsPort: number | undefined;
  ready(): void;
  /** Finishes the running work, then ends. It does not close the foundation. */
  stop(): Promise<void>;
}

interface ServiceOptions {
  config: Config;
  log: Logger;
  /** Whether the worker starts its recurring tasks at their times, which is the default. The sandbox starts them when its clock is moved. */
  scheduled?: boolean;
}

interface RoleParts extends ServiceOptions {
  telemetry: Telemetry;
  maintenance: MaintenanceWatch;
}

const requestLogEveryMs = 1_000;

const startApi = async ({ platform }: Foundation, parts: RoleParts) => {
  const { config } = parts;
  // Loads Prisma's query compiler. Otherwise the first requests would wait for it.
  await platform.database.prisma.$connect();
  const { lifecycle, requestLog, listen } = await makeApi(platform, parts);
  const logging = setInterval(() => void requestLog.write(), requestLogEveryMs);
  const server = await listen();
  return {
    port: server.port,
    ready: () => lifecycle.ready(),
    async stop() {
      lifecycle.stopping();
      await server.drain(config.SHUTDOWN_SECONDS * 1000);
      clearInterval(logging);
      await requestLog.end();
    },
  };
};

const startJobs = async (
  { platform, databaseUrl }: Foundation,
  { config, log, scheduled, telemetry, maintenance }: RoleParts,
) => {
  const { startCrmSyncs } = await import('../worker/crm-syncs.ts');
  const { startDeliveries } = await import('../worker/deliveries.ts');
  const { mailer } = await import('../worker/send-mail.ts');
  const { startWorker } = await import('../worker/worker.ts');
  const { runWhileOpen } = await import('../worker/worker.ts');
  const retirement = retirementOf(config);
  const sendMail = mailer(config.MAIL_URL, config.MAIL_FROM);
  let queues: readonly { isFetching(): boolean }[] = [];
  const running = runWhileOpen(maintenance, log, () => {
    const worker = startWorker({
      platform,
      log,
      databaseUrl,
      sendMail,
      retentionDays: config.RETENTION_DAYS,
      retired: retirement && { version: 'v1', retirement },
      scheduled,
      telemetry,
    });
    const deliveries = startDeliveries({
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
    });
    const syncs = startCrmSyncs({ platform, log, telemetry });
    queues = [worker, deliveries, syncs];
    return { stop: () => Promise.all([worker.stop(), deliveries.stop(), syncs.stop()]) };
  });
  return {
    isFetching: () => queues.length > 0 && queues.every((queue) => queue.isFetching()),
    stop: () => running.stop(),
  };
};

/** Starts these roles on a foundation. */
export const startService = async (
  foundation: Foundation,
  { roles, ...options }: ServiceOptions & { roles: ReadonlySet<Role> },
): Promise<RunningService> => {
  const { watchMaintenance } = await import('../modules/maintenance/service.ts');
  const { readBacklog } = await import('../deliveries/queue-status.ts');
  const { openTelemetry } = await import('../platform/telemetry/telemetry.ts');
  const { serveSidePort } = await import('../platform/telemetry/side-port.ts');
  const { config, log, scheduled } = options;
  // The worker's ports are open before it has started, and until it has stopped.
  let state: Lifecycle['state'] = 'starting';
  let jobs: Awaited<ReturnType<typeof startJobs>> | undefined;
  let inMaintenance: boolean | undefined;
  const paths = roles.has('worker')
    ? makeHealth({
        database: foundation.platform.database,
        state: () => state,
        inMaintenance: () => inMaintenance,
        isFetching: () => jobs?.isFetching() ?? false,
      })
    : undefined;
  const workerServer =
    paths && config.WORKER_PORT !== undefined ? await serveSidePort(config.HOST, config.WORKER_PORT, paths) : undefined;
  const telemetry = await openTelemetry({
    host: config.HOST,
    metricsPort: config.METRICS_PORT,
    otherPaths: paths,
    collectorUrl: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    backlog: () => readBacklog(foundation.platform),
    log,
  });
  const maintenance = await watchMaintenance({
    database: foundation.platform.database,
    log,
    prepare: () => foundation.compareClock(),
    report: (isOn) => {
      inMaintenance = isOn;
      telemetry.meter.maintenance(isOn);
    },
  });
  const parts = { config, log, telemetry, maintenance, ...(scheduled !== undefined && { scheduled }) };
  const api = roles.has('api') ? await startApi(foundation, parts) : undefined;
  if (roles.has('worker')) jobs = await startJobs(foundation, parts);
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

/** Starts one role with the configuration of the environment. Everything that was started is pushed on the stack, PostgreSQL first. */
export const startRole = async (role: Role, started: AsyncDisposableStack): Promise<Logger> => {
  const config = readConfig();
  const log = makeLogger(config.LOG_LEVEL, role);
  const foundation = await openFoundation(config, {
    report: (line) => log.info(line),
    onLostConnection: (error) => log.warn({ err: error }, 'a database connection was lost'),
  });
  started.defer(() => foundation.close());
  const pending = await pendingMigrations(foundation.databaseUrl);
  if (pending.length > 0)
    throw new ConfigError(`The database lacks migrations: run npm run migrate (${pending.join(', ')})`);

  const service = await startService(foundation, { config, log, roles: new Set([role]) });
  started.defer(() => service.stop());
  service.ready();
  log.info(
    { roles: [role], port: service.port, worker_port: service.workerPort, metrics_port: service.metricsPort },
    'started',
  );
  reportStart({ port: service.port, workerPort: service.workerPort, metricsPort: service.metricsPort });
  return log;
};
