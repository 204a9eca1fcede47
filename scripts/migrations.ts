// npm run migrations: refuses migrations that lock or drop what the running version uses. CONTRIBUTING.md has the rule.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrationNames, migrationsFolder } from '../src/db/migrate.ts';
import { complaintsAbout, loadParser } from './migrations/rules.ts';

/**
 * The migrations up to this one make an empty database the first version's. They never ran beside a former version, so
 * they are exempt.
 */
const lastExempt = '20261124180100_beyond_prisma';

await loadParser();
for (const name of await migrationNames()) {
  if (name <= lastExempt) continue;
  for (const complaint of complaintsAbout(await readFile(join(migrationsFolder, name, 'migration.sql'), 'utf8'))) {
    console.error(`${name}: ${complaint}`);
    process.exitCode = 1;
  }
}
