import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startApi } from '../../run/api.ts';
import { openFoundation, type Foundation } from '../../run/foundation.ts';
import { startService, type RunningService } from '../../run/service.ts';
import { startJobs } from '../../run/worker.ts';
import { readConfig, type Config } from '../../config.ts';
import { ConfigError } from '../../core/config-error.ts';
import { later, systemClock } from '../../core/clock.ts';
import type { Logger } from '../../core/log.ts';
import { allScopes } from '../../core/scopes.ts';
import { migrate } from '../../db/migrate.ts';
import { toSnake } from '../../core/spelling.ts';
import { createKey } from '../../modules/keys/service.ts';
import { actIn } from '../../platform/team-row.ts';
import { copyDatabase, adaptDatabase } from './database.ts';
import { installMovedTime, realClock, setTimeAhead, timeAhead } from './moved-time.ts';
import { passTime, runRecurringTasks, type ClockMove } from './move-clock.ts';
import { seed, type Seeded } from './seed.ts';
import { trigger, type SeededPlatform, type TriggeredEvents, type TriggerOptions } from './triggers.ts';

/**
 * Environment variables that a sandbox uses. All others, such as PORT and DATABASE_URL, belong to the customer's
 * programs.
 */
const takenOver = ['LOG_LEVEL', 'WEBHOOK_ALLOW_TARGETS', 'WEBHOOK_CA_FILE'] as const;

/** Refuses to start in production, because a sandbox is never a part of an installation. */
export const refuseInProduction = (environment: NodeJS.ProcessEnv): void => {
  if (environment['NODE_ENV'] === 'production') {
    throw new ConfigError('There is no sandbox in production (NODE_ENV=production).');
  }
};

export interface SandboxOptions {
  environment: NodeJS.ProcessEnv;
  /** The URL of any database on a PostgreSQL server. The sandbox creates its own databases on this server. */
  serverUrl: string;
  /** The names of the sandbox's databases. */
  names?: { seed: string; live: string };
  folder: string;
  host: string;
  port: number;
  /** Called before the service listens on the port. */
  releasePort?: () => Promise<void>;
  webhookTarget?: string | undefined;
  log: Logger;
  report: (line: string) => void;
}

/** A running sandbox. */
export interface Sandbox {
  readonly publicUrl: string;
  readonly seeded: Seeded;
  clock(): { now: string; ahead_seconds: number; machine_time: string };
  /** Lets time pass. */
  pass(milliseconds: number): Promise<ClockMove>;
  trigger(type: string, options: TriggerOptions): Promise<TriggeredEvents>;
  /** Creates a key of the team, with every scope unless some are given. */
  createKey(wanted: NewKey): Promise<{ key_id: string; key: string; expires_at: string | null }>;
  /** Returns to the state after the start, including the clock. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

interface NewKey {
  name: string;
  scopes?: readonly string[] | undefined;
  /** Milliseconds until the key expires. */
  expires?: number | undefined;
}

const createKeyFor = async ({ platform, seeded }: SeededPlatform, { name, scopes = allScopes, expires }: NewKey) => {
  const team = await actIn(platform, { kind: 'operator' }, seeded.seed.tenant_id);
  const expiresAt = expires === undefined ? null : later(platform.clock.now(), expires);
  const created = await createKey(team, { name, by: seeded.ownerId, scopes, expiresAt });
  return toSnake({ ...created, expiresAt });
};

const usualNames = { seed: 'sandbox_seed', live: 'sandbox_live' };

/** The real time between two runs of the recurring tasks. */
const tasksEveryMs = 60_000;

const configOf = ({ environment, folder, host, port }: SandboxOptions, publicUrl: string): Config => {
  const own = {
    NODE_ENV: 'test',
    HOST: host,
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    DATA_DIR: join(folder, 'data'),
    APP_SECRET: randomBytes(32).toString('base64url'),
    SHUTDOWN_SECONDS: '1',
    // All requests come from one address, so the limits of an address are high.
    ANON_RATE_PER_MIN: '100000',
    SIGN_IN_RATE_PER_MIN: '100000',
  };
  const taken = takenOver.map((name) => [name, environment[name] ?? ''] as const);
  return readConfig({ ...Object.fromEntries(taken), ...own });
};

/**
 * Starts the real service, API and worker in this process, on databases of its own.
 *
 *   seed      migrated and filled once; never used by the service
 *   live      a copy of it that the service uses; a reset replaces it by a new copy
 */
export const startSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  refuseInProduction(options.environment);
  const { serverUrl, names = usualNames, host, port, log, report } = options;
  installMovedTime();
  setTimeAhead(0);
  const publicUrl = `http://${host === '127.0.0.1' || host === '0.0.0.0' ? 'localhost' : host}:${port}`;
  const config = configOf(options, publicUrl);
  const urlOf = (name: string): string => {
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    return url.href;
  };
  const open = (name: string): Promise<Foundation> =>
    openFoundation(
      { ...config, DATABASE_URL: urlOf(name) },
      { clock: systemClock, signingClock: realClock, loopbackReceivers: true },
    );

  report('Preparing the database …');
  await migrate(urlOf(names.seed));
  await adaptDatabase(urlOf(names.seed));
  const filling = await open(names.seed);
  let seeded: Seeded;
  try {
    seeded = await seed(filling.platform, options.webhookTarget);
  } finally {
    await filling.close();
  }

  let foundation: Foundation;
  let service: RunningService;
  const begin = async (): Promise<void> => {
    await copyDatabase(urlOf('postgres'), { from: names.seed, to: names.live });
    foundation = await open(names.live);
    try {
      service = await startService(foundation, { api: startApi, worker: startJobs }, { config, log, scheduled: false });
    } catch (error) {
      await foundation.close();
      throw error;
    }
    service.ready();
  };
  const end = async (): Promise<void> => {
    await service.stop();
    await foundation.close();
  };

  report('Starting the service …');
  await options.releasePort?.();
  await begin();
  const parts = () => ({ platform: foundation.platform, databaseUrl: urlOf(names.live) });

  // Moves of the clock, triggers, resets and all other changes run one after the other.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
  const recurring = setInterval(() => {
    inTurn(() => runRecurringTasks(parts())).catch((err: unknown) => log.warn({ err }, 'recurring tasks'));
  }, tasksEveryMs);

  return {
    publicUrl,
    seeded,
    clock: () => ({
      now: systemClock.now().toISOString(),
      ahead_seconds: timeAhead() / 1000,
      machine_time: realClock.now().toISOString(),
    }),
    pass: (milliseconds) => inTurn(() => passTime(parts(), milliseconds)),
    trigger: (type, wanted) => inTurn(() => trigger({ platform: foundation.platform, seeded }, type, wanted)),
    createKey: (wanted) => inTurn(() => createKeyFor({ platform: foundation.platform, seeded }, wanted)),
    reset: () =>
      inTurn(async () => {
        await end();
        setTimeAhead(0);
        await begin();
      }),
    close: async () => {
      clearInterval(recurring);
      await inTurn(end);
    },
  };
};
