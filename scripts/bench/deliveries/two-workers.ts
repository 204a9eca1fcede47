import { median } from '../statistics.ts';
import type { Stage } from './stage.ts';
import { workOff } from './sustained.ts';
import type { Sustained } from './sustained.ts';
import { describeUsage } from './usage.ts';
import type { Usage } from './usage.ts';

const wanted = 1.5;
/** A share of one core or of all cores. A process can hardly reach more than this. */
const full = 0.9;

/** The resource that is used up, if any. Then a second worker can't be faster. */
const whatIsFull = ({ one, two }: Record<'one' | 'two', Usage>): string | undefined => {
  const { cores } = two;
  if (two.busy / cores >= full) return `all ${cores} cores`;
  if ((two.each['receiver'] ?? 0) >= full) return 'the one core that the receiver can use';
  const needed = wanted * Object.values(one.each).reduce((sum, used) => sum + used, 0);
  if (needed > cores) return `${wanted} times one worker would take ${needed.toFixed(2)} of ${cores} cores`;
  return undefined;
};

/** Measures how much faster two workers are than one. */
export const measureTwoWorkers = async (
  stage: Stage,
  { deliveries, rounds }: { deliveries: number; rounds: number },
): Promise<void> => {
  console.log(`${deliveries} waiting deliveries, one worker and two in turn, ${rounds} rounds`);
  const command = ['src/main.ts', 'worker'] as const;
  const measured: Record<'one' | 'two', Sustained[]> = { one: [], two: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? (['one', 'two'] as const) : (['two', 'one'] as const)) {
      const commands = name === 'one' ? [command] : [command, command];
      measured[name].push(await workOff(stage, { deliveries }, { sender: 'worker', commands, writes: true }));
    }
  }
  for (const name of ['one', 'two'] as const) {
    const rates = measured[name].map(({ perSecond }) => perSecond);
    const last = measured[name].at(-1);
    console.log(
      `  ${name.padEnd(4)} ${Math.round(median(rates)).toString().padStart(6)} deliveries/s (rounds ${rates.map(Math.round).join(' ')})` +
        (last?.usage ? `\n       cores used: ${describeUsage(last.usage, last.perSecond)}` : ''),
    );
  }
  const ratio = median(measured.two.map(({ perSecond }, round) => perSecond / (measured.one[round]?.perSecond ?? NaN)));
  const scarce = measured.two
    .map(({ usage: two }, round) => {
      const one = measured.one[round]?.usage;
      return one && two && whatIsFull({ one, two });
    })
    .find((found) => found !== undefined);
  const holds = ratio >= wanted || scarce !== undefined;
  const why = ratio < wanted && scarce !== undefined ? ` (full: ${scarce})` : '';
  console.log(
    `  two to one: ${ratio.toFixed(2)}, at least ${wanted} or something is full: ${holds ? 'yes' : 'NO'}${why}`,
  );
  if (!holds) process.exitCode = 1;
};
