import { atLeast, atMost } from '../bounds.ts';
import { median } from '../statistics.ts';
import type { Stage } from './stage.ts';
import { workOff } from './sustained.ts';
import type { Sustained } from './sustained.ts';
import { describeUsage } from './usage.ts';

/** As many as a worker sends at once. */
const concurrency = 128;

const senders = {
  service: { sender: 'worker', commands: [['src/main.ts', 'worker']], writes: true },
  plain: { sender: 'jobs', commands: [['scripts/bench/deliveries/plain-queue.ts']], writes: true },
  limit: {
    sender: 'worker',
    commands: [['scripts/bench/deliveries/bare-sender.ts', String(concurrency)]],
    writes: false,
  },
} as const;
type Name = keyof typeof senders;

const names: readonly Name[] = ['service', 'plain', 'limit'];

const line = (name: Name, rounds: readonly Sustained[]): void => {
  const rates = rounds.map(({ perSecond }) => perSecond);
  const statements = median(rounds.map((one) => one.statements));
  const last = rounds.at(-1);
  console.log(
    `  ${name.padEnd(8)} ${Math.round(median(rates)).toString().padStart(6)} deliveries/s (rounds ${rates.map(Math.round).join(' ')})` +
      (name === 'limit' ? '' : `, ${statements.toFixed(2)} statements each`) +
      (last?.usage ? `\n           cores used: ${describeUsage(last.usage, last.perSecond)}` : ''),
  );
};

/** How fast one worker works off what waits, beside a loop that only signs and posts, and beside a plain queue. */
export const measureThroughput = async (
  stage: Stage,
  { deliveries, rounds }: { deliveries: number; rounds: number },
): Promise<void> => {
  console.log(`${deliveries} waiting deliveries to 50 endpoints, ${rounds} rounds in turn, each process fresh`);
  const measured: Record<Name, Sustained[]> = { service: [], plain: [], limit: [] };
  for (let round = 0; round < rounds; round += 1) {
    // Who goes first alternates, so that nobody profits from the machine's mood.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      measured[name].push(await workOff(stage, deliveries, senders[name]));
    }
  }
  for (const name of names) line(name, measured[name]);
  const ratioTo = (other: Name) =>
    median(measured.service.map(({ perSecond }, round) => perSecond / (measured[other][round]?.perSecond ?? NaN)));
  atLeast('service to plain', ratioTo('plain'), 1.3);
  atLeast('service to limit', ratioTo('limit'), 0.35);
  atMost('statements for each delivery', median(measured.service.map(({ statements }) => statements)), 3);
};
