// npm run migrate:new -- NAME: writes the SQL for what changed in prisma/schema.prisma since the last migration. Needs no database. Read
// the SQL before you commit it, and add what Prisma can't express (partitions, partial indexes, checks …).

import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { migrationNames, migrationsFolder, schemaAfter, schemaFile } from '../src/db/migrate.ts';
import { schemaDifference } from '../src/db/schema-engine.ts';
import { loadParser, withLimitedLockWait } from './migrations/rules.ts';

const refuse = (reason: string): never => {
  console.error(reason);
  process.exit(1);
};

const name = process.argv[2] ?? '';
if (!/^[a-z][a-z0-9_]*$/.test(name)) refuse('Usage: npm run migrate:new -- NAME   (a-z, 0-9 and _)');

await mkdir(migrationsFolder, { recursive: true });
const last = (await migrationNames()).at(-1);
const former = last === undefined ? undefined : await readFile(schemaAfter(last), 'utf8');
const difference = await schemaDifference(former, await readFile(schemaFile, 'utf8'));
if (difference === '') refuse(`Nothing to do: prisma/schema.prisma says the same as ${last ?? 'an empty database'}.`);

await loadParser();
const sql = withLimitedLockWait(difference);

const time = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
const folder = join(migrationsFolder, `${time}_${name}`);
await mkdir(folder);
await writeFile(join(folder, 'migration.sql'), sql);
await copyFile(schemaFile, schemaAfter(`${time}_${name}`));
if (last !== undefined) await rm(schemaAfter(last));
await writeFile(
  join(migrationsFolder, 'migration_lock.toml'),
  '# Read by Prisma; do not edit.\nprovider = "postgresql"\n',
);

console.log(`${sql}\nWritten to ${relative(process.cwd(), folder)}`);
