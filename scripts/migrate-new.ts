// npm run migrate:new -- NAME: writes the SQL for what changed in prisma/schema.prisma since the last commit. Needs no
// database. Read the SQL before you commit it, and add what Prisma can't express (partial indexes, checks …).

import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { projectRoot } from '../src/config.ts';
import { migrationsFolder, schemaFile } from '../src/db/migrate.ts';
import { schemaDifference } from '../src/db/schema-engine.ts';
import { withLimitedLockWait } from './migrations/rules.ts';

const refuse = (reason: string): never => {
  console.error(reason);
  process.exit(1);
};

const name = process.argv[2] ?? '';
if (!/^[a-z][a-z0-9_]*$/.test(name)) refuse('Usage: npm run migrate:new -- NAME   (a-z, 0-9 and _)');

const committed = execFileSync('git', ['show', 'HEAD:./prisma/schema.prisma'], { cwd: projectRoot, encoding: 'utf8' });
const difference = await schemaDifference(committed, await readFile(schemaFile, 'utf8'));
if (difference === '') refuse('Nothing to do: prisma/schema.prisma describes the same tables as in the last commit.');

const sql = withLimitedLockWait(difference);

const time = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
const folder = join(migrationsFolder, `${time}_${name}`);
await mkdir(folder);
await writeFile(join(folder, 'migration.sql'), sql);

console.log(`${sql}\nWritten to ${relative(process.cwd(), folder)}`);
