import { atLeast, atMost } from '../bounds.ts';
import { median } from '../statistics.ts';
import type { Stage } from './stage.ts';
import { workOff } from './sustained.ts';
import type { Load, Sustained } from './sustained.ts';
import { describeUsage } from './usage.ts';

/** Concurrency of the loop that only sends: more would only cost it more TLS handshakes. */
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

interface Sizes extends Load {
  rounds: number;
  /** The smallest allowed ratios of the service's rate to the rates of the others. */
  least: { plain: number; limit?: number };
}

/** Compares how fast one worker works off a backlog with a loop that only signs and posts, and with a plain queue. */
export const measureThroughput = async (stage: Stage, { rounds, least, ...load }: Sizes): Promise<void> => {
  const { deliveries, endpoints = 50 } = load;
  console.log(
    `${deliveries} waiting deliveries to ${endpoints} endpoints, ${rounds} rounds in turn, each process fresh`,
  );
  const measured: Record<Name, Sustained[]> = { service: [], plain: [], limit: [] };
  const compared = names.filter((name) => name !== 'limit' || least.limit !== undefined);
  for (let round = 0; round < rounds; round += 1) {
    // The order alternates in each round, so that changes in the machine's speed affect all alike.
    for (const name of round % 2 === 0 ? compared : compared.toReversed()) {
      measured[name].push(await workOff(stage, load, senders[name]));
    }
  }
  for (const name of compared) line(name, measured[name]);
  const ratioTo = (other: Name) =>
    median(measured.service.map(({ perSecond }, round) => perSecond / (measured[other][round]?.perSecond ?? NaN)));
  atLeast('service to plain', ratioTo('plain'), least.plain);
  if (least.limit !== undefined) atLeast('service to limit', ratioTo('limit'), least.limit);
  atMost('statements for each delivery', median(measured.service.map(({ statements }) => statements)), 3);
};
