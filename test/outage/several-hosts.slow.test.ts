import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCluster, runningPostmaster } from '../../src/db/embedded/cluster.ts';
import { migrate } from '../../src/db/migrate.ts';
import { startServiceProcess, type ServiceProcess, childrenOf } from '../support/production-service.ts';
import { certificates } from '../support/certificates.ts';
import { makeClient, type Client } from '../support/client.ts';
import { localFeeds, startReceiver, type Receiver } from '../support/receiver.ts';
import { withSql } from '../support/postgres.ts';
import { anEmail } from '../support/team.ts';
import { removeServer, throwAwayFolder } from '../support/throw-away-postgres.ts';
import { makeStandby, prepareTwoServers } from './two-servers.ts';

// One API and one worker with two hosts in DATABASE_URL, over several changes of the primary, never restarted.

const folders = { a: throwAwayFolder(), b: throwAwayFolder() };
type Name = keyof typeof folders;
const urls: Partial<Record<Name, string>> = {};
let receiver: Receiver;
let api: ServiceProcess;
let worker: ServiceProcess;
let client: Client;

const urlOf = (name: Name): string => urls[name] ?? '';
const bothHosts = (first: Name, second: Name): string => {
  const { host } = new URL(urlOf(second));
  return `${urlOf(first).replace(/(@[^/]*)/, `$1,${host}`)}?target_session_attrs=read-write`;
};

/** Runs SQL on a server, also while it is read-only. */
const on = <Row extends object>(name: Name, sql: string): Promise<Row[]> => {
  const databaseUrl = `${urlOf(name)}?options=-c%20default_transaction_read_only%3Doff`;
  return withSql({ databaseUrl }, async (client) => (await client.query<Row>(sql)).rows);
};

const start = async (name: Name, settings: Record<string, string> = {}): Promise<void> => {
  await openCluster(folders[name]).start(settings);
};

const serverProcesses = (name: Name): number[] => {
  const { pid } = runningPostmaster(join(folders[name], 'postgres', 'data')) ?? { pid: 0 };
  return [pid, ...childrenOf(pid)];
};

const signal = (name: Name, kind: NodeJS.Signals): void => {
  for (const pid of serverProcesses(name)) {
    try {
      process.kill(pid, kind);
    } catch (error) {
      // A process of a connection may end after it was listed.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
};

const connectionsTo = async (name: Name): Promise<number> => {
  const [row] = await on<{ count: number }>(
    name,
    "select count(*)::int as count from pg_stat_activity where application_name in ('team-customer-api', 'team-customer-api queue')",
  );
  return row?.count ?? 0;
};

/** Both processes work: an invitation is written, and its event arrives. */
const expectWork = async (): Promise<void> => {
  const before = receiver.received.length;
  await expect.poll(async () => (await client.post('/users', { email: anEmail() })).status).toBe(201);
  await receiver.untilReceived(before + 1);
  expect((await client.get('/me')).status).toBe(200);
};

/** graphile-worker logs each fetch that fails as an error. */
const expectNoError = (): void => {
  for (const { logged, complaints } of [api, worker]) {
    expect(logged().filter(({ level, part }) => level === 'error' && part !== 'queue')).toEqual([]);
    expect(complaints()).toBe('');
  }
};

beforeAll(async () => {
  receiver = await startReceiver();
  const { url, key } = await prepareTwoServers({ primary: folders.a, standby: folders.b }, receiver);
  await start('a');
  urls.a = url;
  await start('b', { primary_conninfo: url });
  const { port } = runningPostmaster(join(folders.b, 'postgres', 'data')) ?? {};
  urls.b = Object.assign(new URL(url), { port: String(port) }).href;

  const databaseUrl = bothHosts('b', 'a');
  const environment = localFeeds((await certificates()).caFile());
  [api, worker] = await Promise.all([
    startServiceProcess({ databaseUrl, role: 'api', environment }),
    startServiceProcess({ databaseUrl, role: 'worker', environment }),
  ]);
  client = makeClient(api.baseUrl ?? '', key);
});
afterAll(async () => {
  await Promise.all([api.stop(), worker.stop(), receiver.close()]);
  await Promise.all(Object.values(folders).map(removeServer));
});

it('a service whose first host is a standby works on the second, and so do its commands', async () => {
  expect(await migrate(bothHosts('b', 'a'))).toEqual([]);
  await expectWork();
  expect(await connectionsTo('b')).toBe(0);
  expectNoError();
});

it('continues on the standby that is promoted after the primary was killed', async () => {
  const [row] = await on<{ lsn: string }>('a', 'select pg_current_wal_lsn()::text as lsn');
  await expect
    .poll(() => on('b', `select pg_last_wal_replay_lsn() >= '${row?.lsn}'::pg_lsn as done`))
    .toEqual([{ done: true }]);
  signal('a', 'SIGKILL');
  await expect.poll(() => client.get('/me')).toBeProblem('unavailable');
  // A request that comes before the promotion waits for it.
  const waiting = client.get('/me');
  await on('b', 'select pg_promote()');
  expect((await waiting).status).toBe(200);
  await expectWork();
  expectNoError();
});

it('a former primary that comes back as a standby gets no connection', async () => {
  makeStandby(folders.a);
  await start('a', { primary_conninfo: '' });
  await expectWork();
  expect(await connectionsTo('a')).toBe(0);
  expectNoError();
});

it('when a primary refuses writes, every connection to it is closed, those that only listen too', async () => {
  expect(await connectionsTo('b')).toBeGreaterThan(0);
  await on('b', "alter system set default_transaction_read_only = 'on'");
  await on('b', 'select pg_reload_conf()');
  // From here on nothing is written to it, which the other one would lack.
  await expect.poll(() => client.get('/me')).toBeProblem('unavailable');
  await on('a', 'select pg_promote()');
  await expectWork();
  await expect.poll(() => connectionsTo('b')).toBe(0);
  expectNoError();
});

it('when a primary hangs, requests continue on another host within seconds', async () => {
  await on('b', "alter system set default_transaction_read_only = 'off'");
  await on('b', 'select pg_reload_conf()');
  signal('a', 'SIGSTOP');
  try {
    await expectWork();
  } finally {
    signal('a', 'SIGCONT');
  }
  expectNoError();
});
