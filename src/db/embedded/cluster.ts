import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
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
import { disownDeadServer, runningPostmaster } from './postmaster.ts';
import type { Postmaster } from './postmaster.ts';
import { asUser, canEnter, giveTo, serverUser, writeFor } from './server-user.ts';
import type { ServerUser } from './server-user.ts';

export type Settings = Record<string, string>;

/** PostgreSQL's data folder with what belongs to it: the superuser's password and the server's log. */
export interface Cluster {
  running(): Postmaster | undefined;
  /** Whether the server ended without stopping: it removes its postmaster.pid when it is stopped, and can't when it is killed. */
  wasKilled(): boolean;
  /** Starts the server and waits until it takes connections. */
  start(settings: Settings): Promise<void>;
  /** Starts a killed server as it was, on the same port: those who used it look for it there. */
  revive(): Promise<void>;
  urlOf(server: Postmaster, database: string): string;
  /** Disconnects everybody and stops the server. */
  stop(): Promise<void>;
}

/** Everything lies in `<home>/postgres`. That folder is made under another name, so it is there whole or not at all. */
const folderIn = (home: string): string => join(home, 'postgres');

export const clusterExists = (home: string): boolean => existsSync(folderIn(home));

export const createCluster = async (home: string, options: { durable: boolean }): Promise<void> => {
  const draftName = 'postgres-draft-';
  for (const name of readdirSync(home)) {
    if (name.startsWith(draftName)) rmSync(join(home, name), { recursive: true }); // of somebody who was killed
  }
  const user = serverUser(home);
  const { initdb } = findBinaries(home, user);
  const draft = mkdtempSync(join(home, draftName));
  giveTo(user, draft);
  writeFor(user, join(draft, 'password'), randomBytes(24).toString('base64url'));
  const data = join(draft, 'data');
  const args = [
    `--pgdata=${data}`,
    '--username=postgres',
    `--pwfile=${join(draft, 'password')}`,
    '--auth=scram-sha-256',
  ];
  // The built-in locale knows all of Unicode and sorts alike on every machine, whatever locales that one has.
  const encoding = ['-E', 'UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  await run(user, initdb, [...args, ...encoding, ...(options.durable ? [] : ['--no-sync'])]);
  appendFileSync(join(data, 'postgresql.conf'), "\ninclude 'embedded.conf'\n");
  renameSync(draft, folderIn(home));
};

export const openCluster = (home: string): Cluster => {
  const folder = folderIn(home);
  const data = join(folder, 'data');
  const user = serverUser(home);
  if (!user && !canEnter(user, folder)) {
    throw new Error(`The database in ${folder} belongs to user id ${statSync(folder).uid}.
Run this as that user or as root, or choose another folder with DATA_DIR.`);
  }

  const launch = async (): Promise<void> => {
    disownDeadServer(data);
    const log = join(folder, 'server.log');
    const before = sizeOf(log);
    try {
      await run(user, findBinaries(home, user).pgCtl, ['start', '-s', '-w', '-t', '120', '-D', data, '-l', log]);
    } catch (error) {
      throw new StartError(readFrom(log, before), { cause: error });
    }
  };

  /** Tries again where that can help, and elsewhere where the port is taken and another is as good. */
  const launchAgain = async (onPortTaken?: () => Promise<void>): Promise<void> => {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await launch();
      } catch (error) {
        if (!(error instanceof StartError) || !error.isPassing || attempts === 20) throw error;
        if (error.isPortTaken && onPortTaken) await onPortTaken();
        else await sleep(250);
      }
    }
  };

  const password = readFileSync(join(folder, 'password'), 'utf8');
  return {
    urlOf: ({ port }, database) => `postgresql://postgres:${password}@127.0.0.1:${port}/${database}`,
    running: () => runningPostmaster(data),
    wasKilled: () => existsSync(join(data, 'postmaster.pid')) && !runningPostmaster(data),
    start: async (settings) => {
      const configure = (port: number) =>
        writeFor(user, join(data, 'embedded.conf'), configuration({ ...settings, port: String(port) }));
      // The port stays the same where it can: whoever lost the server finds it again.
      configure(lastPort(data) ?? (await freePort()));
      await launchAgain(async () => configure(await freePort()));
    },
    revive: () => launchAgain(),
    stop: async () => {
      await run(user, findBinaries(home, user).pgCtl, ['stop', '-s', '-w', '-t', '120', '-m', 'fast', '-D', data]);
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
    // A killed server's children need a moment to notice; until then they hold the memory.
    this.isPassing = this.isPortTaken || log.includes('pre-existing shared memory block');
  }
}

/** A file of its own, so that the server also comes up right when somebody starts it by hand with pg_ctl. */
const configuration = (settings: Settings): string =>
  Object.entries({ listen_addresses: '127.0.0.1', unix_socket_directories: '', timezone: 'UTC', ...settings })
    .map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`)
    .join('');

const lastPort = (data: string): number | undefined => {
  const file = join(data, 'embedded.conf');
  const [, port] = /^port = '(\d+)'/m.exec(existsSync(file) ? readFileSync(file, 'utf8') : '') ?? [];
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

/** In a session of its own: a terminal's Ctrl-C is for us, not for the server or the program that starts it. */
const run = async (user: ServerUser, program: string, args: string[]): Promise<void> => {
  const child = spawn(program, args, { ...asUser(user), detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [code, complaint] = await Promise.all([ended, text(child.stderr)]);
  if (code !== 0) throw new Error(`${basename(program)} failed: ${complaint.trim()}`);
};
