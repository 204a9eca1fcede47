// Every process is killed three times while clients send requests, and started again after a moment, as systemd or Kubernetes would.

import { setTimeout as sleep } from 'node:timers/promises';
import { connectTo } from '../kit/database.ts';
import { startPostgres } from './kit/postgres.ts';
import { openStage, reportRun, type Stage, type Try } from './kit/stage.ts';
import { makeFolder } from './kit/system.ts';

const rounds = 3;
const perSecond = 100;

/** How long a killed process is away, and then how long all processes run. */
const awayMs = 2_000;
const settleMs = 3_000;

/** A request that fails because of a kill has failed after this time. */
const failWithinMs = 1_000;

interface Kill {
  name: string;
  at: Date;
  /** The deliveries that workers were sending, or whose outcome they had not written yet. They may be sent again. */
  claimed: number;
}

const killAll = async ({ databaseUrl, service: { processes } }: Stage): Promise<Kill[]> => {
  await using client = await connectTo(databaseUrl);
  const kills: Kill[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const process of processes) {
      const at = new Date();
      await process.stop('SIGKILL');
      const { rows } = await client.query<{ claimed: number }>(
        'select count(*)::int as claimed from webhook_waiting where claim_id is not null',
      );
      kills.push({ name: process.name, at, claimed: process.role === 'worker' ? (rows[0]?.claimed ?? 0) : 0 });
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
  const killing = killAll(stage);
  const outcome = await stage.load({ requests, perSecond, until: killing });
  const losses = await stage.check(outcome.posted);
  const kills = await killing;

  const isFollowing = (failed: Date) => (kill: Kill) => {
    const after = failed.getTime() - kill.at.getTime();
    return after >= 0 && after <= failWithinMs;
  };
  const apiKills = kills.filter(({ name }) => name.startsWith('api'));
  const otherTimes = outcome.failedAt.filter((failed) => !apiKills.some(isFollowing(failed)));
  const otherServers = stage.service
    .failures()
    .filter(({ at, server }) => !apiKills.some((kill) => kill.name === server && isFollowing(at)(kill)));
  reportRun(
    stage,
    outcome,
    losses,
    [
      { name: 'kills', value: kills.length },
      { name: 'failed at the first try', value: outcome.failedAt.length },
      { name: 'of these not within a second after the kill of an API process', value: otherTimes.length, atMost: 0 },
      { name: 'failed at another process than the killed one', value: otherServers.length, atMost: 0 },
    ],
    { deliveriesTwice: kills.reduce((sum, { claimed }) => sum + claimed, 0) },
  );
};
