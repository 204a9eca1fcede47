import { readFileSync, readdirSync } from 'node:fs';

/** A process whose CPU time is measured; with `children`, it counts with all of its children. */
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
