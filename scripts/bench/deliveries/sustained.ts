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

/** How a backlog was worked off. */
export interface Sustained {
  perSecond: number;
  /** What the database was asked for each delivery. */
  statements: number;
  usage: Usage | undefined;
}

/** What waits, as much for each endpoint. */
export interface Load {
  deliveries: number;
  endpoints?: number;
}

interface Senders {
  /** For whom the backlog is made. */
  sender: Sender;
  /** Each in a process of its own. */
  commands: readonly (readonly [program: string, ...args: string[]])[];
  /** Whether it writes what came of each. */
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

/** The last of them are written a moment after they arrived. */
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

/** Lets senders, fresh from their start, work off so many waiting deliveries, and measures from the first to the last. */
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
