// How much of a bare handler's speed the service keeps: a handler that does nothing but the same statements and gives the
// same answer. Both run on one database, in turn, several times; the median of each pair's ratio is what counts.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { measure } from './load.ts';
import type { Measured } from './load.ts';
import { pick, requestsFor, scenarios } from './scenarios.ts';
import type { Scenario } from './scenarios.ts';
import { seedTeams } from './seed.ts';
import type { Seeded } from './seed.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';
import { median } from './statistics.ts';

const rounds = 5;
const secondsEach = 4;
const warmUpSeconds = 2;
const connections = 10;

const compare = async (scenario: Scenario, servers: Record<'service' | 'bare', ServerProcess>, seeded: Seeded) => {
  const run = (name: 'service' | 'bare', seconds: number) =>
    measure({
      next: requestsFor(servers[name].origin, scenario, seeded),
      status: scenario.status,
      connections,
      seconds,
    });
  const results: Record<'service' | 'bare', Measured[]> = { service: [], bare: [] };
  for (const name of ['service', 'bare'] as const) await run(name, warmUpSeconds);
  for (let round = 0; round < rounds; round += 1) {
    // Who goes first alternates, so that neither profits from the machine's mood.
    const order = round % 2 === 0 ? (['service', 'bare'] as const) : (['bare', 'service'] as const);
    for (const name of order) results[name].push(await run(name, secondsEach));
  }
  return results;
};

const line = (name: string, measured: readonly Measured[]) =>
  `  ${name.padEnd(8)} ${Math.round(median(measured.map(({ perSecond }) => perSecond)))
    .toString()
    .padStart(7)} req/s   ` +
  `p50 ${median(measured.map(({ p50 }) => p50)).toFixed(2)} ms   p99 ${median(measured.map(({ p99 }) => p99)).toFixed(2)} ms`;

/** `npm run bench -- rest NAME` measures only what has that in its name. */
const wanted = process.argv[3] ?? '';

export const run = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'team-customer-api-bench-'));
  const postgres = await openEmbedded(folder);
  const servers: ServerProcess[] = [];
  try {
    await migrate(postgres.url);
    console.log('Seeding …');
    const seeded = await seedTeams(postgres.url, {
      teams: 50,
      membersEach: 200,
      keysEach: 160,
      trainingsEach: 400,
    });
    const service = await startServer('src/main.ts', ['api'], postgres.url);
    const bare = await startServer('scripts/bench/bare-handler.ts', [], postgres.url);
    servers.push(service, bare);

    console.log(`${rounds} rounds of ${secondsEach} s each, ${connections} connections, in turn\n`);
    for (const scenario of scenarios.filter(({ name }) => name.includes(wanted))) {
      const results = await compare(scenario, { service, bare }, seeded);
      const ratios = results.service.map(({ perSecond }, index) => perSecond / pick(results.bare, index).perSecond);
      const ratio = median(ratios);
      console.log(scenario.name);
      console.log(line('service', results.service));
      console.log(line('bare', results.bare));
      console.log(
        `  ratio ${ratio.toFixed(2)} (rounds ${ratios.map((value) => value.toFixed(2)).join(' ')}), at least ${scenario.floor}: ${ratio >= scenario.floor ? 'yes' : 'NO'}\n`,
      );
      if (ratio < scenario.floor) process.exitCode = 1;
    }
  } finally {
    for (const server of servers) await server.stop();
    await postgres.release();
    await rm(folder, { recursive: true, force: true });
  }
};
