import pg from 'pg';
import { ConfigError } from '../core/config-error.ts';
import { lock, withClient } from './migrate.ts';
import { hasPlacedTeams, localTables, referencesLeftOut, referenceTables } from './distributed-tables.ts';
import { refusePooler } from './pooler.ts';

// Makes a migrated database a distributed one (Citus): `npm run migrate -- --distribute`. All rows of a team are then
// on one machine, so a statement of one team runs there whole, with its joins, references and locks.
//
//   a team's table     by team: on the machine of its team
//   catalog, people    on every machine, because the tables of teams refer to them
//   all others         on the first machine, to which the service connects; so are graphile-worker's tables
//
// References are dropped first and added again at the end, because some tables refer to each other. Until then a table
// of its own has their definitions, so that another run continues after an interruption. If everything is in its place,
// a run changes nothing.

type Report = (line: string) => void;

/**
 * Throws if this database can't be distributed. `rowSecurity`: whether requests are to be held to their team by
 * policies.
 */
export const requireDistributable = async (databaseUrl: string, rowSecurity: boolean): Promise<void> => {
  if (rowSecurity) throw new ConfigError(NO_POLICIES);
  await refusePooler(databaseUrl);
  await withClient(databaseUrl, requireCitus);
};

/** Whether the database was distributed before. Then each migration is followed by `distribute`. */
export const wasDistributed = (databaseUrl: string): Promise<boolean> => withClient(databaseUrl, hasPlacedTeams);

/** Distributes a migrated database, or what is new in it since the last time. */
export const distribute = (databaseUrl: string, report: Report): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    await lock(client);
    await addCasts(client, report);
    const missing = await missingTables(client);
    if (missing.length === 0 && !(await isThere(client, KEPT))) {
      report('The database is distributed already.');
      return;
    }
    await requireNoProcesses(client);
    report(`Distributing ${missing.length} table(s) over ${await machines(client)} machine(s).`);
    await keepReferences(client);
    await dropPolicies(client);
    await place(client, missing, report);
    await clearFirstMachine(client, report);
    await addReferences(client, report);
    await client.query(`drop table ${KEPT}`);
    report(`The database is distributed. These references are left out: ${referencesLeftOut.join(', ')}.`);
  });

// Preconditions

const NO_CITUS = `The database has no extension Citus. On each machine: install Citus, add it to shared_preload_libraries, restart PostgreSQL,
create the database, and run CREATE EXTENSION citus in it. Then, in the database of the first machine:
  SELECT citus_set_coordinator_host('ADDRESS OF THE FIRST MACHINE');
  SELECT citus_add_node('ADDRESS OF A WORKER', 5432);
Then run npm run migrate -- --distribute.`;

const NO_COORDINATOR = `The first machine has no address for the others. Run this in the database:
  SELECT citus_set_coordinator_host('ADDRESS OF THE FIRST MACHINE');`;

const NO_WORKERS = `No machine may have the rows of teams. Add a worker: SELECT citus_add_node('ADDRESS OF A WORKER', 5432);`;

const NO_POLICIES = `A distributed database can't have the policies of row level security, because Citus refuses policies with subqueries.
Set ROW_SECURITY=false for all processes and for this command, which then drops the policies: each statement's own condition on the team
is the only wall between teams.`;

const requireCitus = async (client: pg.Client): Promise<void> => {
  const { rowCount } = await client.query(`select from pg_extension where extname = 'citus'`);
  if (rowCount === 0) throw new ConfigError(NO_CITUS);
  const { rows } = await client.query<{ isWorker: boolean; hasCoordinator: boolean }>(
    `select exists (select from pg_dist_local_group where groupid <> 0) as "isWorker",
            exists (select from pg_dist_node where groupid = 0) as "hasCoordinator"`,
  );
  if (rows[0]?.isWorker) {
    throw new ConfigError('DATABASE_URL leads to a worker of Citus: it must lead to the first machine (coordinator).');
  }
  if (!rows[0]?.hasCoordinator) throw new ConfigError(NO_COORDINATOR);
  if ((await machines(client)) === 0) throw new ConfigError(NO_WORKERS);
};

/** Without references, rows could be written that they would refuse at the end. */
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

const isThere = async (client: pg.Client, table: string): Promise<boolean> => {
  const { rows } = await client.query<{ present: boolean }>('select to_regclass($1) is not null as present', [table]);
  return rows[0]?.present === true;
};

/** The machines that may have rows of teams. */
const machines = async (client: pg.Client): Promise<number> => {
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from pg_dist_node where isactive and shouldhaveshards',
  );
  return rows[0]?.count ?? 0;
};

// Tables

/**
 * The tables that have a place on other machines and are not there yet. The team comes first, because the others are
 * placed like it.
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

/** Citus copies rows and leaves the old ones in place, where no statement sees them. */
const clearFirstMachine = async (client: pg.Client, report: Report): Promise<void> => {
  await client.query(
    `select truncate_local_data_after_distributing_table(logicalrelid) from pg_dist_partition
      where partmethod = 'h' or repmodel = 't'`,
  );
  report('Removed the rows that were copied from the first machine.');
};

const dropPolicies = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ table: string; policy: string }>(
    `select tablename as table, policyname as policy from pg_policies where schemaname = 'public'`,
  );
  for (const { table, policy } of rows) {
    const name = pg.escapeIdentifier(table);
    await client.query(
      `drop policy ${pg.escapeIdentifier(policy)} on ${name}; alter table ${name} disable row level security`,
    );
  }
};

// Enums

/**
 * Statements convert enums to texts and back. PostgreSQL's own conversions are not immutable, because labels can be
 * renamed, so Citus refuses them in what a write returns, sets or compares. Labels are never renamed here (see the
 * rules for migrations), so each enum gets casts that are immutable.
 */
const addCasts = async (client: pg.Client, report: Report): Promise<void> => {
  const { rows } = await client.query<{ name: string; type: string; labels: string[]; isNew: boolean }>(
    `select typname::text as name, oid::regtype::text as type,
            array(select enumlabel::text from pg_enum where enumtypid = enum.oid) as labels,
            not exists (select from pg_cast where castsource = 'text'::regtype and casttarget = enum.oid) as "isNew"
       from pg_type as enum
      where typtype = 'e' and typnamespace = 'public'::regnamespace
        and exists (select from pg_enum where enumtypid = enum.oid and not exists (
              select from pg_proc where proname = enum.typname || '_of_text' and position(quote_literal(enumlabel) in prosrc) > 0))`,
  );
  for (const { name, type, labels, isNew } of rows) {
    const [toText, fromText] = [`text_of_${name}`, `${name}_of_text`].map((made) => pg.escapeIdentifier(made));
    const cases = labels.map(pg.escapeLiteral).map((label) => `when ${label} then ${label}::${type}`);
    await client.query(
      `create or replace function ${toText}(${type}) returns text language sql immutable strict as 'select enum_out($1)::text';
       create or replace function ${fromText}(text) returns ${type} language sql immutable strict
         as $$ select case $1 ${cases.join(' ')} end $$`,
    );
    if (!isNew) continue; // it has a new label
    await client.query(
      `create cast (${type} as text) with function ${toText}(${type});
       create cast (text as ${type}) with function ${fromText}(text)`,
    );
  }
  if (rows.length > 0) report(`Added conversions of ${rows.length} enum(s).`);
};

// References

/** Has the definitions of references as long as they are dropped. */
const KEPT = '_references_to_add';

/** SQL: those of our tables. Citus hides the parts of tables in `pg_class`, and not in `pg_constraint`. */
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

/** Adds the references again. PostgreSQL compares all rows with them. */
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
