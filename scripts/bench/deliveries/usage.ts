import { readFileSync, readdirSync } from 'node:fs';
import { availableParallelism, platform } from 'node:os';

/** The processes whose CPU time is measured: a single process, or a server with all of its children. */
export type Watched = Readonly<Record<string, { pid: number; children?: boolean }>>;

/** CPU use in cores: 1 is one core that was fully busy. */
export interface Usage {
  each: Readonly<Record<string, number>>;
  /** The cores that all processes of the machine used together, and the number of its cores. */
  busy: number;
  cores: number;
}

/** Linux counts CPU time in ticks of 1/100 s on all current machines. */
const ticksPerSecond = 100;

interface Times {
  parent: number;
  own: number;
  /** CPU time of children that have ended. */
  former: number;
}

const timesOf = (pid: number | string): Times => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The process name, in parentheses, may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const at = (index: number) => Number(fields[index]);
  return { parent: at(1), own: at(11) + at(12), former: at(13) + at(14) };
};

const isNumber = (name: string): boolean => /^\d+$/.test(name);

const tryTimesOf = (pid: string): Times | undefined => {
  try {
    return timesOf(pid);
  } catch {
    return undefined; // it has just ended
  }
};

const ticksOf = ({ pid, children = false }: Watched[string]): number => {
  const { own, former } = timesOf(pid);
  if (!children) return own;
  const living = readdirSync('/proc')
    .filter(isNumber)
    .map(tryTimesOf)
    .filter((times) => times?.parent === pid);
  return living.reduce((sum, times) => sum + (times?.own ?? 0), own + former);
};

/** The ticks of all cores, without idle time and waiting for disks. */
const busyTicks = (): number => {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return user + nice + system + irq + softirq + steal;
};

/** Starts to measure; the returned function gives the CPU use since then. Undefined where the system does not provide it. */
export const watchUsage = (watched: Watched): (() => Usage) | undefined => {
  if (platform() !== 'linux') return undefined;
  const read = () => ({
    at: performance.now(),
    busy: busyTicks(),
    ticks: Object.entries(watched).map(([name, one]) => [name, ticksOf(one)] as const),
  });
  const before = read();
  return () => {
    const after = read();
    const ticksInAll = ((after.at - before.at) / 1000) * ticksPerSecond;
    const former = new Map(before.ticks);
    const each = after.ticks.map(([name, ticks]) => [name, (ticks - (former.get(name) ?? 0)) / ticksInAll]);
    return {
      each: Object.fromEntries(each),
      busy: (after.busy - before.busy) / ticksInAll,
      cores: availableParallelism(),
    };
  };
};

/** `perSecond`: the rate that this CPU use achieved. */
export const describeUsage = ({ each, busy, cores }: Usage, perSecond: number): string => {
  const ours = Object.values(each).reduce((sum, used) => sum + used, 0);
  const parts = Object.entries(each).map(
    ([name, used]) => `${name} ${used.toFixed(2)} (${Math.round((used * 1_000_000) / perSecond)} µs each)`,
  );
  return `${parts.join(', ')}, everything else ${Math.max(0, busy - ours).toFixed(2)}; in all ${busy.toFixed(2)} of ${cores}`;
};
