// Measures the cost and the speed of event delivery; every number is printed beside a reference value of the same run.

import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { statement } from '../../src/db/query.ts';
import { openStage } from './deliveries/stage.ts';
import type { Stage } from './deliveries/stage.ts';
import { measureLatency } from './deliveries/latency.ts';
import { measureNeighbours } from './deliveries/neighbours.ts';
import { measureThroughput } from './deliveries/throughput.ts';
import { measureTwoTeams } from './deliveries/two-teams.ts';
import { measureTwoWorkers } from './deliveries/two-workers.ts';
import { measureWaiting } from './deliveries/waiting.ts';
import { measureWrites } from './deliveries/writes.ts';

/** `npm run bench -- webhooks PART` measures only this part; a number after it divides all sizes, for a short trial run. */
const part = process.argv[3] ?? '';
const smaller = Number(process.argv[4] ?? 1);
const some = (count: number): number => Math.ceil(count / smaller);

const deliveries = some(400) * 50;

const parts: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  throughput: async (stage) => {
    await measureThroughput(stage, { deliveries, rounds: some(3), least: { plain: 3, limit: 0.33 } });
    await measureThroughput(stage, {
      deliveries: some(20_000),
      endpoints: some(10_000),
      rounds: some(3),
      least: { plain: 2 },
    });
  },
  latency: (stage) => measureLatency(stage, { perSecond: 100, seconds: some(20) }),
  writes: (stage) => measureWrites(stage, { seconds: some(4), rounds: some(5) }),
  waiting: (stage) => measureWaiting(stage, { perSecond: 100, seconds: some(60), waiting: some(100_000) }),
  neighbours: async (stage) => {
    await measureNeighbours(stage, {
      healthy: 20,
      perSecond: 50,
      seconds: some(30),
      waiting: some(10_000),
      rounds: some(2),
    });
    await measureTwoTeams(stage, { perSecond: 20, seconds: some(20), each: 40, waiting: some(10_000) });
  },
  'two-workers': (stage) => measureTwoWorkers(stage, { deliveries, rounds: some(3) }),
};

const load = () =>
  `load average ${loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')}`;

const createExtension = statement<Record<never, never>, []>('create extension if not exists pg_stat_statements');

export const run = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'team-customer-api-bench-'));
  const settings = { shared_preload_libraries: 'pg_stat_statements' };
  try {
    const stage = await openStage({ folder, settings, hosts: 10 });
    try {
      await stage.platform.database.rows(createExtension);
      for (const [name, measure] of Object.entries(parts).filter(([name]) => name.startsWith(part))) {
        console.log(`${name}, ${load()}`);
        await measure(stage);
        console.log('');
      }
    } finally {
      await stage.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
