import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ConfigError } from '../../core/config-error.ts';
import type { Config } from '../../config.ts';
import { basePath } from '../../core/product.ts';
import { tryLock } from '../../db/advisory-lock.ts';
import { lockNumbers } from '../../db/lock-numbers.ts';
import type { Tx } from '../../db/database.ts';
import { importStarterCatalog } from '../../modules/catalog/document.ts';
import { teamsExist } from '../../modules/teams/service.ts';
import type { Platform } from '../../platform/team.ts';
import { buildTeam, teamPlans } from './build-team.ts';

interface DemoOptions {
  config: Pick<Config, 'NODE_ENV'>;
  /** The address of the service; undefined: its last known address. */
  publicUrl?: string | undefined;
  report?: ((line: string) => void) | undefined;
}

/** The invented work of months has many rows, and a slow machine may take long to create it. */
const timeout = { timeout: 180_000 };

const exists = (tx: Tx, { tenant_id }: DemoTeam): Promise<boolean> => teamsExist(tx, [tenant_id]);

const readValid = async (tx: Tx, dataDir: string): Promise<DemoDocument | undefined> => {
  const kept = await readKept(dataDir);
  if (kept?.teams.length !== teamPlans.length) return undefined;
  for (const team of kept.teams) if (!(await exists(tx, team))) return undefined;
  return kept;
};

/** The demo team of a plan, if it was created before and still exists in this database. */
const keptTeam = async (
  tx: Tx,
  kept: DemoDocument | undefined,
  { name }: { name: string },
): Promise<DemoTeam | undefined> => {
  const team = kept?.teams.find((one) => one.name === name);
  return team && (await exists(tx, team)) ? team : undefined;
};

/**
 * Creates the missing demo teams, all or nothing. The file is written before the commit. After a crash between the two,
 * it names teams that do not exist, and is ignored. In the other order, a crash could leave teams whose keys are in no
 * file.
 */
const build = async (
  tx: Tx,
  { platform, dataDir, publicUrl }: { platform: Platform; dataDir: string; publicUrl: string },
): Promise<DemoDocument> => {
  await importStarterCatalog(tx, platform);
  const kept = await readKept(dataDir);
  const teams = [];
  for (const plan of teamPlans) teams.push((await keptTeam(tx, kept, plan)) ?? (await buildTeam(tx, platform, plan)));
  const document = documentOf(publicUrl, teams);
  await keep(dataDir, document);
  return document;
};

/** Returns the demo, and creates it if there is none in this database. Any number of processes may call it at once. */
export const prepareDemo = async (
  { platform, dataDir: folderOf }: { platform: Platform; dataDir: () => string },
  { config, publicUrl, report = () => {} }: DemoOptions,
): Promise<DemoDocument> => {
  if (config.NODE_ENV === 'production') throw new ConfigError('There is no demo in production (NODE_ENV=production).');
  const dataDir = folderOf();
  const { database } = platform;

  let document = await readValid(database.prisma, dataDir);
  if (!document) report('Creating the demo data …');
  while (!document) {
    document = await database.transaction(async (tx) => {
      if (!(await tryLock(tx, lockNumbers.demo))) return undefined;
      // The process that had the lock before has most likely created the demo.
      return (
        (await readValid(tx, dataDir)) ?? build(tx, { platform, dataDir, publicUrl: publicUrl ?? platform.publicUrl })
      );
    }, timeout);
    if (!document) await sleep(100);
  }

  if (publicUrl === undefined || document.app_url === publicUrl) return document;
  const moved = documentOf(publicUrl, document.teams);
  await keep(dataDir, moved);
  return moved;
};

/** Ids of each kind of resource, for a first request by hand. */
const DemoIds = z.object({
  member: z.string(),
  admin: z.string(),
  training_scored: z.string(),
  training_unscored: z.string(),
  assignment: z.string(),
  case: z.string(),
  /** A private case, which requests of the API do not find. */
  private_case: z.string(),
  /** Situation, personality and industry can be combined, and no policy blocks them. */
  situation: z.string(),
  personality: z.string(),
  industry: z.string(),
  /** A situation that the team's policy blocks. */
  blocked_situation: z.string(),
});

const DemoTeam = z.object({
  name: z.string(),
  tenant_id: z.string(),
  owner: z.object({ email: z.string(), password: z.string(), member_id: z.string() }),
  keys: z.object({ all: z.string(), read_only: z.string() }),
  ids: DemoIds,
});
export type DemoTeam = z.output<typeof DemoTeam>;

/** The demo's addresses, sign-ins and keys. */
export const DemoDocument = z.object({ base_url: z.string(), app_url: z.string(), teams: z.array(DemoTeam) });
export type DemoDocument = z.output<typeof DemoDocument>;

const documentOf = (publicUrl: string, teams: DemoTeam[]): DemoDocument => ({
  base_url: `${publicUrl}${basePath}`,
  app_url: publicUrl,
  teams,
});

/** The database has only hashes of keys and passwords, so this file keeps them to show them again. */
const fileIn = (dataDir: string): string => join(dataDir, 'demo.json');

/** The document in the file; undefined if it can't be read. */
const readKept = async (dataDir: string): Promise<DemoDocument | undefined> => {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return DemoDocument.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
};

/** Writes the document so that only its owner can read it. A reader finds the old or the new one, never a part. */
const keep = async (dataDir: string, document: DemoDocument): Promise<void> => {
  await mkdir(dataDir, { recursive: true });
  const file = fileIn(dataDir);
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, `${JSON.stringify(document, null, 2)}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
};
