import { expect, it } from 'vitest';
import { requireDistributable } from '../../src/db/cells/distributable.ts';
import { distributedStatements } from '../../src/db/cells/distributed-tables.ts';
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
