import pg from 'pg';
import { ConfigError } from '../../core/config-error.ts';
import { isThere, lock, migrate, withClient } from '../migrate.ts';
import type { RunScript } from '../schema-engine.ts';
import {
  coordinatorTables,
  distributedStatements,
  hasCitus,
  hasPlacedTeams,
  localTables,
  referencesLeftOut,
  referenceTables,
  withoutSubquery,
} from './distributed-tables.ts';
import { countMachines } from './distributable.ts';
import { prepareNodes, withoutCells, withoutPropagation } from './make-cells.ts';

// Turns a migrated database into a distributed one (Citus): `npm run migrate -- --distribute`. All rows of a team are
// then on one node, so a statement of one team runs there whole, with its joins, references and locks.
//
//   a team's table              by team: on the node of its team
//   catalog, people, prefixes   on every node, because the tables of teams refer to them, or each request needs them
//   all others                  on the coordinator, reached from every node; but each node has its own tablesOfNodes and jobs
//
// References are dropped first and added again at the end, because some tables refer to each other. Until then their
// definitions are in a table (`KEPT`), so that another run continues after an interruption. If everything is in its
// place, a run changes nothing.

type Report = (line: string) => void;

/** Whether the database was already distributed. Then `npm run migrate` calls `distribute` after each migration. */
export const wasDistributed = (databaseUrl: string): Promise<boolean> => withClient(databaseUrl, hasPlacedTeams);

/**
 * Distributes a migrated database, or the tables that are new since the last time, and adds whatever is missing on its
 * nodes.
 */
export const distribute = async (databaseUrl: string, report: Report): Promise<void> => {
  await withClient(databaseUrl, async (client) => {
    await lock(client);
    const missing = await missingTables(client);
    if (missing.length > 0 || (await isThere(client, KEPT))) await placeTables(client, missing, report);
    else report('The tables are distributed already.');
    await showTables(client);
  });
  await prepareNodes(databaseUrl, report);
};

// Migrations

/**
 * Citus otherwise refuses to change several kinds of its tables, or to add references to a new table, in one
 * transaction.
 */
const inSequence = `set local citus.multi_shard_modify_mode = 'sequential'`;

/** Runs the script of a migration. In a distributed database its statements are sent one by one. */
export const runOnNodes: RunScript = async (client, script) => {
  if (!(await hasPlacedTeams(client))) return client.query(script);
  const statements = distributedStatements(script);
  const [first, ...others] = statements;
  if (first === undefined) return undefined;
  if (others.length === 0) return client.query(first); // CONCURRENTLY does not work in a transaction
  await client.query('begin');
  try {
    await client.query(inSequence);
    for (const statement of statements) await client.query(statement);
    return await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
};

/**
 * Migrates a database, also a distributed one. A distributed database has no cells during the migration, because Citus
 * refuses to change a column on which a view depends.
 */
export const migrateWithCells = (databaseUrl: string, report: Report = () => {}): Promise<string[]> =>
  migrate(databaseUrl, report, {
    around: async (apply) => ((await wasDistributed(databaseUrl)) ? withoutCells(databaseUrl, report, apply) : apply()),
    runScript: runOnNodes,
    queueOptions: async (client) => ((await hasCitus(client)) ? withoutPropagation : undefined),
    beginGrants: async (client) => {
      await client.query('begin');
      await client.query(inSequence); // a query of its own: Citus sends the whole text of grants to the other nodes
    },
  });

const placeTables = async (client: pg.Client, missing: readonly string[], report: Report): Promise<void> => {
  await requireNoProcesses(client);
  report(`Distributing ${missing.length} table(s) over ${await countMachines(client)} machine(s).`);
  await keepReferences(client);
  await simplifyPolicies(client);
  await place(client, missing, report);
  await clearFirstMachine(client, report);
  await addReferences(client, report);
  await client.query(`drop table ${KEPT}`);
  report(`The tables are distributed. These references are left out: ${referencesLeftOut.join(', ')}.`);
};

// Preconditions

/**
 * Throws while processes of the service are connected: without references they could write rows that violate them, and
 * adding the references at the end would fail.
 */
const requireNoProcesses = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name in ('team-customer-api', 'team-customer-api queue')`,
  );
  const count = rows[0]?.count ?? 0;
  if (count > 0) {
    throw new ConfigError(`Processes of the service are connected (${count} sessions). Stop all of them, then repeat.`);
  }
};

// Tables

/**
 * The tables that belong on other machines and are not there yet. The table of teams comes first, because the others
 * are placed like it.
 */
const missingTables = async (client: pg.Client): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    `select t.relname::text as name from pg_class t
      where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
        and t.relname <> all ($1)
        and (t.relname = any ($2) or t.relname = 'team'
             or exists (select from pg_attribute where attrelid = t.oid and attname = 'tenant_id' and not attisdropped))
        and not exists (select from pg_dist_partition p where p.logicalrelid = t.oid and (p.partmethod = 'h' or p.repmodel = 't'))
      order by t.relname <> 'team', t.relname`,
    [Object.keys(localTables), referenceTables],
  );
  return rows.map(({ name }) => name);
};

const place = async (client: pg.Client, tables: readonly string[], report: Report): Promise<void> => {
  for (const [index, name] of tables.entries()) {
    const started = performance.now();
    const table = pg.escapeIdentifier(name);
    if (referenceTables.includes(name)) await client.query('select create_reference_table($1)', [table]);
    else if (name === 'team') await client.query(`select create_distributed_table('team', 'id')`);
    else {
      const sql = `select create_distributed_table($1, 'tenant_id', colocate_with => 'team')`;
      await client.query(sql, [table]);
    }
    report(`  ${index + 1}/${tables.length} ${name}, ${Math.round(performance.now() - started)} ms`);
  }
};

/**
 * Removes the old rows: Citus copies rows to their new places and leaves the old ones behind, where no statement sees
 * them.
 */
const clearFirstMachine = async (client: pg.Client, report: Report): Promise<void> => {
  await client.query(
    `select truncate_local_data_after_distributing_table(logicalrelid) from pg_dist_partition
      where partmethod = 'h' or repmodel = 't'`,
  );
  report('Removed the rows that were copied from the first machine.');
};

/** Lets the other nodes use the tables of the coordinator, and gives new nodes copies of the reference tables. */
const showTables = async (client: pg.Client): Promise<void> => {
  await client.query(
    `select citus_add_local_table_to_metadata(oid) from pg_class
      where relnamespace = 'public'::regnamespace and relname = any ($1)
        and not exists (select from pg_dist_partition where logicalrelid = pg_class.oid)`,
    [coordinatorTables],
  );
  await client.query('select replicate_reference_tables()');
};

/** Citus refuses policies with subqueries. */
const simplifyPolicies = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ table: string; policy: string; condition: string }>(
    `select quote_ident(tablename) as table, quote_ident(policyname) as policy, qual as condition
       from pg_policies where schemaname = 'public' and qual like '%SELECT%'`,
  );
  for (const { table, policy, condition } of rows)
    await client.query(`alter policy ${policy} on ${table} using (${withoutSubquery(condition)})`);
};

// References

/** The table that has the definitions of the references while these are dropped. */
const KEPT = '_references_to_add';

/** SQL: the references of our tables. Citus hides the parts of tables in `pg_class`, but not in `pg_constraint`. */
const references = `from pg_constraint c join pg_class t on t.oid = c.conrelid
  where c.contype = 'f' and c.connamespace = 'public'::regnamespace and c.conparentid = 0`;

/** Writes down the references, then drops them. */
const keepReferences = async (client: pg.Client): Promise<void> => {
  await client.query(
    `create table if not exists ${KEPT} (tbl text, name text, definition text not null, primary key (tbl, name))`,
  );
  await client.query(
    `insert into ${KEPT} (tbl, name, definition)
     select conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(c.oid) ${references} and conname <> all ($1)
         on conflict do nothing`,
    [referencesLeftOut],
  );
  const { rows } = await client.query<{ tbl: string; name: string }>(
    `select conrelid::regclass::text as tbl, quote_ident(conname) as name ${references}`,
  );
  for (const { tbl, name } of rows) await client.query(`alter table ${tbl} drop constraint ${name}`);
};

/** Adds the references again. PostgreSQL checks all rows. */
const addReferences = async (client: pg.Client, report: Report): Promise<void> => {
  const { rows } = await client.query<{ tbl: string; name: string; definition: string }>(
    `select tbl, name, definition from ${KEPT} order by tbl, name`,
  );
  for (const { tbl, name, definition } of rows) {
    try {
      await client.query(`alter table ${tbl} add constraint ${name} ${definition}`);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      throw new ConfigError(
        `The reference ${name} of ${tbl} could not be added again: ${error.message}
Remove the cause, then run npm run migrate -- --distribute again.`,
        { cause: error },
      );
    }
    await client.query(`delete from ${KEPT} where tbl = $1 and name = $2`, [tbl, name]);
  }
  report(`Added ${rows.length} reference(s) again.`);
};
