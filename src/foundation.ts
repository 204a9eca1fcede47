import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError } from './config.ts';
import type { Config } from './config.ts';
import { openVault } from './core/crypto.ts';
import { databaseClock } from './db/database-clock.ts';
import { openDatabase } from './db/database.ts';
import { defaultDataDir, openEmbedded } from './db/embedded.ts';
import { openEgress } from './webhooks/egress/egress.ts';
import { LargeReads } from './platform/large-reads.ts';
import type { Platform } from './platform/platform.ts';

export const projectRoot = fileURLToPath(new URL('..', import.meta.url));

/** What every process of the service stands on. */
export interface Foundation {
  readonly platform: Platform;
  readonly databaseUrl: string;
  /** Whether the database is the project's own, which nobody else takes care of. */
  readonly embedded: boolean;
  readonly dataDir: string;
  /** Closes the platform, and stops an embedded database that nobody else uses. */
  close(): Promise<void>;
}

interface Surroundings {
  report?: ((line: string) => void) | undefined;
  /** Told of connections that were lost while idle. */
  onLostConnection?: ((error: Error) => void) | undefined;
}

/** Without a configured secret (never in production) one is made for this installation and kept. */
const keptSecret = async (dataDir: string): Promise<string> => {
  const file = join(dataDir, 'app-secret');
  await mkdir(dataDir, { recursive: true });
  // Only one of several first starts writes it; all read what was written.
  await writeFile(file, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 }).catch(() => undefined);
  return readFile(file, 'utf8');
};

/** Certificate authorities to trust beside the usual ones. */
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

export const publicUrlOf = ({ PUBLIC_URL, PORT }: Config): string => PUBLIC_URL ?? `http://localhost:${PORT}`;

/** Opens the database that is configured, or the project's own, and everything that rules lean on. */
export const openFoundation = async (
  config: Config,
  { report, onLostConnection }: Surroundings = {},
): Promise<Foundation> => {
  const dataDir = config.DATA_DIR ?? defaultDataDir(projectRoot);
  // Before anything is started: what can fail here must not leave a server behind.
  const extraCa = await readCa(config.WEBHOOK_CA_FILE);
  const secrets = config.APP_SECRET ?? ([await keptSecret(dataDir)] as const);
  const embedded =
    config.DATABASE_URL === undefined ? await openEmbedded(dataDir, { ...(report && { report }) }) : undefined;
  const databaseUrl = embedded?.url ?? config.DATABASE_URL ?? '';
  const database = openDatabase(databaseUrl, {
    poolSize: config.DATABASE_POOL,
    ...(onLostConnection && { onLostConnection }),
  });
  const clock = databaseClock(database);
  await clock.compare();
  const publicUrl = publicUrlOf(config);
  const egress = openEgress({
    clock,
    publicUrl,
    allowTargets: config.WEBHOOK_ALLOW_TARGETS,
    extraCa,
    dnsServers: config.WEBHOOK_DNS_SERVERS,
    proxyUrl: config.WEBHOOK_PROXY_URL,
  });
  const platform = { database, vault: openVault(secrets), clock, egress, publicUrl, largeReads: new LargeReads() };
  return {
    platform,
    databaseUrl,
    embedded: embedded !== undefined,
    dataDir,
    async close() {
      clock.stop();
      await egress.close();
      await database.close();
      await embedded?.release();
    },
  };
};
