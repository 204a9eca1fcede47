// Calculates how much CPU time a load needs from what one request and one delivery cost. `npm run bench -- citus`
// measures these costs, checks the calculation with a mixed load, and prints the results; docs/capacity.md shows them.

/**
 * The parts of an installation. Each has several processes, and their CPU time is added up. A plain PostgreSQL counts
 * as the coordinator.
 */
export const parts = ['API processes', 'worker processes', 'coordinator', 'Citus workers'] as const;
export type Part = (typeof parts)[number];

/** The CPU time of each part, in microseconds. */
export type Cost = Readonly<Record<Part, number>>;

/** How many requests and deliveries of each kind. */
export type Counts = Readonly<Record<string, number>>;

export interface Costs {
  /** The cost of a second in which no request is sent. */
  readonly idle: Cost;
  /** The cost of one request of each kind, and of one delivery. */
  readonly each: ReadonlyMap<string, Cost>;
}

export const costFrom = (of: (part: Part) => number): Cost => ({
  'API processes': of('API processes'),
  'worker processes': of('worker processes'),
  coordinator: of('coordinator'),
  'Citus workers': of('Citus workers'),
});

/** The cost of all machines of the database. */
export const ofDatabase = (cost: Cost): number => cost.coordinator + cost['Citus workers'];

/** The cost of one request: `used` is what `count` of them used in `seconds`, while nothing else ran. */
export const costOfOne = (used: Cost, idle: Cost, { count, seconds }: { count: number; seconds: number }): Cost =>
  costFrom((part) => (used[part] - idle[part] * seconds) / count);

/** The cost of a load that takes so many seconds. `counts`: how many requests and deliveries of each kind it has. */
export const predict = ({ idle, each }: Costs, counts: Counts, seconds: number): Cost =>
  costFrom((part) =>
    Object.entries(counts).reduce(
      (sum, [kind, count]) => sum + count * (each.get(kind)?.[part] ?? NaN),
      idle[part] * seconds,
    ),
  );

// The cores that a day of deliveries needs

export const delivery = 'a delivery';

/**
 * The requests for each delivery: the write that causes the event, and what the receiver and others read afterwards.
 */
const ofOneDelivery: Counts = {
  [delivery]: 1,
  'POST /assignments': 1,
  'GET /trainings/{training_id}/evaluation': 1,
  'GET /users/{member_id}': 1,
  'GET /trainings?limit=50': 0.1,
};

const days = [1, 5, 10, 50].map((millions) => millions * 1_000_000);
const secondsOfDay = 86_400;
/** The busiest hour has three times the average. */
const peak = 3;
/** Above this share of its CPU, a part makes requests wait for each other. */
const usable = 0.6;
/** The cores of a large machine. */
const cores = 32;

/** The cores that each part needs in the busiest hour. Idle processes are left out. */
export const coresFor = ({ each }: Costs, deliveriesOfDay: number): Cost => {
  const cost = predict({ each, idle: costFrom(() => 0) }, ofOneDelivery, 0);
  const perSecond = (deliveriesOfDay / secondsOfDay) * peak;
  return costFrom((part) => (cost[part] * perSecond) / 1_000_000 / usable);
};

/** The deliveries of a day with which a part needs all cores of a large machine. */
export const maxDeliveries = (costs: Costs, part: Part): number => cores / coresFor(costs, 1)[part];

export const reportCapacity = (setup: string, costs: Costs): void => {
  const ofAll = Object.values(ofOneDelivery).reduce((sum, count) => sum + count, -1);
  console.log(
    `\nCores in the busiest hour, ${setup}: ${peak} times the average, ${usable * 100} % of each core, ${ofAll} requests for each delivery`,
  );
  for (const deliveries of days) {
    const needed = coresFor(costs, deliveries);
    const perSecond = Math.round((deliveries / secondsOfDay) * peak);
    const each = parts.map((part) => `${part} ${needed[part].toFixed(1)}`).join(', ');
    console.log(`  ${deliveries / 1_000_000} million deliveries a day (${perSecond}/s): ${each}`);
  }
  const max = maxDeliveries(costs, 'coordinator') / 1_000_000;
  console.log(`  a coordinator of ${cores} cores is full at ${max.toFixed(1)} million deliveries a day`);
};

/**
 * The deliveries of a day that a distributed database of so many nodes carries, each a large machine, with a coordinator
 * of the same size. The teams are spread evenly.
 */
export const deliveriesOf = (costs: Costs, nodes: number): number =>
  Math.min(maxDeliveries(costs, 'Citus workers') * nodes, maxDeliveries(costs, 'coordinator'));

export const reportNodes = (plain: Costs, cells: Costs): void => {
  const ofPlain = maxDeliveries(plain, 'coordinator');
  console.log(
    `\nDeliveries a day that machines of ${cores} cores carry: plain ${(ofPlain / 1_000_000).toFixed(0)} million`,
  );
  for (const nodes of [1, 2, 4, 8]) {
    const carried = deliveriesOf(cells, nodes);
    const times = (carried / ofPlain).toFixed(1);
    console.log(
      `  ${nodes} node(s) and a coordinator: ${(carried / 1_000_000).toFixed(0)} million, ${times} times plain`,
    );
  }
};
