// npm run migrations: refuses migrations that lock or drop what the running version uses. CONTRIBUTING.md has the rule.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrationNames, migrationsFolder } from '../src/db/migrate.ts';
import { complaintsAbout, loadParser } from './migrations/rules.ts';

/** The migrations up to this one make an empty database the first version's. They never ran beside a former version, so they are exempt. */
const lastExempt = '20261124180100_beyond_prisma';

await loadParser();
const names = await migrationNames();
const migrations = await Promise.all(
  names.map((name) => readFile(join(migrationsFolder, name, 'migration.sql'), 'utf8')),
);
for (const [index, name] of names.entries()) {
  if (name <= lastExempt) continue;
  for (const complaint of complaintsAbout(migrations[index] ?? '', migrations.slice(0, index))) {
    console.error(`${name}: ${complaint}`);
    process.exitCode = 1;
  }
}
