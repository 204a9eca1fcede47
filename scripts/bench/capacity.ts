// What a load costs, and what carries it: arithmetic on the costs of single requests and deliveries. `npm run bench -- citus` measures these
// costs, compares a load of all kinds with what they predict, and prints this; docs/capacity.md shows it.

/** Whose CPU time is counted, each for all processes together. Without Citus, the coordinator is the only PostgreSQL. */
export const parts = ['API processes', 'worker processes', 'coordinator', 'Citus workers'] as const;
export type Part = (typeof parts)[number];

/** Microseconds of CPU time. */
export type Cost = Readonly<Record<Part, number>>;

/** How many of each kind. */
export type Counts = Readonly<Record<string, number>>;

export interface Costs {
  /** Of a second without requests, for all processes. */
  readonly idle: Cost;
  /** Of one request or delivery of each kind. */
  readonly each: ReadonlyMap<string, Cost>;
}

export const costFrom = (of: (part: Part) => number): Cost => ({
  'API processes': of('API processes'),
  'worker processes': of('worker processes'),
  coordinator: of('coordinator'),
  'Citus workers': of('Citus workers'),
});

export const totalOf = (cost: Cost): number => parts.reduce((sum, part) => sum + cost[part], 0);

/** What one of a kind costs, if so many of it used this and nothing else ran. */
export const costOfOne = (used: Cost, idle: Cost, { count, seconds }: { count: number; seconds: number }): Cost =>
  costFrom((part) => (used[part] - idle[part] * seconds) / count);

/** What a load of several kinds costs in so many seconds. */
export const predict = ({ idle, each }: Costs, counts: Counts, seconds: number): Cost =>
  costFrom((part) =>
    Object.entries(counts).reduce(
      (sum, [kind, count]) => sum + count * (each.get(kind)?.[part] ?? NaN),
      idle[part] * seconds,
    ),
  );

// What a day of deliveries needs

export const delivery = 'a delivery';

/** What belongs to a delivery: the write that causes the event, and what its receiver and others then read. */
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
/** Of a large machine. */
const cores = 32;

/** The cores that each part needs in the busiest hour. Idle processes are left out. */
export const coresFor = ({ each }: Costs, deliveriesOfDay: number): Cost => {
  const cost = predict({ each, idle: costFrom(() => 0) }, ofOneDelivery, 0);
  const perSecond = (deliveriesOfDay / secondsOfDay) * peak;
  return costFrom((part) => (cost[part] * perSecond) / 1_000_000 / usable);
};

/** The deliveries of a day with which a part needs all cores of a large machine. */
export const mostDeliveries = (costs: Costs, part: Part): number => cores / coresFor(costs, 1)[part];

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
  const most = mostDeliveries(costs, 'coordinator') / 1_000_000;
  console.log(`  a coordinator of ${cores} cores is full at ${most.toFixed(1)} million deliveries a day`);
};
