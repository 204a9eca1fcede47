import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { openEmbedded, type EmbeddedDatabase } from '../../src/db/embedded.ts';
import { startServiceProcess, type ServiceProcess } from '../support/production-service.ts';
import { certificates } from '../support/certificates.ts';
import { makeClient, type Answer } from '../support/client.ts';
import { patience } from '../support/patience.ts';
import { localFeeds, startReceiver, type Receiver } from '../support/receiver.ts';
import { withSql } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import { startMailServer, type MailServer } from '../support/mail-server.ts';
import { openAddress, type TcpAddress } from '../support/ports.ts';
import { anEmail } from '../support/team.ts';
import { removeServer, throwAwayFolder } from '../support/throw-away-postgres.ts';
import { prepareTwoServers } from './two-servers.ts';

const folders = { primary: throwAwayFolder(), standby: throwAwayFolder() };
const servers: Partial<Record<keyof typeof folders, EmbeddedDatabase>> = {};
/**
 * Where new connections of the service go. Those that are open stay where they are, as behind a proxy or a changed DNS
 * name.
 */
let target: keyof typeof folders = 'primary';
let address: TcpAddress;
let mailServer: MailServer;
let receiver: Receiver;
let databaseUrl: string;
let keyText: string;

beforeAll(async () => {
  receiver = await startReceiver();
  ({ key: keyText } = await prepareTwoServers(folders, receiver));
  servers.primary = await openEmbedded(folders.primary);
  servers.standby = await openEmbedded(folders.standby);
  address = await openAddress(() => ({ host: '127.0.0.1', port: Number(new URL(servers[target]?.url ?? '').port) }));
  mailServer = await startMailServer();
  databaseUrl = Object.assign(new URL(servers.primary.url), { port: String(address.port) }).href;
});
afterAll(async () => {
  await Promise.all([mailServer.close(), receiver.close()]);
  address.cut();
  await Promise.all(Object.values(servers).map((server) => server.release()));
  await Promise.all(Object.values(folders).map(removeServer));
});

interface Pair {
  api: ServiceProcess;
  worker: ServiceProcess;
}

/** An API and a worker. They stop at the end of the test. */
const startPair = async (ofWorker: Record<string, string> = {}): Promise<Pair> => {
  const environment = localFeeds((await certificates()).caFile());
  const [api, worker] = await Promise.all([
    startServiceProcess({ databaseUrl, role: 'api', environment }),
    startServiceProcess({
      databaseUrl,
      role: 'worker',
      environment: { ...environment, MAIL_URL: mailServer.url, WORKER_PORT: '0', ...ofWorker },
    }),
  ]);
  onTestFinished(async () => void (await Promise.all([api.stop(), worker.stop()])));
  return { api, worker };
};

const goTo = (server: keyof typeof folders): void => {
  target = server;
  address.disconnect();
};

const onServer = (server: keyof typeof folders, sql: string): Promise<unknown> =>
  withSql({ databaseUrl: servers[server]?.url ?? '' }, (client) => client.query(sql));

/** The answers to `/healthz` and `/readyz` of both processes. */
const healthOf = ({ api: { origin = '' }, worker }: Pair) => {
  const workerPort = worker.logged().find(({ msg }) => msg === 'started')?.['worker_port'];
  return Promise.all(
    [origin, `http://127.0.0.1:${String(workerPort)}`].flatMap((where) =>
      ['/healthz', '/readyz'].map(async (path) => {
        const { status, body } = await makeClient(where).get(path);
        return [status, body];
      }),
    ),
  );
};

const refused = (answer: Answer): void => {
  expect(answer).toBeProblem('unavailable');
  expect(answer.body).not.toHaveProperty('detail');
  const headers = ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
  expect(headers.map((name) => answer.headers.get(name))).toEqual(['2', '120', '0', '2']);
};

const unavailable = [
  [200, { status: 'ok' }],
  [503, { status: 'unavailable' }],
];

const expectUnavailable = async (pair: Pair) => {
  expect(await healthOf(pair)).toEqual([...unavailable, ...unavailable]);
  const { baseUrl = '' } = pair.api;
  const client = makeClient(baseUrl, keyText);
  for (let asked = 0; asked < 5; asked += 1) {
    for (const path of ['/me', '/nothing', '/openapi.v1.json']) refused(await client.get(path));
    refused(await client.post('/users', { email: anEmail() }));
    refused(await makeClient(baseUrl).get('/me'));
  }
};

/** Both are ready; the API answers, and the worker sends the mail and the event of an invitation. */
const expectNormal = async (pair: Pair) => {
  const statuses = async () => (await healthOf(pair)).map(([status]) => status);
  await expect.poll(statuses).toEqual([200, 200, 200, 200]);
  const client = makeClient(pair.api.baseUrl ?? '', keyText);
  const email = anEmail();
  const before = receiver.received.length;
  await expect.poll(async () => (await client.post('/users', { email })).status).toBe(201);
  await expect.poll(() => mailServer.received.map(({ to }) => to)).toContain(email);
  await receiver.untilReceived(before + 1);
  for (let asked = 0; asked < 20; asked += 1) expect((await client.get('/me')).status).toBe(200);
};

const expectNoError = ({ api, worker }: Pair) => {
  for (const { logged, complaints } of [api, worker]) {
    expect(logged().filter(({ level }) => level === 'error')).toEqual([]);
    expect(complaints()).toBe('');
  }
};

it('on a standby a service starts, is not ready and answers 503; it continues whenever new connections reach a primary', async () => {
  goTo('standby');
  const tenMinutesAhead = `const now = Date.now, Real = Date; globalThis.Date = class extends Real {
    constructor(...of) { if (of.length) super(...of); else super(now() + 600000); }
    static now() { return now() + 600000; } };`;
  const pair = await startPair({
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(tenMinutesAhead)}`,
  });
  await expectUnavailable(pair);
  for (const path of ['/trpc/entrance/entrance.who', '/trpc/app/keys.list', '/mcp', '/exports/none']) {
    const answer = await makeClient(pair.api.origin ?? '').get(path);
    expect([path, answer.status]).toEqual([path, 503]);
    expect(answer.text).toContain('"code":"unavailable"');
    expect(answer.text).not.toMatch(/maintenance/i);
  }
  const before = receiver.received.length;
  goTo('primary');
  await expectNormal(pair);
  // Its time is the database's.
  const { headers, at } = receiver.received[before] ?? {};
  const [, signedAt] = /^t=(\d+),/.exec(String(headers?.['svc-signature'])) ?? [];
  expect(Math.abs(Number(signedAt) * 1000 - Number(at))).toBeLessThan(5_000);
  expectNoError(pair);

  goTo('standby');
  await vi.waitFor(() => expectUnavailable(pair), patience);
  goTo('primary');
  await expectNormal(pair);
  expect(pair.api.logged().filter(({ level }) => level === 'error')).toEqual([]);
});

it('a service started on a standby admits no request and no job if maintenance is on when it reaches the primary', async () => {
  const inviting = await startTestService({ databaseUrl: servers.primary?.url ?? '' });
  const email = anEmail();
  expect((await makeClient(inviting.baseUrl, keyText).post('/users', { email })).status).toBe(201);
  await inviting.close();
  goTo('standby');
  const pair = await startPair();
  await expectUnavailable(pair);
  await onServer('primary', 'insert into maintenance (id, since, retry_after_seconds) values (1, now(), 45)');
  const client = makeClient(pair.api.baseUrl ?? '', keyText);
  const maintained = [
    [200, { status: 'maintenance' }],
    [200, { status: 'maintenance' }],
  ];
  const seen = new Set<number>();
  goTo('primary');
  await vi.waitFor(async () => {
    seen.add((await client.get('/me')).status);
    expect(await healthOf(pair)).toEqual([...maintained, ...maintained]);
  }, patience);
  expect([...seen]).toEqual([503]);
  expect((await client.get('/me')).headers.get('retry-after')).toBe('45');
  const recipients = () => mailServer.received.map(({ to }) => to);
  expect(recipients()).not.toContain(email);
  await onServer('primary', 'delete from maintenance');
  await expect.poll(() => recipients()).toContain(email);
  await expectNormal(pair);
  expectNoError(pair);
});

it('on a standby that lacks migrations no process starts, and none where no PostgreSQL answers', async () => {
  goTo('standby');
  const empty = new URL(databaseUrl);
  empty.pathname = '/postgres';
  const nowhere = new URL(databaseUrl);
  nowhere.port = '1';
  await Promise.all([
    expect(startServiceProcess({ databaseUrl: empty.href, role: 'api' })).rejects.toThrow('lacks migrations'),
    expect(startServiceProcess({ databaseUrl: nowhere.href, role: 'worker' })).rejects.toThrow('ECONNREFUSED'),
  ]);
});

it('a service started on a standby continues once it is promoted', async () => {
  goTo('standby');
  const pair = await startPair();
  await expectUnavailable(pair);
  await onServer('standby', 'select pg_promote()');
  await expectNormal(pair);
  expectNoError(pair);
});
