// How much of a bare handler's speed the service keeps. Both answer the same requests in turn, several times; the
// median of the rounds' ratios counts. The bare handler (bare-handler.ts) is a fixed reference on the same tables: it
// only runs plain statements, with a simple gate.

import { basePath } from '../../src/core/product.ts';
import { copyDatabase, openBenchDatabase } from '../kit/database.ts';
import { atLeast, atMost, median } from '../kit/figures.ts';
import { compareInTurn, connections, medianOf, ratiosOf, type Request, type Run } from '../kit/load.ts';
import { startServer, type Server } from '../kit/processes.ts';
import { aCombination, pick, seedTeams, type Seeded, type SeededTeam } from '../kit/seed.ts';

const rounds = 5;
/**
 * So few that the servers wait for their callers, as on a usual day: then the round trips count more than the CPU time.
 */
const fewConnections = 10;
const secondsEach = 4;
/** Long enough that a process has compiled the code that it runs often, as one that runs for days has. */
export const warmUpSeconds = 15;
/** The highest allowed ratio of the service's p99 to the bare handler's. */
const maxP99 = 1.6;

/** The program that the service is compared with. */
export const referenceHandler = 'scripts/bench/bare-handler.ts';

/** A request that the service and the bare handler answer alike. */
export interface Scenario {
  name: string;
  /** The lowest allowed ratio of the service's requests per second to the bare handler's. */
  floor: number;
  /** The same with few connections. */
  floorOfFew?: number;
  ask: (index: number, team: SeededTeam, catalog: Seeded['catalog']) => { path: string; body?: object };
}

export const makeAssignmentInput = (index: number, { members }: SeededTeam, catalog: Seeded['catalog']) => ({
  member_id: pick(members, index),
  title: 'Preisgespräch mit einem skeptischen Einkäufer',
  ...aCombination(index, catalog),
  note: 'Nennen Sie den Preis, bevor Sie ihn verteidigen.',
  due_date: '2026-12-04',
});

export const scenarios: readonly Scenario[] = [
  {
    name: 'GET /users/{member_id}',
    floor: 0.75,
    floorOfFew: 0.7,
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
    ask: (index, team, catalog) => ({ path: '/assignments', body: makeAssignmentInput(index, team, catalog) }),
  },
];

/**
 * The request with this number. Each uses the next team and that team's next key, so that no key comes near its limit.
 */
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
export const requestsOf = (scenario: Scenario, seeded: Seeded): Request[] => {
  const keys = seeded.teams.reduce((sum, team) => sum + team.keys.length, 0);
  return Array.from({ length: keys }, (_, index) => requestAt(index, scenario, seeded));
};

type Name = 'service' | 'bare';
const names: readonly Name[] = ['service', 'bare'];

const line = (name: Name, runs: readonly Run[]): string => {
  const middle = (of: keyof Run) => medianOf(runs, (run) => run[of]);
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
  const ratios = ratiosOf(service, bare, of);
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
  const servers: Record<Name, Server> = { service, bare };

  console.log(`${rounds} rounds of ${secondsEach} s each, in turn\n`);
  const measure = async (scenario: Scenario, callers: number, floor: number) => {
    const requests = requestsOf(scenario, seeded);
    const measured = await compareInTurn(
      database,
      new Map(names.map((name) => [name, { server: servers[name], requests }])),
      { rounds, secondsEach, warmUpSeconds, callers },
    );
    const results = { service: measured.get('service') ?? [], bare: measured.get('bare') ?? [] };
    console.log(`${scenario.name}, ${callers} connections`);
    for (const name of names) console.log(line(name, results[name]));
    const [speed, speeds] = ratioOf(results, ({ perSecond }) => perSecond);
    atLeast(`requests per second, service to bare (rounds ${speeds})`, speed, floor);
    const [p99, p99s] = ratioOf(results, ({ p99 }) => p99);
    atMost(`p99, service to bare (rounds ${p99s})`, p99, maxP99);
    const [cpu] = ratioOf(results, ({ server, postgres }) => 1 / (server + postgres));
    console.log(`  requests per second of CPU time, service to bare: ${cpu.toFixed(2)}\n`);
  };
  for (const scenario of scenarios.filter(({ name }) => name.includes(wanted))) {
    await measure(scenario, connections, scenario.floor);
    if (scenario.floorOfFew !== undefined) await measure(scenario, fewConnections, scenario.floorOfFew);
  }
};
