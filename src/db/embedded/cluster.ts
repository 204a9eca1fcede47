import { spawn, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries } from './binaries.ts';
import { asUser, canEnter, giveTo, serverUser, writeFor, type ServerUser } from './home.ts';

export type Settings = Record<string, string>;

/**
 * A folder with PostgreSQL's data folder, the superuser's password, the settings and the server's log. If root starts
 * the server, only the data folder belongs to the server's account. That account could put links to other files into
 * the data folder, so root itself writes nothing there.
 */
export interface Cluster {
  running(): Postmaster | undefined;
  /** Whether postmaster.pid exists. A server that was stopped has removed it, one that was killed has not. */
  hasPidFile(): boolean;
  /** Starts the server and waits until it accepts connections. */
  start(settings: Settings): Promise<void>;
  urlOf(server: Postmaster, database: string): string;
  /** Disconnects all clients and stops the server. */
  stop(): Promise<void>;
}

const folderIn = (home: string): string => join(home, 'postgres');

export const clusterExists = (home: string): boolean => existsSync(folderIn(home));

/** The folder is created under another name and then renamed, so that it exists only when it is complete. */
export const createCluster = async (home: string, options: { durable: boolean }): Promise<void> => {
  const draftName = 'postgres-draft-';
  for (const name of readdirSync(home)) {
    if (name.startsWith(draftName)) rmSync(join(home, name), { recursive: true }); // left by a killed process
  }
  const user = serverUser(home);
  const { initdb } = findBinaries(home, user);
  const draft = mkdtempSync(join(home, draftName));
  if (user) chmodSync(draft, 0o711);
  writeFor(user, join(draft, 'password'), randomBytes(24).toString('base64url'));
  const data = join(draft, 'data');
  mkdirSync(data, { mode: 0o700 });
  giveTo(user, data);
  const args = [
    `--pgdata=${data}`,
    '--username=postgres',
    `--pwfile=${join(draft, 'password')}`,
    '--auth=scram-sha-256',
  ];
  // The built-in locale supports all of Unicode and sorts in the same way on every machine.
  const encoding = ['-E', 'UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  await run(user, initdb, [...args, ...encoding, ...(options.durable ? [] : ['--no-sync'])]);
  await edit(user, join(data, 'postgresql.conf'), `echo "include '../embedded.conf'" >>"$1"`);
  renameSync(draft, folderIn(home));
};

export const openCluster = (home: string): Cluster => {
  const folder = folderIn(home);
  const data = join(folder, 'data');
  const user = serverUser(home);
  if (!user && !canEnter(user, folder)) {
    throw new Error(`The database in ${folder} belongs to user id ${statSync(folder).uid}.
Run this as that user, or choose another folder with DATA_DIR.`);
  }

  const conf = join(folder, 'embedded.conf');
  const log = join(folder, 'server.log');

  const launch = async (): Promise<void> => {
    await disownDeadServer(user, data);
    writeFor(user, log, '', 'a'); // the server's account can't create it
    const before = sizeOf(log);
    try {
      await run(user, findBinaries(home, user).pgCtl, ['start', '-s', '-w', '-t', '120', '-D', data, '-l', log]);
    } catch (error) {
      throw new StartError(readFrom(log, before), { cause: error });
    }
  };

  /** Starts the server. Tries again after a failure that may pass: with another port if the port was taken. */
  const launchAgain = async (onPortTaken: () => Promise<void>): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await launch();
      } catch (error) {
        if (!(error instanceof StartError) || !error.isPassing || tries === 20) throw error;
        if (error.isPortTaken) await onPortTaken();
        else await sleep(250);
      }
    }
  };

  const password = readFileSync(join(folder, 'password'), 'utf8');
  return {
    urlOf: ({ port }, database) => `postgresql://postgres:${password}@127.0.0.1:${port}/${database}`,
    running: () => runningPostmaster(data),
    hasPidFile: () => pidFile(data) !== '',
    start: async (settings) => {
      const configure = (port: number) => writeFor(user, conf, configuration({ ...settings, port: String(port) }));
      // The port stays the same if possible, so that clients that lost the server find it again.
      configure(lastPort(conf) ?? (await freePort()));
      await launchAgain(async () => configure(await freePort()));
    },
    stop: async () => {
      const args = ['stop', '-s', '-w', '-t', '120', '-m', 'fast', '-D', data];
      await run(user, findBinaries(home, user).pgCtl, args).catch((error: unknown) => {
        if (runningPostmaster(data)) throw error; // otherwise it was killed in the meantime
      });
    },
  };
};

class StartError extends Error {
  override readonly name = 'StartError';
  readonly isPortTaken: boolean;
  readonly isPassing: boolean;

  constructor(log: string, options: ErrorOptions) {
    super(`The embedded PostgreSQL did not start. Its log says:\n${log.trim()}`, options);
    this.isPortTaken = log.includes('could not create any TCP/IP sockets') || log.includes('could not bind');
    // The child processes of a killed server hold its memory for another moment.
    this.isPassing = this.isPortTaken || log.includes('pre-existing shared memory block');
  }
}

/** The settings are in a separate file, so that they also apply when somebody starts the server with pg_ctl. */
const configuration = (settings: Settings): string =>
  Object.entries({ listen_addresses: '127.0.0.1', unix_socket_directories: '', timezone: 'UTC', ...settings })
    .map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`)
    .join('');

const lastPort = (conf: string): number | undefined => {
  const [, port] = /^port = '(\d+)'/m.exec(readFrom(conf, 0)) ?? [];
  return port === undefined ? undefined : Number(port);
};

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error('The system gave no port.'));
      });
    });
  });

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

const readFrom = (file: string, offset: number): string =>
  existsSync(file) ? readFileSync(file).subarray(offset).toString() : '';

/** The program runs in a session of its own, so that Ctrl-C in a terminal does not reach it or the server. */
const run = async (user: ServerUser, program: string, args: string[]): Promise<void> => {
  const child = spawn(program, args, { ...asUser(user), detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [code, complaint] = await Promise.all([ended, text(child.stderr)]);
  if (code !== 0) throw new Error(`${basename(program)} failed: ${complaint.trim()}`);
};

/** Lets the server's account change a file of the data folder, `$1` in the command. */
const edit = (user: ServerUser, file: string, command: string): Promise<void> =>
  run(user, '/bin/sh', ['-ec', command, 'sh', file]);

/** A running server of a cluster, also while it starts or stops. */
interface Postmaster {
  pid: number;
  port: number;
}

/**
 * An id that no process can have. PostgreSQL then ignores the old postmaster.pid, but still checks the shared memory
 * that the file names.
 */
const NO_PROCESS = 2_147_483_646;

/** Reads postmaster.pid, and checks that the process is a server of this cluster. */
export const runningPostmaster = (cluster: string): Postmaster | undefined => {
  const lines = pidFile(cluster).split('\n');
  const pid = Number(lines[0]);
  const command = pid > 0 ? commandOf(pid) : '';
  return command.includes(cluster) ? { pid, port: Number(lines[3] ?? 0) } : undefined;
};

/**
 * PostgreSQL refuses to start while a process with the id in an old postmaster.pid exists under the same account. It
 * may be another process, after a reboot or in a new container, or a killed server whose parent has not reaped it.
 */
const disownDeadServer = async (user: ServerUser, cluster: string): Promise<void> => {
  if (pidFile(cluster) === '' || runningPostmaster(cluster)) return;
  await edit(
    user,
    join(cluster, 'postmaster.pid'),
    `sed '1s/^[0-9]*/${NO_PROCESS}/' "$1" >"$1.new"; mv -f "$1.new" "$1"`,
  );
};

const pidFile = (cluster: string): string => {
  try {
    return readFileSync(join(cluster, 'postmaster.pid'), 'utf8');
  } catch {
    return '';
  }
};

/** The command line of a process; empty if there is none. A zombie has none either. */
const commandOf = (pid: number): string => {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
};
