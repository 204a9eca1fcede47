// Backs up and restores as docs/operations.md says: with pgBackRest to a moment between two writes, and with pg_dump.

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { migrate } from '../../src/db/migrate.ts';
import { connectTo } from '../kit/database.ts';
import { freePort, startServer } from '../kit/processes.ts';
import { aCombination, pick, seedTeams, type Seeded } from '../kit/seed.ts';
import { makeSend } from '../kit/clients.ts';
import { createCluster, startCluster, type Cluster, type RunningCluster } from '../kit/postgres.ts';
import { reportFigures } from '../kit/figures.ts';
import type { Try } from '../kit/installation.ts';
import { readShipped } from '../kit/shipped.ts';
import { createFolder, createFolderFor, requireProgram } from '../kit/system.ts';

const execute = promisify(execFile);
const Created = z.object({ id: z.string() });

/** Runs the programs of PostgreSQL and pgBackRest as PostgreSQL's account. */
const programsOf = ({ account, home }: Cluster) => {
  const env = { PATH: '/usr/bin:/bin', HOME: home };
  return (program: string, ...words: string[]) =>
    execute(program, words, { ...account, cwd: home, env, maxBuffer: 64 * 1024 * 1024 });
};

/** The shipped configuration of pgBackRest, with the folders and the port of a try. */
const writeConfiguration = async ({ account, home, data, port }: Cluster): Promise<string> => {
  const repository = await createFolderFor(account, join(home, 'repository'));
  const file = join(home, 'pgbackrest.conf');
  const replaced = (await readShipped('pgbackrest.conf'))
    .replace('repo1-path=/var/lib/pgbackrest', `repo1-path=${repository}`)
    .replace('pg1-path=/var/lib/postgresql/15/main', `pg1-path=${data}`)
    .replace('pg1-socket-path=/var/run/postgresql', `pg1-socket-path=${home}`)
    .replace('pg1-port=5432', `pg1-port=${port}`);
  await writeFile(file, `${replaced}lock-path=${home}\n`, { mode: 0o644 });
  return file;
};

/** pgBackRest for a PostgreSQL, which must run with the returned `settings`. */
export const backUpsOf = async (cluster: Cluster) => {
  await requireProgram('/usr/bin/pgbackrest', 'pgbackrest');
  const call = programsOf(cluster);
  const configuration = await writeConfiguration(cluster);
  return {
    settings: {
      unix_socket_directories: cluster.home,
      archive_mode: 'on',
      archive_command: `pgbackrest --config=${configuration} --stanza=team-api archive-push %p`,
      archive_timeout: '60',
    },
    pgbackrest: (...words: string[]) => call('pgbackrest', `--config=${configuration}`, '--stanza=team-api', ...words),
  };
};

interface ArchivedCluster extends RunningCluster {
  /** Makes the first backup. */
  readonly backUp: () => Promise<void>;
  /** Restores to a moment, and starts a copy of the server. */
  readonly restoreTo: (moment: string) => Promise<Cluster>;
}

/** Starts a PostgreSQL whose changes are archived, by the shipped configuration of pgBackRest. */
export const startArchived = async (opened: AsyncDisposableStack, cluster: Cluster): Promise<ArchivedCluster> => {
  const { settings, pgbackrest } = await backUpsOf(cluster);
  const running = await startCluster(opened, cluster, settings);
  return {
    ...running,
    backUp: async () => {
      await pgbackrest('stanza-create');
      await pgbackrest('check');
      await pgbackrest('backup', '--type=full');
    },
    restoreTo: async (moment) => {
      await archived(cluster.urlOf('postgres'));
      const restored = await restoredFrom(cluster);
      const target = ['--type=time', `--target=${moment}`, '--target-action=promote'];
      await pgbackrest('restore', `--pg1-path=${restored.data}`, '--archive-mode=off', ...target);
      await startCluster(opened, restored, { unix_socket_directories: '' });
      return restored;
    },
  };
};

/** An API process on a database, and what clients do with it, each of another team. */
export const startApi = async (opened: AsyncDisposableStack, databaseUrl: string, { teams, catalog }: Seeded) => {
  const environment = { DATABASE_URL: databaseUrl, APP_SECRET: 'a secret that only this try knows', LOG_LEVEL: 'warn' };
  const server = opened.use(await startServer(['src/main.ts', 'api'], environment));
  const send = makeSend(opened, server);
  const keyOf = (team: number) => pick(pick(teams, team).keys, 0);
  return {
    async create(title: string, team = 0): Promise<string> {
      const body = { member_id: pick(pick(teams, team).members, 0), title, ...aCombination(0, catalog) };
      const { status, summary, body: created } = await send({ path: '/assignments', key: keyOf(team), body });
      if (status !== 201) throw new Error(`The assignment was answered with ${summary}`);
      return Created.parse(created).id;
    },
    /** The status of the answer to a GET. */
    find: async (id: string, team = 0): Promise<number> =>
      (await send({ path: `/assignments/${id}`, key: keyOf(team) })).status,
    /** The status of the answer to an invitation. */
    invite: async (email: string): Promise<number> =>
      (await send({ path: '/users', key: keyOf(0), body: { email } })).status,
  };
};

/** Waits until everything that is committed is in the archive. */
export const archived = async (databaseUrl: string): Promise<void> => {
  await using client = await connectTo(databaseUrl);
  const { rows } = await client.query<{ wal: string }>('select pg_walfile_name(pg_switch_wal()) as wal');
  const isArchived = async () =>
    (await client.query('select from pg_stat_archiver where last_archived_wal >= $1', [rows[0]?.wal])).rowCount === 1;
  while (!(await isArchived())) await sleep(100);
};

export const secondsOf = async (action: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await action();
  return (performance.now() - began) / 1000;
};

/** The time of the database, between the commits before and after it. */
export const momentOf = async (databaseUrl: string): Promise<string> => {
  await using client = await connectTo(databaseUrl);
  const { rows } = await client.query<{ now: string }>('select clock_timestamp()::text as now');
  return rows[0]?.now ?? '';
};

/** A second PostgreSQL of the same account and password, with a data folder and a port of its own. */
export const restoredFrom = async (cluster: Cluster): Promise<Cluster> => {
  const port = await freePort();
  const urlOf = (database: string) => Object.assign(new URL(cluster.urlOf(database)), { port: String(port) }).href;
  return { ...cluster, data: join(cluster.home, 'restored'), port, urlOf };
};

export const run: Try = async (opened) => {
  const folder = await createFolder(opened, 'backup');
  const cluster = await createCluster(folder);
  const call = programsOf(cluster);
  const archive = await startArchived(opened, cluster);
  const databaseUrl = cluster.urlOf('team_api');
  await migrate(databaseUrl);
  const seeded = await seedTeams(databaseUrl, { teams: 1, membersEach: 20, keysEach: 2, trainingsEach: 1_000 });
  const api = await startApi(opened, databaseUrl, seeded);

  console.log('backup: a full backup while the service runs, a write, a moment, and a second write');
  const backupSeconds = await secondsOf(archive.backUp);
  const first = await api.create('Before the moment');
  // pgBackRest compares whole seconds, and only uses a backup that ended before the moment.
  await sleep(2_000);
  const moment = await momentOf(databaseUrl);
  const second = await api.create('After the moment');

  const began = performance.now();
  const restored = await archive.restoreTo(moment);
  const restoreSeconds = (performance.now() - began) / 1000;
  const atMoment = await startApi(opened, restored.urlOf('team_api'), seeded);
  const [firstAtMoment, secondAtMoment] = [await atMoment.find(first), await atMoment.find(second)];

  console.log('backup: a dump, restored into a database beside it');
  const dump = join(cluster.home, 'team-api.dump');
  const copyUrl = cluster.urlOf('team_api_restored');
  const dumpSeconds = await secondsOf(() => call('pg_dump', '--format=custom', `--file=${dump}`, databaseUrl));
  const loadSeconds = await secondsOf(async () => {
    await call('createdb', `--maintenance-db=${cluster.urlOf('postgres')}`, 'team_api_restored');
    const options = ['--no-owner', '--no-acl', '--exit-on-error', '--jobs=4', `--dbname=${copyUrl}`];
    await call('pg_restore', ...options, dump);
    await migrate(copyUrl);
    await call('psql', copyUrl, '--command=analyze');
  });
  const copy = await startApi(opened, copyUrl, seeded);
  const [firstInCopy, secondInCopy] = [await copy.find(first), await copy.find(second)];
  await copy.create('After the restore');

  reportFigures([
    { name: 'seconds of the full backup', value: backupSeconds },
    { name: 'seconds of the restore to the moment', value: restoreSeconds },
    { name: 'first write missing at the moment', value: firstAtMoment === 200 ? 0 : 1, atMost: 0 },
    { name: 'second write there at the moment', value: secondAtMoment === 404 ? 0 : 1, atMost: 0 },
    { name: 'seconds of the dump', value: dumpSeconds },
    { name: 'seconds of the restore of the dump', value: loadSeconds },
    {
      name: 'writes missing after the restore of the dump',
      value: [firstInCopy, secondInCopy].filter((status) => status !== 200).length,
      atMost: 0,
    },
  ]);
};
