import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { secondsToMs } from '../../src/core/clock.ts';
import { Cells } from '../../src/db/cells/cells.ts';
import { openDatabase } from '../../src/db/database.ts';
import { openPool } from '../../src/db/pool.ts';
import { isUnavailable } from '../../src/db/unavailable.ts';
import { listen } from '../support/ports.ts';
import { useDatabase, rowsOf, statement } from '../support/postgres.ts';

const database = await useDatabase();

/** Every way to the database, each with its own wrapping of errors. */
const ways: [string, (sql: string) => Promise<unknown>][] = [
  ['a prepared statement', (sql) => rowsOf(database, statement<object, []>(sql))],
  ['Prisma', (sql) => database.prisma.$executeRawUnsafe(sql)],
  ['a transaction', (sql) => database.transaction((tx) => tx.$executeRawUnsafe(sql))],
  [
    'a prepared statement in a transaction',
    (sql) => database.transaction((tx) => rowsOf(tx, statement<object, []>(sql))),
  ],
  ['a commit', (sql) => database.transaction(async (tx) => void (await tx.$executeRawUnsafe(sql)))],
];

const raising = (code: string) => `do $$ begin raise sqlstate '${code}'; end $$`;
const thrownBy = (action: Promise<unknown>): Promise<unknown> =>
  action.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.each(ways)('errors in %s', (_way, run) => {
  it.each([
    ['the server stops', raising('57P01')],
    ['the server crashed', raising('57P02')],
    ['the server starts', raising('57P03')],
    ['it is read-only', raising('25006')],
    [
      'it is a standby',
      `do $$ begin raise 'cannot access temporary or unlogged relations during recovery' using errcode = '0A000'; end $$`,
    ],
    ['it has no connection left', raising('53300')],
    ['its disk is full', raising('53100')],
    ['it has no memory', raising('53200')],
    ['its disk fails', raising('58030')],
    ['the connection broke', raising('08006')],
    ['a deadlock', raising('40P01')],
    ['a serialization failure', raising('40001')],
    ['a lock not had in time', raising('55P03')],
    ['a statement that took too long', raising('57014')],
    ['its own backend ended', 'select pg_terminate_backend(pg_backend_pid())'],
  ])('%s: the database was unavailable', async (_what, sql) => {
    expect(isUnavailable(await thrownBy(run(sql)))).toBe(true);
  });

  it.each([
    ['a duplicate', raising('23505')],
    ['a missing table', 'select 1 from nowhere'],
    ['a missing feature', raising('0A000')],
    ['a division by zero', 'select 1 / 0'],
    ['bad syntax', 'selec 1'],
    ['a value that can’t be', `select 'x'::uuid`],
  ])('%s: it answered, and the error is a bug', async (_what, sql) => {
    const error = await thrownBy(run(sql));
    expect(error).toBeInstanceOf(Error);
    expect(isUnavailable(error)).toBe(false);
  });
});

it('a start waits for a database that takes seconds to answer', async () => {
  const url = new URL(database.url);
  const { hostname, port } = url;
  const busy = createServer((client) => {
    setTimeout(() => client.pipe(connect(Number(port), hostname)).pipe(client), secondsToMs(3));
  });
  url.port = String(await listen(busy));
  const opened = Cells.open(url.href).then((cells) => cells?.close());
  await expect(opened).resolves.toBe(undefined);
  busy.close();
});

it('a request that gives up waiting while its new connection is checked leaves the connection to the next one', async () => {
  const url = new URL(database.url);
  const { hostname, port } = url;
  let goOn = (): void => {};
  let isHeld = false;
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    client.pipe(server).pipe(client);
    for (const socket of [client, server]) socket.on('error', () => socket.destroy());
    client.on('data', (sent) => {
      if (!isHeld || !sent.includes('pg_is_in_recovery')) return;
      server.unpipe(client);
      goOn = () => server.pipe(client);
    });
  });
  url.port = String(await listen(proxy));
  const pool = openPool(url.href, { poolSize: 1 });
  const first = await pool.connect();
  const waiting = pool.connect();
  isHeld = true;
  first.release(true);
  expect(isUnavailable(await thrownBy(waiting))).toBe(true);
  isHeld = false;
  goOn();
  const next = await pool.connect();
  next.release();
  await pool.end();
  proxy.close();
});

it('connecting to a server that accepts connections and never answers times out', async () => {
  const silent = createServer(() => {});
  const lost = openDatabase(`postgresql://nobody@127.0.0.1:${await listen(silent)}/none`, { poolSize: 1 });
  const failures = await Promise.all([
    thrownBy(lost.prisma.team.count()),
    thrownBy(rowsOf(lost, statement<object, []>('select 1'))),
  ]);
  expect(failures.map((failure) => isUnavailable(failure))).toEqual([true, true]);
  expect(await lost.acceptsWrites()).toBe(false);
  await lost.close();
  silent.close();
});

it('a connection lost between two statements of a transaction fails only this transaction', async () => {
  const failure = thrownBy(
    database.transaction(async (tx) => {
      const [backend] = await tx.$queryRaw<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await rowsOf(database, statement<object, [number]>('select pg_terminate_backend($1)'), backend?.pid ?? 0);
      await sleep(100);
      await tx.team.count();
    }),
  );
  expect(isUnavailable(await failure)).toBe(true);
  expect(await database.acceptsWrites()).toBe(true);
});

it('a statement that waits too long for a lock frees its place in the pool', async () => {
  const impatient = openDatabase(database.url, { poolSize: 1, lockWaitMs: 100 });
  try {
    await database.transaction(async (tx) => {
      await tx.$executeRaw`lock table team`;
      expect(isUnavailable(await thrownBy(impatient.transaction((waiting) => waiting.team.count())))).toBe(true);
      expect(await impatient.acceptsWrites()).toBe(true);
    });
  } finally {
    await impatient.close();
  }
});

it('many transactions that wait for one lock leave room for reads, and continue when the lock is free', async () => {
  const shared = openDatabase(database.url, { poolSize: 4 });
  const holder = openDatabase(database.url, { poolSize: 1 });
  try {
    let crowd: Promise<unknown>[] = [];
    await holder.transaction(async (tx) => {
      await tx.$executeRaw`lock table team`;
      crowd = Array.from({ length: 12 }, () => shared.transaction((waiting) => waiting.team.count()));
      for (let read = 0; read < 5; read += 1) {
        expect(await rowsOf(shared, statement<{ one: number }, []>('select 1 as one'))).toEqual([{ one: 1 }]);
      }
    });
    expect(await Promise.all(crowd)).toEqual(Array(12).fill(expect.any(Number)));
  } finally {
    await shared.close();
    await holder.close();
  }
});

it('a backend that freezes in a statement costs its connection, not its place in the pool', async () => {
  const watched = openDatabase(database.url, { poolSize: 1, silenceMs: 2_000 });
  const pidOf = statement<{ pid: number }, []>('select pg_backend_pid() as pid');
  const [backend] = await rowsOf(watched, pidOf);
  const pid = backend?.pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  try {
    expect(isUnavailable(await thrownBy(rowsOf(watched, pidOf)))).toBe(true);
    const [next] = await rowsOf(watched, pidOf);
    expect(next?.pid).not.toBe(pid);
    expect(await watched.acceptsWrites()).toBe(true);
  } finally {
    process.kill(pid, 'SIGCONT');
    await watched.close();
  }
});

it('a transaction whose backend freezes fails, and frees its place', async () => {
  const watched = openDatabase(database.url, { poolSize: 1, silenceMs: 2_000 });
  let pid = 0;
  try {
    const failure = await thrownBy(
      watched.transaction(async (tx) => {
        const [backend] = await tx.$queryRaw<{ pid: number }[]>`select pg_backend_pid() as pid`;
        pid = backend?.pid ?? 0;
        process.kill(pid, 'SIGSTOP');
        await tx.team.count();
      }),
    );
    expect(isUnavailable(failure)).toBe(true);
    expect(await watched.transaction((tx) => tx.team.count())).toBeGreaterThanOrEqual(0);
  } finally {
    process.kill(pid, 'SIGCONT');
    await watched.close();
  }
});

it.each(['ConnectionClosed', 'DatabaseNotReachable', 'SocketTimeout', 'TooManyConnections'])(
  'a lost connection in the adapter’s own words, %s, counts as unavailable',
  (kind) => {
    expect(isUnavailable(new Error(kind, { cause: { kind } }))).toBe(true);
    expect(isUnavailable(new Error(kind, { cause: { kind: 'TableDoesNotExist' } }))).toBe(false);
  },
);
