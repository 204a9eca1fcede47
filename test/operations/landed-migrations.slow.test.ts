import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { createDatabase, withSql } from '../support/postgres.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';

// The commands about migrations, in a copy of what they need. Its one commit has all migrations of this checkout.

const execute = promisify(execFile);
const folder = join(throwAwayFolder(), 'project');
const migrations = join(folder, 'prisma', 'migrations');
const sums = () => readFile(join(migrations, 'SHA256SUMS'), 'utf8');

const git = (...args: string[]) =>
  execute('git', ['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.com', ...args], { cwd: folder });

/** Runs a script of the copy. */
const run = async (script: string, args: string[] = [], env = {}): Promise<{ code: number; printed: string }> => {
  try {
    const options = { cwd: folder, env: { PATH: process.env['PATH'], ...env } };
    const { stdout, stderr } = await execute(process.execPath, [`scripts/${script}`, ...args], options);
    return { code: 0, printed: `${stdout}${stderr}` };
  } catch (error) {
    const { code, stdout, stderr } = Object(error);
    return { code, printed: `${stdout}${stderr}` };
  }
};

/** The folder of the migration that `migrate:new` makes for a new column of teams. */
const aNewMigration = async (): Promise<string> => {
  const schema = join(folder, 'prisma', 'schema.prisma');
  const text = await readFile(schema, 'utf8');
  await writeFile(schema, text.replace(/^model Team \{$/m, 'model Team {\n  colour String?'));
  const { code, printed } = await run('migrate-new.ts', ['colours_of_teams']);
  expect(code, printed).toBe(0);
  return /prisma\/migrations\/(\d{14}_colours_of_teams)/.exec(printed)?.[1] ?? expect.fail(printed);
};

beforeAll(async () => {
  await mkdir(folder);
  for (const name of ['package.json', 'prisma', 'scripts', 'src']) {
    await cp(name, join(folder, name), { recursive: true, filter: (path) => !path.includes('src/web') });
  }
  await symlink(join(import.meta.dirname, '..', '..', 'node_modules'), join(folder, 'node_modules'));
  await git('init', '--quiet');
  await git('add', 'package.json', 'prisma');
  await git('commit', '--quiet', '--message', 'Everything');
});

it('the migrations of this checkout are as they have landed', async () => {
  expect(await run('migrations.ts')).toEqual({ code: 0, printed: '' });
  const { stdout } = await execute('sha256sum', ['--check', 'SHA256SUMS'], { cwd: migrations });
  expect(stdout).not.toContain('FAILED');
});

it('a new migration gets its line, is complained about after an edit, and gets its line again', async () => {
  const before = await sums();
  const name = await aNewMigration();
  expect(await sums()).toMatch(new RegExp(`^[0-9a-f]{64}  ${name}/migration\\.sql$`, 'm'));
  expect((await sums()).startsWith(before)).toBe(true);
  expect(await run('migrations.ts')).toEqual({ code: 0, printed: '' });

  await appendFile(join(migrations, name, 'migration.sql'), '\n-- with a comment\n');
  const edited = await run('migrations.ts');
  expect(edited).toMatchObject({ code: 1, printed: expect.stringMatching(`^${name}: its text is not that of`) });
  expect(await run('migrations.ts', ['--write'])).toEqual({ code: 0, printed: '' });
  expect((await sums()).startsWith(before)).toBe(true);
});

it('a migration that has landed keeps its line, so that no change of it passes', async () => {
  const [first = ''] = (await sums()).split('\n');
  const name = /_?(\d{14}_\w+)\//.exec(first)?.[1] ?? '';
  await appendFile(join(migrations, name, 'migration.sql'), '\n-- edited\n');
  for (const args of [[], ['--write']]) {
    const { code, printed } = await run('migrations.ts', args);
    expect(code).toBe(1);
    expect(printed).toMatch(new RegExp(`^${name}: .* never changes`, 'm'));
  }
  expect(await sums()).toContain(first);
});

it('npm run migrate says which migrations differ from those that the database has', async () => {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  const { code, printed } = await run('migrate.ts', [], { DATABASE_URL: url });
  expect(code).toBe(1);
  const name = /^ {2}(\d{14}_\w+)$/m.exec(printed)?.[1] ?? '';
  expect(printed).toMatch(/^These migrations were applied to the database with another text/);
  // The one that the test before this one has edited.
  expect((await sums()).split('\n')[0]).toContain(name);
  expect(printed).toContain(`where migration_name = '${name}';`);
  await withSql({ databaseUrl: url }, async (sql) => {
    await sql.query(/update _prisma_migrations .*;/.exec(printed)?.[0] ?? '');
  });
  expect(await run('migrate.ts', [], { DATABASE_URL: url })).toMatchObject({ code: 0 });
});
