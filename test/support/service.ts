import pino from 'pino';
import { readFile } from 'node:fs/promises';
import { readConfig } from '../../src/config.ts';
import type { Clock } from '../../src/core/clock.ts';
import { openVault } from '../../src/core/crypto.ts';
import type { Logger } from '../../src/core/log.ts';
import { openDatabase } from '../../src/db/database.ts';
import type { Database } from '../../src/db/database.ts';
import { makeLifecycle } from '../../src/platform/lifecycle.ts';
import { openEgress } from '../../src/webhooks/egress/egress.ts';
import type { Lifecycle } from '../../src/platform/lifecycle.ts';
import { listen, usualPatience } from '../../src/http/server.ts';
import { serviceApp } from '../../src/http/service-app.ts';
import { makeAdmission } from '../../src/modules/keys/admission.ts';
import { makeKeyUsage } from '../../src/modules/keys/usage.ts';
import type { KeyUsage } from '../../src/modules/keys/usage.ts';
import { listMails } from '../../src/modules/mail/service.ts';
import { makeRequestLog } from '../../src/modules/requests/writer.ts';
import type { RequestLog } from '../../src/modules/requests/writer.ts';
import type { Mail } from '../../src/modules/mail/service.ts';
import { LargeReads } from '../../src/platform/large-reads.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { Telemetry } from '../../src/telemetry/telemetry.ts';
import { basePath } from '../../src/core/base-path.ts';
import { createDatabase } from './postgres.ts';

export const testSecret = 'a secret that only the tests know';

/** A clock that a test moves: it runs on from where it was set. */
export interface TestClock extends Clock {
  set(time: Date): void;
  forward(milliseconds: number): void;
}

const makeTestClock = (): TestClock => {
  let offset = 0;
  return {
    now: () => new Date(Date.now() + offset),
    set: (time) => (offset = time.getTime() - Date.now()),
    forward: (milliseconds) => (offset += milliseconds),
  };
};

export interface TestService {
  readonly origin: string;
  readonly baseUrl: string;
  readonly platform: Platform;
  readonly database: Database;
  readonly databaseUrl: string;
  readonly clock: TestClock;
  readonly lifecycle: Lifecycle;
  readonly usage: KeyUsage;
  readonly requestLog: RequestLog;
  mailsTo(recipient: string): Promise<Mail[]>;
  /** What was logged so far, a line each. */
  readonly logged: () => Record<string, unknown>[];
  close(): Promise<void>;
}

interface ServiceOptions {
  /** Environment variables as an operator would set them. */
  environment?: Record<string, string>;
  /** Another service's database, to run two on one. */
  databaseUrl?: string;
  /** False leaves it as it is while it starts. */
  ready?: boolean;
  /** Where people reach it. */
  publicUrl?: string;
  /** What encrypts and signs, the secret in use first. */
  secrets?: readonly [string, ...string[]];
  /** Where it counts what happens. */
  telemetry?: Telemetry;
}

const memoryLog = (): { log: Logger; lines: string[] } => {
  const lines: string[] = [];
  const log = pino({ level: 'info', base: null }, { write: (line) => void lines.push(line) });
  return { log, lines };
};

/** The service as it runs, with real HTTP and a database of its own; close it when the file is done. */
export const startTestService = async ({
  environment = {},
  databaseUrl,
  ready = true,
  publicUrl = 'http://localhost:3000',
  secrets = [testSecret],
  telemetry,
}: ServiceOptions = {}): Promise<TestService> => {
  const own = databaseUrl === undefined ? await createDatabase() : undefined;
  const url = databaseUrl ?? own?.url ?? '';
  // Every test asks from one address; only tests of that budget make it small.
  const config = readConfig({ PORT: '0', ANON_RATE_PER_MIN: '100000', ...environment });
  const { log, lines } = memoryLog();
  const database = openDatabase(url, { poolSize: 12 });
  const clock = makeTestClock();
  const egress = openEgress({
    clock,
    publicUrl,
    allowTargets: config.WEBHOOK_ALLOW_TARGETS,
    extraCa: config.WEBHOOK_CA_FILE && (await readFile(config.WEBHOOK_CA_FILE, 'utf8')),
    dnsServers: config.WEBHOOK_DNS_SERVERS,
    proxyUrl: config.WEBHOOK_PROXY_URL,
  });
  const platform: Platform = {
    database,
    vault: openVault(secrets),
    clock,
    egress,
    publicUrl,
    largeReads: new LargeReads(),
  };
  const lifecycle = makeLifecycle();
  const usage = makeKeyUsage(database, clock);
  const requestLog = makeRequestLog({ database, clock, log });
  const admission = makeAdmission(database, config.ANON_RATE_PER_MIN);
  const app = serviceApp(
    { platform, log, lifecycle, admission, usage, requestLog, ...(telemetry && { telemetry }) },
    config,
  );
  const server = await listen({
    app,
    host: '127.0.0.1',
    port: 0,
    publicUrl: platform.publicUrl,
    log,
    // Nobody waits for the connections that a test's clients keep.
    patience: { ...usualPatience, parting: 0 },
  });
  if (ready) lifecycle.ready();
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    origin,
    baseUrl: `${origin}${basePath}`,
    platform,
    database,
    databaseUrl: url,
    clock,
    lifecycle,
    usage,
    requestLog,
    mailsTo: async (recipient) => (await listMails(platform, 1_000)).filter((mail) => mail.recipient === recipient),
    logged: () => lines.map((line) => JSON.parse(line)),
    async close() {
      await server.drain(1_000);
      await egress.close();
      await database.close();
      await own?.drop();
    },
  };
};
