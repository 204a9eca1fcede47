// How much of a bare handler's speed the service keeps. Both answer the same requests in turn, several times; the median of the
// rounds' ratios counts. The bare handler (bare-handler.ts) is a fixed reference on the same tables: it only runs plain statements, with a
// simple gate.

import autocannon from 'autocannon';
import { basePath } from '../../src/core/product.ts';
import { copyDatabase, openBenchDatabase } from '../kit/database.ts';
import type { BenchDatabase } from '../kit/database.ts';
import { atLeast, atMost, median, watchCpuTime } from '../kit/figures.ts';
import { startServer } from '../kit/processes.ts';
import type { Server } from '../kit/processes.ts';
import { aCombination, pick, seedTeams } from '../kit/seed.ts';
import type { Seeded, SeededTeam } from '../kit/seed.ts';

const rounds = 5;
const secondsEach = 4;
const warmUpSeconds = 2;
const connections = 10;
/** The highest allowed ratio of the service's p99 to the bare handler's. */
const maxP99 = 1.6;

/** The program that the service is compared with. */
export const referenceHandler = 'scripts/bench/bare-handler.ts';

/** A request that the service and the bare handler answer alike. */
export interface Scenario {
  name: string;
  /** The lowest allowed ratio of the service's requests per second to the bare handler's. */
  floor: number;
  ask: (index: number, team: SeededTeam, catalog: Seeded['catalog']) => { path: string; body?: object };
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'GET /users/{member_id}',
    floor: 0.75,
    ask: (index, { members }) => ({ path: `/users/${pick(members, index)}` }),
  },
  { name: 'GET /users?limit=50', floor: 0.75, ask: () => ({ path: '/users?limit=50' }) },
  { name: 'GET /trainings?limit=50', floor: 0.75, ask: () => ({ path: '/trainings?limit=50' }) },
  {
    name: 'GET /trainings/{training_id}/evaluation',
    floor: 0.75,
    ask: (index, { scored }) => ({ path: `/trainings/${pick(scored, index)}/evaluation` }),
  },
  {
    name: 'POST /assignments',
    floor: 0.65,
    ask: (index, { members }, catalog) => ({
      path: '/assignments',
      body: {
        member_id: pick(members, index),
        title: 'Preisgespräch mit einem skeptischen Einkäufer',
        ...aCombination(index, catalog),
        note: 'Nennen Sie den Preis, bevor Sie ihn verteidigen.',
        due_date: '2026-12-04',
      },
    }),
  },
];

interface Request {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** The request with this number. Each uses the next team and that team's next key, so that no key comes near its limit. */
export const requestAt = (index: number, { ask }: Scenario, { teams, catalog }: Seeded): Request => {
  const team = pick(teams, index);
  const key = pick(team.keys, Math.floor(index / teams.length));
  const { path, body } = ask(index, team, catalog);
  return {
    method: body ? 'POST' : 'GET',
    path: `${basePath}${path}`,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  };
};

/** As many requests as there are keys, each with a different key. */
const requestsOf = (scenario: Scenario, seeded: Seeded): Request[] => {
  const keys = seeded.teams.reduce((sum, team) => sum + team.keys.length, 0);
  return Array.from({ length: keys }, (_, index) => requestAt(index, scenario, seeded));
};

type Name = 'service' | 'bare';
const names: readonly Name[] = ['service', 'bare'];

interface Run {
  perSecond: number;
  p50: number;
  p99: number;
  /** The CPU time of a request in microseconds. */
  server: number;
  postgres: number;
}

const compare = async (
  database: BenchDatabase,
  servers: Record<Name, Server>,
  requests: readonly Request[],
): Promise<Record<Name, Run[]>> => {
  /** The index of the next request. Each load continues after the load before, so that all keys are used equally. */
  let next = 0;
  /** Keeps the connections busy for some seconds. Throws on an answer other than 2xx, because it would falsify the measurement. */
  const measure = async (name: Name, seconds: number): Promise<Run> => {
    const { origin, pid } = servers[name];
    const ofServer = watchCpuTime({ pid });
    const ofPostgres = database.watchCpuTime();
    let connected = 0;
    const seen = await autocannon({
      url: origin,
      connections,
      duration: seconds,
      // Each connection sends the requests in turn, and starts at another one.
      setupClient: (client) => {
        const start = (next + Math.floor((connected * requests.length) / connections)) % requests.length;
        connected += 1;
        client.setRequests([...requests.slice(start), ...requests.slice(0, start)]);
      },
    });
    const { total } = seen.requests;
    const failed = seen.non2xx + seen.errors + seen.timeouts;
    if (total === 0 || failed > 0) throw new Error(`${failed} of ${total} failed`);
    next = (next + total) % requests.length;
    const each = (used: number) => (used * 1_000_000) / total;
    const { p50, p99 } = seen.latency;
    return { perSecond: total / seen.duration, p50, p99, server: each(ofServer()), postgres: each(ofPostgres()) };
  };

  const results: Record<Name, Run[]> = { service: [], bare: [] };
  for (const name of names) await measure(name, warmUpSeconds);
  for (let round = 0; round < rounds; round += 1) {
    // The order alternates in each round, so that other load on the machine affects both alike.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      results[name].push(await measure(name, secondsEach));
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
  await using database = await openBenchDatabase();
  console.log('Seeding …');
  const seeded = await seedTeams(database.url, { teams: 50, membersEach: 200, keysEach: 160, trainingsEach: 400 });
  const referenceUrl = await copyDatabase(database.url, 'reference');
  await using service = await startServer(['src/main.ts', 'api'], { DATABASE_URL: database.url });
  await using bare = await startServer([referenceHandler], { DATABASE_URL: referenceUrl });

  console.log(`${rounds} rounds of ${secondsEach} s each, ${connections} connections, in turn\n`);
  for (const scenario of scenarios.filter(({ name }) => name.includes(wanted))) {
    const results = await compare(database, { service, bare }, requestsOf(scenario, seeded));
    console.log(scenario.name);
    for (const name of names) console.log(line(name, results[name]));
    const [speed, speeds] = ratioOf(results, ({ perSecond }) => perSecond);
    atLeast(`requests per second, service to bare (rounds ${speeds})`, speed, scenario.floor);
    const [p99, p99s] = ratioOf(results, ({ p99 }) => p99);
    atMost(`p99, service to bare (rounds ${p99s})`, p99, maxP99);
    const [cpu] = ratioOf(results, ({ server, postgres }) => 1 / (server + postgres));
    console.log(`  requests per second of CPU time, service to bare: ${cpu.toFixed(2)}\n`);
  }
};
