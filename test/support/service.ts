import pino from 'pino';
import { makeApi, openFoundation } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { basePath } from '../../src/core/product.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Logger } from '../../src/core/log.ts';
import type { Database } from '../../src/db/database.ts';
import type { Lifecycle, MaintenanceState } from '../../src/http/exchange.ts';
import { usualPatience } from '../../src/http/server.ts';
import type { Patience } from '../../src/http/server.ts';
import type { KeyUsage } from '../../src/modules/keys/usage.ts';
import { listMails } from '../../src/modules/mail/service.ts';
import type { Mail } from '../../src/modules/mail/service.ts';
import type { RequestLog } from '../../src/modules/requests/writer.ts';
import type { Platform } from '../../src/platform/team.ts';
import type { Telemetry } from '../../src/telemetry/telemetry.ts';
import { createDatabase } from './postgres.ts';

/** All of a test's clients have one address. */
export const unlimited = { all: Number.POSITIVE_INFINITY, perAddress: Number.POSITIVE_INFINITY };

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
  /** With the usual settings, for tests that change or count more than what belongs to their own teams. */
  own?: true;
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
  telemetry?: Telemetry | undefined;
  /** How long clients may take. */
  patience?: Partial<Patience>;
  /** Maintenance as a test turns it on and off. */
  maintenance?: MaintenanceState;
}

const memoryLog = (): { log: Logger; lines: string[] } => {
  const lines: string[] = [];
  const log = pino({ level: 'info', base: null }, { write: (line) => void lines.push(line) });
  return { log, lines };
};

/**
 * The service as it runs, with real HTTP. Without options it is the one that all files in this worker process share: each test makes
 * teams of its own. With options it is a new one with a database of its own. Close it when the file is done.
 */
export const startTestService = (options?: ServiceOptions): Promise<TestService> =>
  options === undefined ? borrowShared() : startOwn(options);

let shared: Promise<TestService & { forget(): void }> | undefined;

/** Nothing closes the shared service: it ends with the process, and its database with the server. */
const borrowShared = async (): Promise<TestService> => {
  const { forget, ...service } = await (shared ??= startOwn({ environment: { SIGN_IN_RATE_PER_MIN: '100000' } }));
  forget();
  return { ...service, close: async () => forget() };
};

const startOwn = async ({
  environment = {},
  databaseUrl,
  ready = true,
  publicUrl = 'http://localhost:3000',
  secrets = [testSecret],
  telemetry,
  patience = {},
  maintenance = { current: undefined },
}: ServiceOptions): Promise<TestService & { forget(): void }> => {
  const own = databaseUrl === undefined ? await createDatabase() : undefined;
  const url = databaseUrl ?? own?.url ?? '';
  // Every test asks from one address; only tests of that budget make it small.
  const config = readConfig({ PORT: '0', ANON_RATE_PER_MIN: '100000', ...environment });
  const { log, lines } = memoryLog();
  const clock = makeTestClock();
  const foundation = await openFoundation(
    { ...config, DATABASE_URL: url, DATABASE_POOL: 12, PUBLIC_URL: publicUrl, APP_SECRET: [...secrets] },
    { clock },
  );
  const { platform } = foundation;
  const { lifecycle, usage, requestLog, listen } = await makeApi(platform, {
    config,
    log,
    telemetry,
    maintenance,
  });
  // No test waits for the connections that its clients keep.
  const server = await listen({ caps: unlimited, patience: { ...usualPatience, parting: 0, ...patience } });
  if (ready) lifecycle.ready();
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    origin,
    baseUrl: `${origin}${basePath}`,
    platform,
    database: platform.database,
    databaseUrl: url,
    clock,
    lifecycle,
    usage,
    requestLog,
    mailsTo: async (recipient) => (await listMails(platform, 1_000)).filter((mail) => mail.recipient === recipient),
    logged: () => lines.map((line) => JSON.parse(line)),
    /** What an earlier file may have left: its log, and a clock that it moved. */
    forget() {
      lines.length = 0;
      clock.set(new Date());
    },
    async close() {
      await server.drain(1_000);
      await foundation.close();
      await own?.drop();
    },
  };
};
