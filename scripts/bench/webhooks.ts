// Measures the cost and the speed of event delivery; every number is printed beside a reference value of the same run.

import { setTimeout as sleep } from 'node:timers/promises';
import { daysToMs } from '../../src/core/clock.ts';
import { makeDeliverJobs } from '../../src/deliveries/outbox.ts';
import {
  forgetEverything,
  createBacklog,
  createEndpoints,
  openStage,
  timeDeliveries,
  type Stage,
} from '../kit/stage.ts';
import { atLeast, atMost, below, machineLoad, measureInTurn, median, quantile, watchCpuTime } from '../kit/figures.ts';
import { startProgram, startWorker } from '../kit/processes.ts';
import type { Arrival, Conduct } from '../kit/receiver.ts';
import { peersFolder } from './peers/install.ts';

/**
 * `npm run bench -- webhooks PART` measures only this part; a number after it divides all sizes, for a short trial run.
 */
const part = process.argv[3] ?? '';
const smaller = Number(process.argv[4] ?? 1);
const some = (count: number): number => Math.ceil(count / smaller);

/** After a start or a pause, the worker connects to each receiver again. */
const warmUpSeconds = 3;

// Throughput: how fast one worker works off a backlog, compared with a loop that only signs and posts, and with a plain
// queue

const timeoutMs = 300_000;

const comparedSenders = 'scripts/bench/compared-senders.ts';
const senders = {
  service: { backlog: 'worker', command: ['src/main.ts', 'worker'] },
  plain: { backlog: 'jobs', command: [comparedSenders, 'plain'] },
  boss: { backlog: 'worker', command: [comparedSenders, 'boss'] },
  limit: { backlog: 'worker', command: [comparedSenders, 'limit'] },
} as const;
export type SenderName = keyof typeof senders;
type Name = 'service' | 'plain' | 'limit';

/** Waits until all outcomes are stored: the last ones are stored shortly after the arrival. */
const untilWritten = async ({ run }: Stage): Promise<void> => {
  const deadline = Date.now() + timeoutMs;
  while ((await run(`select 1 from webhook_delivery where status <> 'ok' limit 1`)).length > 0) {
    if (Date.now() > deadline) throw new Error('some outcomes were never written');
    await sleep(100);
  }
};

const rateOf = (arrivals: readonly Arrival[], deliveries: number): number => {
  const events = new Set(arrivals.map(({ event }) => event));
  if (events.size !== deliveries) throw new Error(`${events.size} of ${deliveries} events arrived`);
  const times = arrivals.map(({ at }) => at).sort((a, b) => a - b);
  return ((times.length - 1) * 1000) / ((times.at(-1) ?? NaN) - (times[0] ?? NaN));
};

const countStatements = `
  select sum(calls)::int as calls from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())`;

/** A stage whose PostgreSQL counts statements. */
export const openSendersStage = async (): Promise<Stage> => {
  const stage = await openStage({ settings: { shared_preload_libraries: 'pg_stat_statements' }, hosts: 10 });
  await stage.run('create extension if not exists pg_stat_statements');
  return stage;
};

export interface Load {
  deliveries: number;
  endpoints: number;
}

/** Starts the sender, lets it work off the backlog, and measures from the first arrival to the last. */
export const workOff = async (stage: Stage, { deliveries, endpoints }: Load, name: SenderName) => {
  const { run, receiver, database, environment } = stage;
  const { backlog, command } = senders[name];
  await run('drop schema if exists pgboss cascade');
  await forgetEverything(stage);
  const told = await createEndpoints(stage, endpoints, 'ok');
  await createBacklog(stage, told, deliveries / endpoints, backlog);
  await run('select pg_stat_statements_reset()');
  await using program = await startProgram(command, { ...environment, PEERS_FOLDER: peersFolder });
  const watched = {
    sender: watchCpuTime({ pid: program.pid }),
    receiver: watchCpuTime({ pid: receiver.pid }),
    postgres: database.watchCpuTime(),
  };
  await receiver.untilArrived(deliveries, timeoutMs);
  const each = (used: () => number) => Math.round((used() * 1_000_000) / deliveries);
  const microseconds = {
    sender: each(watched.sender),
    receiver: each(watched.receiver),
    postgres: each(watched.postgres),
  };
  const { arrivals } = await receiver.take();
  if (name !== 'limit') await untilWritten(stage);
  const [counted] = await run(countStatements);
  const statements = Number(counted?.['calls']) / deliveries;
  return { perSecond: rateOf(arrivals, deliveries), statements, microseconds };
};
export type Sustained = Awaited<ReturnType<typeof workOff>>;

const line = (name: Name, rounds: readonly Sustained[]): void => {
  const rates = rounds.map(({ perSecond }) => perSecond);
  const statements = median(rounds.map((one) => one.statements));
  const cpuTime = Object.entries(rounds.at(-1)?.microseconds ?? {}).map(([process, used]) => `${process} ${used} µs`);
  console.log(
    `  ${name.padEnd(8)} ${Math.round(median(rates)).toString().padStart(6)} deliveries/s (rounds ${rates.map(Math.round).join(' ')})` +
      (name === 'limit' ? '' : `, ${statements.toFixed(2)} statements each`) +
      `\n           CPU of a delivery: ${cpuTime.join(', ')}`,
  );
};

/** `min`: the smallest allowed ratios of the service's rate to the rates of the others. */
const measureThroughput = async (stage: Stage, load: Load, min: { plain: number; limit?: number }): Promise<void> => {
  const rounds = some(3);
  console.log(
    `${load.deliveries} waiting deliveries to ${load.endpoints} endpoints, ${rounds} rounds in turn, each process fresh`,
  );
  const names: Name[] = min.limit === undefined ? ['service', 'plain'] : ['service', 'plain', 'limit'];
  const measured = await measureInTurn(names, rounds, (name) => workOff(stage, load, name));
  for (const [name, runs] of measured) line(name, runs);
  const service = measured.get('service') ?? [];
  const ratioTo = (other: Name) =>
    median(service.map(({ perSecond }, round) => perSecond / (measured.get(other)?.[round]?.perSecond ?? NaN)));
  atLeast('service to plain', ratioTo('plain'), min.plain);
  if (min.limit !== undefined) atLeast('service to limit', ratioTo('limit'), min.limit);
  atMost('statements for each delivery', median(service.map(({ statements }) => statements)), 3);
};

// Latency: the time from an event's commit to its receipt while the queue is empty

const measureLatency = async (stage: Stage): Promise<void> => {
  const pace = { perSecond: 100, seconds: some(20) };
  console.log(`From just before the commit to the receipt, 100 events/s for ${pace.seconds} s, one worker`);
  await forgetEverything(stage);
  const told = await createEndpoints(stage, 20, 'ok');
  await using _worker = await startWorker(stage.environment);
  await timeDeliveries(stage, told, { ...pace, seconds: warmUpSeconds });
  const times = await timeDeliveries(stage, told, pace);
  atMost('p50', quantile(times, 0.5), 30, ' ms');
  atMost('p99', quantile(times, 0.99), 150, ' ms');
  console.log(`  longest ${quantile(times, 1).toFixed(0)} ms of ${times.length}`);
};

// Waiting: what many endpoints with later attempts cost in CPU time of an idle worker and in latency of all other
// deliveries

const endpointsAtOnce = 5_000;
const idleSeconds = 10;

const waitTillTomorrow = `
  insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at)
  select tenant_id, uuidv7(), id, now() + interval '1 day' from webhook_endpoint where id = any($1::uuid[])`;

const makeWaiting = async (stage: Stage, count: number): Promise<void> => {
  for (let made = 0; made < count; made += endpointsAtOnce) {
    const later = await createEndpoints(stage, Math.min(endpointsAtOnce, count - made), 'ok');
    await stage.run(waitTillTomorrow, [later.map(({ endpointId }) => endpointId)]);
    // An endpoint gets the job for its next attempt from the job of its former attempt; here there was none.
    const { database } = stage.platform;
    const jobs = later.map(({ team, endpointId }) => ({ tenantId: team.id, endpointId, inMs: daysToMs(1) }));
    await Promise.all(jobs.map(makeDeliverJobs(database).add));
  }
  await stage.run('vacuum analyze');
};

const measureWaiting = async (stage: Stage): Promise<void> => {
  const pace = { perSecond: 100, seconds: some(60) };
  const waiting = some(100_000);
  console.log(
    `100 events/s for ${pace.seconds} s, without and with ${waiting} endpoints that wait for later tries, one worker`,
  );
  await forgetEverything(stage);
  const told = await createEndpoints(stage, 20, 'ok');
  await using worker = await startWorker(stage.environment);
  const timeWarm = async () => {
    await timeDeliveries(stage, told, { ...pace, seconds: warmUpSeconds });
    return quantile(await timeDeliveries(stage, told, pace), 0.99);
  };
  const without = await timeWarm();
  await makeWaiting(stage, waiting);
  await sleep(5_000);
  const ofWorker = watchCpuTime({ pid: worker.pid });
  const ofPostgres = stage.database.watchCpuTime();
  await sleep(idleSeconds * 1_000);
  const [workerUsed, postgresUsed] = [ofWorker(), ofPostgres()].map((seconds) => (seconds / idleSeconds) * 100);
  const withThem = await timeWarm();
  console.log(`  p99 without ${without.toFixed(0)} ms, with ${withThem.toFixed(0)} ms`);
  atMost('p99 with to without', withThem / without, 1.5);
  if (process.platform === 'linux') {
    below('idle worker', workerUsed ?? NaN, 3, ' % of a core');
    console.log(`  PostgreSQL meanwhile ${postgresUsed?.toFixed(1)} % of a core`);
  }
};

// Neighbours: how endpoints that hang, answer slowly, fail or have a long queue affect the healthy endpoints of other
// teams

interface Neighbours {
  conduct: Conduct;
  endpoints: number;
  /** Deliveries in each endpoint's queue. */
  each: number;
  /**
   * The number of the healthy endpoints, each in a team of its own. If it is left out, there is one, at the same host.
   */
  healthy?: number;
}

const neighbours: Record<string, Neighbours> = {
  'sends nothing': { conduct: 'ok', endpoints: 1, each: 0, healthy: 20 },
  'has an endpoint that hangs': { conduct: 'hang', endpoints: 1, each: some(10_000), healthy: 20 },
  'answers 200 after 9 s': { conduct: 'slow', endpoints: 50, each: 40 },
  hangs: { conduct: 'hang', endpoints: 50, each: 40 },
  fails: { conduct: 'refuse', endpoints: 50, each: 40 },
  [`has ${some(10_000)} waiting`]: { conduct: 'hang', endpoints: 1, each: some(10_000) },
  'has 50 endpoints at one host': { conduct: 'uncounted', endpoints: 50, each: 400 },
};

const measureNeighbours = async (stage: Stage): Promise<void> => {
  console.log(
    `From commit to receipt, one worker; 50 events/s for ${some(60)} s to 20 healthy endpoints of other teams,
  then 20 events/s for ${some(20)} s to one at the same host, while a team`,
  );
  for (const [name, { conduct, endpoints, each, healthy }] of Object.entries(neighbours)) {
    const pace = healthy === undefined ? { perSecond: 20, seconds: some(20) } : { perSecond: 50, seconds: some(60) };
    const oneHost = healthy === undefined;
    await forgetEverything(stage);
    const theirs = await createEndpoints(stage, endpoints, conduct, { oneTeam: true, oneHost });
    const told = await createEndpoints(stage, healthy ?? 1, 'ok', { oneHost });
    await using worker = await startWorker({ ...stage.environment, WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1' });
    await timeDeliveries(stage, told, { ...pace, seconds: warmUpSeconds });
    await createBacklog(stage, theirs, each);
    const times = await timeDeliveries(stage, told, pace);
    below(`${name}: p50 ${quantile(times, 0.5).toFixed(0)} ms, p99`, quantile(times, 0.99), 1_000, ' ms');
    await worker.kill('SIGKILL'); // it would wait for its running requests
  }
};

const parts: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  throughput: async (stage) => {
    await measureThroughput(stage, { deliveries: some(400) * 50, endpoints: 50 }, { plain: 3, limit: 0.33 });
    await measureThroughput(stage, { deliveries: some(20_000), endpoints: some(10_000) }, { plain: 2 });
  },
  latency: measureLatency,
  waiting: measureWaiting,
  neighbours: measureNeighbours,
};

export const run = async (): Promise<void> => {
  await using stage = await openSendersStage();
  for (const [name, measure] of Object.entries(parts).filter(([name]) => name.startsWith(part))) {
    console.log(`${name}, ${machineLoad()}`);
    await measure(stage);
    console.log('');
  }
};
