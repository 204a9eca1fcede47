// Every process is restarted five times while clients send requests, as in an upgrade: SIGTERM, then the new process.

import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../kit/postgres.ts';
import type { ServiceProcess } from '../kit/service.ts';
import { openInstallation, reportRun, type Try } from '../kit/installation.ts';
import { createFolder } from '../kit/system.ts';

const rounds = 5;
const perSecond = 100;

/** The proxy checks every second whether a process is ready; then the next one may stop. */
const settleMs = 3_000;

/** Restarts one process after the other, as often as there are rounds, and returns the number of restarts. */
export const restartAll = async (
  processes: readonly ServiceProcess[],
  { rounds, report = () => {} }: { rounds: number; report?: (line: string) => void },
): Promise<number> => {
  let restarts = 0;
  for (let round = 1; round <= rounds; round += 1) {
    for (const process of processes) {
      await process.stop('SIGTERM');
      await process.start();
      restarts += 1;
      if (process.role === 'api') await sleep(settleMs);
    }
    report(`  round ${round} of ${rounds} is over`);
  }
  return restarts;
};

export const run: Try = async (opened, { requests = 20_000 }) => {
  const folder = await createFolder(opened, 'rolling');
  const databaseUrl = await startPostgres(opened, folder);
  const installation = await openInstallation(opened, { databaseUrl, folder });
  console.log(`rolling: ${requests} requests, 2 API processes and 2 workers, each restarted ${rounds} times`);
  const restarting = restartAll(installation.service.processes, { rounds, report: console.log });
  const outcome = await installation.load({ requests, perSecond, until: restarting });
  const losses = await installation.check(outcome.posted);
  reportRun(installation, outcome, losses, [
    { name: 'restarts', value: await restarting },
    { name: 'failed at the first try', value: outcome.failedAt.length, atMost: 0 },
  ]);
};
