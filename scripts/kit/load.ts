// Loads on servers. `compareInTurn` compares their speed: each answers the same load in turn, several times, and the
// median of the rounds' ratios counts. `sendAtRate` sends so many requests a second.

import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { Agent, request } from 'undici';
import type { BenchDatabase } from './database.ts';
import { measureInTurn, median, watchCpuTime } from './figures.ts';
import type { Server } from './processes.ts';
import { pick } from './seed.ts';

/** Enough that the servers are always busy, so that rates compare what requests cost. */
export const connections = 32;
const teamsBetween = 5;
/**
 * More requests than one connection sends in a second. autocannon prepares all of them before it sends the first one,
 * which delays the first answers.
 */
const mostPerSecond = 250;

export interface Request {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** A server and the list of requests that it gets. The list is repeated. */
export interface Contender {
  server: Server;
  requests: readonly Request[];
}

/** What one server did in one round. */
export interface Run {
  perSecond: number;
  p50: number;
  p99: number;
  /** The CPU time of a request in microseconds. */
  server: number;
  postgres: number;
}

interface Rounds {
  rounds: number;
  secondsEach: number;
  warmUpSeconds: number;
  /** How many connections send requests; by default `connections`. */
  callers?: number;
}

/**
 * Measures all contenders in each round. Throws on an answer other than 2xx, because it would falsify the measurement.
 */
export const compareInTurn = async <Name extends string>(
  database: BenchDatabase,
  contenders: ReadonlyMap<Name, Contender>,
  { rounds, secondsEach, warmUpSeconds, callers = connections }: Rounds,
): Promise<Map<Name, Run[]>> => {
  /**
   * The index of each contender's next request. A load continues after the load before, so that all keys are used
   * equally.
   */
  const next = new Map<Name, number>();

  const measure = async (name: Name, seconds: number): Promise<Run> => {
    const contender = contenders.get(name);
    if (!contender) throw new Error(`${name} is no contender`);
    const { server, requests } = contender;
    const ofServer = watchCpuTime({ pid: server.pid });
    const ofPostgres = database.watchCpuTime();
    const first = next.get(name) ?? 0;
    let connected = 0;
    const seen = await autocannon({
      url: server.origin,
      connections: callers,
      duration: seconds,
      // Each connection sends the requests in turn, and starts at another one and at another team: the requests are
      // those of all teams in turn, so an even part of the list alone would make all connections ask for one team at
      // the same time.
      setupClient: (client) => {
        const start = (first + connected * (Math.floor(requests.length / callers) + teamsBetween)) % requests.length;
        connected += 1;
        const ownRequests = [...requests.slice(start), ...requests.slice(0, start)];
        client.setRequests(ownRequests.slice(0, seconds * mostPerSecond));
      },
    });
    const { total } = seen.requests;
    const failed = seen.non2xx + seen.errors + seen.timeouts;
    if (total === 0 || failed > 0) throw new Error(`${name}: ${failed} of ${total} failed`);
    next.set(name, (first + total) % requests.length);
    const each = (used: number) => (used * 1_000_000) / total;
    const { p50, p99 } = seen.latency;
    return { perSecond: total / seen.duration, p50, p99, server: each(ofServer()), postgres: each(ofPostgres()) };
  };

  for (const name of contenders.keys()) await measure(name, warmUpSeconds);
  return measureInTurn([...contenders.keys()], rounds, (name) => measure(name, secondsEach));
};

export const medianOf = (runs: readonly Run[], of: (run: Run) => number): number => median(runs.map(of));

/** The ratio of one server to another in each round. */
export const ratiosOf = (one: readonly Run[], other: readonly Run[], of: (run: Run) => number): number[] =>
  one.map((run, round) => of(run) / of(pick(other, round)));

/**
 * Sends the requests one after the other, each to the next server, at random times as many callers do. Returns how many
 * milliseconds each took. Throws on an answer other than 2xx.
 */
export const sendAtRate = async (
  servers: readonly Server[],
  requests: readonly Request[],
  perSecond: number,
): Promise<number[]> => {
  const agent = new Agent({ connections: 20 });
  const send = async ({ path, ...wanted }: Request, index: number): Promise<number> => {
    const began = performance.now();
    const { statusCode, body } = await request(`${pick(servers, index).origin}${path}`, {
      ...wanted,
      dispatcher: agent,
    });
    const text = await body.text();
    if (statusCode >= 300) throw new Error(`${path} was answered with ${statusCode}: ${text.slice(0, 200)}`);
    return performance.now() - began;
  };
  try {
    const sent: Promise<number>[] = [];
    let at = performance.now();
    for (const [index, wanted] of requests.entries()) {
      at -= (Math.log(1 - Math.random()) * 1000) / perSecond;
      // Even a sleep of 0 ms takes 1 ms, so a late request is sent at once.
      const early = at - performance.now();
      if (early > 0) await sleep(early);
      const answered = send(wanted, index);
      // It is reported at the end. Unhandled until then, it would end the process before the bench has cleaned up.
      answered.catch(() => {});
      sent.push(answered);
    }
    return await Promise.all(sent);
  } finally {
    await agent.destroy();
  }
};

/** How many requests a second one server answers at most, by as many connections as keep it busy. */
export const highestRate = async ({ origin }: Server, requests: readonly Request[], forMs: number): Promise<number> => {
  let connected = 0;
  const seen = await autocannon({
    url: origin,
    connections,
    duration: forMs / 1000,
    // Each connection starts at another one, so that all keys are used equally.
    setupClient: (client) => {
      const start = Math.floor((connected * requests.length) / connections);
      connected += 1;
      client.setRequests([...requests.slice(start), ...requests.slice(0, start)]);
    },
  });
  if (seen.non2xx + seen.errors > 0) throw new Error(`${seen.non2xx + seen.errors} of ${seen.requests.total} failed`);
  return seen.requests.total / seen.duration;
};
