import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { freePort, killAtExit, untilReady } from './processes.ts';
import { accountOf } from './system.ts';

// Starts PgBouncer with the configuration that docs/deploy ships: only its addresses, its users and the given lines are
// replaced.

const run = promisify(execFile);

export interface PgBouncerProgram {
  readonly path: string;
  /** For instance `1.24.1`. */
  readonly version: string;
  /** Whether it can keep prepared statements, as the API needs it. */
  readonly isNewEnough: boolean;
}

/** The program that PGBOUNCER names, or else the system's. Undefined if there is none. */
export const findPgBouncer = async (): Promise<PgBouncerProgram | undefined> => {
  const path = process.env['PGBOUNCER'] ?? '/usr/sbin/pgbouncer';
  if (!existsSync(path)) return undefined;
  const { stdout } = await run(path, ['--version']);
  const [, version = '0.0', major, minor] = /PgBouncer ((\d+)\.(\d+)\S*)/.exec(stdout) ?? [];
  return { path, version, isNewEnough: Number(major) * 1_000 + Number(minor) >= 1_021 };
};

export interface RunningPgBouncer extends AsyncDisposable {
  /** The URL of the same database through PgBouncer. */
  readonly url: string;
  /** Its console, which takes commands such as `RECONNECT`. */
  readonly adminUrl: string;
}

const shipped = new URL('../../docs/deploy/pgbouncer.ini', import.meta.url);

/** `lines` replace those of the shipped configuration, by their names. */
export const startPgBouncer = async (
  { path, isNewEnough }: PgBouncerProgram,
  databaseUrl: string,
  lines: Readonly<Record<string, string | number>> = {},
): Promise<RunningPgBouncer> => {
  const server = new URL(databaseUrl);
  const [user, password] = [server.username, server.password].map(decodeURIComponent);
  const folder = await mkdtemp(join(tmpdir(), 'team-customer-api-pgbouncer-'));
  await chmod(folder, 0o711);
  const port = await freePort();
  const users = join(folder, 'userlist.txt');
  await writeFile(users, `"${user}" "${password}"\n`);
  const replaced = { listen_port: port, auth_file: users, admin_users: user, ...lines };
  const asShipped = await readFile(shipped, 'utf8');
  const kept = asShipped
    .replace(/^team_api = .*$/m, `* = host=${server.hostname} port=${server.port}`)
    .split('\n')
    // An older version refuses to start with a line that it does not know.
    .filter((line) => isNewEnough || !line.startsWith('max_prepared_statements'))
    .filter((line) => !Object.keys(replaced).some((name) => line.startsWith(`${name} =`)));
  const added = Object.entries(replaced).map(([name, value]) => `${name} = ${value}`);
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, [...kept, 'unix_socket_dir =', ...added, ''].join('\n'));

  // PgBouncer refuses to run as root.
  const child = spawn(path, [file], { ...accountOf('nobody'), stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = killAtExit(child);
  const complaints = text(child.stderr);
  await untilReady(
    child,
    () => isListening(port),
    () => complaints,
  );
  const urlOf = (pathname: string) => Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}`, pathname }).href;
  return {
    url: urlOf(server.pathname),
    adminUrl: urlOf('/pgbouncer'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL'); // its clients are gone, and SIGTERM means different things to its versions
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
