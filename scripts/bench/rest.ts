// How much of a bare handler's speed the service keeps. Both answer the same requests in turn, several times; the
// median of the rounds' ratios counts. The bare handler (bare-handler.ts) is a fixed reference on the same tables: it
// only runs plain statements, with a simple gate.

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { basePath } from '../../src/core/product.ts';
import { checkOut, type Checkout } from '../kit/checkout.ts';
import { copyDatabase, createDatabase, openBenchDatabase } from '../kit/database.ts';
import { atLeast, atMost, median } from '../kit/figures.ts';
import { compareInTurn, connections, medianOf, ratiosOf, type Contender, type Request, type Run } from '../kit/load.ts';
import { production, startServer, type Server } from '../kit/processes.ts';
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

const line = (name: string, runs: readonly Run[]): string => {
  const middle = (of: keyof Run) => medianOf(runs, (run) => run[of]);
  return [
    `  ${name.padEnd(8)} ${Math.round(middle('perSecond')).toString().padStart(7)} req/s`,
    `p50 ${middle('p50').toFixed(2)} ms`,
    `p99 ${middle('p99').toFixed(2)} ms`,
    `CPU of a request: server ${middle('server').toFixed(0)} µs, PostgreSQL ${middle('postgres').toFixed(0)} µs`,
  ].join('   ');
};

/** The median of the rounds' ratios of one server to another, with all of them as text. */
const ratioOf = (
  one: readonly Run[],
  other: readonly Run[],
  of: (run: Run) => number,
): [median: number, rounds: string] => {
  const ratios = ratiosOf(one, other, of);
  return [median(ratios), ratios.map((ratio) => ratio.toFixed(2)).join(' ')];
};

const sizes = { teams: 50, membersEach: 200, keysEach: 160, trainingsEach: 400 };

/** A server, and the teams in its database. */
interface Seat {
  server: Server;
  seeded: Seeded;
}

/** The service of another commit, with the migrations and the seed of that commit. */
const startOther = async ({ path, runHere }: Checkout, url: string): Promise<Seat> => {
  const environment = { DATABASE_URL: await createDatabase(url, 'other') };
  await runHere(['scripts/migrate.ts'], environment);
  const seed = `import { seedTeams } from './scripts/kit/seed.ts';
    console.log(JSON.stringify(await seedTeams(process.env.DATABASE_URL, ${JSON.stringify(sizes)})));`;
  const seeded: Seeded = JSON.parse(await runHere(['--input-type=module', '--eval', seed], environment));
  return { server: await startServer([join(path, 'src/main.ts'), 'api'], { ...production, ...environment }), seeded };
};

/**
 * `npm run bench -- rest NAME` measures only the scenarios with NAME in their name; with `--beside COMMIT` another
 * commit in the same run, too, because ratios of two machines or of two days can't be compared.
 */
export const run = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(3),
    options: { beside: { type: 'string' } },
    allowPositionals: true,
  });
  const [wanted = ''] = positionals;
  const { beside } = values;
  await using opened = new AsyncDisposableStack();
  const other = beside === undefined ? undefined : opened.use(await checkOut(beside));
  const database = opened.use(await openBenchDatabase());
  const start = async (command: readonly [string, ...string[]], url: string) =>
    opened.use(await startServer(command, { ...production, DATABASE_URL: url }));

  console.log('Seeding …');
  const seats = new Map<string, Seat>();
  const seeded = await seedTeams(database.url, sizes);
  const referenceUrl = await copyDatabase(database.url, 'reference');
  seats.set('service', { server: await start(['src/main.ts', 'api'], database.url), seeded });
  if (other) {
    const seat = await startOther(other, database.url);
    opened.use(seat.server);
    seats.set(other.commit, seat);
  }
  seats.set('bare', { server: await start([referenceHandler], referenceUrl), seeded });

  console.log(`${rounds} rounds of ${secondsEach} s each, in turn\n`);
  const measure = async (scenario: Scenario, callers: number, floor: number) => {
    const contenders = [...seats].map(([name, seat]): [string, Contender] => [
      name,
      { server: seat.server, requests: requestsOf(scenario, seat.seeded) },
    ]);
    const measured = await compareInTurn(database, new Map(contenders), {
      rounds,
      secondsEach,
      warmUpSeconds,
      callers,
    });
    console.log(`${scenario.name}, ${callers} connections`);
    for (const [name, runs] of measured) console.log(line(name, runs));
    const bare = measured.get('bare') ?? [];
    for (const [name, runs] of measured) {
      if (name === 'bare') continue;
      const [speed, speeds] = ratioOf(runs, bare, ({ perSecond }) => perSecond);
      const [p99, p99s] = ratioOf(runs, bare, ({ p99 }) => p99);
      const [cpu, cpus] = ratioOf(runs, bare, ({ server, postgres }) => 1 / (server + postgres));
      if (name === 'service') {
        atLeast(`requests per second, service to bare (rounds ${speeds})`, speed, floor);
        atMost(`p99, service to bare (rounds ${p99s})`, p99, maxP99);
      } else console.log(`  ${name} to bare: requests per second ${speed.toFixed(2)}, p99 ${p99.toFixed(2)}`);
      console.log(`  requests per second of CPU time, ${name} to bare: ${cpu.toFixed(2)} (rounds ${cpus})`);
    }
    console.log('');
  };
  for (const scenario of scenarios.filter(({ name }) => name.includes(wanted))) {
    await measure(scenario, connections, scenario.floor);
    if (scenario.floorOfFew !== undefined) await measure(scenario, fewConnections, scenario.floorOfFew);
  }
};
