// How fast the service is beside others, and how its cost grows. Writes docs/benchmarks.md with its charts.
// `npm run bench -- peers PART` measures only this part and writes no page; a number after it divides all sizes, for a
// short trial run.

import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import project from '../../package.json' with { type: 'json' };
import { connectTo, copyDatabase, createDatabase, openBenchDatabase, type BenchDatabase } from '../kit/database.ts';
import { machineLoad, measureInTurn, median } from '../kit/figures.ts';
import { format } from '../kit/format.ts';
import { compareInTurn, connections, medianOf, ratiosOf, type Contender } from '../kit/load.ts';
import { production, startServer } from '../kit/processes.ts';
import { pick, seedTeams } from '../kit/seed.ts';
import { startDirectus, startStrapi, type Cms, type Measured } from './peers/cms.ts';
import { measureGrowth } from './peers/growth.ts';
import { installPeer, packagesOf, peersFolder, versions, type PeerName } from './peers/install.ts';
import {
  drawCharts,
  names,
  service,
  writePage,
  type Answered,
  type Grown,
  type Results,
  type Sent,
} from './peers/page.ts';
import { referenceHandler, requestsOf, scenarios, warmUpSeconds } from './rest.ts';
import { openSendersStage, workOff, type Load, type SenderName, type Sustained } from './webhooks.ts';

const part = process.argv[3] ?? '';
const smaller = Number(process.argv[4] ?? 1);
const some = (count: number): number => Math.ceil(count / smaller);

const requestRounds = { rounds: some(5), secondsEach: some(3), warmUpSeconds: some(warmUpSeconds) };
/** How many callers there are at once: so few that a part of the machine is idle while they wait for round trips. */
const fewCallers = 10;
const growthRounds = { rounds: some(5), secondsEach: some(2), warmUpSeconds: 1 };
const senderRounds = some(3);
const backlog: Load = { deliveries: some(200) * 50, endpoints: 50 };
const backlogs: readonly Load[] = [10, some(10_000)].map((endpoints) => ({ deliveries: some(1_000) * 10, endpoints }));

const skipped = new Set<string>();

/** Installs the packages. Returns whether they are there. */
const install = async (name: PeerName): Promise<boolean> => {
  const reason = await installPeer(name);
  if (reason !== undefined) {
    console.log(`${packagesOf(name)}: left out, because npm could not install it. ${reason}`);
    skipped.add(`${packagesOf(name)}: npm could not install it`);
  }
  return reason === undefined;
};

// Requests

const measuredScenarios: Readonly<Record<Measured, string>> = {
  'by id': 'GET /users/{member_id}',
  'list of 50': 'GET /users?limit=50',
  POST: 'POST /assignments',
};
const isMeasured = (name: string): name is Measured => Object.hasOwn(measuredScenarios, name);

const measureRequests = async (database: BenchDatabase): Promise<Pick<Results, 'requests' | 'few'>> => {
  console.log('Seeding …');
  const seeded = await seedTeams(database.url, { teams: 50, membersEach: 200, keysEach: 160, trainingsEach: 4 });
  await using opened = new AsyncDisposableStack();
  const copies = new Map<string, string>();
  for (const name of ['express', 'fastify', 'stock']) copies.set(name, await copyDatabase(database.url, name));
  const start = async (program: string, name: string) => {
    const environment = { NODE_ENV: 'production', PEERS_FOLDER: peersFolder, DATABASE_URL: copies.get(name) ?? '' };
    return opened.use(await startServer([program], environment));
  };

  const ours = opened.use(await startServer(['src/main.ts', 'api'], { ...production, DATABASE_URL: database.url }));
  const servers = new Map([[service, ours]]);
  servers.set(names.express, await start(referenceHandler, 'express'));
  if (await install('light')) {
    servers.set(names.fastify, await start('scripts/bench/peers/fastify-handler.ts', 'fastify'));
  }
  {
    await using client = await connectTo(copies.get('stock') ?? '');
    await client.query('create index on member (tenant_id, listed_at, id)');
  }
  servers.set(names.stock, await start('scripts/bench/peers/stock-handler.ts', 'stock'));
  const others = new Map<string, Cms>();
  if (await install('strapi')) {
    others.set(names.strapi, opened.use(await startStrapi(await createDatabase(database.url, 'strapi'), seeded)));
  }
  if (await install('directus')) {
    others.set(names.directus, opened.use(await startDirectus(await createDatabase(database.url, 'directus'), seeded)));
  }

  const results: { measured: Measured; servers: Answered[] }[] = [];
  const few = new Map<string, number>();
  for (const [measured, scenarioName] of Object.entries(measuredScenarios)) {
    const scenario = scenarios.find(({ name }) => name === scenarioName);
    if (!scenario || !isMeasured(measured)) throw new Error(`there is no scenario ${scenarioName}`);
    const requests = requestsOf(scenario, seeded);
    const contenders = new Map<string, Contender>([...servers].map(([name, server]) => [name, { server, requests }]));
    for (const [name, cms] of others) contenders.set(name, cms.contender(measured, seeded));
    const runs = await compareInTurn(database, contenders, requestRounds);
    const ofService = runs.get(service) ?? [];
    const answered = [...runs].map(([name, own]): Answered => ({
      name,
      perSecond: medianOf(own, (run) => run.perSecond),
      p99: medianOf(own, (run) => run.p99),
      server: medianOf(own, (run) => run.server),
      postgres: medianOf(own, (run) => run.postgres),
      ratio: median(ratiosOf(ofService, own, (run) => run.perSecond)),
    }));
    console.log(measured);
    console.table(answered);
    results.push({ measured, servers: answered });
    const both = new Map([...contenders].filter(([name]) => name === service || name === names.express));
    const ofFew = await compareInTurn(database, both, { ...requestRounds, callers: fewCallers });
    few.set(
      measured,
      median(ratiosOf(ofFew.get(service) ?? [], ofFew.get(names.express) ?? [], (run) => run.perSecond)),
    );
  }
  console.log(`With ${fewCallers} connections, to ${names.express}:`, few);
  return { requests: results, few: { connections: fewCallers, ratios: few } };
};

// Webhooks

const senderNames: Readonly<Record<string, SenderName>> = {
  [service]: 'service',
  'graphile-worker': 'plain',
  'pg-boss': 'boss',
};

const medianOfSent = (rounds: readonly Sustained[], of: (one: Sustained) => number) => median(rounds.map(of));

const measureDeliveries = async (): Promise<{ deliveries: Sent[]; growth: Grown }> => {
  await using stage = await openSendersStage();
  const hasBoss = await install('light');
  const senders = Object.entries(senderNames).filter(([, sender]) => hasBoss || sender !== 'boss');
  const sent = await measureInTurn(senders, senderRounds, ([, sender]) => workOff(stage, backlog, sender));
  const ofService = [...sent].find(([[name]]) => name === service)?.[1] ?? [];
  const deliveries = [...sent].map(([[name], rounds]): Sent => ({
    name,
    perSecond: medianOfSent(rounds, (one) => one.perSecond),
    sender: medianOfSent(rounds, ({ microseconds }) => microseconds.sender),
    postgres: medianOfSent(rounds, ({ microseconds }) => microseconds.postgres),
    ratio: median(ofService.map(({ perSecond }, round) => perSecond / pick(rounds, round).perSecond)),
  }));
  console.table(deliveries);

  const grown = await measureInTurn(backlogs, senderRounds, (load) => workOff(stage, load, 'service'));
  const statements = [...grown.values()].map((rounds) => medianOfSent(rounds, (one) => one.statements).toFixed(2));
  const growth: Grown = {
    what: `A delivery; ${backlogs.map(({ endpoints }) => endpoints.toLocaleString('en-US')).join(' and ')} endpoints`,
    costs: [...grown].map(([{ endpoints }, rounds]) => ({
      size: String(endpoints),
      process: medianOfSent(rounds, ({ microseconds }) => microseconds.sender),
      postgres: medianOfSent(rounds, ({ microseconds }) => microseconds.postgres),
    })),
    reason: `a job reads, sends and stores together all deliveries that wait for one endpoint. Here each job has ${backlogs
      .map(({ deliveries: all, endpoints }) => (all / endpoints).toLocaleString('en-US'))
      .join(' and ')} deliveries, so a delivery takes ${statements.join(' and ')} statements.`,
  };
  console.log(JSON.stringify(growth));
  return { deliveries, growth };
};

// All

const describeMachine = async ({ url }: BenchDatabase): Promise<Record<string, string>> => {
  await using client = await connectTo(url);
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  const [cpu] = cpus();
  return {
    CPUs: `${cpus().length} × ${cpu?.model ?? ''}`,
    Memory: `${Math.round(totalmem() / 1024 ** 3)} GiB`,
    'Before the run': machineLoad(),
    'Node.js': process.version,
    PostgreSQL: rows[0]?.server_version ?? '',
  };
};

const { dependencies } = project;
const ownVersions = {
  express: dependencies.express,
  'trpc-to-openapi': dependencies['trpc-to-openapi'],
  '@prisma/client': dependencies['@prisma/client'],
  'graphile-worker': dependencies['graphile-worker'],
};

const method = [
  `Requests: ${connections} connections, ${requestRounds.rounds} rounds of ${requestRounds.secondsEach} s for each server, in turn. The ratio is the median of the rounds’ ratios, so it may differ from the ratio of two medians in the tables.`,
  'By id is `GET /users/{member_id}`, the list `GET /users?limit=50`, POST `POST /assignments`; 50 teams with 200 members each. Requests to this service use 8,000 keys in turn, so that no budget refuses.',
  'Each server: one process, `NODE_ENV=production`, ten connections to PostgreSQL, the same PostgreSQL. The log of this service goes nowhere, the others have none.',
  `Webhooks: ${backlog.deliveries.toLocaleString('en-US')} waiting deliveries to ${backlog.endpoints} endpoints over TLS, ${senderRounds} rounds in turn, each process fresh.`,
  'Growth: CPU time, because other load on the machine affects it least. Each size has a database and a process of its own, and 10,000 keys in use.',
];

export const run = async (): Promise<void> => {
  console.log(machineLoad());
  const isWanted = (name: string) => name.startsWith(part);
  await using database = await openBenchDatabase();
  const machine = await describeMachine(database);
  const empty = await copyDatabase(database.url, 'empty');
  const answered = isWanted('requests') ? await measureRequests(database) : undefined;
  const growth = isWanted('growth') ? await measureGrowth(database, empty, { smaller, ...growthRounds }) : [];
  const sent = isWanted('webhooks') ? await measureDeliveries() : undefined;
  const results: Results = {
    date: new Date().toISOString().slice(0, 10),
    machine,
    versions: { ...ownVersions, ...versions },
    method,
    skipped: [...skipped],
    requests: answered?.requests ?? [],
    few: answered?.few ?? { connections: fewCallers, ratios: new Map() },
    deliveries: sent?.deliveries ?? [],
    growth: [...growth, ...(sent ? [sent.growth] : [])],
  };
  if (part !== '') return;
  const docs = join(import.meta.dirname, '..', '..', 'docs');
  await writeFile(join(docs, 'benchmarks.md'), writePage(results));
  for (const [file, chart] of drawCharts(results)) await writeFile(join(docs, file), chart);
  await format(join(docs, 'benchmarks.md'));
};
