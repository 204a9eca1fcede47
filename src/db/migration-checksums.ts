import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { ConfigError } from '../core/config-error.ts';

/** The checksum that Prisma's engine records with each migration: the SHA-256 of its text. */
export const checksumOf = (sql: string): string => hash('sha256', sql);

/**
 * Refuses a database to which a migration was applied with another text than it has in the `folder`. A migration never
 * changes after its release, so the tables of such a database may differ from those that the service expects.
 */
export const refuseChangedMigrations = async (client: Client, folder: string): Promise<void> => {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    `select migration_name as name, checksum from _prisma_migrations
      where finished_at is not null and rolled_back_at is null order by migration_name`,
  );
  const statements = new Map<string, string>();
  for (const { name, checksum } of rows) {
    // A newer version has added migrations that this version does not have.
    const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8').catch(() => undefined);
    if (sql === undefined || checksumOf(sql) === checksum) continue;
    const statement = `update _prisma_migrations set checksum = '${checksumOf(sql)}' where migration_name = '${name}';`;
    statements.set(name, statement);
  }
  if (statements.size === 0) return;
  throw new ConfigError(`These migrations were applied to the database with another text than they have in this version, so its tables may not be those that this version expects:
  ${[...statements.keys()].join('\n  ')}
Nothing was changed now. If files in prisma/migrations were edited here, restore them and run npm run migrate again.
Otherwise compare the database with a new one, for instance with pg_dump --schema-only, and mend what differs. Then run on the database, and npm run migrate again:
  ${[...statements.values()].join('\n  ')}`);
};
