import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../config.ts';
import type { Config } from '../config.ts';
import { tryLock } from '../db/advisory-lock.ts';
import type { Tx } from '../db/database.ts';
import { importStarterCatalog } from '../modules/catalog/service.ts';
import { teamsExist } from '../modules/teams/service.ts';
import type { Platform } from '../platform/platform.ts';
import { buildTeam } from './build-team.ts';
import { documentOf, keep, readKept } from './document.ts';
import type { DemoDocument, DemoTeam } from './document.ts';
import { teamPlans } from './team-plans.ts';

interface DemoPlace {
  platform: Platform;
  dataDir: string;
}

interface DemoOptions {
  config: Pick<Config, 'NODE_ENV'>;
  /** Where the service answers; undefined: where it last did, as far as known. */
  publicUrl?: string | undefined;
  report?: ((line: string) => void) | undefined;
}

/** Any number that other users of the database are unlikely to take. */
const demoLock = 7_265_108_115;

/** Months of made-up work are many rows; a slow machine may take its time. */
const patience = { timeout: 180_000 };

const exists = (tx: Tx, { tenant_id }: DemoTeam): Promise<boolean> => teamsExist(tx, [tenant_id]);

const readValid = async (tx: Tx, dataDir: string): Promise<DemoDocument | undefined> => {
  const kept = await readKept(dataDir);
  if (kept?.teams.length !== teamPlans.length) return undefined;
  for (const team of kept.teams) if (!(await exists(tx, team))) return undefined;
  return kept;
};

/** The demo team of a plan that was made before and still exists in this database. */
const keptTeam = async (
  tx: Tx,
  kept: DemoDocument | undefined,
  { name }: { name: string },
): Promise<DemoTeam | undefined> => {
  const team = kept?.teams.find((one) => one.name === name);
  return team && (await exists(tx, team)) ? team : undefined;
};

/**
 * Makes the demo teams that are missing, all or nothing. The file is written before the commit: after a crash in between it names teams that
 * do not exist, and so counts for nothing; the other way round teams would be left that nobody knows.
 */
const build = async (tx: Tx, { platform, dataDir }: DemoPlace, publicUrl: string): Promise<DemoDocument> => {
  await importStarterCatalog(tx, platform);
  const kept = await readKept(dataDir);
  const teams = [];
  for (const plan of teamPlans) teams.push((await keptTeam(tx, kept, plan)) ?? (await buildTeam(tx, platform, plan)));
  const document = documentOf(publicUrl, teams);
  await keep(dataDir, document);
  return document;
};

/** Shows the demo, made before if there is none in this database. Any number of processes may call it at once. */
export const prepareDemo = async (
  place: DemoPlace,
  { config, publicUrl, report = () => {} }: DemoOptions,
): Promise<DemoDocument> => {
  if (config.NODE_ENV === 'production') throw new ConfigError('There is no demo in production (NODE_ENV=production).');
  const { platform, dataDir } = place;
  const { database } = platform;

  let document = await readValid(database.prisma, dataDir);
  if (!document) report('Creating the demo data …');
  while (!document) {
    document = await database.transaction(async (tx) => {
      if (!(await tryLock(tx, demoLock))) return undefined;
      // Whoever had the lock before has most likely made it.
      return (await readValid(tx, dataDir)) ?? build(tx, place, publicUrl ?? platform.publicUrl);
    }, patience);
    if (!document) await sleep(100);
  }

  if (publicUrl === undefined || document.app_url === publicUrl) return document;
  const moved = documentOf(publicUrl, document.teams);
  await keep(dataDir, moved);
  return moved;
};
