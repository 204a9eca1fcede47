// A PostgreSQL of the system's packages.

import { execFile, spawn, type SpawnOptions } from 'node:child_process';
import { openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { randomText } from '../../src/core/crypto.ts';
import { connectTo } from './database.ts';
import { freePort, killAtExit, untilReady } from './processes.ts';
import { accountOf, createFolderFor, requireProgram, type Account } from './system.ts';

const run = promisify(execFile);

/** With PostgreSQL's defaults, so it is as durable as in production. */
const usualSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  max_connections: '200',
};

/** A PostgreSQL that is not started. */
export interface Cluster {
  /** Where the programs of its version are. */
  readonly bin: string;
  readonly account: Account;
  /** A folder of its account, which contains the data. */
  readonly home: string;
  readonly data: string;
  readonly port: number;
  readonly urlOf: (database: string) => string;
}

/**
 * Makes the data folder of a new PostgreSQL below the folder. Only its account, which needs no password, may use a
 * socket in its home.
 */
export const createCluster = async (folder: string): Promise<Cluster> => {
  const initdb = await requireProgram('/usr/lib/postgresql/*/bin/initdb', 'postgresql');
  const account = accountOf('postgres');
  const home = await createFolderFor(account, join(folder, 'postgres'));
  const [data, password] = [join(home, 'data'), randomText(24)];
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o644 });
  const access = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth-host=scram-sha-256', '--auth-local=trust'];
  await run(initdb, [`--pgdata=${data}`, ...access, '--encoding=UTF8', '--locale=C.UTF-8'], { ...account, cwd: home });
  const port = await freePort();
  return {
    bin: dirname(initdb),
    account,
    home,
    data,
    port,
    urlOf: (database) => `postgresql://postgres:${password}@127.0.0.1:${port}/${database}`,
  };
};

export interface RunningCluster {
  /** As `systemctl restart postgresql`: ends all connections, and starts it again on the same data. */
  readonly restart: () => Promise<void>;
}

/** Starts a PostgreSQL, waits until it accepts writes, and stops it at the end. */
export const startCluster = async (
  opened: AsyncDisposableStack,
  { bin, account, home, data, port, urlOf }: Cluster,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningCluster> => {
  const options = Object.entries({ ...usualSettings, port: String(port), ...settings });
  const log = openSync(`${home}.log`, 'a');
  const words = ['-D', data, ...options.flatMap(([name, value]) => ['-c', `${name}=${value}`])];

  const acceptsWrites = async (): Promise<boolean> => {
    await using client = await connectTo(urlOf('postgres'));
    const { rows } = await client.query<{ isPrimary: boolean }>('select not pg_is_in_recovery() as "isPrimary"');
    return rows[0]?.isPrimary === true;
  };
  /** Resolves to a function that stops it. */
  const start = async (): Promise<() => Promise<void>> => {
    const io = { ...account, cwd: home, stdio: ['ignore', log, log] } satisfies SpawnOptions;
    const env = { PATH: '/usr/bin:/bin', HOME: home }; // connections to other machines look for certificates in its home
    // In a session of its own, so that Ctrl-C reaches the try alone.
    const server = spawn(join(bin, 'postgres'), words, { ...io, env, detached: true });
    const ended = killAtExit(server, 'SIGQUIT');
    await untilReady(server, acceptsWrites, () => `see ${home}.log`);
    return async () => {
      server.kill('SIGINT'); // a fast shutdown
      await ended;
    };
  };
  let stop = await start();
  opened.defer(() => stop());
  return {
    restart: async () => {
      await stop();
      stop = await start();
    },
  };
};

/**
 * Starts a new PostgreSQL below the folder, and stops it at the end. Returns the URL of a database that does not exist
 * yet.
 */
export const startPostgres = async (opened: AsyncDisposableStack, folder: string): Promise<string> => {
  const cluster = await createCluster(folder);
  await startCluster(opened, cluster);
  return cluster.urlOf('team_api');
};
