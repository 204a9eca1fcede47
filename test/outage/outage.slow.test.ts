import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openEmbedded } from '../../src/db/embedded.ts';
import { openCluster, type Cluster } from '../../src/db/embedded/cluster.ts';
import { migrate } from '../../src/db/migrate.ts';
import { isUnavailable } from '../../src/db/unavailable.ts';
import { startServiceProcess, type ServiceProcess } from '../support/production-service.ts';
import { makeClient, type Answer, type Client } from '../support/client.ts';
import { withSql } from '../support/postgres.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startMailServer, type MailServer } from '../support/mail-server.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';
import { removeServer, throwAwayFolder } from '../support/throw-away-postgres.ts';
import { patience } from '../support/patience.ts';

const settings = { max_connections: '60' };

let folder: string;
let cluster: Cluster;
let databaseUrl: string;
let release: () => Promise<void>;
/** Creates the teams; the tested service runs in its own processes. */
let service: TestService;
let api: ServiceProcess;
let worker: ServiceProcess;
let mailServer: MailServer;

beforeAll(async () => {
  folder = throwAwayFolder();
  ({ url: databaseUrl, release } = await openEmbedded(folder, { settings }));
  cluster = openCluster(folder);
  await migrate(databaseUrl);
  mailServer = await startMailServer();
  service = await startTestService({ databaseUrl });
  const environment = { MAIL_URL: mailServer.url, LOG_LEVEL: 'info' };
  [api, worker] = await Promise.all([
    startServiceProcess({ databaseUrl, role: 'api', environment }),
    startServiceProcess({ databaseUrl, role: 'worker', environment }),
  ]);
});
afterAll(async () => {
  await Promise.all([api.stop(), worker.stop()]);
  await Promise.all([service.close(), mailServer.close()]);
  await release();
  await removeServer(folder);
});

/** Also while the database is read-only. Its name tells its connection from those of the service. */
const admin = <T>(action: (client: pg.Client) => Promise<T>): Promise<T> => {
  const options = new URLSearchParams({
    application_name: 'the test',
    options: '-c default_transaction_read_only=off',
  });
  return withSql({ databaseUrl: `${databaseUrl}?${options.toString()}` }, action);
};

/** The rules of every 503. */
const expectRefused = (answer: Answer): string => {
  expect(answer).toBeProblem('unavailable');
  expect(answer.body).not.toHaveProperty('detail');
  const wait = answer.headers.get('retry-after') ?? '';
  expect(wait).toMatch(/^[1-9]\d*$/);
  return wait;
};

/** The rules of a 503 while the rest of the budgets is unknown. */
const expectUnavailable = (answer: Answer) => {
  const wait = expectRefused(answer);
  expect(['limit', 'remaining', 'reset'].map((name) => answer.headers.get(`ratelimit-${name}`))).toEqual([
    '120',
    '0',
    wait,
  ]);
};

interface Observed {
  askedAt: number;
  at: number;
  answer: Answer;
}

/** Clients that keep sending requests: several that read, and one that invites and repeats unanswered requests. */
const startLoad = async (team: TestTeam) => {
  const observed: Observed[] = [];
  const done = new Map<string, Answer>();
  const stopping = new AbortController();
  const { signal } = stopping;
  const ask = async (request: () => Promise<Answer>) => {
    const askedAt = performance.now();
    const answer = await request();
    observed.push({ askedAt, at: performance.now(), answer });
    return answer;
  };
  // Created before the first request, because creating them is not tested here.
  const aClient = async (): Promise<Client> => makeClient(api.baseUrl ?? '', (await team.aKey()).text);
  const paths = ['/me', '/users', `/users/${team.members[0]?.id ?? ''}`, '/me'];
  const readers = await Promise.all(paths.map(async (path) => ({ path, client: await aClient() })));
  const inviters = [await aClient(), await aClient()];

  const reader = async (client: Client, path: string) => {
    while (!signal.aborted) {
      await ask(() => client.get(path));
      await sleep(100);
    }
  };
  const inviter = async (client: Client) => {
    while (!signal.aborted) {
      const email = anEmail();
      const headers = { 'Idempotency-Key': email };
      // Whatever happened to a call without an answer: repeating it results in exactly one membership.
      while (!signal.aborted && !done.has(email)) {
        const answer = await ask(() => client.post('/users', { email }, { headers }));
        if (answer.status === 201) done.set(email, answer);
        await sleep(250); // a team has 60 invitations an hour
      }
    }
  };
  const clients = [...readers.map(({ client, path }) => reader(client, path)), ...inviters.map(inviter)];
  return {
    observed,
    done,
    async stop() {
      stopping.abort();
      await Promise.all(clients);
    },
  };
};

const statusesOf = (observed: readonly Observed[]) => [...new Set(observed.map(({ answer }) => answer.status))].sort();

/** The stderr of a process, without the queue library's traces about lost connections. */
const complaintsOf = (one: { complaints: () => string }): string =>
  one
    .complaints()
    .split(/^(?=Trace: )/m)
    .filter((piece) => !(piece.startsWith('Trace: ') && piece.includes('graphile-worker')))
    .join('');

describe('an outage of PostgreSQL under load', () => {
  const ways: [how: string, milliseconds: number, stop: () => Promise<void>][] = [
    ['stopped', 5_000, () => cluster.stop()],
    [
      'killed',
      1_500,
      async () => {
        process.kill(cluster.running()?.pid ?? 0, 'SIGQUIT');
        await expect.poll(() => cluster.running()).toBeUndefined();
      },
    ],
  ];

  it.each(ways)(
    '%s for %i ms: 503 meanwhile, 200 within 2 s of its return, nothing half done, all mails sent',
    async (_how, milliseconds, stop) => {
      const team = await aTeam(service, { members: 1, seats: 100 });
      const load = await startLoad(team);
      await expect.poll(() => statusesOf(load.observed)).toEqual([200, 201]);
      await sleep(300);
      const leaves = performance.now();
      await stop();
      const isAway = performance.now();
      await sleep(milliseconds);
      const returns = performance.now();
      await cluster.start(settings);
      const isBack = performance.now();
      await sleep(3_000);
      await load.stop();

      const between = (from: number, to: number) => load.observed.filter(({ at }) => at > from && at < to);
      expect(statusesOf(between(0, leaves))).toEqual([200, 201]);
      expect(api.logged().filter(({ msg }) => msg === 'unexpected error')).toEqual([]);
      expect([200, 201, 503]).toEqual(expect.arrayContaining(statusesOf(between(leaves, isAway))));
      const meanwhile = between(isAway + 50, returns);
      expect(meanwhile.length).toBeGreaterThan(milliseconds / 100);
      for (const { answer, askedAt } of meanwhile) {
        if (askedAt > isAway) expectUnavailable(answer);
        // Requests from before the outage may have been answered before it and only been read now. Their answers may
        // still have the budget.
        else if (answer.status > 201) expectRefused(answer);
      }
      expect(statusesOf(between(isBack + 2_000, Infinity))).toEqual([200, 201]);
      expect([api, worker].map((one) => [one.isRunning(), complaintsOf(one)])).toEqual([
        [true, ''],
        [true, ''],
      ]);

      // The last invitations may not have been repeated until they were answered; every other one exists exactly once,
      // with all rows.
      const emails = [...load.done.keys()];
      const where = { tenantId: team.id };
      const { prisma } = service.database;
      const members = await prisma.member.findMany({ where: { ...where, status: 'invited' } });
      const made = new Set(members.map(({ email }) => email));
      expect(made.size).toBe(members.length);
      expect(emails.filter((email) => !made.has(email))).toEqual([]);
      const counts = await Promise.all([
        prisma.invitation.count({ where }),
        prisma.mail.count({ where }),
        prisma.idempotencyRecord.count({ where }),
        prisma.auditEntry.count({ where: { ...where, action: 'member.joined', actorKind: 'key' } }),
      ]);
      expect(emails).not.toEqual([]);
      expect(counts).toEqual(Array<number>(4).fill(members.length));
      // A mail whose job was fetched while the connection broke waits until the worker unlocks jobs that are locked for
      // two minutes.
      await vi.waitFor(async () => {
        await prisma.$executeRaw`
          update graphile_worker._private_jobs set locked_at = locked_at - interval '2 minutes'
           where locked_at < pg_postmaster_start_time()`;
        const mailed = mailServer.received.map(({ to }) => to).filter((to) => made.has(to));
        expect(mailed.toSorted()).toEqual([...made].toSorted());
      }, patience);
    },
  );
});

describe('PostgreSQL is reachable but can’t work', () => {
  it('read-only for a while: 503, then normal again by itself', async () => {
    const team = await aTeam(service);
    const client = makeClient(api.baseUrl ?? '', (await team.aKey()).text);
    expect((await client.get('/me')).status).toBe(200);
    await admin(async (connection) => {
      await connection.query('alter system set default_transaction_read_only = on');
      await connection.query('select pg_reload_conf()');
    });
    try {
      await expect.poll(async () => (await client.get('/me')).status).toBe(503);
      for (let asked = 0; asked < 10; asked += 1) {
        expectUnavailable(await client.get('/me'));
        expectUnavailable(await client.post('/users', { email: anEmail() }));
      }
      await expect(service.database.prisma.person.updateMany({ data: { name: 'x' } })).rejects.toSatisfy((error) =>
        isUnavailable(error),
      );
      const inTransaction = service.database.transaction((tx) => tx.person.updateMany({ data: { name: 'x' } }));
      await expect(inTransaction).rejects.toSatisfy((error) => isUnavailable(error));
    } finally {
      await admin(async (connection) => {
        await connection.query('alter system reset default_transaction_read_only');
        await connection.query('select pg_reload_conf()');
      });
    }
    await expect.poll(async () => (await client.get('/me')).status).toBe(200);
    expect((await client.post('/users', { email: anEmail() })).status).toBe(201);
  });

  it('out of connections: 503, then normal again by itself', async () => {
    const team = await aTeam(service);
    const client = makeClient(api.baseUrl ?? '', (await team.aKey()).text);
    expect((await client.get('/me')).status).toBe(200);
    const held: pg.Client[] = [];
    const holdAll = async () => {
      for (;;) {
        const one = new pg.Client({ connectionString: databaseUrl, application_name: 'the test' });
        one.on('error', () => {});
        try {
          await one.connect();
          held.push(one);
        } catch {
          return;
        }
      }
    };
    await holdAll();
    // The processes may take the freed connections again before the test does.
    for (let left: number | null | undefined = 1; left !== 0;) {
      const theirs =
        "from pg_stat_activity where application_name in ('team-customer-api', '') and backend_type = 'client backend'";
      await held[0]?.query(`select pg_terminate_backend(pid, 5000) ${theirs}`);
      await holdAll();
      left = (await held[0]?.query(`select 1 ${theirs}`))?.rowCount;
    }
    try {
      for (let asked = 0; asked < 5; asked += 1) expectUnavailable(await client.get('/me'));
      await expect(service.database.prisma.team.count()).rejects.toSatisfy((error) => isUnavailable(error));
      await expect(service.database.transaction((tx) => tx.team.count())).rejects.toSatisfy((error) =>
        isUnavailable(error),
      );
    } finally {
      await Promise.all(held.map((one) => one.end()));
    }
    await expect.poll(async () => (await client.get('/me')).status).toBe(200);
  });
});

it('after all this the processes end in order on SIGTERM, without output on stderr', async () => {
  const codes = await Promise.all([api.stop(), worker.stop()]);
  expect([api, worker].map(complaintsOf)).toEqual(['', '']);
  expect(codes).toEqual([0, 0]);
});
