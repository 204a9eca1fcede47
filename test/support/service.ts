import pino from 'pino';
import { afterAll } from 'vitest';
import { makeApi } from '../../src/run/api.ts';
import { openFoundation } from '../../src/run/foundation.ts';
import { readConfig } from '../../src/config.ts';
import { basePath } from '../../src/core/product.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Logger } from '../../src/core/log.ts';
import type { Database } from '../../src/db/database.ts';
import type { Lifecycle, MaintenanceState } from '../../src/server/http/request-context.ts';
import { defaultTimeouts, type Timeouts } from '../../src/server/http/server.ts';
import { unsealMail, type Mail } from '../../src/modules/mail/service.ts';
import type { RequestLog } from '../../src/modules/requests/writer.ts';
import { usualSignIn, type Platform, type SignInSettings } from '../../src/platform/team.ts';
import type { Telemetry } from '../../src/platform/telemetry/telemetry.ts';
import { certificates } from './certificates.ts';
import { createDatabase } from './postgres.ts';
import { startReceiver } from './receiver.ts';

export const testSecret = 'a secret that only the tests know';

/**
 * Thousands of people sign in, and hundreds of sign-ins are refused. tries.slow.test.ts checks how long a refusal takes
 * in production.
 */
export const quickSignIn = {
  ...usualSignIn,
  passwordCost: { memory: 64, passes: 1, parallelism: 1 },
  refusalMs: 5,
};

/** A clock that a test can set; it runs on from there. */
export interface TestClock extends Clock {
  set(time: Date): void;
  forward(milliseconds: number): void;
  /** The clock stands still from now on, and moves only by `forward`, until it is set. */
  stop(): void;
}

const makeTestClock = (): TestClock => {
  let offset = 0;
  let stoppedAt: number | undefined;
  return {
    now: () => new Date((stoppedAt ?? Date.now()) + offset),
    set(time) {
      stoppedAt = undefined;
      offset = time.getTime() - Date.now();
    },
    forward: (milliseconds) => (offset += milliseconds),
    stop: () => (stoppedAt = Date.now()),
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
  readonly requestLog: RequestLog;
  /** The mails to an address, newest first. */
  mailsTo(recipient: string): Promise<Mail[]>;
  /** The log so far, one entry per line. */
  readonly logged: () => Record<string, unknown>[];
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** A new service with the default settings, for tests that change or count more than the data of their own teams. */
  own?: true;
  /** Environment variables, as an operator would set them. */
  environment?: Record<string, string>;
  /** The database of another service, to run two services on one. */
  databaseUrl?: string;
  /** False: the service does not become ready, as during its start. */
  ready?: boolean;
  /** The public URL of the service. */
  publicUrl?: string;
  /** The secrets for encryption and signatures, the current one first. */
  secrets?: readonly [string, ...string[]];
  telemetry?: Telemetry | undefined;
  signIn?: Partial<SignInSettings>;
  /** Time-outs for slow clients. */
  timeouts?: Partial<Timeouts>;
  /** The maintenance state, which a test can turn on and off. */
  maintenance?: MaintenanceState;
}

const memoryLog = (): { log: Logger; lines: string[] } => {
  const lines: string[] = [];
  const log = pino({ level: 'info', base: null }, { write: (line) => void lines.push(line) });
  return { log, lines };
};

/**
 * The real service over real HTTP. Without options, all files in this worker process share one service, and each test
 * makes its own teams. With options, it is a new service with its own database. Close it at the end of the file.
 */
export const startTestService = (options?: ServiceOptions): Promise<TestService> =>
  options === undefined ? borrowShared() : startOwn(options);

/** The same for the whole test file; closed at its end. */
export const useTestService = async (options?: ServiceOptions): Promise<TestService> => {
  const service = await startTestService(options);
  afterAll(() => service.close());
  return service;
};

/** A service that may send to a receiver, which is closed after the tests of the file. */
export const useServiceWithReceiver = async () => {
  const receiver = await startReceiver();
  afterAll(() => receiver.close());
  const service = await useTestService({
    environment: {
      WEBHOOK_ALLOW_TARGETS: `127.0.0.1:${receiver.port}`,
      WEBHOOK_CA_FILE: (await certificates()).caFile(),
    },
  });
  return { receiver, service };
};

let shared: Promise<TestService & { forget(): void }> | undefined;

/** The shared service is never closed: it ends with the process, and its database with the server. */
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
  signIn = {},
  timeouts = {},
  maintenance = { current: undefined },
}: ServiceOptions): Promise<TestService & { forget(): void }> => {
  const own = databaseUrl === undefined ? await createDatabase() : undefined;
  const url = databaseUrl ?? own?.url ?? '';
  // All tests share one address, so its budget is large; tests of that budget set it themselves.
  const config = readConfig({ PORT: '0', ANON_RATE_PER_MIN: '100000', ...environment });
  const { log, lines } = memoryLog();
  const clock = makeTestClock();
  const foundation = await openFoundation(
    { ...config, DATABASE_URL: url, DATABASE_POOL: 12, PUBLIC_URL: publicUrl, APP_SECRET: [...secrets] },
    { clock, signIn: { ...quickSignIn, ...signIn } },
  );
  const { platform } = foundation;
  const { lifecycle, requestLog, listen } = makeApi(platform, {
    config,
    log,
    telemetry,
    maintenance,
  });
  // Closing the server does not wait for the clients' idle connections, or for requests that may be on their way.
  const server = await listen({ timeouts: { ...defaultTimeouts, quiet: 0, ...timeouts } });
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
    requestLog,
    mailsTo: async (recipient) => {
      const orderBy = [{ createdAt: 'desc' as const }, { id: 'desc' as const }];
      const found = await platform.database.prisma.mail.findMany({ where: { recipient }, orderBy });
      return found.map((mail) => unsealMail(platform, mail));
    },
    logged: () => lines.map((line) => JSON.parse(line)),
    /** Clears the changes of earlier files: the log, and a moved clock. */
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
