import { readFileSync, readdirSync } from 'node:fs';
import { loadavg } from 'node:os';

// Figures of benches and tries, with their limits. A missed limit sets the exit code; everything is measured all the
// same.

const report = (name: string, shown: string, bound: string, holds: boolean): void => {
  console.log(`  ${name}: ${shown}, ${bound}: ${holds ? 'yes' : 'NO'}`);
  if (!holds) process.exitCode = 1;
};

export const atLeast = (name: string, value: number, min: number, unit = ''): void =>
  report(name, `${value.toFixed(2)}${unit}`, `at least ${min}${unit}`, value >= min);

export const below = (name: string, value: number, limit: number, unit = ''): void =>
  report(name, `${value.toFixed(2)}${unit}`, `below ${limit}${unit}`, value < limit);

export const atMost = (name: string, value: number, max: number, unit = ''): void =>
  report(name, `${value.toFixed(2)}${unit}`, `at most ${max}${unit}`, value <= max);

/** A figure of a try. Without a limit, it is only shown. */
export interface Figure {
  name: string;
  value: number;
  /** The same at the beginning of the run. */
  before?: number;
  atMost?: number | undefined;
}

const shown = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(1));

export const reportFigures = (figures: readonly Figure[]): void => {
  for (const { name, value, before, atMost: max = Infinity } of figures) {
    const label = before === undefined ? name : `${name} (at the beginning ${shown(before)})`;
    if (max === Infinity) console.log(`  ${label}: ${shown(value)}`);
    else atMost(label, value, max);
  }
};

/** The load average of the machine, as a heading. */
export const machineLoad = (): string =>
  `load average ${loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')}`;

/** The quantile of the values; `part` is between 0 and 1. NaN for an empty list. */
export const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/**
 * Measures each of them in each round. The order alternates, so that other load on the machine and changes in its speed
 * affect all alike.
 */
export const measureInTurn = async <Name, Result>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name) => Promise<Result>,
): Promise<Map<Name, Result[]>> => {
  const results = new Map<Name, Result[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) results.get(name)?.push(await measure(name));
  }
  return results;
};

/**
 * A process whose CPU time is measured; with `children`, it counts with all of its children, which have one thread
 * each.
 */
export interface Watched {
  pid: number;
  children?: boolean;
}

/** Linux counts CPU time in ticks of 1/100 s on all current machines. */
const ticksPerSecond = 100;

const timesOf = (pid: number) => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The process name, in parentheses, may contain spaces and parentheses.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const seconds = (index: number) => Number(fields[index]) / ticksPerSecond;
    return { parent: Number(fields[1]), own: seconds(11) + seconds(12), ofEndedChildren: seconds(13) + seconds(14) };
  } catch {
    return undefined; // it has just ended
  }
};

/**
 * The CPU time of a process with one thread. It is exact to the nanosecond: a process of PostgreSQL often uses less
 * than a tick.
 */
const exactSecondsOf = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000_000;
  } catch {
    return 0; // it has just ended
  }
};

const secondsOf = ({ pid, children = false }: Watched): number => {
  const times = timesOf(pid);
  if (!times) return NaN;
  if (!children) return times.own;
  const living = readdirSync('/proc').filter((name) => timesOf(Number(name))?.parent === pid);
  return living.reduce((sum, name) => sum + exactSecondsOf(Number(name)), times.own + times.ofEndedChildren);
};

/** Starts to measure; the result returns the seconds of CPU time since then. NaN on systems without /proc. */
export const watchCpuTime = (watched: Watched): (() => number) => {
  const before = secondsOf(watched);
  return () => secondsOf(watched) - before;
};
