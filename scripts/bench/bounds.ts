// Checks of a bench's results against their limits. A missed limit sets the exit code; the bench still measures everything.

import { loadavg } from 'node:os';

const tell = (name: string, shown: string, bound: string, holds: boolean): void => {
  console.log(`  ${name}: ${shown}, ${bound}: ${holds ? 'yes' : 'NO'}`);
  if (!holds) process.exitCode = 1;
};

export const atLeast = (name: string, value: number, least: number, unit = ''): void =>
  tell(name, `${value.toFixed(2)}${unit}`, `at least ${least}${unit}`, value >= least);

export const below = (name: string, value: number, most: number, unit = ''): void =>
  tell(name, `${value.toFixed(2)}${unit}`, `below ${most}${unit}`, value < most);

export const atMost = (name: string, value: number, most: number, unit = ''): void =>
  tell(name, `${value.toFixed(2)}${unit}`, `at most ${most}${unit}`, value <= most);

/** The load average of the machine, as a heading. */
export const machineLoad = (): string =>
  `load average ${loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')}`;
