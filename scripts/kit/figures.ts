import { readFileSync, readdirSync } from 'node:fs';
import { loadavg } from 'node:os';

// Checks of a bench's figures against their limits. A missed limit sets the exit code; the bench still measures everything.

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

/** A process whose CPU time is measured; with `children`, it counts with all of its children. */
interface Watched {
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
    const at = (index: number) => Number(fields[index]);
    return { parent: at(1), own: at(11) + at(12), ofEndedChildren: at(13) + at(14) };
  } catch {
    return undefined; // it has just ended
  }
};

const ticksOf = ({ pid, children = false }: Watched): number => {
  const times = timesOf(pid);
  if (!times) return NaN;
  if (!children) return times.own;
  const living = readdirSync('/proc').map((name) => timesOf(Number(name)));
  const ofLiving = living.map((child) => (child?.parent === pid ? child.own : 0));
  return ofLiving.reduce((sum, own) => sum + own, times.own + times.ofEndedChildren);
};

/** Starts to measure; the result returns the seconds of CPU time since then. NaN on systems without /proc. */
export const watchCpuTime = (watched: Watched): (() => number) => {
  const before = ticksOf(watched);
  return () => (ticksOf(watched) - before) / ticksPerSecond;
};
