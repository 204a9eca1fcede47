// Measures what requests and deliveries cost on three databases: a plain one, a distributed one, and a distributed one
// whose cells are closed, so that Citus' own planner runs all statements (the fallback). All are on the machines of
// CITUS_URL; the plain one is on a worker, so that the coordinator has nothing but its part of the distributed ones. Each
// kind of request is sent at two rates: a low one, and half of what one API process on cells answers at most. From the
// costs at the latter, capacity.ts calculates what a day of deliveries needs; a busy load of all kinds shows whether
// their sum is right.
//
// Plain and cells are measured in turn, load by load, because the speed of a machine changes within minutes. Meanwhile
// the processes of the other one are stopped; what Citus itself does for it counts as work without requests. The
// fallback follows alone: it costs so many times more.

import { setTimeout as sleep } from 'node:timers/promises';
import { distribute, migrateWithCells } from '../../src/db/cells/distribute.ts';
import { closeCells } from '../../src/db/cells/make-cells.ts';
import { migrate } from '../../src/db/migrate.ts';
import {
  addMachine,
  analyzeOnMachines,
  createOnMachines,
  dropFromMachines,
  requireCitus,
  serverOf,
  urlOn,
  type Machine,
} from '../kit/citus.ts';
import { makeSend } from '../kit/clients.ts';
import { connectTo, createDatabase } from '../kit/database.ts';
import { machineLoad, measureInTurn, median, watchCpuTime, type Watched } from '../kit/figures.ts';
import { createEndpointsOf } from '../kit/installation.ts';
import { highestRate, sendAtRate, type Request } from '../kit/load.ts';
import { startServer, startWorker, type Server } from '../kit/processes.ts';
import { startReceiver, type Receiver } from '../kit/receiver.ts';
import { pick, seedTeams, type Seeded } from '../kit/seed.ts';
import { createFolder } from '../kit/system.ts';
import { costFrom, parts, reportCapacity, reportNodes, type Cost, type Costs, type Counts } from './capacity.ts';
import {
  costsOf,
  posting,
  reportDeviations,
  reportFast,
  reportKinds,
  type Measured,
  type Of,
  type Pace,
  type Rates,
  type Results,
  type Setup,
} from './citus-results.ts';
import { requestAt, scenarios } from './rest.ts';

/** `npm run bench -- citus NUMBER` divides the requests by NUMBER and has one round, for a short trial run. */
const smaller = Number(process.argv[3] ?? 1);

const perSecond = 30;
/** Requests of each kind in a round. */
const count = Math.ceil(600 / smaller);
/**
 * Requests of each kind before the first round: each connection plans a statement anew for its first five executions in
 * each cell, and V8 compiles what runs often. There are so many, because the statement for the log of requests runs
 * once for a hundred requests. A load of all kinds follows.
 */
const warmUpEach = Math.ceil(4_000 / smaller);
const warmUpSeconds = Math.ceil(60 / smaller);
const idleMs = 5_000;
/** Enough for what waited while the processes were stopped. */
const resumeMs = 2_000;
/** Enough for outcomes and the request log to be written. */
const settleMs = 6_000;
const arrivalMs = 120_000;
const fastSeconds = 8;

/**
 * The load of all kinds: the share of each. Each POST has an event with a receiver. With its deliveries, the load takes
 * about half of two cores on a plain database.
 */
const mixed: Counts = {
  'GET /users/{member_id}': 0.35,
  'GET /users?limit=50': 0.05,
  'GET /trainings?limit=50': 0.05,
  'GET /trainings/{training_id}/evaluation': 0.25,
  [posting]: 0.3,
};

/**
 * This many POSTs with their deliveries keep a machine as busy as one request of the load of all kinds. On a machine
 * that is less busy, the same work costs more. And the more deliveries come at once, the more of them share a
 * statement.
 */
const equallyBusy = 0.4;

// The databases

/** The setups of a list are open at the same time, and measured alternately. */
const turns: readonly (readonly Setup[])[] = [['plain', 'cells'], ['fallback']];
/** One round of the fallback says enough. */
const roundsOf = (turn: readonly Setup[]): number => (smaller > 1 || turn.includes('fallback') ? 1 : 3);
/** The rate of the load of all kinds. Two cores could not carry more than the low one in the fallback. */
const mixedPerSecondOf = (setup: Setup): number => (setup === 'fallback' ? perSecond : 150);

interface Place {
  readonly machine: Machine;
  /** The server process of its PostgreSQL. */
  readonly pid: number;
}

const placesOf = async (citusUrl: string, machines: readonly Machine[]): Promise<Place[]> => {
  const found: Place[] = [];
  for (const machine of machines) {
    const { pid } = await serverOf(citusUrl, machine); // CPU time can only be read on the machine itself
    found.push({ machine, pid });
  }
  return found;
};

const nameOf = (setup: Setup): string => `bench_${setup}`;

/** Creates the database of a setup on the given machines; a plain database has one. */
const createDatabaseFor = async (citusUrl: string, setup: Setup, all: readonly Machine[]): Promise<string> => {
  const name = nameOf(setup);
  await dropFromMachines(citusUrl, name); // it may be left from a run that was killed
  if (setup === 'plain') {
    const url = await createDatabase(urlOn(citusUrl, pick(all, 0), 'postgres'), name);
    await migrate(url);
    return url;
  }
  const url = await createOnMachines(citusUrl, name, { machines: all, shards: 8 });
  for (const machine of all) await addMachine(citusUrl, url, machine);
  await migrateWithCells(url);
  await distribute(url, () => {});
  if (setup === 'fallback') await closeCells(url);
  return url;
};

/** The teams of a database. Half of them have an endpoint. */
interface Teams {
  readonly silent: Seeded;
  readonly told: Seeded;
}

const makeTeams = async (url: string): Promise<Teams> => {
  // Tables are divided among eight cells. In a small one PostgreSQL reads all rows instead of an index.
  const { teams, catalog } = await seedTeams(url, { teams: 120, membersEach: 100, keysEach: 10, trainingsEach: 100 });
  const half = teams.length / 2;
  return { silent: { teams: teams.slice(half), catalog }, told: { teams: teams.slice(0, half), catalog } };
};

// The service

interface Contender extends Teams {
  readonly setup: Setup;
  readonly url: string;
  readonly servers: readonly Server[];
  /** Stops its processes until they are resumed. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Starts to measure the CPU time of each part; the result returns it. */
  readonly watch: () => () => Cost;
  readonly mixedPerSecond: number;
  /** The number of the next request, so that all keys are used equally. */
  next: number;
}

interface Common {
  readonly citusUrl: string;
  readonly places: readonly Place[];
  readonly receiver: Receiver;
  readonly environment: Readonly<Record<string, string>>;
}

/** Makes a database, and starts two processes of each role on it. */
const openContender = async (
  opened: AsyncDisposableStack,
  setup: Setup,
  { citusUrl, places, receiver, environment }: Common,
): Promise<Contender> => {
  opened.defer(() => dropFromMachines(citusUrl, nameOf(setup)));
  const used = setup === 'plain' ? places.slice(1, 2) : places; // the first one is the coordinator
  const url = await createDatabaseFor(
    citusUrl,
    setup,
    used.map(({ machine }) => machine),
  );
  const teams = await makeTeams(url);
  if (setup !== 'plain') await analyzeOnMachines(citusUrl, nameOf(setup));
  const settings = { ...environment, DATABASE_URL: url };
  const servers: Server[] = [];
  const workers: Watched[] = [];
  while (servers.length < 2) {
    servers.push(opened.use(await startServer(['src/main.ts', 'api'], settings)));
    workers.push(opened.use(await startWorker(settings)));
  }
  await createEndpointsOf(teams.told, {
    databaseUrl: url,
    receiver,
    send: makeSend(opened, pick(servers, 0)),
    each: 1,
  });
  const postgres = used.map(({ pid }) => ({ pid, children: true }));
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const { pid } of [...servers, ...workers]) process.kill(pid, name);
  };
  opened.defer(() => signal('SIGCONT')); // a stopped process does not end
  const watched: Record<keyof Cost, readonly Watched[]> = {
    'API processes': servers.map(({ pid }) => ({ pid })),
    'worker processes': workers.map(({ pid }) => ({ pid })),
    coordinator: postgres.slice(0, 1), // or the plain database
    'Citus workers': postgres.slice(1),
  };
  const watch = () => {
    const reading = new Map(parts.map((part) => [part, watched[part].map(watchCpuTime)]));
    const microseconds = (part: keyof Cost) =>
      (reading.get(part) ?? []).reduce((sum, read) => sum + read() * 1_000_000, 0);
    return () => costFrom(microseconds);
  };
  return {
    ...teams,
    setup,
    url,
    servers,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    watch,
    mixedPerSecond: mixedPerSecondOf(setup),
    next: 0,
  };
};

// The loads

const requestsOf = (contender: Contender, seeded: Seeded, counts: Counts): Request[] =>
  scenarios.flatMap((scenario) =>
    Array.from({ length: counts[scenario.name] ?? 0 }, () => requestAt((contender.next += 1), scenario, seeded)),
  );

/** This many requests, divided among all kinds. */
const mix = (requests: number): Counts =>
  Object.fromEntries(Object.entries(mixed).map(([kind, share]) => [kind, Math.round(share * requests)]));

const allKinds = mix(3 * count);

/** Sends requests and waits for what follows them. */
const measure = async (
  contender: Contender,
  receiver: Receiver,
  { requests, deliveries = 0, rate = perSecond }: { requests: Request[]; deliveries?: number; rate?: number },
): Promise<Measured> => {
  await receiver.take();
  const used = contender.watch();
  const began = performance.now();
  const shuffled = requests.map((request) => ({ request, at: Math.random() })).toSorted((a, b) => a.at - b.at);
  const times = await sendAtRate(
    contender.servers,
    shuffled.map(({ request }) => request),
    rate,
  );
  await receiver.untilArrived(deliveries, arrivalMs);
  await sleep(settleMs);
  return { used: used(), count: requests.length, seconds: (performance.now() - began) / 1000, p50: median(times) };
};

const measureAllKinds = (contender: Contender, receiver: Receiver, counts: Counts): Promise<Measured> =>
  measure(contender, receiver, {
    requests: requestsOf(contender, contender.told, counts),
    deliveries: counts[posting] ?? 0,
    rate: contender.mixedPerSecond,
  });

const warmUp = async (contender: Contender, receiver: Receiver): Promise<void> => {
  const ofEach = Object.fromEntries(scenarios.map(({ name }) => [name, warmUpEach]));
  const requests = requestsOf(contender, contender.told, ofEach);
  await measure(contender, receiver, { requests, deliveries: warmUpEach, rate: 1_000 });
  await measureAllKinds(contender, receiver, mix(warmUpSeconds * contender.mixedPerSecond));
};

/** How long each kind is sent as fast as it is answered, to find its rate. */
const highestMs = 4_000 / smaller;

const findRates = async (contender: Contender): Promise<Rates> => {
  const rates = new Map<string, number>();
  for (const { name } of scenarios) {
    const requests = requestsOf(contender, contender.silent, { [name]: 2_000 });
    rates.set(name, (await highestRate(pick(contender.servers, 0), requests, highestMs)) / 2);
  }
  return rates;
};

const measureIdle = async ({ watch }: Contender): Promise<Measured> => {
  const used = watch();
  await sleep(idleMs);
  return { used: used(), count: 0, seconds: idleMs / 1000, p50: NaN };
};

/** The results of each contender. They are measured in turn. */
const measureAll = async (
  contenders: readonly Contender[],
  { receiver, rates, rounds }: { receiver: Receiver; rates: Rates; rounds: number },
): Promise<ReadonlyMap<Contender, Results>> => {
  const inTurn = (measureOne: (contender: Contender) => Promise<Measured>) =>
    measureInTurn(contenders, rounds, async (contender) => {
      contender.resume();
      await sleep(resumeMs);
      const measured = await measureOne(contender);
      contender.pause();
      return measured;
    });
  const ofKind = (name: string, number: number, rate: number) =>
    inTurn((contender) =>
      measure(contender, receiver, { requests: requestsOf(contender, contender.silent, { [name]: number }), rate }),
    );
  const withDelivery = (number: number, rateOf: (contender: Contender) => number) =>
    inTurn((contender) =>
      measure(contender, receiver, {
        requests: requestsOf(contender, contender.told, { [posting]: number }),
        deliveries: number,
        rate: rateOf(contender),
      }),
    );
  type Measurements = Awaited<ReturnType<typeof inTurn>>;
  const idle = await inTurn(measureIdle);
  const alone = new Map<string, Measurements>();
  for (const { name } of scenarios) alone.set(name, await ofKind(name, count, perSecond));
  const fast = new Map<string, Measurements>();
  for (const [name, rate] of rates) fast.set(name, await ofKind(name, Math.ceil((rate * fastSeconds) / smaller), rate));
  const delivered = {
    alone: await withDelivery(Math.ceil(count / 2), () => perSecond * (mixed[posting] ?? NaN)),
    fast: await withDelivery(count, ({ mixedPerSecond }) => mixedPerSecond * equallyBusy),
  };
  const ofAllKinds = await inTurn((contender) => measureAllKinds(contender, receiver, allKinds));
  return new Map(
    contenders.map((contender) => {
      const of = (measurements: Measurements) => measurements.get(contender) ?? [];
      const ofEach = (kinds: ReadonlyMap<string, Measurements>) =>
        new Map(Array.from(kinds, ([name, measurements]) => [name, of(measurements)]));
      return [
        contender,
        {
          idle: of(idle),
          alone: ofEach(alone),
          fast: ofEach(fast),
          delivered: { alone: of(delivered.alone), fast: of(delivered.fast) },
          ofAllKinds: of(ofAllKinds),
        },
      ];
    }),
  );
};

/** How many bytes one row of each table takes, with its indexes. */
const reportStorage = async (url: string): Promise<void> => {
  await using client = await connectTo(url);
  const sizes = ['webhook_event', 'event_feed_entry', 'webhook_delivery', 'webhook_attempt', 'request_log_entry'].map(
    (table) =>
      `select '${table}' as name, pg_total_relation_size('${table}') / greatest(1, (select count(*) from ${table})) as bytes`,
  );
  const { rows } = await client.query<{ name: string; bytes: string }>(sizes.join(' union all '));
  console.log(`\nBytes of a row: ${rows.map(({ name, bytes }) => `${name} ${bytes}`).join(', ')}`);
};

export const run = async (): Promise<void> => {
  const { citusUrl, machines } = await requireCitus();
  await using opened = new AsyncDisposableStack();
  const places = await placesOf(citusUrl, machines);
  const receiver = opened.use(await startReceiver(await createFolder(opened, 'citus')));
  const environment = {
    APP_SECRET: 'a secret that only the bench knows',
    PUBLIC_URL: 'http://localhost:3000',
    ...receiver.environment,
  };
  const results = new Map<Setup, Results>();
  let rates: Rates = new Map();
  for (const turn of turns) {
    console.log(`${turn.join(' and ')}, ${machineLoad()}`);
    await using ofTurn = new AsyncDisposableStack();
    const contenders: Contender[] = [];
    for (const setup of turn) {
      const contender = await openContender(ofTurn, setup, { citusUrl, places, receiver, environment });
      await warmUp(contender, receiver);
      if (setup === 'cells') rates = await findRates(contender);
      contender.pause(); // while the next one is made
      contenders.push(contender);
    }
    const measured = await measureAll(contenders, { receiver, rates, rounds: roundsOf(turn) });
    for (const [{ setup, url }, of] of measured) {
      results.set(setup, of);
      if (setup === 'plain') await reportStorage(url);
    }
  }
  const resultsOf = (setup: Setup): Results => {
    const found = results.get(setup);
    if (!found) throw new Error(`${setup} was not measured`);
    return found;
  };
  const all: Of<Results> = { plain: resultsOf('plain'), cells: resultsOf('cells'), fallback: resultsOf('fallback') };
  const costsAt = (pace: Pace): Of<Costs> => ({
    plain: costsOf(all.plain, pace),
    cells: costsOf(all.cells, pace),
    fallback: costsOf(all.fallback, pace),
  });
  const [slow, fast] = [costsAt('alone'), costsAt('fast')];
  reportKinds(all, slow);
  reportFast(fast, rates);
  reportDeviations(all, fast, allKinds);
  // In the busiest hour, a process is as busy as at the fast pace.
  reportCapacity('plain', fast.plain);
  reportCapacity('cells', fast.cells);
  reportNodes(fast.plain, fast.cells);
};
