import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';

const prismaFolder = join(import.meta.dirname, '..', '..', 'prisma');

export const schemaFile = join(prismaFolder, 'schema.prisma');
export const migrationsFolder = join(prismaFolder, 'migrations');

/** The migrations' names, oldest first: a name begins with its time. */
export const migrationNames = async (): Promise<string[]> => {
  const entries = await readdir(migrationsFolder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
};

/**
 * Beside its `migration.sql` the newest migration keeps the schema.prisma that it leads to. The engine can't work out the state
 * of a migrations folder without a spare database; with the former schema's text the next migration is written offline.
 */
export const schemaAfter = (migration: string): string => join(migrationsFolder, migration, 'schema.prisma');

export const readMigrations = async (): Promise<MigrationList> => ({
  baseDir: migrationsFolder,
  lockfile: {
    path: 'migration_lock.toml',
    content: await readFile(join(migrationsFolder, 'migration_lock.toml'), 'utf8'),
  },
  shadowDbInitScript: '',
  migrationDirectories: await Promise.all((await migrationNames()).map(readMigration)),
});

const readMigration = async (name: string) => {
  const value = await readFile(join(migrationsFolder, name, 'migration.sql'), 'utf8');
  return { path: name, migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value } } };
};
