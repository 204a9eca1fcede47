import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from './config.ts';
import { systemClock } from './core/clock.ts';
import { openVault } from './core/crypto.ts';
import { openDatabase } from './db/database.ts';
import { defaultDataDir, openEmbedded } from './db/embedded.ts';
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

export const publicUrlOf = ({ PUBLIC_URL, PORT }: Config): string => PUBLIC_URL ?? `http://localhost:${PORT}`;

/** Opens the database that is configured, or the project's own, and everything that rules lean on. */
export const openFoundation = async (
  config: Config,
  { report, onLostConnection }: Surroundings = {},
): Promise<Foundation> => {
  const dataDir = config.DATA_DIR ?? defaultDataDir(projectRoot);
  // Before anything is started: what can fail here must not leave a server behind.
  const secrets = config.APP_SECRET ?? ([await keptSecret(dataDir)] as const);
  const embedded =
    config.DATABASE_URL === undefined ? await openEmbedded(dataDir, { ...(report && { report }) }) : undefined;
  const databaseUrl = embedded?.url ?? config.DATABASE_URL ?? '';
  const database = openDatabase(databaseUrl, {
    poolSize: config.DATABASE_POOL,
    ...(onLostConnection && { onLostConnection }),
  });
  const platform = {
    database,
    vault: openVault(secrets),
    clock: systemClock,
    publicUrl: publicUrlOf(config),
  };
  return {
    platform,
    databaseUrl,
    embedded: embedded !== undefined,
    dataDir,
    async close() {
      await database.close();
      await embedded?.release();
    },
  };
};
