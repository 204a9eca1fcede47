import { setTimeout as sleep } from 'node:timers/promises';
import { watchEventLoop } from './event-loop.ts';

/** A request that is ready to be sent: nothing of it is built while the event loop is measured. */
export interface Try {
  /** The procedure, route or parser, and the place of the text in its input. */
  readonly what: string;
  readonly place: string;
  readonly pattern: string;
  /** Statuses that say that nothing has read the text. They are findings too. */
  readonly unread?: ReadonlySet<number>;
  /** Answers with the status. */
  readonly send: () => Promise<number>;
}

/** How long a call may hold the event loop. */
export const maxMs = 50;
/** No pause of a machine is that long. */
const surelyMs = 20 * maxMs;
const rounds = 6;
/** When the event loop was held, it was by one of the tries that started last. */
const suspects = 8;

export interface Judge {
  /** Makes the tries, and returns those that hold the event loop, with the milliseconds. */
  slowOf<One extends Try>(tries: readonly One[], atOnce?: number): Promise<Map<One, number>>;
  note(slow: ReadonlyMap<Try, number>): void;
  /** What was wrong, a line for each try. */
  readonly findings: ReadonlySet<string>;
}

/** `prepare` runs before tries are made. */
export const makeJudge = (prepare: () => Promise<void>): Judge => {
  const findings = new Set<string>();
  const find = ({ what, place, pattern }: Try, wrong: string) =>
    findings.add([what, place, pattern, wrong].join(' | '));

  const make = async (one: Try): Promise<void> => {
    try {
      const status = await one.send();
      if (status >= 500 || one.unread?.has(status) === true) find(one, `answers ${status}`);
    } catch (error) {
      find(one, `fails: ${String(error)}`);
    }
  };

  /** The tries that may have held the event loop. A try that it has to wait for is not made before that is measured. */
  const suspectsAmong = async <One extends Try>(tries: readonly One[], atOnce: number): Promise<Set<One>> => {
    const found = new Set<One>();
    const latest: One[] = [];
    const watch = watchEventLoop();
    let ready = watch.start();
    const lookAgain = () => {
      for (const one of latest) found.add(one);
      ready = watch.start();
    };
    const left = tries.values();
    const makeNext = async (): Promise<void> => {
      for (const one of left) {
        await ready;
        latest.push(one);
        if (latest.length > suspects) latest.shift();
        await make(one);
        if (watch.longest() > maxMs) lookAgain();
      }
    };
    await Promise.all(Array.from({ length: atOnce }, makeNext));
    await ready;
    if ((await watch.settled()) > maxMs) lookAgain();
    await ready;
    watch.stop();
    return found;
  };

  /** A busy machine or a garbage collection holds the loop too, so only a try that holds it every time counts. */
  const slownessOf = async (one: Try): Promise<number | undefined> => {
    const watch = watchEventLoop();
    let min = Number.POSITIVE_INFINITY;
    for (let round = 1; round <= rounds && min > maxMs; round += 1) {
      await watch.start();
      await make(one);
      min = Math.min(min, await watch.settled());
      if (min > surelyMs) break;
      if (min > maxMs) await sleep(maxMs);
    }
    watch.stop();
    return min > maxMs ? min : undefined;
  };

  return {
    async slowOf(tries, atOnce = 4) {
      await prepare();
      const slow = new Map<(typeof tries)[number], number>();
      for (const one of await suspectsAmong(tries, atOnce)) {
        await prepare();
        const ms = await slownessOf(one);
        if (ms !== undefined) slow.set(one, ms);
      }
      return slow;
    },
    note: (slow) => {
      for (const [one, ms] of slow) find(one, `${Math.round(ms)} ms`);
    },
    findings,
  };
};
