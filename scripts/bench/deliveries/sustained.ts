import { setTimeout as sleep } from 'node:timers/promises';
import { statement } from '../../../src/db/query.ts';
import { makeBacklog } from './backlog.ts';
import type { Sender } from './backlog.ts';
import { forgetEverything, makeEndpoints } from './endpoints.ts';
import { startProgram } from './program.ts';
import type { Program } from './program.ts';
import type { Arrival } from './receiver-words.ts';
import type { Stage } from './stage.ts';
import { watchUsage } from './usage.ts';
import type { Usage } from './usage.ts';

/** The measured speed of working off a backlog. */
export interface Sustained {
  perSecond: number;
  /** The number of SQL statements per delivery. */
  statements: number;
  usage: Usage | undefined;
}

/** The size of the backlog; every endpoint has the same number of deliveries. */
export interface Load {
  deliveries: number;
  endpoints?: number;
}

interface Senders {
  /** The kind of sender for which the backlog is created. */
  sender: Sender;
  /** The programs of the senders; each one runs in its own process. */
  commands: readonly (readonly [program: string, ...args: string[]])[];
  /** Whether the senders store the outcome of each delivery. */
  writes: boolean;
}

const patience = 300_000;

const forgetStatements = statement<Record<never, never>, []>('select pg_stat_statements_reset()');
const countStatements = statement<{ calls: string }, []>(
  `select sum(calls) as calls from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())`,
);
const countUnwritten = statement<{ left: string }, []>(
  `select count(*) as left from webhook_delivery where status <> 'ok'`,
);

/** Waits until all outcomes are stored: the last ones are stored shortly after the arrival. */
const untilWritten = async ({ platform }: Stage): Promise<void> => {
  const deadline = Date.now() + patience;
  for (;;) {
    const [unwritten] = await platform.database.rows(countUnwritten);
    if (unwritten?.left === '0') return;
    if (Date.now() > deadline) throw new Error(`${unwritten?.left ?? ''} were never written`);
    await sleep(100);
  }
};

const rateOf = (arrivals: readonly Arrival[], deliveries: number): number => {
  const events = new Set(arrivals.map(({ event }) => event));
  if (events.size !== deliveries) throw new Error(`${events.size} of ${deliveries} events arrived`);
  const times = arrivals.map(({ at }) => at).sort((a, b) => a - b);
  return ((times.length - 1) * 1000) / ((times.at(-1) ?? NaN) - (times[0] ?? NaN));
};

/** Starts the senders, lets them work off the backlog, and measures from the first arrival to the last. */
export const workOff = async (
  stage: Stage,
  { deliveries, endpoints = 50 }: Load,
  { sender, commands, writes }: Senders,
): Promise<Sustained> => {
  const { platform, receiver, cluster, environment } = stage;
  await forgetEverything(stage);
  const told = await makeEndpoints(stage, endpoints, 'ok');
  await makeBacklog(stage, { told, each: deliveries / endpoints, sender });
  await platform.database.rows(forgetStatements);

  const programs: Program[] = [];
  try {
    for (const command of commands) programs.push(await startProgram({ command, environment }));
    const watch = watchUsage({
      ...Object.fromEntries(programs.map(({ child }, index) => [`sender ${index + 1}`, { pid: child.pid ?? 0 }])),
      receiver: { pid: receiver.pid },
      postgres: { pid: cluster.running()?.pid ?? 0, children: true },
    });
    await receiver.untilArrived(deliveries, patience);
    const usage = watch?.();
    const { arrivals } = await receiver.take();
    if (writes) await untilWritten(stage);
    const [counted] = await platform.database.rows(countStatements);
    return { perSecond: rateOf(arrivals, deliveries), statements: Number(counted?.calls) / deliveries, usage };
  } finally {
    for (const program of programs) await program.kill('SIGTERM');
  }
};
