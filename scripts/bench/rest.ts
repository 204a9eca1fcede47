// How much of a bare handler's speed the service keeps. Both answer the same requests in turn, several times; the median of the
// rounds' ratios counts. The bare handler (bare-handler.ts) is a fixed reference on the same tables: it only runs plain statements, with a
// simple gate.

import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '../../src/db/embedded.ts';
import { openCluster } from '../../src/db/embedded/cluster.ts';
import { atLeast, atMost } from './bounds.ts';
import { watchCpuTime } from './cpu-time.ts';
import { measure } from './load.ts';
import type { Request, Result } from './load.ts';
import { pick, referenceHandler, requestsOf, scenarios } from './scenarios.ts';
import { seedBoth } from './seed.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';
import { median } from './statistics.ts';

const rounds = 5;
const secondsEach = 4;
const warmUpSeconds = 2;
const connections = 10;
/** The highest allowed ratio of the service's p99 to the bare handler's. */
const mostP99 = 1.6;

type Name = 'service' | 'bare';
const names: readonly Name[] = ['service', 'bare'];

/** With the CPU time per request in microseconds. */
interface Run extends Result {
  server: number;
  postgres: number;
}

interface Stage {
  folder: string;
  servers: Record<Name, ServerProcess>;
  postgresPid: number;
}

const compare = async ({ folder, servers, postgresPid }: Stage, requests: Request[]): Promise<Record<Name, Run[]>> => {
  /** Each load continues after the load before, so that all keys are used equally. */
  let first = 0;
  const measureOnce = async (name: Name, seconds: number): Promise<Run> => {
    const { origin, pid } = servers[name];
    const ofServer = watchCpuTime({ pid });
    const ofPostgres = watchCpuTime({ pid: postgresPid, children: true });
    const result = await measure(folder, { origin, requests, first, connections, seconds });
    const each = (used: number) => (used * 1_000_000) / result.requests;
    first = (first + result.requests) % requests.length;
    return { ...result, server: each(ofServer()), postgres: each(ofPostgres()) };
  };

  const results: Record<Name, Run[]> = { service: [], bare: [] };
  for (const name of names) await measureOnce(name, warmUpSeconds);
  for (let round = 0; round < rounds; round += 1) {
    // The order alternates in each round, so that other load on the machine affects both alike.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      results[name].push(await measureOnce(name, secondsEach));
    }
  }
  return results;
};

const line = (name: Name, runs: readonly Run[]): string => {
  const middle = (of: keyof Run) => median(runs.map((run) => run[of]));
  return [
    `  ${name.padEnd(8)} ${Math.round(middle('perSecond')).toString().padStart(7)} req/s`,
    `p50 ${middle('p50').toFixed(2)} ms`,
    `p99 ${middle('p99').toFixed(2)} ms`,
    `CPU of a request: server ${middle('server').toFixed(0)} µs, PostgreSQL ${middle('postgres').toFixed(0)} µs`,
  ].join('   ');
};

/** The median of the rounds' ratios, service to bare, with all of them as text. */
const ratioOf = (
  { service, bare }: Record<Name, Run[]>,
  of: (run: Run) => number,
): [median: number, rounds: string] => {
  const ratios = service.map((run, round) => of(run) / of(pick(bare, round)));
  return [median(ratios), ratios.map((ratio) => ratio.toFixed(2)).join(' ')];
};

/** `npm run bench -- rest NAME` measures only the scenarios with NAME in their name. */
const wanted = process.argv[3] ?? '';

export const run = async (): Promise<void> => {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await mkdtempDisposable(join(tmpdir(), 'team-customer-api-bench-')));
  const postgres = await openEmbedded(folder);
  stack.defer(() => postgres.release());
  const cluster = openCluster(folder);
  const running = cluster.running();
  if (!running) throw new Error('PostgreSQL does not run');
  const referenceUrl = cluster.urlOf(running, 'reference');
  const serviceUrl = cluster.urlOf(running, 'service');
  console.log('Seeding …');
  const sizes = { teams: 50, membersEach: 200, keysEach: 160, trainingsEach: 400 };
  const seeded = await seedBoth({ referenceUrl, serviceUrl, sizes });
  const service = await startServer('src/main.ts', ['api'], serviceUrl);
  stack.defer(() => service.stop());
  const bare = await startServer(referenceHandler, [], referenceUrl);
  stack.defer(() => bare.stop());
  const stage: Stage = { folder, servers: { service, bare }, postgresPid: running.pid };

  console.log(`${rounds} rounds of ${secondsEach} s each, ${connections} connections, in turn\n`);
  for (const scenario of scenarios.filter(({ name }) => name.includes(wanted))) {
    const results = await compare(stage, requestsOf(scenario, seeded));
    console.log(scenario.name);
    for (const name of names) console.log(line(name, results[name]));
    const [speed, speeds] = ratioOf(results, ({ perSecond }) => perSecond);
    atLeast(`requests per second, service to bare (rounds ${speeds})`, speed, scenario.floor);
    const [p99, p99s] = ratioOf(results, ({ p99 }) => p99);
    atMost(`p99, service to bare (rounds ${p99s})`, p99, mostP99);
    const [cpu] = ratioOf(results, ({ server, postgres }) => 1 / (server + postgres));
    console.log(`  requests per second of CPU time, service to bare: ${cpu.toFixed(2)}\n`);
  }
};
