import { onTestFinished } from 'vitest';
import { referenceTables } from '../../src/db/cells/distributed-tables.ts';
import { cellNotHere } from '../../src/db/cells/cells.ts';
import { cellScript } from '../../src/db/cells/make-cells.ts';
import { createDatabase, withSql } from '../support/postgres.ts';
import { openAddress, type TcpAddress } from '../support/ports.ts';

// Two cells on a plain PostgreSQL. What Citus knows is in tables of the same names; a node is an address that leads to
// the one server, and can be taken away. A team is of the first cell if its id ends with a digit below 8.

const shards = ['1', '2'] as const;
type Shard = (typeof shards)[number];

const isOf: Readonly<Record<Shard, string>> = { 1: '< %L', 2: '>= %L' };

const catalogue = `
  create table pg_dist_node (groupid int primary key, nodename text, nodeport int, isactive bool default true, noderole text default 'primary');
  create table pg_dist_shard (shardid bigint primary key, logicalrelid regclass);
  create table pg_dist_placement (shardid bigint primary key, groupid int);
  create function get_shard_id_for_distribution_column(name text, id uuid) returns bigint language sql
    return case when right(id::text, 1) < '8' then 1 else 2 end;
  create sequence refusals;
  create table refused_entries (until bigint not null);
  insert into refused_entries values (0);
  create function lock_shard_metadata(mode int, shards bigint[]) returns void language sql as $$
    select pg_advisory_xact_lock(shard) from unnest(shards) as shard $$;
  create function enter_cell(shard bigint, node int) returns void language plpgsql security definer as $$
  begin
    perform pg_advisory_xact_lock_shared(shard);
    if to_regclass('cell_' || shard || '.team') is null
       or not exists (select from public.pg_dist_placement p where p.shardid = shard and p.groupid = node)
       or nextval('public.refusals') <= (select until from public.refused_entries) then
      raise exception 'the cell % is on another node or closed', shard using errcode = '${cellNotHere}';
    end if;
    perform set_config('test.entered', concat(current_setting('test.entered', true), shard, ' '), true);
  end $$;
  create function refuse_write() returns trigger language plpgsql as $$
    begin raise exception 'it is written through public'; end $$`;

/** A database with cells. Its URL leads to the coordinator, which can be taken away, too. */
export const aDatabaseWithCells = async () => {
  const { url: direct, drop } = await createDatabase();
  const { hostname: host, port } = new URL(direct);
  const anAddress = () => openAddress(() => ({ host, port: Number(port) }));
  const [coordinator, one, two] = [await anAddress(), await anAddress(), await anAddress()];
  const url = Object.assign(new URL(direct), { hostname: '127.0.0.1', port: String(coordinator.port) }).href;
  const openCell = (shard: Shard) =>
    withSql({ databaseUrl: direct }, async (client) => {
      const { rows } = await client.query<{ cell: string; name: string; shard: string }>(
        `select $1 as cell, relname::text as name,
                format('public.%I', relname) || case when relname <> all ($2)
                  then format(' where right(%I::text, 1) ${isOf[shard]} with check option', case relname when 'team' then 'id' else 'tenant_id' end, '8')
                  else '' end as shard
           from pg_class c
          where relnamespace = 'public'::regnamespace and relkind = 'r' and (relname = any ($2) or relname = 'team' or
                exists (select from pg_attribute where attrelid = c.oid and attname = 'tenant_id') and relname <> 'mail')`,
        [shard, referenceTables],
      );
      const gate = await client.query<{ sql: string }>(`select pg_get_functiondef('public.gate'::regproc) as sql`);
      await client.query(cellScript(shard, rows, gate.rows[0]?.sql ?? ''));
    });
  await withSql({ databaseUrl: direct }, async (client) => {
    await client.query(catalogue);
    const nodes = [coordinator, one, two].map((node, group) => `(${group}, '127.0.0.1', ${node.port})`).join(', ');
    await client.query(`insert into pg_dist_node (groupid, nodename, nodeport) values ${nodes};
      insert into pg_dist_shard values (1, 'team'), (2, 'team'); insert into pg_dist_placement values (1, 1), (2, 2)`);
  });
  for (const shard of shards) await openCell(shard);
  return {
    url,
    coordinator,
    nodes: { 1: one, 2: two },
    openCell,
    closeCell: (shard: Shard) =>
      withSql({ databaseUrl: direct }, (client) => client.query(`drop schema cell_${shard} cascade`)),
    /** Says that a cell is on the node with this number. */
    move: (shard: Shard, node: number) =>
      withSql({ databaseUrl: direct }, (client) =>
        client.query('update pg_dist_placement set groupid = $2 where shardid = $1', [shard, node]),
      ),
    /** The next transactions on a cell are refused, as after a move that the process does not know of. */
    refuse: (count: number) =>
      withSql({ databaseUrl: direct }, (client) =>
        client.query('update refused_entries set until = $1 + (select last_value from refusals)', [count]),
      ),
    /** How often a transaction has entered a cell. */
    entries: () =>
      withSql({ databaseUrl: direct }, async (client) => {
        const { rows } = await client.query<{ entries: string }>('select last_value as entries from refusals');
        return Number(rows[0]?.entries);
      }),
    drop: async () => {
      for (const { cut } of [coordinator, one, two]) cut();
      await drop();
    },
  };
};

export const shardOf = ({ id }: { id: string }): Shard => ((id.at(-1) ?? '') < '8' ? '1' : '2');

/** Takes a node away until the end of the test at the latest. */
export const takeAway = (node: TcpAddress): (() => Promise<void>) => {
  node.cut();
  let isBack = false;
  const restore = async () => {
    if (isBack) return;
    isBack = true;
    await node.restore();
  };
  onTestFinished(restore);
  return restore;
};
