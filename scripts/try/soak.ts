// Runs for an hour at half of what the machine can do, while keys, members, endpoints and CRM connections come and go.
// The first tenth of the time is left out; then the last quarter must be like the first, or something grows that nobody
// collects.

import { setTimeout as sleep } from 'node:timers/promises';
import { minutesToMs } from '../../src/core/clock.ts';
import { connectTo } from '../kit/database.ts';
import { quantile, type Figure } from '../kit/figures.ts';
import { churn } from './churn.ts';
import { startPostgres } from '../kit/postgres.ts';
import { compared, grownTables, growingTables, sampleUntil, type Samples } from './samples.ts';
import { openInstallation, reportRun, type Installation, type Try } from '../kit/installation.ts';
import { createFolder } from '../kit/system.ts';

const warmUpMs = 15_000;
const measureMs = 20_000;
const samples = 240;

/** Requests a second that the service answers when 32 clients send as many as they can. */
const measureCapacity = async (installation: Installation) => {
  const warm = await installation.load({ requests: 0, until: sleep(warmUpMs) });
  const full = await installation.load({ requests: 0, until: sleep(measureMs) });
  return { perSecond: full.requests / full.seconds, posted: [...warm.posted, ...full.posted] };
};

/**
 * The limits, by what a leak or a backlog would do in an hour:
 * - A heap is collected only now and then, so its least value counts. With 50 requests a second, a leak of 1 kB for
 *   each makes 60 MB of difference in each of the two API processes. The memory of a process contains its heap.
 * - A pool opens more connections while requests are slow.
 * - PostgreSQL removes dead rows once a minute, beyond a fifth of the table, so their number swings.
 * - Tables that grow with the requests grow by the same amount in each quarter; files grow in steps.
 */
const flatness = (all: Samples, perSecond: number): Figure[] => {
  const named = (part: string) => [...all.keys()].filter((name) => name.startsWith(part));
  return [
    ...named('memory of').map((name) => compared(all, name, { by: 'median', times: 1.15, plus: 20 })),
    ...named('heap of').map((name) => compared(all, name, { by: 'floor', times: 1.1, plus: 50 })),
    compared(all, 'connections', { by: 'median', times: 1.25, plus: 5 }),
    compared(all, 'waiting', { by: 'median', times: 1.25, plus: perSecond }),
    compared(all, 'overdue', { by: 'median', times: 1, plus: 0 }),
    compared(all, 'jobs', { by: 'median', times: 1.25, plus: 20 }),
    compared(all, 'all other tables, MB', { by: 'median', times: 1.25, plus: 5 }),
    compared(all, 'dead rows of all other tables', { by: 'median', times: 1.5, plus: 60 * perSecond }),
    compared(all, growingTables, { by: 'growth', times: 1.25, plus: 5 }),
    // Shown without a limit, because another program on the machine changes them most.
    ...['p50 of requests, ms', 'p99 of requests, ms'].map((name) => ({
      ...compared(all, name, { by: 'median', times: 1, plus: 0 }),
      atMost: undefined,
    })),
  ];
};

const growth = (all: Samples): number => {
  const sizes = all.get(growingTables) ?? [];
  return ((sizes.at(-1) ?? NaN) - (sizes[0] ?? NaN)) * 1000;
};

export const run: Try = async (opened, { minutes = 60 }) => {
  const folder = await createFolder(opened, 'soak');
  const databaseUrl = await startPostgres(opened, folder);
  const installation = await openInstallation(opened, { databaseUrl, folder });
  await using client = await connectTo(databaseUrl);
  const capacity = await measureCapacity(installation);
  await installation.check(capacity.posted); // no delivery of it is left
  const perSecond = Math.min(40, capacity.perSecond / 2);
  console.log(`soak: ${minutes} minutes with ${perSecond.toFixed(0)} requests a second, half of what was possible`);

  const over = new AbortController();
  let times: number[] = [];
  const others = () => {
    const taken = times;
    times = [];
    return { 'p50 of requests, ms': quantile(taken, 0.5), 'p99 of requests, ms': quantile(taken, 0.99) };
  };
  const { processes } = installation.service;
  const until = sleep(minutesToMs(minutes)).finally(() => over.abort());
  const [outcome, turns, taken] = await Promise.all([
    installation.load({ requests: 0, perSecond, until, onAnswer: (ms) => void times.push(ms) }),
    churn(installation, over.signal),
    sampleUntil(over.signal, minutesToMs(minutes) / samples, { client, processes, others }),
  ]);
  const losses = await installation.check([...capacity.posted, ...outcome.posted]);
  reportRun(installation, outcome, losses, [
    { name: 'requests a second', value: outcome.requests / outcome.seconds },
    { name: 'failed at the first try', value: outcome.failedAt.length, atMost: 0 },
    { name: 'keys, members, endpoints and connections that came and went', value: turns },
    { name: 'kB that the growing tables grew for each POST', value: growth(taken) / outcome.posted.length },
    ...flatness(taken, perSecond),
    ...grownTables(taken),
  ]);
};
