import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { citusIsInstalled, headings, notInstalled, openGuide, type Guide } from '../../scripts/kit/citus-guide.ts';
import { connectTo } from '../../scripts/kit/database.ts';
import { seedTeams } from '../../scripts/kit/seed.ts';
import { createFolder } from '../../scripts/kit/system.ts';
import { startApi } from '../../scripts/try/backup.ts';
import { lines, requireDistributable } from '../../src/db/cells/distributable.ts';
import { migrateWithCells, runOnNodes } from '../../src/db/cells/distribute.ts';
import { applyMigrations } from '../../src/db/schema-engine.ts';

// docs/citus.md with passwords (scram) and an owner who is no superuser: each line of it that is missing is named.

const isInstalled = citusIsInstalled();
if (!isInstalled) console.log(`Skipped: ${notInstalled}`);

const names = { owner: 'team_api', ownerText: "'team_api'", database: 'team_api' };

describe.skipIf(!isInstalled)('on machines that were set up as the guide says', () => {
  const opened = new AsyncDisposableStack();
  let guide: Guide;
  beforeAll(async () => {
    guide = await openGuide(opened, { folder: await createFolder(opened, 'guide'), shards: 4 });
    for (const number of [1, 2, 3]) await guide.prepare(number);
  });
  afterAll(() => opened.disposeAsync());

  const addressOf = (number: number): string => `${guide.machine(number).host}:${guide.machine(number).port}`;
  const check = (): Promise<void> => requireDistributable(guide.databaseUrl);
  const messageOf = async (): Promise<string> => {
    const refusal: unknown = await check().catch((error: unknown) => error);
    return refusal instanceof Error ? refusal.message : 'not refused';
  };
  /** What the message names, as lines with the address of their machine. */
  const named = async (): Promise<string[]> =>
    [...(await messageOf()).matchAll(/^ {2}(\S.*)$/gm)].map(([, line = '']) => line);
  type Line = ReturnType<(typeof lines)[keyof typeof lines]>;
  const at = (number: number, { where, text }: Line): string => `${addressOf(number)}, ${where}: ${text}`;
  /** Runs a line of the guide where it belongs. */
  const runLine = (number: number, { where, text }: Line): Promise<string> =>
    guide.machine(number).psql(guide.fill(text), where.replace('psql ', ''));
  const nodeLines = (): string[] => (guide.blocks(headings.nodes)[1]?.text ?? '').trim().split('\n');

  it('the owner is no superuser, and machines let nobody in without the password', async () => {
    await using client = await connectTo(guide.databaseUrl);
    const { rows } = await client.query(
      `select rolsuper or rolcreaterole or rolbypassrls as mighty from pg_roles where rolname = current_user`,
    );
    expect(rows).toEqual([{ mighty: false }]);
    const other = Object.assign(new URL(guide.databaseUrl), { password: 'another' }).href;
    await expect(connectTo(other)).rejects.toThrow('password authentication failed');
  });

  it('without tables, the message says that the database is migrated first', async () => {
    expect(await messageOf()).toContain('Run npm run migrate before there are nodes');
    await guide.run(guide.blocks(headings.nodes)[0]);
  });

  it('the lines that add the machines are named one after the other', async () => {
    const [coordinator = '', first = '', second = '', ...others] = nodeLines();
    expect(await messageOf()).toContain(lines.coordinator(names).text);
    await guide.machine(1).psql(coordinator);
    expect(await messageOf()).toContain(lines.node(names).text);
    await guide.machine(1).psql(`${first}\n${second}`);
    expect(await named()).toEqual([at(1, lines.replicate(names))]);
    await guide.machine(1).psql(others.join('\n'));
    await check();
  });

  it('a database that has nodes before it has tables is refused, and the message says how to remove them', async () => {
    for (const number of [1, 2]) {
      await guide.machine(number).psql('create database early owner team_api', 'postgres');
      const [, everywhere] = guide.blocks(headings.roles);
      await guide.machine(number).psql(everywhere?.text ?? '', 'early');
    }
    await guide.machine(1).psql(nodeLines().slice(0, 2).join('\n'), 'early');
    const early = Object.assign(new URL(guide.databaseUrl), { pathname: '/early' }).href;
    await expect(migrateWithCells(early)).rejects.toThrow('must be superuser');
    const { host, port } = guide.machine(2);
    await expect(requireDistributable(early)).rejects.toThrow(`SELECT citus_remove_node('${host}', ${port});`);
  });

  const authinfoOf = (role: string) => `delete from pg_dist_authinfo where rolename = '${role}'`;
  const inDatabase = 'team_api';

  // What is taken away on a machine, and what is named on which machine. Citus would repeat in its database what is done to roles.
  it.each<[what: string, on: number, taken: string, expected: readonly [number, Line][], where?: string]>([
    ['the owner’s database', 3, 'alter database team_api owner to postgres', [[3, lines.database(names)]]],
    [
      'the login of the role of requests',
      2,
      'alter role team_customer_api_request nologin',
      [[2, lines.requestLogin()]],
    ],
    ['its password', 3, 'alter role team_customer_api_request password null', [[3, lines.requestLogin()]]],
    [
      'its password on the coordinator',
      1,
      'alter role team_customer_api_request password null',
      [[1, lines.requestLogin()]],
    ],
    ['its membership', 2, 'revoke team_customer_api_request from team_api', [[2, lines.membership(names)]]],
    [
      'the password that a node uses as owner',
      2,
      authinfoOf('team_api'),
      [[2, lines.ownerPassword(names)]],
      inDatabase,
    ],
    ['that of the coordinator', 1, authinfoOf('team_api'), [[1, lines.ownerPassword(names)]], inDatabase],
    [
      'the password that a node uses for requests',
      3,
      authinfoOf('team_customer_api_request'),
      [[3, lines.requestPassword(names)]],
      inDatabase,
    ],
    [
      'that of the coordinator',
      1,
      authinfoOf('team_customer_api_request'),
      [[1, lines.requestPassword(names)]],
      inDatabase,
    ],
    [
      'the right to copy the tables of all machines',
      1,
      'revoke execute on function replicate_reference_tables(citus.shard_transfer_mode) from team_api',
      [[1, lines.replicate(names)]],
      inDatabase,
    ],
  ])('%s is missing: %i, %s', async (_, on, taken, expected, where = 'postgres') => {
    await guide.machine(on).psql(taken, where);
    expect(await named()).toEqual(expected.map(([number, line]) => at(number, line)));
    // What is named mends it.
    for (const [number, line] of expected) await runLine(number, line);
    await check();
  });

  it('a machine without the role of requests is named', async () => {
    const { psql } = guide.machine(3);
    await psql('alter role team_customer_api_request rename to another_role', 'postgres');
    const missing = [lines.requestRole(), lines.requestLogin(), lines.membership(names)];
    expect(await named()).toEqual(missing.map((line) => at(3, line)));
    for (const line of missing) await runLine(3, line);
    await check();
    await psql('drop role team_customer_api_request', 'postgres');
    await psql('alter role another_role rename to team_customer_api_request', 'postgres');
  });

  it('another password of the owner on a node is named', async () => {
    await guide.machine(2).psql(`alter role team_api password 'another one'`, 'postgres');
    expect(await named()).toEqual([at(2, lines.owner(names))]);
    await guide.machine(2).psql(guide.fill(`alter role team_api password 'OWNER-PASSWORD'`), 'postgres');
    await check();
  });

  it('a machine that lets none of the others in is named', async () => {
    const { cluster, psql } = guide.machine(3);
    const file = join(cluster.data, 'pg_hba.conf');
    const before = await readFile(file, 'utf8');
    await writeFile(file, before.replace(guide.fill(lines.access().text), ''));
    await psql('select pg_reload_conf()');
    await expect.poll(named).toEqual([at(3, lines.access())]);
    await writeFile(file, before);
    await psql('select pg_reload_conf()');
    await expect.poll(messageOf).toBe('not refused');
  });

  it('a machine whose WAL has too little is named', async () => {
    const { stop, start } = guide.machine(3);
    await stop();
    await start({ wal_level: 'replica' });
    expect(await named()).toEqual([at(3, lines.walLevel())]);
    await stop();
    await start();
    await check();
  });

  it('a password of the administrator that is missing is seen in the guide’s own check', async () => {
    const health = async () =>
      (await guide.run(guide.blocks(headings.nodes)[2])).split('\n').filter((line) => line !== '');
    expect(await health()).toEqual([]);
    await guide.machine(2).psql(authinfoOf('postgres'));
    const { host, port } = guide.machine(2);
    expect((await health()).map((line) => line.startsWith(`${host}|${port}|`))).toEqual([true, true, true]);
    await guide
      .machine(2)
      .psql(
        guide.fill(
          `INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo) VALUES (0, 'postgres', 'password=ADMIN-PASSWORD');`,
        ),
      );
  });

  it('then the owner distributes it, and requests need the password of their role', async () => {
    await guide.run(guide.blocks(headings.distribute)[0]);
    const seeded = await seedTeams(guide.databaseUrl, { teams: 2, membersEach: 2, keysEach: 2, trainingsEach: 2 });
    await guide.machine(1).psql('alter role team_customer_api_request password null', 'postgres');
    const api = await startApi(opened, guide.databaseUrl, seeded);
    expect(await api.invite('one@example.com')).toBe(503);
    await runLine(1, lines.requestLogin());
    expect(await api.invite('one@example.com')).toBe(201);
  });

  it('the owner migrates it: a new table of teams, with the rights of requests', async () => {
    const table = `CREATE TABLE "note" (\n    "tenant_id" UUID NOT NULL,\n    "id" UUID NOT NULL,\n\n    CONSTRAINT "note_pkey" PRIMARY KEY ("tenant_id","id")\n);
ALTER TABLE "note" ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_team ON "note" USING (tenant_id = (SELECT nullif(current_setting('app.tenant', true), '')::uuid));`;
    const migrationFile = { path: 'migration.sql', content: { tag: 'ok' as const, value: table } };
    const migrations = {
      baseDir: '',
      lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"' },
      shadowDbInitScript: '',
      migrationDirectories: [{ path: '20990101000000_note', migrationFile }],
    };
    await applyMigrations(guide.databaseUrl, migrations, { runScript: runOnNodes });
    await migrateWithCells(guide.databaseUrl);
    await using client = await connectTo(guide.databaseUrl);
    const { rows } = await client.query(
      `select has_table_privilege('team_customer_api_request', 'note', 'insert') as "hasRight",
              exists (select from pg_dist_partition where logicalrelid = 'note'::regclass) as "isPlaced"`,
    );
    expect(rows).toEqual([{ hasRight: true, isPlaced: true }]);
  });
});
