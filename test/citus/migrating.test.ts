import { describe, expect, inject, it } from 'vitest';
import { addMachine, createOnMachines, machinesOf } from '../../scripts/kit/citus.ts';
import { referenceTables } from '../../src/db/cells/distributed-tables.ts';
import { requireDistributable } from '../../src/db/cells/distributable.ts';
import { distribute, migrateWithCells, runOnNodes } from '../../src/db/cells/distribute.ts';
import { applyMigrations } from '../../src/db/schema-engine.ts';
import { isDistributed, useConnection, useDatabase, withSql } from '../support/postgres.ts';

const { url } = await useDatabase();
const client = await useConnection(url);

const apply = (path: string, ...statements: string[]) => {
  const value = statements.map((statement) => `${statement};\n`).join('\n');
  const migrationFile = { path: 'migration.sql', content: { tag: 'ok' as const, value } };
  const migrations = {
    baseDir: '',
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"' },
    shadowDbInitScript: '',
    migrationDirectories: [{ path, migrationFile }],
  };
  return applyMigrations(url, migrations, { runScript: runOnNodes });
};

const limited = `SET LOCAL lock_timeout = '3s'`;

describe.skipIf(!isDistributed())('on a distributed database', () => {
  it('a coordinator without workers is not distributed, and the message says what is missing', async () => {
    const { citus } = inject('databaseServer');
    const { url: citusUrl = '', beginning = '' } = citus ?? {};
    const machines = (await machinesOf(citusUrl)).slice(0, 1);
    const alone = await createOnMachines(citusUrl, `${beginning}alone`, { machines, shards: 4 });
    for (const machine of machines) await addMachine(citusUrl, alone, machine);
    await expect(requireDistributable(alone)).rejects.toThrow('Add a worker');
  });

  it('a node that is added later gets the tables that all nodes have, also if Citus leaves them out when it is added', async () => {
    const { citus } = inject('databaseServer');
    const { url: citusUrl = '', beginning = '' } = citus ?? {};
    const machines = await machinesOf(citusUrl);
    const grown = await createOnMachines(citusUrl, `${beginning}grown`, { machines, shards: 4 });
    for (const machine of machines.slice(0, 2)) await addMachine(citusUrl, grown, machine);
    await migrateWithCells(grown);
    await distribute(grown, () => {});
    const added = machines.slice(2);
    const missing = () =>
      withSql({ databaseUrl: grown }, async (sql) => {
        const { rows } = await sql.query<{ name: string }>(
          `select logicalrelid::text as name from pg_dist_partition join pg_dist_shard using (logicalrelid) where repmodel = 't'
           and (select count(*) from pg_dist_placement where shardid = pg_dist_shard.shardid) < $1`,
          [machines.length],
        );
        return rows.map(({ name }) => name);
      });
    await withSql({ databaseUrl: grown }, (sql) =>
      sql.query(
        `alter database ${new URL(grown).pathname.slice(1)} set citus.replicate_reference_tables_on_activate = off`,
      ),
    );
    for (const machine of added) await addMachine(citusUrl, grown, machine);
    expect((await missing()).toSorted()).toEqual(referenceTables.toSorted());
    await distribute(grown, () => {});
    expect(await missing()).toEqual([]);
  });

  it('a migration adds a table of teams, with an index, a policy and a reference, and each row is on its team’s machine', async () => {
    await apply(
      '20990101000000_table',
      limited,
      `CREATE TABLE "note" (\n    "tenant_id" UUID NOT NULL,\n    "id" UUID NOT NULL,\n    "text" TEXT,\n\n    CONSTRAINT "note_pkey" PRIMARY KEY ("tenant_id","id")\n)`,
      `-- CreateIndex\nCREATE INDEX "note_text" ON "note"("tenant_id", "text")`,
      `ALTER TABLE "note" ADD CONSTRAINT "note_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id")`,
      `ALTER TABLE "note" ENABLE ROW LEVEL SECURITY`,
      `CREATE POLICY of_team ON "note" USING (tenant_id = (SELECT nullif(current_setting('app.tenant', true), '')::uuid))`,
    );
    await migrateWithCells(url); // gives the role of requests the table
    const { rows } = await client.query(
      `select count(distinct colocationid)::int as places, count(*)::int as tables from pg_dist_partition
      where logicalrelid in ('note'::regclass, 'team'::regclass)`,
    );
    expect(rows).toEqual([{ places: 1, tables: 2 }]);
    const orphan = `insert into note (tenant_id, id) values (gen_random_uuid(), gen_random_uuid())`;
    await expect(client.query(orphan)).rejects.toMatchObject({ code: '23503' });
  });

  it('a migration adds a column, an index, and a label, which statements can then compare', async () => {
    await apply('20990101000001_column', limited, `ALTER TABLE "training" ADD COLUMN "note" TEXT`);
    await apply('20990101000002_index', `CREATE INDEX CONCURRENTLY "training_note" ON "training"("tenant_id", "note")`);
    await apply('20990101000003_label', `ALTER TYPE "plan" ADD VALUE 'huge'`);
    await distribute(url, () => {});
    const { rows } = await client.query(`select 'huge'::text::plan = 'huge' as known, count(note)::int from training`);
    expect(rows).toEqual([{ known: true, count: 0 }]);
  });

  it('a migration adds and validates a reference of the catalog to a team, which is left out', async () => {
    const table = `ALTER TABLE "catalog_item"`;
    const name = '"catalog_item_tenant_id_fkey"';
    const toTeam = `FOREIGN KEY ("tenant_id") REFERENCES "team"("id")`;
    await apply('20990101000004_reference', limited, `${table} ADD CONSTRAINT ${name} ${toTeam} NOT VALID`);
    await apply('20990101000005_valid', limited, `${table} VALIDATE CONSTRAINT ${name}`);
    const { rows } = await client.query(`select from pg_constraint where conname = 'catalog_item_tenant_id_fkey'`);
    expect(rows).toEqual([]);
    const other = client.query(`${table} ADD CONSTRAINT "other" ${toTeam} NOT VALID`);
    await expect(other).rejects.toThrow('to distributed tables are not supported');
  });

  it('a migration that fails leaves nothing behind', async () => {
    const made = `CREATE TABLE "half" (\n    "tenant_id" UUID NOT NULL PRIMARY KEY\n)`;
    await expect(apply('20990101000006_half', limited, made, 'SELECT 1 / 0')).rejects.toThrow('division by zero');
    const { rows } = await client.query(`select to_regclass('half') as half`);
    expect(rows).toEqual([{ half: null }]);
  });
});
