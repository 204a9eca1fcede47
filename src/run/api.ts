import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import express, { type Express, type RequestHandler } from 'express';
import { projectRoot, retirementOf, shutdownDelayOf, type Config } from '../config.ts';
import { secondsToMs } from '../core/clock.ts';
import type { Logger } from '../core/log.ts';
import { fail } from '../core/problem.ts';
import { basePathOf, retirementHeaders } from '../core/product.ts';
import { requireRowSecurity } from '../db/migrate.ts';
import { withoutTeam } from '../db/row-security.ts';
import { makeAdmission } from '../modules/keys/admission.ts';
import { publicRouter } from '../modules/public-router.ts';
import { makeRequestLog, type RequestLog } from '../modules/requests/writer.ts';
import { makeAuth } from '../modules/sign-ins/library.ts';
import { makeHealth } from '../platform/health.ts';
import type { Platform } from '../platform/team.ts';
import { noopTelemetry, type Telemetry } from '../platform/telemetry/telemetry.ts';
import { exportDownload } from '../server/app/export.ts';
import { makeTrpcApp } from '../server/app/trpc.ts';
import { ui } from '../server/app/ui.ts';
import { endOfWeeklyMail } from '../server/app/weekly-mail.ts';
import { allTools } from '../server/mcp/protocol.ts';
import { securityTxt, securityTxtPath } from '../server/developers/security-txt.ts';
import { makeDeveloperSite } from '../server/developers/site.ts';
import {
  arrival,
  makeLifecycle,
  problemResponse,
  refuseDuringMaintenance,
  undecodable,
  type Lifecycle,
  type MaintenanceState,
} from '../server/http/request-context.ts';
import { listen, originForm, type ListeningServer, type ServerOptions } from '../server/http/server.ts';
import { makeMcpApp } from '../server/mcp/mcp-app.ts';
import { makeOAuthApp } from '../server/mcp/oauth.ts';
import { openApiDocument } from '../server/rest/openapi-document.ts';
import { makeRestApp, type ApiVersion, type RestParts } from '../server/rest/rest-app.ts';
import { makeScimApp, scimPath } from '../server/scim/scim-app.ts';
import type { Foundation } from './foundation.ts';
import type { RoleParts, RunningApi } from './service.ts';

// Everything that answers over HTTP.

/** The folder of the built app. */
const uiFolder = join(projectRoot, 'dist', 'web');

/** The headers that announce the end of a version of the API, for each answer under the path of this version. */
const headersOfVersions = (versions: readonly ApiVersion[], publicUrl: string) => {
  const known = versions.flatMap(({ version, retirement }) =>
    retirement ? [{ start: `${basePathOf(version)}/`, headers: retirementHeaders(retirement, publicUrl) }] : [],
  );
  return (target: string) => known.find(({ start }) => originForm(target)?.startsWith(start))?.headers ?? {};
};

/**
 * The Express app: the versions of the public API, the MCP server for assistants, SCIM for directories, the app and its
 * pages, the developers' pages and the health endpoints.
 */
const httpApp = (parts: RestParts, versions: readonly ApiVersion[], telemetry: Telemetry, config: Config): Express => {
  const { lifecycle, maintenance, platform, log } = parts;
  const health = makeHealth({
    database: platform.database,
    state: () => (lifecycle.state === 'leaving' ? 'stopping' : lifecycle.state),
    inMaintenance: () => (maintenance.current === 'unknown' ? undefined : maintenance.current !== undefined),
  });
  const answerHealth =
    (path: keyof typeof health): RequestHandler =>
    async (_request, response) => {
      const { httpStatus, contentType, text } = await health[path]();
      response.status(httpStatus).type(contentType).send(text);
    };
  const trpcParts = { platform, auth: makeAuth(platform), log, telemetry, maintenance };
  const app = express()
    .disable('x-powered-by')
    .disable('etag')
    .enable('case sensitive routing')
    .enable('strict routing')
    .set('trust proxy', config.TRUST_PROXY)
    // This comes first, so that no code that answers requests sees rows of a team by mistake.
    .use(withoutTeam);
  for (const version of versions)
    app.use(basePathOf(version.version), makeRestApp({ ...parts, ...version, telemetry }));
  app.use('/mcp', makeMcpApp({ ...parts, telemetry })).use(makeOAuthApp({ ...parts, telemetry }));
  app.use(scimPath, makeScimApp({ ...parts, telemetry }));
  return (
    app
      .use(arrival())
      .get('/healthz', answerHealth('/healthz'))
      .get('/readyz', answerHealth('/readyz'))
      .get(securityTxtPath, securityTxt(platform, config.SECURITY_CONTACT))
      .use(
        makeDeveloperSite(
          {
            publicUrl: platform.publicUrl,
            retirement: retirementOf(config),
            retrySeconds: config.WEBHOOK_RETRY_SECONDS,
            attemptsPerEndpoint: config.WEBHOOK_ENDPOINT_CONCURRENCY,
            anonymousPerMinute: config.ANON_RATE_PER_MIN,
            retentionDays: config.RETENTION_DAYS,
            teamDeletionDays: config.TEAM_DELETION_DAYS,
            securityContacts: config.SECURITY_CONTACT ?? [],
            webhookSources: platform.webhookSources,
            tools: allTools,
            document: () =>
              openApiDocument(publicRouter, platform.publicUrl, { version: 'v1', retirement: retirementOf(config) }),
          },
          uiFolder,
        ),
      )
      .use('/trpc', makeTrpcApp(trpcParts))
      .get(
        '/exports/:ticket',
        refuseDuringMaintenance(maintenance),
        exportDownload({ platform, auth: trpcParts.auth, log }),
      )
      .use(endOfWeeklyMail(platform, maintenance))
      .use(ui(uiFolder))
      // All other paths get the API's problem `not_found`.
      .use(() => fail('not_found'))
      .use(undecodable())
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
export const makeApi = (
  platform: Platform,
  { config, log, telemetry: given, parts, maintenance = { current: undefined }, laterVersions = [] }: ApiOptions,
): Api => {
  const { database, clock } = platform;
  const telemetry = given ?? noopTelemetry();
  const lifecycle = makeLifecycle();
  const requestLog = makeRequestLog({ database, clock, log });
  const admission = makeAdmission(database, config.ANON_RATE_PER_MIN);
  const v1 = { version: 'v1', router: parts?.router ?? publicRouter, retirement: retirementOf(config) };
  const versions = [v1, ...laterVersions];
  const shared = { platform, log, lifecycle, maintenance, admission, requestLog, ...parts };
  const app = httpApp(shared, versions, telemetry, config);
  const headersOf = headersOfVersions(versions, platform.publicUrl);
  return {
    lifecycle,
    requestLog,
    listen: (options) =>
      listen({
        app,
        clock,
        host: config.HOST,
        port: config.PORT,
        publicUrl: platform.publicUrl,
        headersOf,
        log,
        meter: telemetry.meter,
        lifecycle,
        maxConnections: config.MAX_CONNECTIONS,
        ...options,
      }),
  };
};

/**
 * How often the request log is written. With several groups it is less often, because each needs a statement of its
 * own.
 */
const requestLogEveryMs = { oneGroup: 1_000, severalGroups: 5_000 } as const;

/** Starts the HTTP server of a process. */
export const startApi = async ({ platform, databaseUrl }: Foundation, parts: RoleParts): Promise<RunningApi> => {
  const { config } = parts;
  if (config.ROW_SECURITY) await requireRowSecurity(databaseUrl);
  // Loads Prisma's query compiler. Otherwise the first requests would wait for it.
  await platform.database.prisma.$connect();
  const { lifecycle, requestLog, listen } = makeApi(platform, parts);
  const logging = setInterval(
    () => void requestLog.write(),
    platform.database.parts.groups() > 1 ? requestLogEveryMs.severalGroups : requestLogEveryMs.oneGroup,
  );
  const server = await listen();
  return {
    port: server.port,
    ready: () => lifecycle.ready(),
    async stop() {
      lifecycle.leaving();
      await sleep(secondsToMs(shutdownDelayOf(config)));
      lifecycle.stopping();
      await server.drain(config.SHUTDOWN_SECONDS * 1000);
      clearInterval(logging);
      await requestLog.end();
    },
  };
};
