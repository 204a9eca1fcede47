// The machine of PostgreSQL's primary fails three times while clients send requests: patroni and PostgreSQL are killed. Patroni promotes a
// standby, the service finds it by the hosts of DATABASE_URL, and the killed node returns as a standby before the next failure.

import { setTimeout as sleep } from 'node:timers/promises';
import { connectTo } from '../kit/database.ts';
import { startPatroni } from './kit/patroni.ts';
import type { PatroniCluster, PatroniNode } from './kit/patroni.ts';
import { openStage, reportRun } from './kit/stage.ts';
import type { Try } from './kit/stage.ts';
import { makeFolder } from './kit/system.ts';

const rounds = 3;
const perSecond = 60;
/** The load runs for so long before the primary fails, and after there is another one. */
const beforeMs = 8_000;
const afterMs = 8_000;

/** Standbys on this machine have no lag. Without synchronous replication, they get nothing for this time before the primary fails. */
const lagMs = 1_000;

interface Failure {
  killedAt: number;
  promotedAt: number;
  killed: PatroniNode;
}

/** Stops the processes that send changes to the standbys, as a slow network would. */
const holdReplication = async (primary: PatroniNode): Promise<void> => {
  await using client = await connectTo(primary.urlOf('postgres'));
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_replication');
  for (const { pid } of rows) process.kill(pid, 'SIGSTOP');
  await sleep(lagMs);
};

const failPrimary = async (cluster: PatroniCluster, { asynchronous }: { asynchronous: boolean }): Promise<Failure> => {
  await sleep(beforeMs);
  const killed = await cluster.untilPrimary();
  if (asynchronous) await holdReplication(killed);
  const killedAt = Date.now();
  await killed.kill();
  await cluster.untilPrimary(killed);
  const promotedAt = Date.now();
  await sleep(afterMs);
  return { killedAt, promotedAt, killed };
};

/** The seconds from the failure to the end of the longest pause after it. */
const secondsUntilContinued = (failedAt: number, times: readonly number[]): number => {
  const points = [failedAt, ...times.filter((time) => time > failedAt).toSorted((a, b) => a - b)];
  const pauses = points.slice(1).map((end, index) => ({ end, ms: end - (points[index] ?? end) }));
  const longest = pauses.toSorted((a, b) => b.ms - a.ms)[0];
  return longest ? (longest.end - failedAt) / 1000 : Infinity;
};

export const run: Try = async (opened, { requests = 4_000, asynchronous = false }) => {
  const folder = await makeFolder(opened, 'failover');
  const cluster = await startPatroni(opened, folder, { synchronous: !asynchronous });
  const { databaseUrl } = cluster;
  const stage = await openStage(opened, { databaseUrl, folder });
  const replication = asynchronous ? 'asynchronous' : 'synchronous';
  console.log(`failover: 2 API processes and 2 workers, ${replication} replication`);
  for (let round = 1; round <= rounds; round += 1) {
    console.log(`  round ${round} of ${rounds}`);
    const failing = failPrimary(cluster, { asynchronous });
    const outcome = await stage.load({ requests, perSecond, until: failing });
    const { killedAt, promotedAt, killed } = await failing;
    const losses = await stage.check(outcome.posted);
    // Outcomes of deliveries are committed without waiting for the disk: what a failure forgets is sent again.
    const figures = [
      { name: 'seconds until another node was the primary', value: (promotedAt - killedAt) / 1000 },
      {
        name: 'seconds until deliveries continued',
        value: secondsUntilContinued(killedAt, losses.arrivedAt),
        atMost: 30,
      },
      { name: 'failed at the first try', value: outcome.failedAt.length, atMost: Math.floor(outcome.requests / 100) },
    ];
    reportRun(stage, outcome, losses, figures, { deliveriesTwice: Infinity, lost: asynchronous ? Infinity : 0 });
    killed.start();
    await cluster.untilWhole();
  }
};
