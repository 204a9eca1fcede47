// The installation that docs/operations.md describes, on this machine alone, made of what docs/deploy ships: only
// addresses, folders, passwords and the certificate are replaced.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../src/config.ts';
import { fewShards, openGuide, setUpMachines, type Guide } from '../kit/citus-guide.ts';
import { connectTo } from '../kit/database.ts';
import { openInstallation, writeSettings, type Installation } from '../kit/installation.ts';
import { findPgBouncer, startPgBouncer } from '../kit/pgbouncer.ts';
import { createCluster, startCluster, type Cluster, type RunningCluster } from '../kit/postgres.ts';
import type { ProxyName } from '../kit/proxy.ts';
import type { Sizes } from '../kit/seed.ts';
import { createUsers, readShipped, readUnit } from '../kit/shipped.ts';
import { createFolder, installPackage } from '../kit/system.ts';

const execute = promisify(execFile);
const maxBuffer = 64 * 1024 * 1024;

export interface AsShipped extends Installation {
  readonly folder: string;
  readonly cluster: Cluster;
  /** A link like /opt/team-customer-api, which leads to the folder in which processes start. */
  readonly root: string;
  /** Runs the unit of the migrations with the project in a folder. Returns what it has printed. */
  readonly migrate: (root: string) => Promise<string>;
  /** Runs a command line of the service, and returns its JSON. `settings`: another file than the service's. */
  readonly cli: (words: readonly string[], settings?: string) => Promise<unknown>;
}

/** A database, with or without tables, and the URL of its owner, who is no superuser. */
interface Made<Server> {
  /** If there are several machines, the one in the URL. */
  readonly cluster: Cluster;
  readonly databaseUrl: string;
  readonly server: Server;
}

type Make<Server> = (opened: AsyncDisposableStack, folder: string) => Promise<Made<Server>>;

interface Options<Server> {
  proxy: ProxyName;
  sizes: Sizes;
  apis?: number;
  settings?: Record<string, string>;
  /** Makes and starts its PostgreSQL. */
  make: Make<Server>;
}

/** Prints that something is left out, in a line that nobody overlooks. */
const skipped = (what: string): void => console.log(`  SKIPPED: ${what}`);

/** The URL through PgBouncer; undefined if there is none that is new enough. */
const pooledUrl = async (
  opened: AsyncDisposableStack,
  databaseUrl: string,
  { urlOf }: Cluster,
): Promise<string | undefined> => {
  if (!(await findPgBouncer())) await installPackage('pgbouncer');
  const program = await findPgBouncer();
  if (!program?.isNewEnough) {
    const found = program ? `${program.path} has version ${program.version}, and` : '/usr/sbin/pgbouncer is missing:';
    skipped(`PgBouncer. ${found} pgbouncer.ini needs 1.21 (PGBOUNCER=path names another).`);
    return undefined;
  }
  // The settings that the file names for the database user.
  const statements = (await readShipped('pgbouncer.ini')).match(/ALTER ROLE .*;/g) ?? [];
  await using client = await connectTo(urlOf('postgres'));
  for (const statement of statements) await client.query(statement);
  console.log(`  API processes connect through PgBouncer ${program.version}`);
  return opened.use(await startPgBouncer(program, databaseUrl)).url;
};

/** PostgreSQL without an archive of its changes. */
export const startPlain = (opened: AsyncDisposableStack, cluster: Cluster): Promise<RunningCluster> =>
  startCluster(opened, cluster, { unix_socket_directories: cluster.home });

/** One PostgreSQL, which `start` starts with a socket in its home, and the users of docs/operations.md. */
export const onOneMachine =
  <Server>(start: (opened: AsyncDisposableStack, cluster: Cluster) => Promise<Server>): Make<Server> =>
  async (opened, folder) => {
    const cluster = await createCluster(folder);
    const server = await start(opened, cluster);
    return { cluster, server, databaseUrl: await createUsers(cluster) };
  };

/** A distributed database on a coordinator and two nodes, which are set up as docs/citus.md says. */
export const onThreeMachines: Make<Guide> = async (opened, folder) => {
  const guide = await openGuide(opened, { folder, shards: fewShards });
  await setUpMachines(guide);
  return { cluster: guide.machine(1).cluster, server: guide, databaseUrl: guide.databaseUrl };
};

/** The differences of the database from what the guides say. There must be none. */
const flawsOfDatabase = async ({ urlOf }: Cluster): Promise<string[]> => {
  await using client = await connectTo(urlOf('team_api'));
  const { rows } = await client.query<{ flaw: string }>(
    `select rolname || ' is a superuser' as flaw from pg_roles where rolname like 'team_%' and rolsuper
     union all select rolname || ' has no password of scram' from pg_authid where rolname = 'team_api' and rolpassword not like 'SCRAM-SHA-256%'
     union all select 'the request role can sign in' from pg_roles where rolname = 'team_customer_api_request' and rolcanlogin
       and not exists (select from pg_extension where extname = 'citus') -- its machines sign in to each other as this role
     union all select relname || ' has another owner' from pg_class join pg_roles on pg_roles.oid = relowner
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and rolname <> 'team_api'
     union all select auth_method || ' by TCP' from pg_hba_file_rules where type like 'host%' and auth_method <> 'scram-sha-256'`,
  );
  return rows.map(({ flaw }) => flaw);
};

/** Makes and starts the installation, in the order of the guide. */
export const openAsShipped = async <Server>(
  opened: AsyncDisposableStack,
  name: string,
  { make, proxy, sizes, apis, settings: further }: Options<Server>,
): Promise<{ installation: AsShipped; server: Server }> => {
  const folder = await createFolder(opened, name);
  const { cluster, server, databaseUrl } = await make(opened, folder);
  const pooled = await pooledUrl(opened, databaseUrl, cluster);
  const settings = {
    ...(pooled === undefined
      ? { DATABASE_URL: databaseUrl }
      : { DATABASE_URL: pooled, DATABASE_DIRECT_URL: databaseUrl }),
    APP_SECRET: randomBytes(32).toString('hex'),
    PUBLIC_URL: 'https://localhost',
    ...further,
  };
  const root = join(folder, 'current');
  await symlink(projectRoot, root);
  const settingsFile = join(folder, 'team-customer-api.env');
  const environment = await writeSettings(settingsFile, settings);

  const migrate = async (cwd: string): Promise<string> => {
    const unit = await readUnit('migrate');
    const env = { ...unit.environment, ...environment };
    return (await execute(process.execPath, unit.command, { cwd, env, maxBuffer })).stderr;
  };
  const cli = async (words: readonly string[], file = settingsFile): Promise<unknown> => {
    // As the guide says; node in place of npm, which would install the project anew.
    const script = ['set -a; . "$0"; exec "$@"', file, process.execPath, 'src/cli/main.ts', ...words, '--json'];
    const env = { PATH: '/usr/bin:/bin', NODE_ENV: 'production' };
    return JSON.parse((await execute('/bin/sh', ['-c', ...script], { cwd: root, env, maxBuffer })).stdout);
  };
  await migrate(root);
  const flaws = await flawsOfDatabase(cluster);
  if (flaws.length > 0) throw new Error(`The database is not as docs/operations.md says: ${flaws.join(', ')}`);
  await cli(['catalog', 'import', 'src/modules/catalog/starter-catalog.json']);

  const installation = await openInstallation(opened, {
    databaseUrl,
    folder,
    root,
    settings,
    sizes,
    proxy,
    inProduction: true,
    ...(apis !== undefined && { apis }),
  });
  return { installation: { ...installation, folder, cluster, root, migrate, cli }, server };
};
