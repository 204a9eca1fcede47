// A distributed database under load: a node is added, Citus' rebalancer moves cells to it, and one is moved back; then a
// node fails, and then the coordinator. CITUS_URL leads to a coordinator with two workers (see scripts/kit/citus.ts) on
// this machine, whose wal_level is logical.

import { setTimeout as sleep } from 'node:timers/promises';
import { distribute } from '../../src/db/distribute.ts';
import { mendCells } from '../../src/db/make-cells.ts';
import { migrate } from '../../src/db/migrate.ts';
import {
  addMachine,
  createOnMachines,
  dropFromMachines,
  requireCitus,
  serverOf,
  type Machine,
  type NodeServer,
} from '../kit/citus.ts';
import { runLoad } from '../kit/clients.ts';
import { connectTo } from '../kit/database.ts';
import { openInstallation, reportRun, type Installation, type Try } from '../kit/installation.ts';
import { pick, type SeededTeam } from '../kit/seed.ts';
import { createFolder } from '../kit/system.ts';

const name = 'team_api_try';
const perSecond = 100;
const shards = 8;

/** How long the load runs before something happens, and afterwards. */
const beforeMs = 10_000;
/** How long a node is away. */
const awayMs = 30_000;

const say = (line: string): void => console.log(`  ${line}`);

// Moving

interface Place {
  readonly shard: string;
  readonly host: string;
  readonly port: number;
}

const placesOf = async (url: string): Promise<Place[]> => {
  await using client = await connectTo(url);
  const { rows } = await client.query<Place>(
    `select shardid::text as shard, nodename as host, nodeport as port from citus_shards
      where table_name = 'team'::regclass order by 1`,
  );
  return rows;
};

const placesOfTeams = async (url: string, teams: readonly SeededTeam[]): Promise<(Place & { team: string })[]> => {
  await using client = await connectTo(url);
  const { rows } = await client.query<Place & { team: string }>(
    `select team::text, shardid::text as shard, nodename as host, nodeport as port from unnest($1::uuid[]) as team
       join pg_dist_placement on shardid = get_shard_id_for_distribution_column('team', team) join pg_dist_node using (groupid)`,
    [teams.map(({ tenantId }) => tenantId)],
  );
  return rows;
};

const moveTo = async (url: string, { shard, host, port }: Place, to: Machine): Promise<void> => {
  await using client = await connectTo(url);
  await client.query('select citus_move_shard_placement($1::bigint, $2, $3, $4, $5)', [
    shard,
    host,
    port,
    to.host,
    to.port,
  ]);
};

const addAndMove = async (citusUrl: string, url: string, worker: Machine, former: Machine): Promise<number> => {
  await sleep(beforeMs);
  await addMachine(citusUrl, url, worker);
  await distribute(url, say);
  say(`the node at port ${worker.port} was added`);
  await using client = await connectTo(url);
  await client.query('select citus_rebalance_start()');
  await client.query('select citus_rebalance_wait()');
  const moved = (await placesOf(url)).filter(({ port }) => port === worker.port);
  await mendCells(url, say);
  say('the cells are rebalanced');
  await moveTo(url, pick(moved, 0), former);
  await sleep(2_000); // its statements run through the tables of all teams
  await mendCells(url, say);
  say('one was moved back');
  return moved.length;
};

// Failing

/** The teams of the installation with a cell on this node, and the others. */
const dividedBy = async (url: string, { seeded }: Installation, node: Machine) => {
  const places = await placesOfTeams(url, seeded.teams);
  const ids = new Set(places.flatMap(({ team, port }) => (port === node.port ? [team] : [])));
  return {
    own: seeded.teams.filter(({ tenantId }) => ids.has(tenantId)),
    others: seeded.teams.filter(({ tenantId }) => !ids.has(tenantId)),
  };
};

const failFor = async (server: NodeServer): Promise<{ from: number; to: number }> => {
  await sleep(beforeMs);
  await server.kill();
  const from = Date.now();
  await sleep(awayMs);
  const to = Date.now();
  await server.start();
  await sleep(beforeMs);
  return { from, to };
};

/** The longest pause between two deliveries meanwhile. */
const longestPause = (arrivedAt: readonly number[], { from, to }: { from: number; to: number }): number => {
  const times = [from, ...arrivedAt.filter((at) => at > from && at < to), to].toSorted((a, b) => a - b);
  return Math.max(...times.map((at, index) => at - (times[index - 1] ?? at))) / 1000;
};

const countFailures = (failures: Readonly<Record<string, number>>, isCounted: (how: string) => boolean): number =>
  Object.entries(failures).reduce((sum, [how, times]) => sum + (isCounted(how) ? times : 0), 0);

/** Returns how many deliveries came twice so far. */
const failNode = async (
  installation: Installation,
  citusUrl: string,
  node: Machine,
  other: Machine,
): Promise<number> => {
  const { databaseUrl, send, seeded } = installation;
  const before = await dividedBy(databaseUrl, installation, node);
  if (before.own.length === 0 || before.others.length === 0) {
    const place = pick(await placesOfTeams(databaseUrl, seeded.teams), 0);
    await moveTo(databaseUrl, place, before.own.length === 0 ? node : other);
    await mendCells(databaseUrl, say);
  }
  const { own, others } = await dividedBy(databaseUrl, installation, node);
  console.log(`citus: a node with ${own.length} of ${seeded.teams.length} teams fails for ${awayMs / 1000} s`);
  const failing = failFor(await serverOf(citusUrl, node));
  const load = { send, catalog: seeded.catalog, requests: 0, until: failing, perSecond: perSecond / 2, clients: 16 };
  const [ofOwn, ofOthers] = await Promise.all([runLoad({ ...load, teams: own }), runLoad({ ...load, teams: others })]);
  const away = await failing;
  const losses = await installation.check([...ofOwn.posted, ...ofOthers.posted]);
  // Outcomes of deliveries are committed without waiting for the disk: what a failure forgets is sent again.
  reportRun(
    installation,
    ofOwn,
    losses,
    [
      { name: 'requests of the other teams', value: ofOthers.requests },
      { name: 'of these failed at the first try', value: ofOthers.failedAt.length, atMost: 0 },
      {
        name: 'of its teams failed otherwise than by 503',
        value: countFailures(ofOwn.failures, (how) => !how.startsWith('503 unavailable of the service')),
        atMost: 0,
      },
      {
        name: 'longest pause between deliveries meanwhile in seconds',
        value: longestPause(losses.arrivedAt, away),
        atMost: 5,
      },
    ],
    { deliveriesTwice: Infinity },
  );
  return losses.deliveriesTwice;
};

const failCoordinator = async (
  installation: Installation,
  citusUrl: string,
  coordinator: Machine,
  deliveriesTwice: number,
): Promise<void> => {
  console.log(`citus: the coordinator fails for ${awayMs / 1000} s`);
  const { service, seeded } = installation;
  const failing = failFor(await serverOf(citusUrl, coordinator));
  const signIn = async (): Promise<number> => {
    await sleep(beforeMs + awayMs / 2);
    const body = JSON.stringify({ email: 'nobody@example.com', password: 'a long enough password' });
    const headers = { 'content-type': 'application/json', origin: installation.environment['PUBLIC_URL'] ?? '' };
    return (
      await fetch(`http://127.0.0.1:${pick(service.processes, 0).port}/trpc/entrance/entrance.signIn`, {
        method: 'POST',
        headers,
        body,
      })
    ).status;
  };
  const signingIn = signIn();
  const outcome = await installation.load({ requests: 0, perSecond, until: failing });
  const away = await failing;
  const status = await signingIn;
  const losses = await installation.check(outcome.posted);
  reportRun(
    installation,
    outcome,
    losses,
    [
      { name: 'teams', value: seeded.teams.length },
      { name: 'failed at the first try', value: outcome.failedAt.length, atMost: 0 },
      { name: 'the status of signing in, less 503', value: Math.abs(status - 503), atMost: 0 },
      {
        name: 'longest pause between deliveries meanwhile in seconds',
        value: longestPause(losses.arrivedAt, away),
        atMost: 5,
      },
    ],
    { deliveriesTwice },
  );
};

export const run: Try = async (opened, { requests = 20_000 }) => {
  const { citusUrl, machines } = await requireCitus();
  const [coordinator, former, worker] = [pick(machines, 0), pick(machines, 1), pick(machines, machines.length - 1)];

  const folder = await createFolder(opened, 'citus');
  await dropFromMachines(citusUrl, name); // it may be left from a run that was killed
  opened.defer(() => dropFromMachines(citusUrl, name));
  const url = await createOnMachines(citusUrl, name, { machines, shards });
  for (const machine of machines) if (machine !== worker) await addMachine(citusUrl, url, machine);
  await migrate(url);
  await distribute(url, () => {});

  const installation = await openInstallation(opened, { databaseUrl: url, folder });
  console.log(`citus: ${requests} requests, 2 API processes and 2 workers; another node after ${beforeMs} ms`);
  const moving = addAndMove(citusUrl, url, worker, former);
  const outcome = await installation.load({ requests, perSecond, until: moving });
  const losses = await installation.check(outcome.posted);
  reportRun(installation, outcome, losses, [
    { name: 'cells that were moved', value: await moving },
    { name: 'failed at the first try', value: outcome.failedAt.length, atMost: 0 },
  ]);
  const deliveriesTwice = await failNode(installation, citusUrl, worker, former);
  await failCoordinator(installation, citusUrl, coordinator, deliveriesTwice);
};
