// A distributed database under load, on machines that are set up as docs/citus.md says (scripts/kit/citus-guide.ts): a
// node is added, Citus' rebalancer moves cells to it, and one is moved back; it is migrated ten times, and a migration is
// killed; then a node hangs, a node fails, and then the coordinator. At the end all are restored beside the running ones,
// and the node is removed.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { mendCells, urlsOfNodes } from '../../src/db/cells/make-cells.ts';
import {
  migrateOnce,
  placesOfTeams,
  serverOf,
  statesOf,
  type Machine,
  type NodeServer,
  type Place,
} from '../kit/citus.ts';
import { fewShards, firstMachines, headings, openGuide, setUpMachines, type Guide } from '../kit/citus-guide.ts';
import { makeSend, runLoad, type LoadOutcome } from '../kit/clients.ts';
import { connectTo } from '../kit/database.ts';
import { reportFigures, type Figure } from '../kit/figures.ts';
import { openInstallation, reportRun, type Installation, type Try } from '../kit/installation.ts';
import { pick } from '../kit/seed.ts';
import { createFolder } from '../kit/system.ts';
import { backUpsOf } from './backup.ts';
import { restoreBeside } from './citus-restore.ts';

const perSecond = 100;

/** How long the load runs before something happens, and afterwards. */
const beforeMs = 10_000;
/** How long a node is away. */
const awayMs = 30_000;
/** How long the node hangs, and how many requests a second the teams send meanwhile. */
const hangMs = 15_000;
const hangPerSecond = 60;

const say = (line: string): void => console.log(`  ${line}`);

// Moving

const placesOf = async (url: string): Promise<Place[]> => {
  await using client = await connectTo(url);
  const { rows } = await client.query<Place>(
    `select shardid::text as shard, nodename as host, nodeport as port from citus_shards
      where table_name = 'team'::regclass order by 1`,
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

// Migrating

const migratedPerSecond = 30;

/** How many cells are closed, and how many deadlocks there were, on all nodes. */
const stateOf = async (url: string): Promise<{ closed: number; deadlocks: number }> => {
  const states = await statesOf(await urlsOfNodes(url));
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
  return { closed: sum(states.map(({ closed }) => closed)), deadlocks: sum(states.map(({ deadlocks }) => deadlocks)) };
};

/** Runs the command of an operator. Returns its seconds. */
const npmRunMigrate = async (url: string, ...words: string[]): Promise<number> => {
  const began = performance.now();
  const env = { ...process.env, DATABASE_URL: url };
  await promisify(execFile)(process.execPath, ['scripts/migrate.ts', ...words], { env });
  return (performance.now() - began) / 1000;
};

/** Kills a process as soon as it has closed a cell for a migration. */
const killMigration = async (url: string): Promise<void> => {
  const child = spawn(process.execPath, ['test/citus/closing-program.ts', url], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  while ((await stateOf(url)).closed === 0) await sleep(20);
  child.kill('SIGKILL');
  await ended;
};

const migrateUnderLoad = async (installation: Installation): Promise<void> => {
  const { databaseUrl: url } = installation;
  console.log(`citus: ten migrations, one that is killed, at ${migratedPerSecond} requests a second`);
  const before = await stateOf(url);
  const seconds: number[] = [];
  const migrating = (async () => {
    for (let time = 0; time < 5; time += 1) {
      const table = time % 2 === 0 ? 'assignment' : 'training';
      for (const change of [`ADD COLUMN "try_${time}" VARCHAR(5)`, `DROP COLUMN "try_${time}"`]) {
        const began = performance.now();
        await migrateOnce(
          url,
          `20990101${String(10 * time + seconds.length).padStart(6, '0')}_try`,
          `ALTER TABLE "${table}" ${change}`,
        );
        seconds.push((performance.now() - began) / 1000);
      }
    }
    await killMigration(url);
    return npmRunMigrate(url, '--cells');
  })();
  const outcome = await installation.load({ requests: 0, perSecond: migratedPerSecond, until: migrating });
  const losses = await installation.check(outcome.posted);
  const after = await stateOf(url);
  reportRun(installation, outcome, losses, [
    { name: 'failed at the first try', value: outcome.failedAt.length, atMost: 0 },
    { name: 'the longest migration in seconds', value: Math.max(...seconds) },
    { name: '`npm run migrate -- --cells` in seconds', value: await migrating, atMost: 10 },
    { name: 'deadlocks', value: after.deadlocks - before.deadlocks, atMost: 0 },
    { name: 'cells that are left closed', value: after.closed, atMost: 0 },
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

/** Like `dividedBy`. If all teams are on one side, the cell of one is moved first. */
const dividedWithSome = async (installation: Installation, node: Machine, other: Machine) => {
  const { databaseUrl, seeded } = installation;
  const before = await dividedBy(databaseUrl, installation, node);
  if (before.own.length > 0 && before.others.length > 0) return before;
  const place = pick(await placesOfTeams(databaseUrl, seeded.teams), 0);
  await moveTo(databaseUrl, place, before.own.length === 0 ? node : other);
  await mendCells(databaseUrl, say);
  return dividedBy(databaseUrl, installation, node);
};

const p99 = (milliseconds: readonly number[]): number =>
  milliseconds.toSorted((a, b) => a - b)[Math.floor(milliseconds.length * 0.99)] ?? 0;

/** Asks each worker for `/readyz`. */
const readiness = ({ service }: Installation): Promise<{ status: number; text: string }[]> =>
  Promise.all(
    service.processes
      .filter(({ role }) => role === 'worker')
      .map(async ({ port }) => {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
        return { status: answer.status, text: await answer.text() };
      }),
  );

/** Tries a migration that can't be done. Returns the seconds until it was refused. */
const secondsToRefusal = async (url: string, node: Machine): Promise<number> => {
  const began = performance.now();
  const refused = await migrateOnce(
    url,
    '20990102000000_never',
    'ALTER TABLE "training" ADD COLUMN "never" VARCHAR(5)',
  ).then(
    () => 'nothing',
    (error: unknown) => String(error),
  );
  if (!refused.includes(`:${node.port}: `)) throw new Error(`The migration was refused with ${refused}`);
  return (performance.now() - began) / 1000;
};

/**
 * The figures of the other teams. 429 means that a team's own share was in use, which also happens on a machine that is
 * busy with other work.
 */
const figuresOfOthers = ({ requests, failures, failedAt }: LoadOutcome): readonly Figure[] => {
  for (const [how, times] of Object.entries(failures)) say(`the other teams failed: ${times} × ${how}`);
  return [
    { name: 'requests of the other teams', value: requests },
    { name: 'of these failed at the first try', value: failedAt.length, atMost: 0 },
  ];
};

const hangNode = async (
  opened: AsyncDisposableStack,
  installation: Installation,
  citusUrl: string,
  { node, other }: { node: Machine; other: Machine },
): Promise<void> => {
  const { databaseUrl, send, seeded, service } = installation;
  const { own, others } = await dividedWithSome(installation, node, other);
  console.log(`citus: a node with ${own.length} of ${seeded.teams.length} teams hangs for ${hangMs / 1000} s`);
  const server = await serverOf(citusUrl, node);
  const times = { before: new Array<number>(), meanwhile: new Array<number>() };
  let [from, to] = [Infinity, Infinity];
  let workers: { status: number; text: string }[] = [];
  const hanging = (async () => {
    await sleep(hangMs);
    await server.hang();
    from = performance.now();
    const over = sleep(hangMs);
    const seconds = await secondsToRefusal(databaseUrl, node);
    workers = await readiness(installation);
    await over;
    to = performance.now();
    await server.goOn();
    await sleep(beforeMs);
    return seconds;
  })();
  const load = { catalog: seeded.catalog, requests: 0, until: hanging, perSecond: hangPerSecond / 2 };
  const onAnswer = (ms: number): void => {
    const began = performance.now() - ms;
    if (began < from) times.before.push(ms);
    else if (began < to) times.meanwhile.push(ms);
  };
  const [ofOwn, ofOthers] = await Promise.all([
    // With connections of their own, because each that waits keeps one.
    runLoad({ ...load, send: makeSend(opened, service), teams: own, clients: 200 }),
    runLoad({ ...load, send, teams: others, clients: 64, onAnswer }),
  ]);
  const losses = await installation.check([...ofOwn.posted, ...ofOthers.posted]);
  reportRun(
    installation,
    ofOwn,
    losses,
    [
      ...figuresOfOthers(ofOthers),
      { name: 'their p99 in milliseconds before', value: p99(times.before) },
      { name: 'their p99 meanwhile, times that', value: p99(times.meanwhile) / p99(times.before), atMost: 2 },
      { name: 'seconds until a migration was refused', value: await hanging, atMost: 15 },
      {
        name: 'workers that were not ready, or did not name the node',
        value: workers.filter(({ status, text }) => status !== 200 || !text.includes(`:${node.port}"`)).length,
        atMost: 0,
      },
      { name: 'cells that are left closed', value: (await stateOf(databaseUrl)).closed, atMost: 0 },
    ],
    { deliveriesTwice: Infinity },
  );
};

const failFor = async (
  server: NodeServer,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<{ from: number; to: number }> => {
  await sleep(beforeMs);
  await server.kill();
  const from = Date.now();
  await Promise.all([sleep(awayMs), meanwhile()]);
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
  const { own, others } = await dividedWithSome(installation, node, other);
  console.log(`citus: a node with ${own.length} of ${seeded.teams.length} teams fails for ${awayMs / 1000} s`);
  const failing = failFor(await serverOf(citusUrl, node), () => secondsToRefusal(databaseUrl, node));
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
      ...figuresOfOthers(ofOthers),
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
  const guide = await openGuide(opened, { folder, shards: fewShards });
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
  await setUpMachines(guide, prepare);
  for (const number of firstMachines) await backUp(number);
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
  await migrateUnderLoad(installation);
  await hangNode(opened, installation, guide.adminUrl, { node: worker, other: former });
  const deliveriesTwice = await failNode(installation, guide.adminUrl, worker, former);
  await failCoordinator(installation, guide.adminUrl, coordinator, deliveriesTwice);
  await restoreBeside(opened, { guide, numbers: [1, 2, 3, added], backUps, seeded: installation.seeded });
  await remove(guide);
};
