// The installation that docs/operations.md describes, made of what docs/deploy ships, while clients of 20 teams send 20
// requests a second and receivers get their events: a deployment, a rotation of APP_SECRET, a restart of PostgreSQL, one
// team's flood, a receiver that hangs, a restore to a moment. `--proxy nginx|haproxy|caddy`, by default nginx.

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, readlink, rename, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { projectRoot } from '../../src/config.ts';
import { makeSend, runLoad, type Posted } from '../kit/clients.ts';
import { floodOf, floodSize, makeAssignments, makeLargeCases, tallyOf, type FloodKind } from '../kit/crowd.ts';
import { connectTo } from '../kit/database.ts';
import { quantile, reportFigures, type Figure } from '../kit/figures.ts';
import { writeSettings, type Try } from '../kit/installation.ts';
import { freeInstance, startServer } from '../kit/processes.ts';
import { pick, type SeededTeam } from '../kit/seed.ts';
import type { ServiceProcess } from '../kit/service.ts';
import { readUnit } from '../kit/shipped.ts';
import { onOneMachine, openAsShipped, type AsShipped } from './as-shipped.ts';
import { momentOf, startArchived } from './backup.ts';
import { maxSecondsToDelivery } from './overload.ts';
import { startPrometheus, type Prometheus } from './prometheus.ts';
import { restartAll } from './rolling.ts';

const perSecond = 20;
const sizes = { teams: 20, membersEach: 20, keysEach: 60, trainingsEach: 20 };

const hangingMs = 15_000;

// Requests of the teams during a step

interface Step {
  name: string;
  happen: () => Promise<readonly Figure[]>;
  /** The teams that send meanwhile; by default all. */
  teams?: readonly SeededTeam[];
  /** How many of their requests may fail at the first try. Each is repeated until it is answered. */
  mayFail?: number;
  /** Deliveries may come twice or late, because the database ended connections before their outcome was stored. */
  mayComeAgain?: boolean;
}

const makeSteps = (installation: AsShipped) => {
  const { seeded, send } = installation;
  const posted: Posted[] = [];
  let deliveriesTwice = 0;
  let p99OfFirst: number | undefined;
  return async ({ name, happen, teams = seeded.teams, mayFail = 0, mayComeAgain = false }: Step): Promise<void> => {
    console.log(name);
    const since = new Date();
    const times: number[] = [];
    const happening = happen();
    const outcome = await runLoad({
      send,
      teams,
      catalog: seeded.catalog,
      requests: 5 * perSecond,
      until: happening,
      perSecond,
      onAnswer: (ms) => void times.push(ms),
    });
    const own = await happening;
    posted.push(...outcome.posted);
    for (const [how, count] of Object.entries(outcome.failures)) console.log(`  failed: ${count} × ${how}`);
    const losses = await installation.check(posted, { since });
    const twice = losses.deliveriesTwice - deliveriesTwice;
    deliveriesTwice = losses.deliveriesTwice;
    const p99 = quantile(times, 0.99);
    p99OfFirst ??= p99;
    reportFigures([
      ...own,
      { name: `of ${outcome.requests} requests failed`, value: outcome.failedAt.length, atMost: mayFail },
      // Without a limit, because another program on the machine changes it most.
      { name: 'p99 of the answers in milliseconds', value: p99, before: p99OfFirst },
      {
        name: 'longest time from an event to its delivery in seconds',
        value: losses.slowestMs / 1000,
        atMost: mayComeAgain ? Infinity : maxSecondsToDelivery,
      },
      {
        name: 'lost, done twice, or read wrongly',
        value:
          outcome.wrongReads +
          losses.rowsLost +
          losses.rowsTwice +
          losses.eventsLost +
          losses.eventsTwice +
          losses.deliveriesLost,
        atMost: 0,
      },
      { name: 'deliveries that came twice', value: twice, atMost: mayComeAgain ? Infinity : 0 },
    ]);
  };
};

const count = (name: string, value: number, atMost?: number): Figure => ({ name, value, atMost });
/** A figure for something that must be so. */
const must = (name: string, isSo: boolean): Figure => ({ name: `not so: ${name}`, value: isSo ? 0 : 1, atMost: 0 });

// A new version

/** Whether a file or folder of the project belongs to an installation. */
const isInstalled = (name: string): boolean => !['.git', '.data', 'build', 'node_modules', 'test'].includes(name);

const newMigrations = {
  '99990101000000_a_column_of_the_try': `SET LOCAL lock_timeout = '3s';\n\nALTER TABLE "assignment" ADD COLUMN "of_the_try" TEXT;\n`,
  '99990101000001_an_index_of_the_try': `CREATE INDEX CONCURRENTLY "of_the_try" ON "assignment" ("tenant_id", "created_at");\n`,
};

/** A new version in a folder of its own: this project with two migrations more. Its packages are those of this one. */
const makeNewVersion = async (folder: string): Promise<string> => {
  const version = join(folder, 'new-version');
  await mkdir(version);
  for (const name of (await readdir(projectRoot)).filter(isInstalled))
    await cp(join(projectRoot, name), join(version, name), { recursive: true });
  await symlink(join(projectRoot, 'node_modules'), join(version, 'node_modules'));
  for (const [name, sql] of Object.entries(newMigrations)) {
    const migration = join(version, 'prisma', 'migrations', name);
    await mkdir(migration);
    await writeFile(join(migration, 'migration.sql'), sql);
  }
  return version;
};

/** Lets a link lead elsewhere, at one moment. */
const relink = async (link: string, target: string): Promise<void> => {
  await symlink(target, `${link}.new`);
  await rename(`${link}.new`, link);
};

const isOf = async ({ pid }: ServiceProcess, version: string): Promise<boolean> =>
  basename(await readlink(`/proc/${pid()}/cwd`)) === basename(version);

const deploy = async ({ root, service }: AsShipped, version: string): Promise<Figure[]> => {
  await relink(root, version);
  const restarts = await restartAll(service.processes, { rounds: 1 });
  const old = (await Promise.all(service.processes.map((process) => isOf(process, version)))).filter((is) => !is);
  return [count('restarts', restarts), count('processes of the former version', old.length, 0)];
};

const migrateTo = async ({ migrate, cluster }: AsShipped, version: string): Promise<Figure[]> => {
  const said = await migrate(version);
  await using client = await connectTo(cluster.urlOf('team_api'));
  const { rowCount } = await client.query(
    `select from pg_index join pg_attribute on attrelid = indrelid
      where indexrelid = 'of_the_try'::regclass and indisvalid and attname = 'of_the_try'`,
  );
  return [must('the migrations are applied', said.includes('Applied 2 migration(s).') && rowCount === 1)];
};

// APP_SECRET

const Rotation = z.object({ left: z.int(), lost: z.int(), resealed: z.int() });

const rotate = async ({ service, environment, settingsFile, folder, cli }: AsShipped): Promise<Figure[]> => {
  const [former, next] = [environment['APP_SECRET'] ?? '', randomBytes(32).toString('hex')];
  for (const APP_SECRET of [`${former},${next}`, `${next},${former}`]) {
    service.configure(await writeSettings(settingsFile, { ...environment, APP_SECRET }));
    await restartAll(service.processes, { rounds: 1 });
  }
  const rotation = Rotation.parse(await cli(['secrets', 'rotate']));
  const alone = join(folder, 'next-secret.env');
  await writeSettings(alone, { ...environment, APP_SECRET: next });
  const withNext = Rotation.parse(await cli(['secrets', 'rotate'], alone));
  return [
    count('values that no worker had encrypted again', rotation.resealed),
    count('left with the former secret', rotation.left, 0),
    count('values that the next secret alone does not open', rotation.lost + withNext.lost, 0),
  ];
};

// PostgreSQL

const restart = async ({ service }: AsShipped, server: { restart: () => Promise<void> }): Promise<Figure[]> => {
  const pids = service.processes.map(({ pid }) => pid());
  await sleep(3_000);
  const began = performance.now();
  await server.restart();
  const isReady = ({ port }: ServiceProcess) =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  const areReady = async () => (await Promise.all(service.processes.map(isReady))).every(Boolean);
  while (!(await areReady()) && performance.now() - began < 60_000) await sleep(100);
  const seconds = (performance.now() - began) / 1000;
  return [
    count('seconds until all processes were ready', seconds, 30),
    count('processes that ended', pids.filter((pid) => !existsSync(`/proc/${pid}`)).length, 0),
  ];
};

// One team's share

/**
 * A few requests have a connection when the row is locked. They are answered with 503 after they have waited for the
 * row.
 */
const mayBeUnavailable = 20;
/** Of a flood that fills the share, at least so many are refused. On a machine with slow processors it can be fewer. */
const mustBeRefused = floodSize / 50;

const flood = async ({ service, cluster }: AsShipped, attacker: SeededTeam, kind: FloodKind): Promise<Figure[]> => {
  const answers = await floodOf(kind, {
    ...service,
    http: 'HTTP/2',
    team: attacker,
    databaseUrl: cluster.urlOf('team_api'),
  });
  for (const [summary, times] of Object.entries(tallyOf(answers)))
    console.log(`  the team itself: ${times} × ${summary}`);
  const withStatus = (...statuses: number[]) => answers.filter(({ status }) => statuses.includes(status)).length;
  const unavailable = answers.filter(({ summary }) => summary === '503 unavailable of the service').length;
  return [
    must('its share was full', withStatus(429) >= mustBeRefused),
    count('its requests with 503', unavailable, kind === 'reads' ? 0 : mayBeUnavailable),
    count('answered otherwise than by 200, 404, 429 or 503', floodSize - withStatus(200, 404, 429) - unavailable, 0),
  ];
};

// A receiver

const Made = z.object({ id: z.string() });

const hang = async ({ receiver, send, seeded }: AsShipped, team: SeededTeam): Promise<Figure[]> => {
  const key = pick(team.keys, 0);
  const endpoint = { url: receiver.urlFor('hang', 'hanging', 'one host'), events: ['assignment.created'] };
  const { id } = Made.parse((await send({ path: '/webhook-endpoints', key, body: endpoint })).body);
  const answers = await makeAssignments(send, team, { catalog: seeded.catalog, count: 200 });
  await sleep(hangingMs);
  await send({ method: 'DELETE', path: `/webhook-endpoints/${id}`, key });
  return [count('events for it', answers.filter(({ status }) => status === 201).length)];
};

// A restore

/** Assignments of the load that were made before or after a moment, a second away from it. */
const assignmentsOf = async (url: string, moment: string, side: 'before' | 'after'): Promise<string[]> => {
  await using client = await connectTo(url);
  const when = side === 'before' ? `< $1::timestamptz - interval '1 s'` : `> $1::timestamptz + interval '1 s'`;
  const { rows } = await client.query<{ id: string }>(
    `select id from assignment where title like 'Try %' and created_at ${when}`,
    [moment],
  );
  return rows.map(({ id }) => id);
};

const restore = async (
  opened: AsyncDisposableStack,
  { cluster, root, environment, seeded }: AsShipped,
  restoreTo: (moment: string) => Promise<{ port: number; urlOf: (database: string) => string }>,
): Promise<Figure[]> => {
  const url = cluster.urlOf('team_api');
  await sleep(3_000);
  const moment = await momentOf(url);
  await sleep(3_000);
  const restored = await restoreTo(moment);
  const [expected, found, tooNew] = [
    await assignmentsOf(url, moment, 'before'),
    new Set(await assignmentsOf(restored.urlOf('team_api'), moment, 'before')),
    await assignmentsOf(restored.urlOf('team_api'), moment, 'after'),
  ];
  const DATABASE_URL = Object.assign(new URL(environment['DATABASE_DIRECT_URL'] ?? environment['DATABASE_URL'] ?? ''), {
    port: String(restored.port),
  }).href;
  const unit = await readUnit('api', await freeInstance());
  const settings = { ...unit.environment, ...environment, DATABASE_URL, DATABASE_DIRECT_URL: '' };
  const api = opened.use(await startServer(unit.command, settings, { port: Number(unit.environment['PORT']), root }));
  const { status } = await makeSend(opened, api)({ path: '/assignments', key: pick(pick(seeded.teams, 0).keys, 0) });
  return [
    count('assignments from before the moment', expected.length),
    count('of these missing', expected.filter((id) => !found.has(id)).length, 0),
    count('assignments from after the moment', tooNew.length, 0),
    must('an API process serves the restored database', status === 200),
  ];
};

// The metrics that alerts name

const reportMetrics = async (prometheus: Prometheus): Promise<void> => {
  console.log('the metrics that alerts name, in Prometheus');
  const { failed, unknown, withoutValue, ofExporters, read, firing } = await prometheus.look();
  const list = (what: string, names: readonly string[]): void => {
    if (names.length > 0) console.log(`  ${what}: ${names.join(', ')}`);
  };
  list('failed', failed);
  list('unknown', unknown);
  list('no value yet', withoutValue);
  list('alerts that fire', firing);
  list('SKIPPED, because they need exporters', ofExporters);
  reportFigures([
    count('metrics of the service', read),
    count('of these known to no process', unknown.length, 0),
    count('rules not evaluated, and processes not read', failed.length, 0),
  ]);
};

const Line = z.object({ level: z.string(), time: z.string(), part: z.string().optional() });

/**
 * Lines at `error` are bugs, or work that failed without anybody who waits for it. While PostgreSQL restarts, the queue
 * reports that it has lost its connections.
 */
const reportErrors = async (
  { folder, service }: AsShipped,
  restarted: { readonly from: string; readonly to: string },
): Promise<void> => {
  const logs = await Promise.all(service.processes.map(({ name }) => readFile(join(folder, `${name}.log`), 'utf8')));
  const errors = logs.flatMap((log) => log.split('\n').filter((line) => /^\{"level":"(error|fatal)"/.test(line)));
  const unexpected = errors.filter((text) => {
    const { time, part } = Line.parse(JSON.parse(text));
    return part !== 'queue' || time < restarted.from || time > restarted.to;
  });
  for (const line of unexpected.slice(0, 10)) console.log(`  ${line.slice(0, 400)}`);
  reportFigures([
    count('lines at `error` of queues while PostgreSQL restarted', errors.length - unexpected.length),
    count('other lines at `error` in the logs', unexpected.length, 0),
  ]);
};

export const run: Try = async (opened, { proxy = 'nginx' }) => {
  console.log(
    `production: ${proxy} with TLS, 2 API processes and 2 workers, PostgreSQL with scram and an ordinary owner`,
  );
  const { installation, server } = await openAsShipped(opened, 'production', {
    proxy,
    sizes,
    make: onOneMachine(startArchived),
  });
  const { service, seeded, folder } = installation;
  const prometheus = await startPrometheus(opened, folder, service.processes);
  const step = makeSteps(installation);
  const [attacker, ...others] = seeded.teams;
  if (!attacker) throw new Error('no team');
  await makeLargeCases(installation.send, attacker);

  await step({ name: 'nothing happens', happen: () => sleep(15_000, []) });
  await step({ name: 'a full backup', happen: () => server.backUp().then(() => []) });
  await step({ name: 'a restore to a moment', happen: () => restore(opened, installation, server.restoreTo) });
  const version = await makeNewVersion(folder);
  await step({ name: 'the migrations of a new version', happen: () => migrateTo(installation, version) });
  await step({ name: 'a new version, process by process', happen: () => deploy(installation, version) });
  await step({ name: 'another APP_SECRET', happen: () => rotate(installation) });
  for (const kind of ['transactions', 'reads'] as const) {
    const happen = () => flood(installation, attacker, kind);
    await step({ name: `${floodSize} ${kind} of one team at once, by HTTP/2`, happen, teams: others });
  }
  await step({ name: 'a receiver hangs', happen: () => hang(installation, attacker), teams: others });
  const from = new Date().toISOString();
  await step({
    name: 'PostgreSQL is restarted',
    happen: () => restart(installation, server),
    mayFail: Infinity,
    mayComeAgain: true,
  });
  const to = new Date().toISOString();
  await reportMetrics(prometheus);
  await reportErrors(installation, { from, to });
};
