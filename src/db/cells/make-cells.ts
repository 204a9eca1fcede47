import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ConfigError } from '../../core/config-error.ts';
import { cellNotHere, nodeUrl, type FoundNode } from './cells.ts';
import { referenceTables, tablesOfNodes } from './distributed-tables.ts';
import { nameTables } from './entry.ts';
import { hostNames } from '../hosts.ts';
import { prepareQueue, tryLock, withClient } from '../migrate.ts';
import { requestRole } from '../row-security.ts';
import { migrationsName } from '../schema-engine.ts';
import { sqlState } from '../sqlstate.ts';
import { isLockTimeout } from '../unavailable.ts';

// Prepares the nodes of a distributed database. Citus makes tables on all nodes by itself; this makes the rest on each:
// settings, casts, functions, tables that belong to a node, graphile-worker's tables, and the cells (cells.ts). Each
// step can be repeated, and adds missing parts, for instance on a new node or after cells were moved.

type Report = (line: string) => void;

/** The URLs of all nodes, the coordinator first. */
const findNodes = async (client: pg.Client, databaseUrl: string): Promise<string[]> => {
  const { rows } = await client.query<FoundNode>(
    `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator" from pg_dist_node
      where isactive and noderole = 'primary' order by groupid`,
  );
  return rows.map((node) => nodeUrl(databaseUrl, node));
};

export const urlsOfNodes = (databaseUrl: string): Promise<string[]> =>
  withClient(databaseUrl, (client) => findNodes(client, databaseUrl));

/**
 * Options of a connection. Each node has a queue of jobs of its own, so Citus must not repeat on other nodes the
 * statements that make the tables of this queue.
 */
export const withoutPropagation = '-c citus.enable_ddl_propagation=off';

/**
 * How long a node may take for a connection and for each statement, so that a node that hangs does not keep the others
 * waiting.
 */
const nodeLimits = { connectionTimeoutMillis: 5_000, statement_timeout: 20_000, query_timeout: 25_000 };

/**
 * Runs something on a node, so that Citus neither repeats it on other nodes nor hides the parts of tables. (Hiding
 * makes each look at all tables ten times slower.)
 */
const onNode = <T>(url: string, action: (client: pg.Client) => Promise<T>): Promise<T> =>
  withClient(
    url,
    async (client) => {
      await client.query('set citus.enable_ddl_propagation = off; set citus.override_table_visibility = off');
      return action(client);
    },
    nodeLimits,
  );

/**
 * Does something on each node, even if it fails on others. Then throws an error that says on which nodes it failed, and
 * why.
 */
const onEachNode = async (
  urls: readonly string[],
  complaint: string,
  action: (url: string) => Promise<void>,
): Promise<void> => {
  const results = await Promise.allSettled(urls.map(action));
  const failures = results.flatMap((result, at) =>
    result.status === 'rejected' ? `\n  ${hostNames(urls[at] ?? '')}: ${reasonOf(result.reason)}` : [],
  );
  if (failures.length === 0) return;
  throw new ConfigError(`${complaint}:${failures.join('')}\nRun the command again.`);
};

const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
};

// Nodes

/**
 * - What a transaction sets is sent to the other nodes that it reaches, so that policies hold there, too.
 * - A transaction that has read several teams may write people, who are on all nodes.
 * - A prepared INSERT … ON CONFLICT with an enum ended a node of Citus 13.2 when its plan changed from a view to a
 *   distributed table.
 */
const settings = {
  'citus.propagate_set_commands': 'local',
  'citus.multi_shard_modify_mode': 'sequential',
  'citus.enable_local_fast_path_query_optimization': 'off',
} as const;

const setSettings = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ name: keyof typeof settings; database: string }>(
    'select name, quote_ident(current_database()) as database from pg_settings where name = any ($1)',
    [Object.keys(settings)],
  );
  for (const { name, database } of rows)
    await client.query(`alter database ${database} set ${name} = ${settings[name]}`);
};

/**
 * Statements convert enums to texts and back. PostgreSQL's own conversions are not immutable, because labels can be
 * renamed, so Citus refuses them in values that a write returns, sets or compares. Labels are never renamed here (see
 * the rules for migrations), so each enum gets casts that are immutable. Citus does not make these on the other nodes.
 * PostgreSQL puts their expressions into the statement, which it would not do if the functions were strict, or used
 * `enum_out`: then each value would cost as much as a small statement. (`case $1 when …` would be shorter, and Citus
 * writes it wrongly.)
 */
const addCasts = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ name: string; type: string; labels: string[] }>(
    `select typname::text as name, oid::regtype::text as type,
            array(select enumlabel::text from pg_enum where enumtypid = enum.oid order by enumsortorder) as labels
       from pg_type as enum
      where typtype = 'e' and typnamespace = 'public'::regnamespace
        and (not exists (select from pg_cast where castsource = 'text'::regtype and casttarget = enum.oid)
             or exists (select from pg_enum where enumtypid = enum.oid and not exists (
                  select from pg_proc where proname = enum.typname || '_of_text' and position(quote_literal(enumlabel) in prosrc) > 0)))`,
  );
  for (const { name, type, labels } of rows) {
    const [toText, fromText] = [`text_of_${name}`, `${name}_of_text`].map((made) => pg.escapeIdentifier(made));
    const literals = labels.map(pg.escapeLiteral);
    const toTexts = literals.map((label) => `when $1 = ${label} then ${label}`);
    const fromTexts = literals.map((label) => `when $1 = ${label} then ${label}::${type}`);
    await client.query(
      `create or replace function ${toText}(${type}) returns text language sql immutable
         as $$ select case ${toTexts.join(' ')} end $$;
       create or replace function ${fromText}(text) returns ${type} language sql immutable
         as $$ select case ${fromTexts.join(' ')} end $$`,
    );
    for (const cast of [
      `(${type} as text) with function ${toText}(${type})`,
      `(text as ${type}) with function ${fromText}(text)`,
    ]) {
      await client.query(`create cast ${cast}`).catch((error: unknown) => {
        if (!(error instanceof pg.DatabaseError && error.code === sqlState.alreadyThere)) throw error; // it has a new label
      });
    }
  }
};

/** The functions that statements call, as the migrations made them on the coordinator. */
const functions = ['budget_of_address', 'gate', 'add_jobs', 'remove_jobs'] as const;

interface Definitions {
  readonly functions: readonly string[];
  readonly tables: readonly string[];
}

const readDefinitions = async (client: pg.Client): Promise<Definitions> => {
  const made = await client.query<{ sql: string }>(
    `select pg_get_functiondef(oid) as sql from pg_proc where pronamespace = 'public'::regnamespace and proname = any ($1)
      order by array_position($1, proname::text)`,
    [functions],
  );
  const tables = await client.query<{ sql: string }>(
    `select format('create unlogged table if not exists %I (%s, primary key (%I))', relname,
              string_agg(format('%I %s not null', attname, format_type(atttypid, atttypmod)), ', ' order by attnum),
              (array_agg(attname order by attnum))[1]) as sql
       from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
      where relnamespace = 'public'::regnamespace and relname = any ($1) group by relname`,
    [tablesOfNodes],
  );
  return { functions: made.rows.map(({ sql }) => sql), tables: tables.rows.map(({ sql }) => sql) };
};

/**
 * Locks the place of a cell until the transaction ends: a move of Citus first takes the same lock on all nodes. Raises
 * an error if the cell has no views, or is not on this node, whose number in Citus is `node`.
 */
const enterCell = `create or replace function public.enter_cell(shard bigint, node int) returns void
  language plpgsql security definer as $$
begin
  perform pg_catalog.lock_shard_metadata(5, array[shard]);
  if to_regclass('cell_' || shard || '.team') is null or not exists (
       select from pg_catalog.pg_dist_placement p where p.shardid = shard and p.groupid = node) then
    raise exception 'the cell % is on another node or closed', shard using errcode = '${cellNotHere}';
  end if;
end $$`;

/** A write through the view of a reference table would change only one node. */
const refuseWrite = `create or replace function public.refuse_write() returns trigger language plpgsql as $$
begin
  raise exception 'the table % is the same on all nodes: it is written through public', tg_table_name;
end $$`;

/**
 * Policies apply to the parts of tables. The tables of Citus have no rows, so policies on them would only make
 * PostgreSQL compare the team of a statement with that of the setting, and with this comparison Citus refuses outer
 * joins (before PostgreSQL 17). The coordinator keeps the policies on its tables, because moved parts get them from
 * there.
 */
const leavePoliciesToParts = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class join pg_dist_partition on logicalrelid = oid
      where relrowsecurity and partmethod = 'h' and not exists (select from pg_dist_local_group where groupid = 0)`,
  );
  for (const { name } of rows) await client.query(`alter table ${name} disable row level security`);
};

const prepareNode = async (url: string, definitions: Definitions): Promise<void> => {
  await onNode(url, async (client) => {
    await setSettings(client);
    await leavePoliciesToParts(client);
    await addCasts(client);
    for (const sql of [...definitions.functions, ...definitions.tables, enterCell, refuseWrite])
      await client.query(sql);
    // Citus connects to other nodes as the role of the statement.
    await client.query(`do $$ begin
        if not exists (select from pg_roles where rolname = '${requestRole}' and rolcanlogin) then
          if exists (select from pg_roles where rolname = '${requestRole}') then alter role ${requestRole} login;
          else create role ${requestRole} login; end if;
        end if;
        if not pg_has_role('${requestRole}', 'member') then grant ${requestRole} to current_user; end if;
      end $$;
      grant usage on schema public to ${requestRole};
      revoke execute on function add_jobs(jsonb), remove_jobs(text[]) from public;
      grant execute on function enter_cell(bigint, int), add_jobs(jsonb), remove_jobs(text[]) to ${requestRole};
      grant select, insert, update, delete on ${tablesOfNodes.join(', ')} to ${requestRole}`);
    // Citus copies parts of graphile-worker's schema to the nodes, where these parts are of no use.
    const { rows } = await client.query(`select to_regclass('graphile_worker.migrations') is null as missing`);
    if (rows[0]?.missing) await client.query('drop schema if exists graphile_worker cascade');
  });
  await prepareQueue(url, withoutPropagation);
};

// Cells

interface TableInCell {
  readonly cell: string;
  readonly name: string;
  readonly shard: string;
}

/** The parts of tables on a node, by cell. */
const FIND_PARTS = `with placed as (
    select s.shardid, s.logicalrelid, s.shardminvalue, p.partmethod, p.colocationid
      from pg_dist_shard s join pg_dist_partition p using (logicalrelid) join pg_dist_placement using (shardid)
      join pg_dist_local_group using (groupid)),
  cell as (select * from placed where logicalrelid = 'team'::regclass)
  select cell.shardid::text as cell, c.relname::text as name, shard_name(placed.logicalrelid, placed.shardid) as shard
    from cell join placed on placed.colocationid = cell.colocationid and placed.shardminvalue = cell.shardminvalue
                          or placed.partmethod = 'n' and placed.logicalrelid::text = any ($1)
    join pg_class c on c.oid = placed.logicalrelid
   order by 1, 2`;

/** SQL that makes a cell on a node. */
export const cellScript = (cell: string, parts: readonly TableInCell[], gate: string): string => {
  const schema = `cell_${cell}`;
  const viewOf = (name: string) => `${schema}.${pg.escapeIdentifier(name)}`;
  const views = parts.map(
    ({ name, shard }) => `create view ${viewOf(name)} with (security_invoker = true) as select * from ${shard}`,
  );
  const references = parts.filter(({ name }) => referenceTables.includes(name)).map(({ name }) => viewOf(name));
  const written = parts.filter(({ name }) => !referenceTables.includes(name)).map(({ name }) => viewOf(name));
  const refusals = references.map(
    (view) => `create trigger read_only instead of insert or update or delete on ${view}
      for each row execute function public.refuse_write()`,
  );
  return [
    `create schema ${schema}`,
    `grant usage on schema ${schema} to ${requestRole}`,
    ...views,
    ...refusals,
    `grant select on ${references.join(', ')} to ${requestRole}`,
    `grant select, insert, update, delete on ${written.join(', ')} to ${requestRole}`,
    // The function has plans of its own in each cell.
    nameTables(gate, cell).replace('FUNCTION public.gate(', `FUNCTION ${schema}.gate(`),
  ].join(';\n');
};

/** A cell is up to date if it was made by its present script. The script's hash is the comment of the schema. */
interface FoundCell {
  readonly hash: string | null;
  readonly views: number;
}

const findCells = async (client: pg.Client): Promise<ReadonlyMap<string, FoundCell>> => {
  const { rows } = await client.query<FoundCell & { cell: string }>(
    `select substr(nspname, 6) as cell, obj_description(n.oid, 'pg_namespace') as hash,
            (select count(*)::int from pg_class where relnamespace = n.oid and relkind = 'v') as views
       from pg_namespace n where nspname like 'cell\\_%'`,
  );
  return new Map(rows.map(({ cell, ...found }) => [cell, found]));
};

/**
 * How long one try waits for the transactions in a cell, while no other one may enter it; how often it is tried, and
 * the pause before the next try.
 */
const waitForCell = { milliseconds: 500, tries: 120, pauseMs: 500 };

/**
 * Runs SQL about a cell when no transaction is in it: `enter_cell` takes the same lock. Otherwise a transaction that
 * has used one view and needs another would wait for this SQL, and this SQL for the transaction.
 */
const whenNobodyIsIn = async (client: pg.Client, cell: string, sql: string): Promise<void> => {
  const { milliseconds, tries, pauseMs } = waitForCell;
  for (let tried = 1; ; tried += 1) {
    try {
      // Everything that is sent together is one transaction.
      await client.query(
        `set local lock_timeout = ${milliseconds}; select lock_shard_metadata(7, array[${cell}]::bigint[]); ${sql}`,
      );
      return;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (tried === tries) throw new Error(`the cell ${cell} was always in use`, { cause: error });
      await sleep(pauseMs);
    }
  }
};

/**
 * Makes the cells of a node that are missing or out of date. Returns how many cells the node has now, and how many of
 * them this call has made.
 */
const makeCells = (url: string): Promise<{ all: number; made: number }> =>
  onNode(url, async (client) => {
    const { rows } = await client.query<TableInCell>(FIND_PARTS, [referenceTables]);
    const [gate] = (await client.query<{ sql: string }>(`select pg_get_functiondef('public.gate'::regproc) as sql`))
      .rows;
    // The hash includes the columns, because a view depends on them.
    const columns = await client.query<{ sql: string }>(
      `select string_agg(attrelid::regclass || attname, ' ' order by attrelid::regclass::text, attnum) as sql from pg_attribute
        where attrelid in (select logicalrelid from pg_dist_partition) and attnum > 0 and not attisdropped`,
    );
    const found = await findCells(client);
    const wanted = Map.groupBy(rows, ({ cell }) => cell);
    for (const cell of found.keys()) if (!wanted.has(cell)) await whenNobodyIsIn(client, cell, closed(cell));
    let made = 0;
    for (const [cell, parts] of wanted) {
      const script = cellScript(cell, parts, gate?.sql ?? '');
      const hash = createHash('sha256')
        .update(script)
        .update(columns.rows[0]?.sql ?? '')
        .digest('hex');
      const is = found.get(cell);
      if (is?.hash === hash && is.views === parts.length) continue;
      await whenNobodyIsIn(client, cell, `${closed(cell)};\n${script};\ncomment on schema cell_${cell} is '${hash}'`);
      made += 1;
    }
    return { all: wanted.size, made };
  });

/** Makes everything that the nodes need. Reports where the cells are. */
export const prepareNodes = async (databaseUrl: string, report: Report): Promise<void> => {
  const definitions = await withClient(databaseUrl, readDefinitions);
  await onEachNode(await urlsOfNodes(databaseUrl), 'Some machines could not be prepared', async (url) => {
    await prepareNode(url, definitions);
    await mendNode(url, report);
  });
};

const mendNode = async (url: string, report: Report): Promise<void> => {
  const { all, made } = await makeCells(url);
  report(`  ${hostNames(url)}: ${all} cells, ${made} of them made now`);
};

const mendNodes = (urls: readonly string[], report: Report): Promise<void> =>
  onEachNode(urls, 'The cells of some machines could not be made', (url) => mendNode(url, report));

/** Makes the cells that are missing, for instance after they were moved. Reports how many cells are where. */
export const mendCells = async (databaseUrl: string, report: Report): Promise<void> =>
  mendNodes(await urlsOfNodes(databaseUrl), report);

/** Like `mendCells`, for an operator. Refuses while a migration runs, because a migration needs the cells closed. */
export const openCells = (databaseUrl: string, report: Report): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    if (!(await tryLock(client))) throw new ConfigError('A migration runs. It opens the cells at its end.');
    await mendNodes(await findNodes(client, databaseUrl), report);
  });

const closed = (cell: string): string => `drop schema if exists cell_${cell} cascade`;

/**
 * Removes all cells, one at a time on each node: Citus refuses to change a column on which a view depends. Meanwhile
 * statements run through Citus' tables.
 */
export const closeCells = async (databaseUrl: string): Promise<void> =>
  onEachNode(await urlsOfNodes(databaseUrl), 'The cells of some machines could not be closed', (url) =>
    onNode(url, async (client) => {
      for (const cell of (await findCells(client)).keys()) await whenNobodyIsIn(client, cell, closed(cell));
    }),
  );

/** How often nodes are asked whether they answer, and how long an answer may take. A busy node takes long to connect. */
const watching = { everyMs: 1_000, limits: { connectionTimeoutMillis: 10_000, query_timeout: 3_000 } };

/** Asks a node again and again. Rejects once it does not answer. `isConnected` is called before the first question. */
const watchNode = (url: string, isConnected: () => void, over: AbortSignal): Promise<void> =>
  withClient(
    url,
    async (client) => {
      isConnected();
      while (!over.aborted) {
        await client.query('select');
        await sleep(watching.everyMs, undefined, { signal: over }).catch(() => undefined);
      }
    },
    watching.limits,
  ).catch((error: unknown) => {
    if (!over.aborted) throw new ConfigError(`${hostNames(url)} does not answer: ${reasonOf(error)}`);
  });

/**
 * Runs an action that Citus carries out on all nodes. The action begins once all nodes are watched, and is given up
 * once one of them does not answer: Citus would wait for this node without end, and keep its locks on the others. So
 * the transactions that Citus has begun on the other nodes are ended then.
 */
const whileAllAnswer = async (databaseUrl: string, action: () => Promise<void>): Promise<void> => {
  const over = new AbortController();
  const urls = await urlsOfNodes(databaseUrl);
  const watches = urls.map((url) => {
    const { promise: connected, resolve } = Promise.withResolvers<void>();
    return { connected, ended: watchNode(url, resolve, over.signal) };
  });
  const watched = Promise.all(watches.map(({ ended }) => ended)).catch(async (error: unknown) => {
    await endOnNodes(databaseUrl, urls).catch(() => undefined);
    throw error;
  });
  try {
    await Promise.race([Promise.all(watches.map(({ connected }) => connected)), watched]);
    await Promise.race([action(), watched]);
  } finally {
    over.abort();
  }
};

/**
 * Ends the transactions of migrations on those nodes that answer. There they run in sessions of Citus, whose names
 * contain the id of the migration's session on the coordinator.
 */
const endOnNodes = async (databaseUrl: string, urls: readonly string[]): Promise<void> => {
  const names = await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select 'citus_internal gpid=' || citus_calculate_gpid(citus_nodeid_for_gpid(citus_backend_gpid()), pid) as name
         from pg_stat_activity where application_name = $1 and datname = current_database()`,
      [migrationsName],
    );
    return rows.map(({ name }) => name);
  });
  const end = (client: pg.Client) =>
    client.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = any ($1)', [names]);
  await Promise.allSettled(urls.map((url) => onNode(url, end)));
};

/**
 * Closes the cells for an action, and opens them again, even if the action fails. It also opens cells that an earlier
 * run has left closed. If a node does not answer, nothing is closed.
 */
export const withoutCells = async (databaseUrl: string, report: Report, action: () => Promise<void>): Promise<void> => {
  try {
    const urls = await urlsOfNodes(databaseUrl);
    await onEachNode(urls, 'Nothing was migrated, because some machines can not be reached', (url) =>
      onNode(url, async () => {}),
    );
    await closeCells(databaseUrl);
    await whileAllAnswer(databaseUrl, action);
  } catch (error) {
    await mendCells(databaseUrl, report).catch((failure: unknown) => report(reasonOf(failure)));
    throw error;
  }
  await mendCells(databaseUrl, report);
};
