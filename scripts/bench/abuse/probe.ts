import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request as send } from 'undici';
import { quantile } from '../statistics.ts';

export interface Seen {
  /** Milliseconds since the time at which the request was due. */
  p50: number;
  p99: number;
  longest: number;
  count: number;
  failed: number;
}

interface Probe {
  perSecond: number;
  seconds: number;
  request: (index: number) => { url: string; headers: Record<string, string> };
}

const patienceMs = 60_000;

/**
 * Sends requests at a fixed rate, whether or not earlier ones were answered. So a pause of one second in the service delays all requests of
 * that second, not only one.
 */
export const probe = async ({ perSecond, seconds, request }: Probe): Promise<Seen> => {
  const agent = new Agent({
    connections: 64,
    headersTimeout: patienceMs,
    bodyTimeout: patienceMs,
    connectTimeout: patienceMs,
  });
  const times: number[] = [];
  let failed = 0;

  const ask = async (index: number, dueAt: number): Promise<void> => {
    try {
      const { url, headers } = request(index);
      const answer = await send(url, { headers, dispatcher: agent });
      await answer.body.dump();
      if (answer.statusCode !== 200) failed += 1;
    } catch {
      failed += 1;
    }
    times.push(performance.now() - dueAt);
  };

  const started = performance.now();
  const asked: Promise<void>[] = [];
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const dueAt = started + (index * 1_000) / perSecond;
    const wait = dueAt - performance.now();
    if (wait > 0) await sleep(wait);
    asked.push(ask(index, dueAt));
  }
  await Promise.all(asked);
  await agent.close();
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    longest: Math.max(...times),
    count: times.length,
    failed,
  };
};
