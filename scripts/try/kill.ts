// Every process is killed three times while clients send requests, and started again after a moment, as systemd or Kubernetes would.

import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from './kit/postgres.ts';
import type { Service } from './kit/service.ts';
import { openStage, reportRun } from './kit/stage.ts';
import type { Try } from './kit/stage.ts';
import { makeFolder } from './kit/system.ts';

const rounds = 3;
const perSecond = 100;

/** How long a killed process is away, and then how long all processes run. */
const awayMs = 2_000;
const settleMs = 3_000;

interface Kill {
  name: string;
  at: number;
}

const killAll = async ({ processes }: Service): Promise<Kill[]> => {
  const kills: Kill[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const process of processes) {
      kills.push({ name: process.name, at: Date.now() });
      await process.stop('SIGKILL');
      await sleep(awayMs);
      await process.start();
      await sleep(settleMs);
    }
    console.log(`  round ${round} of ${rounds} is over`);
  }
  return kills;
};

export const run: Try = async (opened, { requests = 10_000 }) => {
  const folder = await makeFolder(opened, 'kill');
  const databaseUrl = await startPostgres(opened, folder);
  const stage = await openStage(opened, { databaseUrl, folder });
  console.log(`kill: ${requests} requests, 2 API processes and 2 workers, each killed ${rounds} times`);
  const killing = killAll(stage.service);
  const outcome = await stage.load({ requests, perSecond, until: killing });
  const losses = await stage.check(outcome.posted);
  const kills = await killing;
  reportRun(stage, outcome, losses, [
    { name: 'kills', value: kills.length },
    { name: 'failed at the first try', value: outcome.failedAt.length },
  ]);
};
