// npm run migrations: refuses migrations that lock or drop what the running version uses, and changes of migrations
// that have landed. CONTRIBUTING.md has the rules. With `-- --write` it first records the checksums of those that are
// in no commit yet.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrationNames, migrationsFolder } from '../src/db/migrate.ts';
import { changedMigrations, writeChecksums } from './migrations/checksums.ts';
import { complaintsAbout, loadParser } from './migrations/rules.ts';

const { values: wanted } = parseArgs({ options: { write: { type: 'boolean', default: false } } });

const complain = (complaint: string): void => {
  console.error(complaint);
  process.exitCode = 1;
};

/**
 * The migrations up to this one make an empty database the first version's. They never ran beside a former version, so
 * they are exempt.
 */
const lastExempt = '20261124180100_beyond_prisma';

await loadParser();
for (const name of await migrationNames()) {
  if (name <= lastExempt) continue;
  for (const complaint of complaintsAbout(await readFile(join(migrationsFolder, name, 'migration.sql'), 'utf8'))) {
    complain(`${name}: ${complaint}`);
  }
}

if (wanted.write) await writeChecksums();
for (const complaint of await changedMigrations()) complain(complaint);
