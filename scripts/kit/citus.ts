// Databases on the machines of a Citus. The machines are found by the URL of any database on a coordinator at which the
// workers are registered. Its user is a superuser, and each machine lets this user in.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, readlink, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../src/core/config-error.ts';
import { runOnNodes } from '../../src/db/cells/distribute.ts';
import { withoutCells } from '../../src/db/cells/make-cells.ts';
import { applyMigrations } from '../../src/db/schema-engine.ts';
import { connectTo } from './database.ts';
import type { SeededTeam } from './seed.ts';

export interface Machine {
  readonly host: string;
  readonly port: number;
  readonly isCoordinator: boolean;
}

const on = async <Row extends object>(url: string, ...statements: string[]): Promise<Row[]> => {
  await using client = await connectTo(url);
  let rows: Row[] = [];
  for (const sql of statements) ({ rows } = await client.query<Row>(sql));
  return rows;
};

/** The URL of a database on one of the machines. */
export const urlOn = (url: string, { host, port }: Machine, database: string): string =>
  Object.assign(new URL(url), { hostname: host, port: String(port), pathname: `/${database}` }).href;

/** The URL in CITUS_URL and its machines, of which at least two are workers. */
export const requireCitus = async (): Promise<{ citusUrl: string; machines: readonly Machine[] }> => {
  const citusUrl = process.env['CITUS_URL'];
  if (citusUrl === undefined) throw new ConfigError('Set CITUS_URL: the coordinator of a Citus with two workers');
  const machines = await machinesOf(citusUrl);
  if (machines.length < 3) throw new ConfigError('CITUS_URL must have two workers');
  return { citusUrl, machines };
};

/** The coordinator first. */
export const machinesOf = async (citusUrl: string): Promise<Machine[]> => {
  const [found] = await on<{ isThere: boolean }>(
    citusUrl,
    `select to_regclass('pg_dist_node') is not null as "isThere"`,
  );
  if (!found?.isThere) throw new ConfigError('CITUS_URL leads to a database without the extension citus');
  return on<Machine>(
    citusUrl,
    `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator" from pg_dist_node order by groupid`,
  );
};

/** Adds a machine to a database, for which it must have the extension. */
export const addMachine = async (citusUrl: string, url: string, machine: Machine): Promise<void> => {
  // Adding a machine writes its roles, which two databases can't do at the same time.
  await using turn = await connectTo(citusUrl);
  await turn.query('select pg_advisory_lock(1)');
  const add = machine.isCoordinator ? 'citus_set_coordinator_host' : 'citus_add_node';
  await on(url, `select ${add}('${machine.host}', ${machine.port})`);
};

/** Makes an empty database with the extension on each machine, and returns its URL on the coordinator. */
export const createOnMachines = async (
  citusUrl: string,
  name: string,
  { machines, shards }: { machines: readonly Machine[]; shards: number },
): Promise<string> => {
  for (const machine of machines) {
    await on(urlOn(citusUrl, machine, 'postgres'), `create database ${name}`);
    await on(urlOn(citusUrl, machine, name), 'create extension citus');
  }
  const url = Object.assign(new URL(citusUrl), { pathname: `/${name}` }).href;
  await on(url, `alter database ${name} set citus.shard_count = ${shards}`);
  return url;
};

/** Citus does not pass `vacuum analyze` of a whole database on to the other machines. */
export const analyzeOnMachines = async (citusUrl: string, name: string): Promise<void> => {
  for (const machine of await machinesOf(citusUrl)) await on(urlOn(citusUrl, machine, name), 'vacuum analyze');
};

/** The databases whose names begin with this text. */
export const databasesNamed = async (citusUrl: string, beginning: string): Promise<string[]> => {
  const rows = await on<{ name: string }>(
    citusUrl,
    `select datname::text as name from pg_database where starts_with(datname::text, '${beginning}')`,
  );
  return rows.map(({ name }) => name);
};

export const dropFromMachines = async (citusUrl: string, name: string): Promise<void> => {
  for (const machine of await machinesOf(citusUrl))
    await on(urlOn(citusUrl, machine, 'postgres'), `drop database if exists ${name} with (force)`);
};

/** Applies a migration that no file has, as `npm run migrate` does. */
export const migrateOnce = (url: string, name: string, sql: string): Promise<void> =>
  withoutCells(
    url,
    () => {},
    async () => {
      const value = `SET LOCAL lock_timeout = '3s';\n${sql};\n`;
      const migrationFile = { path: 'migration.sql', content: { tag: 'ok' as const, value } };
      const migrations = {
        baseDir: '',
        lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"' },
        shadowDbInitScript: '',
        migrationDirectories: [{ path: name, migrationFile }],
      };
      await applyMigrations(url, migrations, { runScript: runOnNodes });
    },
  );

/** How many cells are closed, and how many deadlocks there were, on each of some nodes. */
export const statesOf = async (nodes: readonly string[]): Promise<{ closed: number; deadlocks: number }[]> => {
  const found: { closed: number; deadlocks: number }[] = [];
  for (const node of nodes) {
    const rows = await on<{ closed: number; deadlocks: number }>(
      node,
      `select (select count(*)::int from pg_dist_shard join pg_dist_placement using (shardid) join pg_dist_local_group using (groupid)
                where logicalrelid = 'team'::regclass and to_regclass('cell_' || shardid || '.team') is null) as closed,
              (select deadlocks::int from pg_stat_database where datname = current_database()) as deadlocks`,
    );
    found.push(...rows);
  }
  return found;
};

/** A cell and the address of its node. */
export interface Place {
  readonly shard: string;
  readonly host: string;
  readonly port: number;
}

export const placesOfTeams = async (
  url: string,
  teams: readonly SeededTeam[],
): Promise<(Place & { readonly team: string })[]> => {
  await using client = await connectTo(url);
  const { rows } = await client.query<Place & { team: string }>(
    `select team::text, shardid::text as shard, nodename as host, nodeport as port from unnest($1::uuid[]) as team
       join pg_dist_placement on shardid = get_shard_id_for_distribution_column('team', team) join pg_dist_node using (groupid)`,
    [teams.map(({ tenantId }) => tenantId)],
  );
  return rows;
};

/** The PostgreSQL of a machine, which must be this one. */
export interface NodeServer {
  readonly pid: number;
  /** Ends it as a crash does, without writing what is in memory. */
  kill(): Promise<void>;
  /** Starts it again, and waits until it answers. */
  start(): Promise<void>;
  /** Stops all its processes where they are. */
  hang(): Promise<void>;
  /** Lets its processes continue. */
  goOn(): Promise<void>;
}

export const serverOf = async (citusUrl: string, machine: Machine): Promise<NodeServer> => {
  const url = urlOn(citusUrl, machine, 'postgres');
  const [found] = await on<{ pid: number; folder: string }>(
    url,
    `select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)::int as pid, current_setting('data_directory') as folder`,
  );
  const { pid = 0, folder = '' } = found ?? {};
  if (!existsSync(`/proc/${pid}/stat`)) throw new ConfigError('The machines of CITUS_URL must all be this one');
  const program = await readlink(`/proc/${pid}/exe`);
  const listOf = async (name: string) =>
    (await readFile(`/proc/${pid}/${name}`, 'utf8')).split('\0').filter((part) => part !== '');
  const [, ...options] = await listOf('cmdline');
  // For instance the home of its user, where connections to other nodes look for certificates.
  const environment = Object.fromEntries(
    (await listOf('environ')).map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const { uid, gid } = await stat(`/proc/${pid}`);
  let running = pid;
  /** The first process starts all others. */
  const signalAll = async (signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> => {
    process.kill(running, signal);
    const children = await readFile(`/proc/${running}/task/${running}/children`, 'utf8');
    for (const child of children.split(' ').filter((text) => text.trim() !== '')) {
      try {
        process.kill(Number(child), signal);
      } catch {
        // it has ended meanwhile
      }
    }
  };
  return {
    pid,
    hang: () => signalAll('SIGSTOP'),
    goOn: () => signalAll('SIGCONT'),
    kill: async () => {
      process.kill(running, 'SIGQUIT');
      while (existsSync(`/proc/${running}/stat`)) await sleep(20);
    },
    start: async () => {
      const child = spawn(program, options, {
        uid,
        gid,
        env: environment,
        cwd: folder,
        detached: true,
        stdio: 'ignore',
      });
      child.unref();
      running = child.pid ?? 0;
      for (;;) {
        try {
          await on(url, 'select 1');
          return;
        } catch {
          await sleep(100);
        }
      }
    },
  };
};
