// npm run migrate: brings DATABASE_URL, or the embedded database, up to date.

import { join } from 'node:path';
import { readConfig } from '../src/config.ts';
import { defaultDataDir, openEmbedded } from '../src/db/embedded.ts';
import { migrate } from '../src/db/migrate.ts';

const say = (line: string): void => console.error(line);

const config = readConfig();
const project = join(import.meta.dirname, '..');
const embedded = config.DATABASE_URL
  ? undefined
  : await openEmbedded(config.DATA_DIR ?? defaultDataDir(project), { report: say });

try {
  const applied = await migrate(config.DATABASE_URL ?? embedded?.url ?? '', say);
  say(applied.length === 0 ? 'Nothing to migrate.' : `Applied ${applied.length} migration(s).`);
} finally {
  await embedded?.release();
}
