import type pg from 'pg';

// A distributed PostgreSQL (the extension Citus) has all rows of a team on one machine. This file says where its tables
// are (see distribute.ts). Nearly all statements are the same as in a plain database; code with another statement for
// it calls `spansTeams` (parts.ts).

/** Tables with the same rows on every node. */
export const referenceTables: readonly string[] = ['person', 'catalog_item', 'catalog_rule', 'api_key_prefix'];

/** Tables of which every node has its own, with other rows: counters of the requests that came to this node. */
export const tablesOfNodes = ['request_budget', 'rate_window'] as const;

/**
 * Tables that are not distributed by team, with the reason. `tablesOfNodes` are on every node; the others are on the
 * first machine, where each statement on them runs, whatever its conditions are.
 */
export const localTables: Readonly<Record<string, string>> = {
  mail: 'some mails are of no team',
  credential: 'sign-in comes before a team is chosen',
  session: 'sign-in comes before a team is chosen',
  verification: 'sign-in comes before a team is chosen',
  two_factor: 'sign-in comes before a team is chosen',
  passkey: 'sign-in comes before a team is chosen',
  request_budget: 'addresses have budgets too',
  rate_window: 'people and addresses have counters too',
  maintenance: 'it holds for the whole service',
};

const ofNodes: readonly string[] = tablesOfNodes;

/** Tables that only the coordinator has. */
export const coordinatorTables: readonly string[] = Object.keys(localTables).filter((name) => !ofNodes.includes(name));

/**
 * References to the team from tables that are not distributed by team. A distributed database can't check them. A
 * migration that adds such a reference must add it to this list.
 */
export const referencesLeftOut: readonly string[] = [
  'catalog_item_tenant_id_fkey',
  'catalog_rule_tenant_id_fkey',
  'mail_tenant_id_fkey',
];

export const hasCitus = async (client: pg.ClientBase): Promise<boolean> =>
  (await client.query(`select from pg_extension where extname = 'citus'`)).rowCount === 1;

/** Whether the rows of teams are distributed. */
export const hasPlacedTeams = async (client: pg.ClientBase): Promise<boolean> => {
  if (!(await hasCitus(client))) return false;
  const placed = await client.query(`select from pg_dist_partition where logicalrelid = to_regclass('team')`);
  return placed.rowCount === 1;
};

/** A table as Prisma writes it: its name, and everything until its end. */
const newTable = /^CREATE TABLE "(\w+)" \(.*/s;

/** A statement about one reference of a table. */
const ofReference = /^ALTER TABLE \S+\s+(?:ADD|VALIDATE|DROP) CONSTRAINT (?:IF EXISTS )?"(\w+)"/;

const isLeftOut = (text: string): boolean => {
  const [, reference] = ofReference.exec(text) ?? [];
  return reference !== undefined && referencesLeftOut.includes(reference);
};

/**
 * The condition of a policy without the subquery around the setting. PostgreSQL evaluates this subquery once for a
 * statement and not for each row, but Citus refuses it.
 */
export const withoutSubquery = (condition: string): string =>
  condition.replace(/\(\s*SELECT\s+(.*?current_setting\(.*?)(?:\s+AS\s+"nullif")?\s*\)(?=\)*;?$)/s, '$1');

/**
 * The statements of a migration for a database that is already distributed. Citus takes them only one by one. It
 * refuses subqueries in policies, and some references. A new table of a team is distributed before it gets its
 * references. No line inside a statement ends with a semicolon: a check of the migrations ensures this.
 */
export const distributedStatements = (migration: string): string[] =>
  migration
    .split(/;[ \t]*$/m)
    .map((text) => text.replace(/^(\s|--.*$)*/m, ''))
    .filter((text) => text !== '' && !isLeftOut(text))
    .map((text) => (text.startsWith('CREATE POLICY') ? withoutSubquery(text) : text))
    .flatMap((text) => {
      const [, table] = newTable.exec(text) ?? [];
      const isOfTeam = table !== undefined && text.includes('"tenant_id"') && !Object.hasOwn(localTables, table);
      return isOfTeam
        ? [text, `SELECT create_distributed_table('"${table}"', 'tenant_id', colocate_with => 'team')`]
        : [text];
    });
