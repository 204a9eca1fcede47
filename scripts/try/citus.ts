// A distributed database under load, on machines that are set up as docs/citus.md says (scripts/kit/citus-guide.ts): a
// node is added, Citus' rebalancer moves cells to it, and one is moved back; then a node fails, and then the coordinator.
// At the end all are restored beside the running ones, and the node is removed.

import { setTimeout as sleep } from 'node:timers/promises';
import { mendCells } from '../../src/db/make-cells.ts';
import { serverOf, type Machine, type NodeServer } from '../kit/citus.ts';
import { headings, openGuide, type Guide } from '../kit/citus-guide.ts';
import { runLoad } from '../kit/clients.ts';
import { connectTo } from '../kit/database.ts';
import { reportFigures } from '../kit/figures.ts';
import { openInstallation, reportRun, type Installation, type Try } from '../kit/installation.ts';
import { pick, type SeededTeam } from '../kit/seed.ts';
import { createFolder } from '../kit/system.ts';
import { backUpsOf } from './backup.ts';
import { restoreBeside } from './citus-restore.ts';

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

/** The number of the node that is added, in the examples of the page. */
const added = 4;

const addAndMove = async (guide: Guide, backUp: (number: number) => Promise<void>): Promise<number> => {
  const { databaseUrl, adminUrl } = guide;
  const [worker, former] = [guide.machine(added), guide.machine(2)];
  await sleep(beforeMs);
  const [add, distribute, rebalance, mend] = guide.blocks(headings.add);
  await guide.run(add);
  await guide.run(distribute);
  say(`the node at port ${worker.port} was added`);
  await backUp(added);
  await guide.run(rebalance);
  const moved = (await placesOf(databaseUrl)).filter(({ port }) => port === worker.port);
  await guide.run(mend);
  say('the cells are rebalanced');
  await moveTo(adminUrl, pick(moved, 0), former);
  await sleep(2_000); // its statements run through the tables of all teams
  await mendCells(databaseUrl, say);
  say('one was moved back');
  return moved.length;
};

/** Removes the node as the page says, and says how unevenly the cells are divided then. */
const remove = async (guide: Guide): Promise<void> => {
  console.log('citus: the node is removed');
  for (const block of guide.blocks(headings.remove)) await guide.run(block);
  const places = Map.groupBy(await placesOf(guide.databaseUrl), ({ port }) => port);
  const counts = Array.from(places.values(), ({ length }) => length);
  reportFigures([
    { name: 'cells of the removed node', value: places.get(guide.machine(added).port)?.length ?? 0, atMost: 0 },
    {
      name: 'cells of the fullest node more than of another one',
      value: Math.max(...counts) - Math.min(...counts),
      atMost: 1,
    },
  ]);
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
    await moveTo(citusUrl, place, before.own.length === 0 ? node : other);
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

/** Sets up what the page says, and backs up each machine. */
const setUp = async (opened: AsyncDisposableStack) => {
  const folder = await createFolder(opened, 'citus');
  const guide = await openGuide(opened, { folder, shards });
  const backUps = new Map<number, Awaited<ReturnType<typeof backUpsOf>>>();
  const prepare = (number: number) =>
    guide.prepare(number, async (cluster) => {
      const found = await backUpsOf(cluster);
      backUps.set(number, found);
      return found.settings;
    });
  const backUp = async (number: number): Promise<void> => {
    await backUps.get(number)?.pgbackrest('stanza-create');
    await backUps.get(number)?.pgbackrest('backup', '--type=full');
  };
  for (const number of [1, 2, 3]) await prepare(number);
  const [migrate, nodes, health] = guide.blocks(headings.nodes);
  await guide.run(migrate);
  await guide.run(nodes);
  const unreachable = await guide.run(health);
  if (unreachable !== '') throw new Error(`The machines can't connect to each other: ${unreachable}`);
  for (const block of guide.blocks(headings.distribute)) await guide.run(block);
  for (const number of [1, 2, 3]) await backUp(number);
  await prepare(added);
  return { folder, guide, backUps, backUp };
};

export const run: Try = async (opened, { requests = 20_000 }) => {
  process.setMaxListeners(50); // each of the servers and processes is killed at its end
  const { folder, guide, backUps, backUp } = await setUp(opened);
  const [coordinator, former, worker] = [guide.machine(1), guide.machine(2), guide.machine(added)];
  const installation = await openInstallation(opened, { databaseUrl: guide.databaseUrl, folder });
  console.log(`citus: ${requests} requests, 2 API processes and 2 workers; another node after ${beforeMs} ms`);
  const moving = addAndMove(guide, backUp);
  const outcome = await installation.load({ requests, perSecond, until: moving });
  const losses = await installation.check(outcome.posted);
  reportRun(installation, outcome, losses, [
    { name: 'cells that were moved', value: await moving },
    { name: 'failed at the first try', value: outcome.failedAt.length, atMost: 0 },
  ]);
  const deliveriesTwice = await failNode(installation, guide.adminUrl, worker, former);
  await failCoordinator(installation, guide.adminUrl, coordinator, deliveriesTwice);
  await restoreBeside(opened, { guide, numbers: [1, 2, 3, added], backUps, seeded: installation.seeded });
  await remove(guide);
};
