// Compares the measurements of citus.ts: what each kind of request and a delivery cost on each database, and whether these
// costs add up to what a load of all kinds costs.

import { atMost, median } from '../kit/figures.ts';
import {
  costFrom,
  costOfOne,
  delivery,
  ofDatabase,
  parts,
  predict,
  type Cost,
  type Costs,
  type Counts,
} from './capacity.ts';
import { scenarios } from './rest.ts';

export const setups = ['plain', 'cells', 'fallback'] as const;
export type Setup = (typeof setups)[number];
export type Of<T> = Readonly<Record<Setup, T>>;

/** `alone`: at the low rate. `fast`: at half of a process' limit. */
export type Pace = 'alone' | 'fast';

/** Half of what one API process answers on cells, by the kind of request: two cores carry it on both databases. */
export type Rates = ReadonlyMap<string, number>;

export interface Measured {
  readonly used: Cost;
  /** How many requests. */
  readonly count: number;
  readonly seconds: number;
  readonly p50: number;
}

/** The measurements of one contender, each in all rounds. */
export interface Results {
  /** Measured while no request was sent. */
  readonly idle: readonly Measured[];
  /** Requests of one kind each, of teams without an endpoint. */
  readonly alone: ReadonlyMap<string, readonly Measured[]>;
  /** The same at half of a process' limit. */
  readonly fast: ReadonlyMap<string, readonly Measured[]>;
  /** `posting` of teams with an endpoint. */
  readonly delivered: Readonly<Record<Pace, readonly Measured[]>>;
  readonly ofAllKinds: readonly Measured[];
}

const maxDeviation = 15;

/** The kind of request that may have a delivery. */
export const posting = 'POST /assignments';

const medianCost = (costs: readonly Cost[]): Cost => costFrom((part) => median(costs.map((cost) => cost[part])));

/**
 * The cost of a second without requests: the least that a measured second cost. Work costs more on an idle machine,
 * which sleeps in between.
 */
const idleOf = ({ idle, alone, fast, delivered, ofAllKinds }: Results): Cost => {
  const all = [idle, ...alone.values(), ...fast.values(), ...Object.values(delivered), ofAllKinds].flat();
  return costFrom((part) => Math.min(...all.map(({ used, seconds }) => used[part] / seconds)));
};

export const costsOf = (results: Results, pace: Pace): Costs => {
  const idle = idleOf(results);
  const costOf = (loads: readonly Measured[]) => medianCost(loads.map((load) => costOfOne(load.used, idle, load)));
  const costAt = (kind: string) => costOf(results[pace].get(kind) ?? []);
  const each = new Map(scenarios.map(({ name }) => [name, costAt(name)]));
  const withDelivery = costOf(results.delivered[pace]);
  const withoutDelivery = costAt(posting);
  each.set(
    delivery,
    costFrom((part) => withDelivery[part] - withoutDelivery[part]),
  );
  return { idle, each };
};

/** By how many percent the load of all kinds used more than was predicted. */
const deviationOf = ({ ofAllKinds }: Results, costs: Costs, sent: Counts): Cost => {
  const counts = { ...sent, [delivery]: sent[posting] ?? 0 };
  return medianCost(
    ofAllKinds.map(({ used, seconds }) => {
      const predicted = predict(costs, counts, seconds);
      return costFrom((part) => (used[part] / predicted[part] - 1) * 100);
    }),
  );
};

const inWords = (cost: Cost | undefined): string =>
  parts.map((part) => `${part} ${cost?.[part].toFixed(0) ?? '–'}`).join(', ');

export const reportKinds = (results: Of<Results>, costs: Of<Costs>): void => {
  const cpu = (setup: Setup, kind: string) => {
    const cost = costs[setup].each.get(kind);
    return cost ? ofDatabase(cost) : NaN;
  };
  const p50 = (setup: Setup, kind: string) => median((results[setup].alone.get(kind) ?? []).map((one) => one.p50));
  for (const kind of costs.plain.each.keys()) {
    const isTimed = kind !== delivery;
    console.log(`\n${kind}`);
    for (const setup of ['cells', 'fallback'] as const) {
      const ratio = (of: typeof cpu) => (of(setup, kind) / of('plain', kind)).toFixed(2);
      console.log(`  ${setup} to plain: CPU of the database ${ratio(cpu)}${isTimed ? `, p50 ${ratio(p50)}` : ''}`);
    }
    for (const setup of setups) {
      const time = isTimed ? `; p50 ${p50(setup, kind).toFixed(1)} ms` : '';
      console.log(`  ${setup.padEnd(11)} µs of CPU: ${inWords(costs[setup].each.get(kind))}${time}`);
    }
  }
  console.log('\nA second without requests');
  for (const setup of setups) console.log(`  ${setup.padEnd(11)} µs of CPU: ${inWords(costs[setup].idle)}`);
};

const sumOf = (one: Cost, other: Cost): Cost => costFrom((part) => one[part] + other[part]);

/** Reports the costs at half of a process' limit, with the limits that are promised for cells. */
export const reportFast = (costs: Of<Costs>, rates: Rates): void => {
  const costOf = (setup: Setup, kind: string): Cost => {
    const cost = costs[setup].each.get(kind);
    if (!cost) throw new Error(`${kind} was not measured`);
    return cost;
  };
  const report = (what: string, of: (setup: Setup) => Cost, most: number): void => {
    console.log(`\n${what}`);
    for (const setup of setups) console.log(`  ${setup.padEnd(11)} µs of CPU: ${inWords(of(setup))}`);
    const [plain, cells] = [of('plain'), of('cells')];
    const ratio = ofDatabase(cells) / ofDatabase(plain);
    atMost(`cells to plain, CPU of the database: ${ratio.toFixed(2)}`, ratio, most);
    const share = (cells.coordinator / ofDatabase(cells)) * 100;
    atMost(`share of the coordinator: ${share.toFixed(1)} %`, share, 5, ' %');
  };
  for (const [kind, rate] of rates) report(`${kind}, ${rate.toFixed(0)} a second`, (setup) => costOf(setup, kind), 1.5);
  report(`${posting} with its delivery`, (setup) => sumOf(costOf(setup, posting), costOf(setup, delivery)), 1.6);
};

/** The fallback is left out: no capacity is calculated for it. `sent` is the load of all kinds. */
export const reportDeviations = (results: Of<Results>, costs: Of<Costs>, sent: Counts): void => {
  console.log('\nThe load of all kinds: what was used, to what was predicted');
  for (const setup of ['plain', 'cells'] as const) {
    const deviation = deviationOf(results[setup], costs[setup], sent);
    for (const part of parts.filter((one) => one !== 'Citus workers' || setup !== 'plain'))
      atMost(`${setup}, ${part}: ${deviation[part].toFixed(1)} %`, Math.abs(deviation[part]), maxDeviation, ' %');
  }
};
