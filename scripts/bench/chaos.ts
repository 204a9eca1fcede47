// Checks that no event is lost: events are raised while workers are killed, PostgreSQL is restarted and receivers fail.

import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { atMost } from './bounds.ts';
import type { Plan } from './chaos/plan.ts';
import { runChaos } from './chaos/scenario.ts';

/** `npm run bench -- chaos NUMBER` divides the number of events by NUMBER, for a short trial run. */
const smaller = Number(process.argv[3] ?? 1);

const plan: Plan = {
  events: Math.ceil(20_000 / smaller),
  perSecond: 200,
  endpoints: 24,
  receivers: 4,
  failing: 0.1,
  workers: 2,
  concurrency: 128,
  killEveryMs: 5_000,
  restarts: 2,
  retrySeconds: [1, 2, 4, 8, 15, 30, 60],
  mailsPerSecond: 5,
  recoverWithinMs: 90_000,
  arriveWithinMs: 180_000,
};

export const run = async (): Promise<void> => {
  const { events, perSecond, endpoints, receivers, failing, workers, killEveryMs } = plan;
  console.log(`load average ${loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')}
${events} events, ${perSecond} a second, to ${endpoints} endpoints of ${receivers} receivers that fail ${failing * 100} %;
${workers} workers, one killed every ${killEveryMs / 1000} s; PostgreSQL restarted ${plan.restarts} times`);
  const folder = await mkdtemp(join(tmpdir(), 'team-customer-api-bench-'));
  try {
    const outcome = await runChaos(plan, { folder, report: (line) => console.log(`  ${line}`) });
    const { left, recoveredAfter, ...counted } = outcome;
    const rows = Object.entries(counted).map(([name, value]) => [name, Math.round(value)]);
    console.table(Object.fromEntries(rows));
    atMost('events that the database forgot', outcome.forgotten, 0);
    atMost('deliveries lost', outcome.lost, 0);
    atMost('deliveries that arrived and are not noted as such', outcome.unnoted, 0);
    atMost('duplicates', (outcome.duplicates / outcome.deliveries) * 100, 1, ' %');
    atMost('due deliveries left waiting 90 s after the last kill', left, 0);
    if (recoveredAfter !== undefined)
      console.log(`  nothing was left ${(recoveredAfter / 1000).toFixed(0)} s after the last kill`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
