import pg from 'pg';
import { distribute } from '../../src/db/distribute.ts';
import { migrate, withClient } from '../../src/db/migrate.ts';
import { urlOf } from './database-url.ts';

interface Machine {
  readonly host: string;
  readonly port: number;
  readonly isCoordinator: boolean;
}

const on = async <Row extends object>(url: string, ...statements: string[]): Promise<Row[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const sql of statements) ({ rows } = await client.query<Row>(sql));
    return rows;
  } finally {
    await client.end();
  }
};

/** Adding a machine writes its roles, which two databases can't do at the same time. */
const inTurn = (citusUrl: string, action: () => Promise<unknown>): Promise<unknown> =>
  withClient(citusUrl, async (client) => {
    await client.query('select pg_advisory_lock(1)');
    return action();
  });

const urlOn = (url: string, { host, port }: Machine, database: string): string => {
  const own = new URL(urlOf(url, database));
  own.hostname = host;
  own.port = String(port);
  return own.href;
};

/** The coordinator first. */
const machinesOf = (citusUrl: string): Promise<Machine[]> =>
  on<Machine>(
    citusUrl,
    `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator" from pg_dist_node order by groupid`,
  );

/** A new distributed database with our tables. Few shards, because making them takes most of the time. */
export const createDistributed = async (citusUrl: string, name: string): Promise<void> => {
  const machines = await machinesOf(citusUrl);
  for (const machine of machines) {
    await on(urlOn(citusUrl, machine, 'postgres'), `create database ${name}`);
    await on(urlOn(citusUrl, machine, name), 'create extension citus');
  }
  const url = urlOf(citusUrl, name);
  await inTurn(citusUrl, () =>
    on(
      url,
      `alter database ${name} set citus.shard_count = 4`,
      ...machines.map(({ host, port, isCoordinator }) =>
        isCoordinator
          ? `select citus_set_coordinator_host('${host}', ${port})`
          : `select citus_add_node('${host}', ${port})`,
      ),
    ),
  );
  await migrate(url);
  await distribute(url, () => {});
};

export const dropDistributed = async (citusUrl: string, name: string): Promise<void> => {
  for (const machine of await machinesOf(citusUrl)) {
    await on(urlOn(citusUrl, machine, 'postgres'), `drop database if exists ${name} with (force)`);
  }
};
