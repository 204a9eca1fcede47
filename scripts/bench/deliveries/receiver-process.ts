import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram } from './program.ts';
import { Answer, Started } from './receiver-words.ts';
import type { Arrival, Conduct, Question } from './receiver-words.ts';

export interface Receiver {
  readonly pid: number;
  /** The URL of an endpoint: each endpoint gets the next host in turn, or all get the same host. */
  urlFor(conduct: Conduct, endpoint: string, at: 'hosts in turn' | 'one host'): string;
  /** Requests, and deliveries answered with 2xx, since the last `take`. */
  count(): Promise<{ requests: number; arrived: number }>;
  /** The same as `count`, but with the list of arrivals; then the receiver starts a new list. */
  take(): Promise<{ requests: number; arrivals: Arrival[] }>;
  /** Waits until `count` deliveries were answered with 2xx. */
  untilArrived(count: number, timeoutMs: number): Promise<void>;
  stop(): Promise<void>;
}

interface Wanted {
  pemFile: string;
  addresses: readonly string[];
  /** The share of requests to faulty paths that fail. */
  failing?: number;
}

const lookEvery = 50;

export const startReceiver = async ({ pemFile, addresses, failing = 0 }: Wanted): Promise<Receiver> => {
  const program = await startProgram({
    command: ['scripts/bench/deliveries/receiver.ts', pemFile, addresses.join(','), String(failing)],
  });
  const { child } = program;
  const { origins } = Started.parse(program.started);
  let urls = 0;

  let before: Promise<unknown> = Promise.resolve();
  const askNow = async (question: Question): Promise<Answer> => {
    const answered = once(child, 'message');
    child.send(question);
    const [answer] = await answered;
    return Answer.parse(answer);
  };
  /** Asks one question at a time, because an answer does not contain an id of its question. */
  const ask = (question: Question): Promise<Answer> => {
    const asked = before.then(() => askNow(question));
    before = asked.catch(() => undefined);
    return asked;
  };

  return {
    pid: child.pid ?? 0,
    urlFor(conduct, endpoint, at) {
      const turn = at === 'one host' ? 0 : (urls += 1) % origins.length;
      return `${origins[turn]}/${conduct}/${endpoint}`;
    },
    count: () => ask('count'),
    take: () => ask('take'),
    async untilArrived(wanted, timeoutMs) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const { arrived } = await ask('count');
        if (arrived >= wanted) return;
        if (Date.now() > deadline) throw new Error(`${arrived} of ${wanted} deliveries arrived in ${timeoutMs} ms`);
        await sleep(lookEvery);
      }
    },
    stop: () => program.kill('SIGTERM'),
  };
};
