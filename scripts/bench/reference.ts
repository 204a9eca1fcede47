// The reference for comparisons: a bare handler on the database as it was at version 05d4298. Handler, statements, tables and the gate stay
// as they were then, so that the ratio shows every gain and loss of the service since. Git has the tables and the gate.

import { execFileSync, spawnSync } from 'node:child_process';
import pg from 'pg';
import { projectRoot } from '../../src/config.ts';
import { ensureDatabase, migrate } from '../../src/db/migrate.ts';
import { seedTeams } from './seed.ts';
import type { Seeded, Sizes } from './seed.ts';

export const referenceHandler = 'scripts/bench/bare-handler.ts';

const git = (...args: string[]): string => execFileSync('git', args, { cwd: projectRoot, encoding: 'utf8' });

/** Whether this clone has the reference's version; a shallow one may not. */
export const hasReference = (): boolean =>
  spawnSync('git', ['cat-file', '-e', '05d4298^{commit}'], { cwd: projectRoot }).status === 0;

/** The SQL of the reference's migrations. */
const referenceSql = (): string[] =>
  git('ls-tree', '-r', '--name-only', '05d4298', 'prisma/migrations')
    .split('\n')
    .filter((path) => path.endsWith('.sql'))
    .map((path) => git('show', `05d4298:./${path}`));

interface Wanted {
  /** URLs of two databases that are empty or do not exist. */
  referenceUrl: string;
  serviceUrl: string;
  sizes: Sizes;
}

/** Creates both databases with the same teams. */
export const seedBoth = async ({ referenceUrl, serviceUrl, sizes }: Wanted): Promise<Seeded> => {
  await ensureDatabase(referenceUrl);
  const client = new pg.Client({ connectionString: referenceUrl });
  await client.connect();
  try {
    for (const sql of referenceSql()) await client.query(sql);
  } finally {
    await client.end();
  }
  await migrate(serviceUrl);
  return seedTeams([referenceUrl, serviceUrl], sizes);
};
