import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { directUrlOf, projectRoot, publicUrlOf, type Config } from '../config.ts';
import type { Clock } from '../core/clock.ts';
import { ConfigError } from '../core/config-error.ts';
import { makeVault } from '../core/crypto.ts';
import { feedLimits } from '../core/limits.ts';
import { makeDatabaseClock } from '../db/database-clock.ts';
import { openDatabase, type Database } from '../db/database.ts';
import { isUnreachable } from '../db/unavailable.ts';
import { openEmbedded } from '../db/embedded.ts';
import { defaultDataDir } from '../db/embedded/home.ts';
import { findPooler, refusePooler } from '../db/pooler.ts';
import { makeDeliverJobs } from '../deliveries/outbox.ts';
import { openEgress } from '../egress/egress.ts';
import { feeds } from '../modules/events/store.ts';
import { counters } from '../modules/storage/store.ts';
import { EventWaits } from '../platform/event-waits.ts';
import { LargeReads } from '../platform/large-reads.ts';
import { StorageCounter } from '../platform/storage-counter.ts';
import { usualSignIn, type Platform, type SignInSettings } from '../platform/team.ts';
import type { PartMeasures } from '../platform/telemetry/meter.ts';
import { chooseConnections } from './database.ts';

// The database and everything that rules use. Commands, the tests and both roles open it.

/** The parts that every process of the service needs. */
export interface Foundation {
  readonly platform: Platform;
  readonly databaseUrl: string;
  /** The metrics of the parts of the database. */
  readonly measures: PartMeasures;
  /** Whether the database is the project's own (embedded), which no operator maintains. */
  readonly embedded: boolean;
  readonly dataDir: () => string;
  /** Compares the clock with the database's. */
  compareClock(): Promise<void>;
  /** Closes the platform, and stops an embedded database that no other process uses. */
  close(): Promise<void>;
}

interface FoundationOptions {
  /** Whether the process only answers requests. Then it uses DATABASE_URL, which may lead to a connection pooler. */
  onlyRequests?: boolean;
  report?: ((line: string) => void) | undefined;
  /** Called when the embedded database has ended for good. */
  onDatabaseEnd?: ((reason: Error) => void) | undefined;
  /** Called when a task fails for which no caller waits, although the database can be reached. */
  onFailure?: ((what: string, error: unknown) => void) | undefined;
  /** Called for each connection that was lost while idle. */
  onLostConnection?: ((error: Error) => void) | undefined;
  /** Replaces the database's clock. */
  clock?: Clock;
  /** Replaces the clock for the signatures of messages to receivers. */
  signingClock?: Clock;
  /** Replaces the cost of passwords and of refused sign-ins. */
  signIn?: SignInSettings;
  /**
   * Whether receivers on this machine are allowed, with and without TLS. No setting allows them: only the sandbox does.
   */
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

/** Whether a connection pooler is in front of the database. Throws if there is one and this process may not use it. */
const examine = async (url: string, { onlyRequests }: { onlyRequests: boolean }): Promise<boolean> => {
  if (onlyRequests) return findPooler(url);
  await refusePooler(url);
  return false;
};

/** The database's clock, which all processes share, unless the caller passes another one. */
const clockFor = (database: Database, given: Clock | undefined, onFailure: (error: unknown) => void) => {
  if (given) return { clock: given, compareClock: async () => {}, stop: () => {} };
  const clock = makeDatabaseClock(database, { onFailure });
  return { clock, compareClock: () => clock.compare(), stop: () => clock.stop() };
};

/** Opens the configured or the embedded database, and everything that rules use. */
export const openFoundation = async (
  config: Config,
  {
    onlyRequests = false,
    report,
    onDatabaseEnd,
    onFailure,
    onLostConnection,
    clock: given,
    signingClock,
    signIn = usualSignIn,
    loopbackReceivers,
  }: FoundationOptions = {},
): Promise<Foundation> => {
  let foundDir: string | undefined;
  // The default folder is searched only when it is needed, because the search starts a process.
  const dataDir = () => (foundDir ??= config.DATA_DIR ?? defaultDataDir(projectRoot));
  // The file is read before anything is started, so that a failure leaves no server running.
  const extraCa = await readCa(config.WEBHOOK_CA_FILE);
  const secrets = config.APP_SECRET ?? ([await keptSecret(dataDir())] as const);
  const configuredUrl = onlyRequests ? config.DATABASE_URL : directUrlOf(config);
  const pooled = configuredUrl !== undefined && (await examine(configuredUrl, { onlyRequests }));
  const embedded =
    configuredUrl === undefined ? await openEmbedded(dataDir(), { report, onEnd: onDatabaseEnd }) : undefined;
  const databaseUrl = embedded?.url ?? configuredUrl ?? '';
  const { open, measures, close } = await chooseConnections(configuredUrl);
  const database = openDatabase(databaseUrl, {
    open,
    poolSize: config.DATABASE_POOL,
    pooled,
    rowSecurity: config.ROW_SECURITY,
    ...(onLostConnection && { onLostConnection }),
  });
  const failing = (what: string) => (error: unknown) => {
    if (!isUnreachable(error)) onFailure?.(what, error);
  };
  const { clock, compareClock, stop } = clockFor(database, given, failing('the clocks could not be compared'));
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
  const lookFailed = failing('whether events were raised could not be read');
  const relay = makeDeliverJobs(database, failing('the jobs of deliveries could not be added; the sweep adds them'));
  const platform = {
    database,
    vault: makeVault(secrets),
    clock,
    signingClock,
    egress,
    publicUrl,
    practiceUrl: config.PRACTICE_URL ?? null,
    deliverySchedule: {
      retrySeconds: config.WEBHOOK_RETRY_SECONDS,
      pauseAfterSeconds: config.WEBHOOK_PAUSE_AFTER_SECONDS,
    },
    webhookSources: config.WEBHOOK_SOURCE_ADDRESSES ?? null,
    signIn: { ...signIn, triesPerMinute: config.SIGN_IN_RATE_PER_MIN },
    teamDeletionDays: config.TEAM_DELETION_DAYS,
    retentionDays: config.RETENTION_DAYS,
    largeReads: new LargeReads(),
    eventWaits: new EventWaits({
      look: database.parts.inBatches(
        (teamId: string) => teamId,
        async (teamIds) => {
          const states = (await feeds.states(database, teamIds).catch(lookFailed)) ?? [];
          const byTeam = new Map(states.map((state) => [state.teamId, state]));
          return teamIds.map((id) => byTeam.get(id));
        },
        { max: feedLimits.waiting.all },
      ),
      onFailure: lookFailed,
    }),
    addDeliverJob: relay.add,
    storage: new StorageCounter({
      write: (added) => counters.add(database, added),
      onFailure: failing('what requests store could not be counted'),
    }),
  };
  return {
    platform,
    databaseUrl,
    measures,
    embedded: embedded !== undefined,
    dataDir,
    compareClock,
    async close() {
      stop();
      await egress.close();
      // A command ends right after its change. If it did not wait here, the jobs of its deliveries could be lost until
      // a worker's sweep adds them.
      await relay.added();
      await platform.storage.written();
      await database.close();
      await close();
      await embedded?.release();
    },
  };
};
