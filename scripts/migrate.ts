// npm run migrate: brings DATABASE_URL, or the embedded database, up to date.

import { explanationOf } from '../src/cli/failure.ts';
import { projectRoot, readConfig } from '../src/config.ts';
import { openEmbedded } from '../src/db/embedded.ts';
import { defaultDataDir } from '../src/db/embedded/home.ts';
import { migrate } from '../src/db/migrate.ts';

const say = (line: string): void => console.error(line);

const run = async (): Promise<void> => {
  const config = readConfig();
  const dataDir = config.DATA_DIR ?? defaultDataDir(projectRoot);
  const embedded = config.DATABASE_URL === undefined ? await openEmbedded(dataDir, { report: say }) : undefined;
  try {
    const applied = await migrate(config.DATABASE_URL ?? embedded?.url ?? '', say);
    say(applied.length === 0 ? 'Nothing to migrate.' : `Applied ${applied.length} migration(s).`);
  } finally {
    await embedded?.release();
  }
};

try {
  await run();
} catch (error) {
  say(explanationOf(error));
  process.exitCode = 1;
}
