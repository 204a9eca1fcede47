import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { openEmbedded } from '../../src/db/embedded.ts';
import { openCluster, type Cluster, type Settings } from '../../src/db/embedded/cluster.ts';
import { PrimaryClient } from '../../src/db/hosts.ts';
import { migrate } from '../../src/db/migrate.ts';
import { watchCpuTime } from './figures.ts';

/** A PostgreSQL of the bench's own, with a migrated database. */
export interface BenchDatabase extends AsyncDisposable {
  /** The folder of the PostgreSQL, also for the bench's own files. */
  readonly folder: string;
  readonly url: string;
  readonly cluster: Cluster;
  /** Starts to measure the CPU time of all of PostgreSQL's processes. */
  watchCpuTime(): () => number;
}

export interface DatabaseOptions {
  /** An empty folder; a temporary one if there is none. */
  folder?: string | undefined;
  /** Settings of PostgreSQL. */
  settings?: Settings | undefined;
}

export const openBenchDatabase = async ({
  folder: given,
  settings = {},
}: DatabaseOptions = {}): Promise<BenchDatabase> => {
  await using opened = new AsyncDisposableStack();
  const temporary = () => mkdtempDisposable(join(tmpdir(), 'team-customer-api-bench-'));
  const folder = given ?? opened.use(await temporary()).path;
  const postgres = await openEmbedded(folder, { settings });
  opened.defer(() => postgres.release());
  await migrate(postgres.url);
  const cluster = openCluster(folder);
  const owned = opened.move();
  return {
    folder,
    url: postgres.url,
    cluster,
    watchCpuTime: () => watchCpuTime({ pid: cluster.running()?.pid ?? 0, children: true }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};

/** Connects to a database; the connection ends when it is disposed of. */
export const connectTo = async (url: string): Promise<pg.Client & AsyncDisposable> => {
  const client = new PrimaryClient({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
};

/** Creates an empty database on the server of another one, or a copy of a `template`. Returns its URL. */
export const createDatabase = async (url: string, name: string, template = 'template1'): Promise<string> => {
  const urlOf = (database: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href;
  await using client = await connectTo(urlOf('postgres'));
  await client.query(`create database ${name} template ${template}`);
  return urlOf(name);
};

/** Copies a database to which nothing is connected, on the same server. Returns the URL of the copy. */
export const copyDatabase = (url: string, name: string): Promise<string> =>
  createDatabase(url, name, new URL(url).pathname.slice(1));
