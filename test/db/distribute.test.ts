import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadQueries, sourceFiles, sourceOf } from '../../scripts/statements/defined.ts';
import { owners } from '../../scripts/statements/tables.ts';
import { requireDistributable } from '../../src/db/cells/distributable.ts';
import { distributedStatements, localTables } from '../../src/db/cells/distributed-tables.ts';
import { nameTables } from '../../src/db/cells/entry.ts';
import { useDatabase } from '../support/postgres.ts';

// Only on a machine with Citus can a database be distributed: `npm run test:citus`.

const { url } = await useDatabase();

it('a database without the extension can’t be distributed, and the message says what is to be done', async () => {
  await expect(requireDistributable(url)).rejects.toThrow('run CREATE EXTENSION citus');
});

it('a migration of a distributed database is cut into statements, without what Citus refuses, and places new tables of teams', () => {
  const table = (name: string, column: string) => `CREATE TABLE "${name}" (\n    "${column}" UUID NOT NULL\n)`;
  const migration = `SET LOCAL lock_timeout = '3s';

-- CreateTable
${table('note', 'tenant_id')};

-- CreateTable
${table('setting', 'id')};

ALTER TABLE "note" ADD CONSTRAINT "semi; colon" CHECK ("tenant_id" IS NOT NULL);
ALTER TABLE "mail" ADD CONSTRAINT "mail_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") NOT VALID;
ALTER TABLE "mail" VALIDATE CONSTRAINT "mail_tenant_id_fkey";
ALTER TABLE "note" ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_team ON "note" USING (tenant_id = (SELECT nullif(current_setting('app.tenant', true), '')::uuid));
`;
  expect(distributedStatements(migration)).toEqual([
    `SET LOCAL lock_timeout = '3s'`,
    table('note', 'tenant_id'),
    `SELECT create_distributed_table('"note"', 'tenant_id', colocate_with => 'team')`,
    table('setting', 'id'),
    `ALTER TABLE "note" ADD CONSTRAINT "semi; colon" CHECK ("tenant_id" IS NOT NULL)`,
    `ALTER TABLE "note" ENABLE ROW LEVEL SECURITY`,
    `CREATE POLICY of_team ON "note" USING (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  ]);
});

it('gates and reads by id name each of their tables with the schema of a cell', async () => {
  const reads = sourceFiles().flatMap((file) =>
    [...sourceOf(file).matchAll(/batchedRead\(\{\s*name: '([\w.]+)'/g)].flatMap(([, name = '']) => [
      name,
      `${name} of several teams`,
    ]),
  );
  const texts = (await loadQueries()).filter(({ name }) => reads.includes(name)).map(({ text }) => text);
  expect([reads.length > 0, texts.length]).toEqual([true, reads.length]);
  const gate = readFileSync(join(import.meta.dirname, '../../src/modules/keys/gate.sql'), 'utf8').replaceAll(
    /--.*/g,
    '',
  );
  const tables = Object.keys(owners).filter((table) => !Object.hasOwn(localTables, table) && table !== 'case'); // a word of SQL
  const left = new RegExp(`(?:\\bfrom|\\bjoin|,) (?:${tables.join('|')})\\b`);
  for (const text of [...texts, gate]) {
    expect(text).toMatch(left);
    expect(nameTables(text, '7')).not.toMatch(left);
  }
  expect(nameTables('select 1 from gate($1)', '7')).toBe('select 1 from cell_7.gate($1)');
  const others = 'from request_budget b cross join lateral (select 1) from unnest($1)';
  expect(nameTables(others, '7')).toBe(others);
});
