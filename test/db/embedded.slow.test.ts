import { execFileSync, spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openCluster, runningPostmaster } from '../../src/db/embedded/cluster.ts';
import { openEmbedded, type EmbeddedDatabase } from '../../src/db/embedded.ts';
import { occupy } from '../support/ports.ts';
import { withSql } from '../support/postgres.ts';
import { removeServer, throwAwayFolder } from '../support/throw-away-postgres.ts';

let folder = '';
const data = (): string => join(folder, 'postgres', 'data');

beforeEach(() => {
  folder = throwAwayFolder();
});
afterEach(() => removeServer(folder));

type Options = Pick<NonNullable<Parameters<typeof openEmbedded>[1]>, 'report' | 'onEnd'>;

const open = (inFolder = folder, options: Options = {}): Promise<EmbeddedDatabase> =>
  openEmbedded(inFolder, { settings: { fsync: 'off' }, ...options });

/** A folder with a stopped server, which tests copy: creating one takes longer than most of the tests. */
const prepared = throwAwayFolder();
await (await open(prepared)).release();
afterAll(() => removeServer(prepared));

/** Before each test of a group: the server was created and stopped earlier. */
const beginWithServer = () => beforeEach(() => void execFileSync('cp', ['-a', `${prepared}/.`, folder]));

const ask = (databaseUrl: string, sql: string): Promise<unknown> =>
  withSql({ databaseUrl }, async (client) => Object.values((await client.query(sql)).rows[0] ?? {})[0]);

interface OtherProcess {
  url: string;
  child: ChildProcessWithoutNullStreams;
}

const openInOtherProcess = async (): Promise<OtherProcess> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'embedded-opener.ts'), folder]);
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const url of createInterface(child.stdout)) return { url, child };
  throw new Error('The other process could not open the database.');
};

const kill = async ({ child }: OtherProcess, signal: NodeJS.Signals): Promise<void> => {
  child.kill(signal);
  await once(child, 'exit');
};

/** The other process releases the database and ends. */
const release = async ({ child }: OtherProcess): Promise<void> => {
  child.stdin.end();
  await once(child, 'exit');
};

const isKeeper = "application_name like '% keeper'";

/** The connections that mark the server as used: their process ids. */
const keepers = async (url: string): Promise<number[]> =>
  z
    .array(z.int())
    .parse(await ask(url, `select coalesce(array_agg(pid), '{}') from pg_stat_activity where ${isKeeper}`));

/** Kills the server, so that its file is left behind. */
/** Whether a stopped process was sent a signal, which waits until it goes on. On Linux. */
const hasWaiting = (pid: number, signal: NodeJS.Signals): boolean => {
  const [, waiting = ''] = /^ShdPnd:\s*(\w+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number.parseInt(waiting, 16) & (1 << (constants.signals[signal] - 1))) !== 0;
};

const killServer = (): void => {
  process.kill(runningPostmaster(data())?.pid ?? 0, 'SIGKILL');
};

describe('a new embedded PostgreSQL', () => {
  it('is created once and keeps its data and address', async () => {
    const first = await open();
    await ask(first.url, 'create table note as select 42 as answer');
    await first.release();
    expect(runningPostmaster(data())).toBeUndefined();

    const second = await open();
    expect(await ask(second.url, 'select answer from note')).toBe(42);
    expect(second.url).toBe(first.url);
    await second.release();
  });

  it('is started once when many processes start it at the same time', async () => {
    const others = await Promise.all([openInOtherProcess(), openInOtherProcess(), openInOtherProcess()]);
    expect(new Set(others.map(({ url }) => url)).size).toBe(1);
    await Promise.all(others.map((other) => kill(other, 'SIGKILL')));
    const last = await open();
    await last.release();
    expect(runningPostmaster(data())).toBeUndefined();
  });

  it('removes what a killed initdb left behind', async () => {
    mkdirSync(join(folder, 'postgres-draft-killed', 'data'), { recursive: true });
    const { url, release } = await open();
    expect(await ask(url, 'select 1')).toBe(1);
    expect(readdirSync(folder).filter((name) => name.includes('draft'))).toEqual([]);
    await release();
  });
});

describe('an embedded PostgreSQL that was created before', () => {
  beginWithServer();

  it('uses UTF-8, sorts the same everywhere, listens only on this machine, and requires the password', async () => {
    const { url, release } = await open();
    expect(await ask(url, 'show server_encoding')).toBe('UTF8');
    expect(await ask(url, "select lower('ÄÖÜ')")).toBe('äöü');
    expect(await ask(url, 'show listen_addresses')).toBe('127.0.0.1');
    expect(await ask(url, 'show unix_socket_directories')).toBe('');
    expect(statSync(join(folder, 'postgres', 'password')).mode & 0o777).toBe(0o600);

    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(ask(wrong.href, 'select 1')).rejects.toThrow(/password authentication failed/);
    await release();
  });

  it('runs until the last process that opened it releases it', async () => {
    const other = await openInOtherProcess();
    const [a, b] = await Promise.all([open(), open()]);
    expect(new Set([a.url, b.url, other.url]).size).toBe(1);

    await Promise.all([a.release(), b.release()]);
    expect(await ask(other.url, 'select 1')).toBe(1);

    await release(other);
    expect(runningPostmaster(data())).toBeUndefined();
  });

  it('survives the SIGKILL of its owner; the next one adopts it and stops it', async () => {
    const owner = await openInOtherProcess();
    const server = runningPostmaster(data());
    await kill(owner, 'SIGKILL');

    const next = await open();
    expect(runningPostmaster(data())).toEqual(server);
    expect(next.url).toBe(owner.url);
    await next.release();
    expect(runningPostmaster(data())).toBeUndefined();
  });

  it('is started again at the same address if it is killed, once for all processes that use it', async () => {
    const reported: string[] = [];
    const held = await open(folder, { report: (line) => reported.push(line) });
    const other = await openInOtherProcess();
    await ask(held.url, 'create table note as select 42 as answer');
    const killed = runningPostmaster(data());
    killServer();
    await expect.poll(() => reported.at(-1)).toBe('The embedded PostgreSQL answers again.');
    expect(runningPostmaster(data())).toEqual({ pid: expect.any(Number), port: killed?.port });
    expect(await ask(held.url, 'select answer from note')).toBe(42);
    await expect.poll(() => keepers(held.url)).toHaveLength(2);

    await held.release();
    expect(await ask(other.url, 'select answer from note')).toBe(42);
    await release(other);
    expect(runningPostmaster(data())).toBeUndefined();
  });

  it('is not stopped under a process that has lost its connections', async () => {
    const held = await open();
    const other = await openInOtherProcess();
    const former = await keepers(held.url);
    expect(former).toHaveLength(2);
    await ask(held.url, `select bool_and(pg_terminate_backend(pid)) from pg_stat_activity where ${isKeeper}`);
    const added = async () => (await keepers(held.url)).filter((pid) => !former.includes(pid));
    await expect.poll(added).toHaveLength(2);
    await held.release();
    expect(await ask(other.url, 'select 1')).toBe(1);
    await release(other);
    expect(runningPostmaster(data())).toBeUndefined();
  });

  it('starts again although a killed server left its postmaster.pid', async () => {
    const first = await open();
    await ask(first.url, 'create table note as select 42 as answer');
    killServer();
    await first.release();
    expect(existsSync(join(data(), 'postmaster.pid'))).toBe(true);

    const next = await open();
    expect(await ask(next.url, 'select answer from note')).toBe(42);
    await next.release();
  });

  it.skipIf(process.platform !== 'linux')('is left although it is killed while it is being stopped', async () => {
    const first = await open();
    const { pid = 0 } = runningPostmaster(data()) ?? {};
    process.kill(pid, 'SIGSTOP'); // so that it does not end before it is killed
    const released = first.release();
    await expect.poll(() => hasWaiting(pid, 'SIGINT')).toBe(true);
    killServer();
    await released;

    const next = await open();
    expect(await ask(next.url, 'select 1')).toBe(1);
    await next.release();
  });

  it('starts again although the old postmaster.pid names another process by now', async () => {
    const file = join(data(), 'postmaster.pid');
    // A process of the account that runs the server: PostgreSQL itself would take it for the server.
    const { uid, gid } = statSync(data());
    const stranger = spawn('sleep', ['60'], { uid, gid, cwd: '/' });
    onTestFinished(() => void stranger.kill());
    writeFileSync(file, `${stranger.pid}\n${data()}\n1700000000\n5432\n\n127.0.0.1\n 1 1\nready   \n`);

    const next = await open();
    expect(await ask(next.url, 'select 1')).toBe(1);
    expect(stranger.exitCode).toBeNull();
    await next.release();
  });

  it('uses another port if its own is taken', async () => {
    const first = await open();
    await first.release();
    const taken = new URL(first.url).port;
    await occupy(Number(taken));

    const second = await open();
    expect(new URL(second.url).port).not.toBe(taken);
    expect(await ask(second.url, 'select 1')).toBe(1);
    await second.release();
  });

  it('stays stopped after it was stopped, by its last opener or by hand', async () => {
    const other = await openInOtherProcess();
    const ended = Promise.withResolvers<Error>();
    const held = await open(folder, { onEnd: ended.resolve });
    await openCluster(folder).stop();
    expect((await ended.promise).message).toBe('The embedded PostgreSQL was stopped.');
    expect(runningPostmaster(data())).toBeUndefined();
    await kill(other, 'SIGKILL');
    await held.release();
    expect(runningPostmaster(data())).toBeUndefined();
  });

  it('keeps the log where an operator looks for it', () => {
    expect(readFileSync(join(folder, 'postgres', 'server.log'), 'utf8')).toContain('ready to accept connections');
  });
});

describe('the embedded PostgreSQL of root', () => {
  beforeEach(({ skip }) => skip(process.getuid?.() !== 0, 'only root can start it as another account'));

  /** A file of root, outside of the data folder. It looks like the postmaster.pid of a server that no longer runs. */
  const makeCanary = (): { path: string; state: () => unknown } => {
    const path = join(throwAwayFolder(), 'canary');
    writeFileSync(path, '2147483645\n/nowhere\n', { mode: 0o600 });
    const state = () => {
      const { uid, gid, mode } = statSync(path);
      return { uid, gid, mode, text: readFileSync(path, 'utf8') };
    };
    return { path, state };
  };

  it('uses no folder that others can write to, and touches nothing in it', async () => {
    const canary = makeCanary();
    const before = canary.state();
    symlinkSync(canary.path, join(folder, 'postgres.lock'));
    chownSync(folder, 65_534, 65_534);
    await expect(open()).rejects.toThrow(/must belong to root/);
    chownSync(folder, 0, 0);
    chmodSync(folder, 0o777);
    await expect(open()).rejects.toThrow(/must belong to root/);
    expect(canary.state()).toEqual(before);
    expect(readdirSync(folder)).toEqual(['postgres.lock']);
  });

  describe('that was created before', () => {
    beginWithServer();

    it.each([
      'embedded.conf',
      'password',
      'server.log',
      'data/embedded.conf',
      'data/postgresql.conf',
      'data/postmaster.pid',
    ])('follows no link that the account of the server puts in the place of %s', async (name) => {
      const { uid, gid } = statSync(data());
      expect(uid).not.toBe(0);
      const canary = makeCanary();
      const before = canary.state();
      const file = join(folder, 'postgres', name);
      spawnSync('/bin/sh', ['-c', 'rm -f "$1"; ln -s "$2" "$1"', 'sh', file, canary.path], { uid, gid, cwd: '/' });
      const second = await open().catch(() => undefined); // PostgreSQL itself refuses some of the links
      expect(canary.state()).toEqual(before);
      await second?.release();
      expect(canary.state()).toEqual(before);
    });

    it('does not open a database whose folder the account of the server can change', async () => {
      const { uid, gid } = statSync(data());
      chownSync(join(folder, 'postgres'), uid, gid);
      await expect(open()).rejects.toThrow(/must belong to root/);
    });
  });
});
