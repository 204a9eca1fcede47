// npm run migrate:new -- NAME: writes the SQL for what changed in prisma/schema.prisma since the last commit. Needs no
// database. Read the SQL before you commit it, and add what Prisma can't express (partial indexes, checks …); after each
// change of the SQL, run `npm run migrations -- --write`.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { migrationsFolder, schemaFile } from '../src/db/migrate.ts';
import { schemaDifference } from '../src/db/schema-engine.ts';
import { committed, writeChecksums } from './migrations/checksums.ts';
import { withLimitedLockWait } from './migrations/rules.ts';

const refuse = (reason: string): never => {
  console.error(reason);
  process.exit(1);
};

const name = process.argv[2] ?? '';
if (!/^[a-z][a-z0-9_]*$/.test(name)) refuse('Usage: npm run migrate:new -- NAME   (a-z, 0-9 and _)');

const difference = await schemaDifference(committed('schema.prisma'), await readFile(schemaFile, 'utf8'));
if (difference === '') refuse('Nothing to do: prisma/schema.prisma describes the same tables as in the last commit.');

const sql = withLimitedLockWait(difference);

const time = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
const folder = join(migrationsFolder, `${time}_${name}`);
await mkdir(folder);
await writeFile(join(folder, 'migration.sql'), sql);
await writeChecksums();

console.log(`${sql}\nWritten to ${relative(process.cwd(), folder)}`);
