// The machine of PostgreSQL's primary fails three times while clients send requests: patroni and PostgreSQL are killed.
// Patroni promotes a standby, the service finds it by the hosts of DATABASE_URL, and the killed node returns as a
// standby before the next failure. Then only PostgreSQL is killed, three times, and patroni lives. Last, the primary
// changes as planned. Patroni's metrics are compared with those that the shipped rules need.

import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectTo } from '../kit/database.ts';
import { startPatroni, type PatroniCluster, type PatroniNode } from './patroni.ts';
import { reportFigures } from '../kit/figures.ts';
import { openInstallation, reportRun, type Try } from '../kit/installation.ts';
import { createFolder } from '../kit/system.ts';

const perSecond = 60;
/** The load runs for so long before the primary fails, and after there is another one. */
const beforeMs = 8_000;
const afterMs = 8_000;

/**
 * Standbys on this machine have no lag. Without synchronous replication, they get nothing for this time before the
 * primary fails.
 */
const lagMs = 1_000;

/** Stops the processes that send changes to the standbys, as a slow network would. */
const holdReplication = async (primary: PatroniNode): Promise<void> => {
  await using client = await connectTo(primary.urlOf('postgres'));
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_replication');
  for (const { pid } of rows) process.kill(pid, 'SIGSTOP');
  await sleep(lagMs);
};

/** A round: how the primary stops during the load, and how the cluster is repaired afterwards. */
interface Event {
  title: string;
  happen: (primary: PatroniNode) => unknown;
  repair?: (primary: PatroniNode) => void;
  /** How long nothing may be answered. */
  silenceAtMost: number;
}

/** When it happened, and when another node was the primary, in milliseconds since 1970. */
interface Happened {
  at: number;
  replacedAt: number;
  former: PatroniNode;
}

const happenDuringLoad = async (cluster: PatroniCluster, happen: Event['happen']): Promise<Happened> => {
  await sleep(beforeMs);
  const former = await cluster.untilPrimary();
  const at = Date.now();
  await happen(former);
  await cluster.untilPrimary(former);
  const replacedAt = Date.now();
  await sleep(afterMs);
  return { at, replacedAt, former };
};

/** The seconds from the event to the end of the longest pause after it. */
const secondsUntilContinued = (eventAt: number, times: readonly number[]): number => {
  const points = [eventAt, ...times.filter((time) => time > eventAt).toSorted((a, b) => a - b)];
  const pauses = points.slice(1).map((end, index) => ({ end, ms: end - (points[index] ?? end) }));
  const longest = pauses.toSorted((a, b) => b.ms - a.ms)[0];
  return longest ? (longest.end - eventAt) / 1000 : Infinity;
};

/** The metrics of Patroni that the shipped rules use and that no node shows. */
const missingMetrics = async ({ nodes }: PatroniCluster): Promise<string[]> => {
  const rules = await readFile(new URL('../../docs/deploy/monitoring/rules.yml', import.meta.url), 'utf8');
  const shown = (await Promise.all(nodes.map((node) => node.metrics()))).join('\n');
  const used = new Set(rules.match(/\bpatroni_\w+/g));
  return [...used].filter((name) => !shown.includes(`\n${name}{`));
};

export const run: Try = async (opened, { requests = 4_000, asynchronous = false }) => {
  const folder = await createFolder(opened, 'failover');
  const cluster = await startPatroni(opened, folder, { synchronous: !asynchronous });
  const installation = await openInstallation(opened, { databaseUrl: cluster.databaseUrl, folder });
  console.log(`failover: 2 API processes and 2 workers, ${asynchronous ? 'asynchronous' : 'synchronous'} replication`);
  const missing = await missingMetrics(cluster);
  reportFigures([
    { name: `metrics of the rules that Patroni has not ${missing.join(' ')}`, value: missing.length, atMost: 0 },
  ]);

  const failure: Event = {
    title: 'the machine of the primary fails',
    happen: async (primary) => {
      if (asynchronous) await holdReplication(primary);
      await primary.kill();
    },
    repair: (primary) => primary.start(),
    silenceAtMost: 25, // `ttl` is 20 seconds, then a standby is promoted
  };
  const crash: Event = {
    title: 'only PostgreSQL of the primary fails',
    happen: (primary) => primary.killPostgres(),
    silenceAtMost: 8,
  };
  const switchover: Event = {
    title: 'a planned switchover',
    happen: (primary) => cluster.switchOver(primary),
    silenceAtMost: 8,
  };
  for (const event of [failure, failure, failure, crash, crash, crash, switchover]) {
    const { title, happen, repair, silenceAtMost } = event;
    console.log(`  ${title}`);
    const happening = happenDuringLoad(cluster, happen);
    const outcome = await installation.load({ requests, perSecond, until: happening });
    const { at, replacedAt, former } = await happening;
    const losses = await installation.check(outcome.posted);
    const figures = [
      { name: 'seconds of silence', value: outcome.longestGapMs / 1000, atMost: silenceAtMost },
      { name: 'seconds until another node was the primary', value: (replacedAt - at) / 1000 },
      { name: 'seconds until deliveries continued', value: secondsUntilContinued(at, losses.arrivedAt), atMost: 30 },
      { name: 'failed at the first try', value: outcome.failedAt.length, atMost: Math.floor(outcome.requests / 100) },
    ];
    // Outcomes of deliveries are committed without waiting for the disk: what a failure forgets is sent again.
    reportRun(installation, outcome, losses, figures, { deliveriesTwice: Infinity, lost: asynchronous ? Infinity : 0 });
    repair?.(former);
    await cluster.untilWhole();
  }
};
