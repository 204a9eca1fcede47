// A distributed database gets another worker while clients send requests, and half of the teams are moved to it.
// CITUS_URL leads to a coordinator with two workers (see scripts/kit/citus.ts), whose wal_level is logical.

import { setTimeout as sleep } from 'node:timers/promises';
import { distribute } from '../../src/db/distribute.ts';
import { migrate } from '../../src/db/migrate.ts';
import { addMachine, createOnMachines, dropFromMachines, requireCitus, type Machine } from '../kit/citus.ts';
import { connectTo } from '../kit/database.ts';
import { pick } from '../kit/seed.ts';
import { openInstallation, reportRun, type Try } from '../kit/installation.ts';
import { createFolder } from '../kit/system.ts';

const name = 'team_api_try';
const perSecond = 100;
const shards = 8;

/** How long the load runs before the worker is added. */
const beforeMs = 20_000;

interface Move {
  addSeconds: number;
  moveSeconds: number;
  /** Shards of the teams on the new worker at the end. */
  moved: number;
}

const addAndMove = async (citusUrl: string, url: string, worker: Machine): Promise<Move> => {
  await sleep(beforeMs);
  const began = performance.now();
  await addMachine(citusUrl, url, worker);
  const added = performance.now();
  console.log(`  the worker at port ${worker.port} was added`);
  await using client = await connectTo(url);
  await client.query('select citus_rebalance_start()');
  await client.query('select citus_rebalance_wait()');
  console.log('  the shards are rebalanced');
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from citus_shards where table_name = 'team'::regclass and nodename = $1 and nodeport = $2`,
    [worker.host, worker.port],
  );
  const moveSeconds = (performance.now() - added) / 1000;
  return { addSeconds: (added - began) / 1000, moveSeconds, moved: rows[0]?.count ?? 0 };
};

export const run: Try = async (opened, { requests = 20_000 }) => {
  const { citusUrl, machines } = await requireCitus();
  const worker = pick(machines, machines.length - 1);

  const folder = await createFolder(opened, 'citus');
  opened.defer(() => dropFromMachines(citusUrl, name));
  const url = await createOnMachines(citusUrl, name, { machines, shards });
  for (const machine of machines) if (machine !== worker) await addMachine(citusUrl, url, machine);
  await migrate(url);
  await distribute(url, console.log);

  const settings = { ROW_SECURITY: 'false' };
  const installation = await openInstallation(opened, {
    databaseUrl: url,
    folder,
    apiEnvironment: settings,
    workerEnvironment: settings,
  });
  console.log(
    `citus: ${requests} requests, 2 API processes and 2 workers; another worker of Citus after ${beforeMs} ms`,
  );
  const moving = addAndMove(citusUrl, url, worker);
  const outcome = await installation.load({ requests, perSecond, until: moving });
  const losses = await installation.check(outcome.posted);
  const { addSeconds, moveSeconds, moved } = await moving;
  reportRun(installation, outcome, losses, [
    { name: 'seconds to add the worker', value: addSeconds },
    { name: 'seconds to move shards', value: moveSeconds },
    { name: 'shards of teams that stayed', value: shards - moved, atMost: shards / 2 },
    { name: 'failed at the first try', value: outcome.failedAt.length, atMost: 0 },
  ]);
};
