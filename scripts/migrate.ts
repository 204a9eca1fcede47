// npm run migrate: brings DATABASE_DIRECT_URL, by default DATABASE_URL, or the embedded database up to date. With
// `-- --distribute` it then distributes the database over the nodes of Citus; without it, only what is new in a
// database that was distributed before. With `-- --cells` it only says which node has which cells, and makes those that
// are missing.

import { parseArgs } from 'node:util';
import { directUrlOf, projectRoot, readConfig, type Config } from '../src/config.ts';
import { requireDistributable } from '../src/db/cells/distributable.ts';
import { distribute, migrateWithCells, wasDistributed } from '../src/db/cells/distribute.ts';
import { openCells } from '../src/db/cells/make-cells.ts';

const say = (line: string): void => console.error(line);

/** The embedded PostgreSQL is loaded only where it is used: on a busy machine that takes a second. */
const openEmbeddedOf = async ({ DATA_DIR }: Config) => {
  const { openEmbedded } = await import('../src/db/embedded.ts');
  const { defaultDataDir } = await import('../src/db/embedded/home.ts');
  return openEmbedded(DATA_DIR ?? defaultDataDir(projectRoot), { report: say });
};

const run = async (): Promise<void> => {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({ options: { distribute: flag, cells: flag } });
  const config = readConfig();
  const configuredUrl = directUrlOf(config);
  const embedded = configuredUrl === undefined ? await openEmbeddedOf(config) : undefined;
  try {
    const databaseUrl = configuredUrl ?? embedded?.url ?? '';
    if (values.cells) return await openCells(databaseUrl, say);
    if (values.distribute) await requireDistributable(databaseUrl);
    const applied = await migrateWithCells(databaseUrl, say);
    say(applied.length === 0 ? 'Nothing to migrate.' : `Applied ${applied.length} migration(s).`);
    if (values.distribute || (await wasDistributed(databaseUrl))) await distribute(databaseUrl, say);
  } finally {
    await embedded?.release();
  }
};

try {
  await run();
} catch (error) {
  const { explanationOf } = await import('../src/cli/failure.ts');
  say(explanationOf(error));
  process.exitCode = 1;
}
process.exit(); // a statement may still wait for a node that hangs
