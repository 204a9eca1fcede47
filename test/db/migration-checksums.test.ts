import { describe, expect, it, onTestFinished } from 'vitest';
import { complaintsAboutChanges, readChecksums } from '../../scripts/migrations/checksums.ts';
import { ConfigError } from '../../src/core/config-error.ts';
import { checksumOf } from '../../src/db/migration-checksums.ts';
import { migrate, migrationNames } from '../../src/db/migrate.ts';
import { aConnection, createDatabase } from '../support/postgres.ts';

const [tables = '', handwritten = ''] = await migrationNames();
/** It can be applied again to a database that has its changes. */
const repeatable = '20261129235500_erasures_without_counts';

const aDatabase = async () => {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  return { url, client: await aConnection(url) };
};

describe('a database to which a migration was applied with another text', () => {
  const aChangedDatabase = async () => {
    const { url, client } = await aDatabase();
    await client.query(`
      update _prisma_migrations set checksum = repeat('0', 64) where migration_name in ('${tables}', '${handwritten}');
      delete from _prisma_migrations where migration_name = '${repeatable}'`);
    const failure = await migrate(url).catch((error: unknown) => error);
    return { url, client, failure };
  };

  it('is not migrated, and the refusal names the migrations and says what to do', async () => {
    const { client, failure } = await aChangedDatabase();
    expect(failure).toBeInstanceOf(ConfigError);
    const message = String(failure);
    for (const name of await migrationNames())
      expect(message.includes(name)).toBe(name === tables || name === handwritten);
    expect(message).toContain('restore them');
    expect(message).toContain('pg_dump --schema-only');
    const { rows } = await client.query(`select from _prisma_migrations where migration_name = '${repeatable}'`);
    expect(rows).toEqual([]);
  });

  it('is migrated after the statements of the refusal', async () => {
    const { url, client, failure } = await aChangedDatabase();
    const statements = String(failure).match(/update .*;/g) ?? [];
    expect(statements).toHaveLength(2);
    for (const statement of statements) await client.query(statement);
    expect(await migrate(url)).toEqual([repeatable]);
    expect(await migrate(url)).toEqual([]);
  });

  it.each([
    ['undone', 'null'],
    ['undone after it had ended', 'now()'],
  ])('is migrated if that try was %s', async (_what, finishedAt) => {
    const { url, client } = await aDatabase();
    await client.query(`
      insert into _prisma_migrations (id, checksum, migration_name, finished_at, rolled_back_at, applied_steps_count)
      values ('undone', repeat('0', 64), '${repeatable}', ${finishedAt}, now(), 0)`);
    expect(await migrate(url)).toEqual([]);
  });
});

describe(`migration ${repeatable}`, () => {
  const columns = async (client: Awaited<ReturnType<typeof aDatabase>>['client']) =>
    (
      await client.query<{ name: string }>(
        `select attname as name from pg_attribute
          where attrelid = 'erasure'::regclass and attnum > 0 and not attisdropped order by name`,
      )
    ).rows.map(({ name }) => name);

  // Between 28 and 29 November 2026 the first migration did not create them.
  it.each([
    ['has', 'alter table erasure add deleted integer not null default 0, add changed integer not null default 0'],
    ['lacks', ''],
  ])('leaves the columns of a new database in one that %s those that are dropped', async (_what, sql) => {
    const { url, client } = await aDatabase();
    const wanted = await columns(client);
    await client.query(`
      ${sql};
      delete from _prisma_migrations where migration_name = '${repeatable}'`);
    await migrate(url);
    expect(await columns(client)).toEqual(wanted);
    expect(wanted).not.toContain('deleted');
  });
});

describe('npm run migrations', () => {
  const of = (texts: Record<string, string>) =>
    new Map(Object.entries(texts).map(([name, sql]) => [name, checksumOf(sql)]));
  const recorded = of({ one: 'select 1', two: 'select 2' });

  it.each<[string, Record<string, string>, RegExp[]]>([
    ['the same migrations', { one: 'select 1', two: 'select 2' }, []],
    ['one that has changed', { one: 'select 1 ', two: 'select 2' }, [/^one: its text is not .* never changes/]],
    ['one that is gone', { two: 'select 2' }, [/^one: .* not there; .* never changes/]],
    ['one without a line', { one: 'select 1', two: 'select 2', three: '' }, [/^three: it has no line .* -- --write$/]],
    ['another name', { uno: 'select 1', two: 'select 2' }, [/^one: .* not there/, /^uno: it has no line/]],
  ])('complains about %s as it must', (_what, present, complaints) => {
    expect(complaintsAboutChanges(recorded, of(present))).toEqual(
      complaints.map((complaint) => expect.stringMatching(complaint)),
    );
  });

  it('complains about a line that it can’t read', () => {
    const checksum = checksumOf('select 1');
    const lines = [`${checksum}  one/migration.sql`, `${checksum.slice(1)}  two/migration.sql`];
    const read = readChecksums(`${lines.join('\n')}\n`);
    expect([...read]).toEqual([
      ['one', checksum],
      [lines[1], ''],
    ]);
    expect(complaintsAboutChanges(read, of({ one: 'select 1', two: 'select 2' }))).toHaveLength(2);
  });
});
