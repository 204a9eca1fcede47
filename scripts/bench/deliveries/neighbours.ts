import { below } from '../bounds.ts';
import { quantile } from '../statistics.ts';
import { statement } from '../../../src/db/query.ts';
import { makeBacklog } from './backlog.ts';
import { forgetEverything, makeEndpoints } from './endpoints.ts';
import { startProgram } from './program.ts';
import { timeDeliveries } from './promptness.ts';
import type { Stage } from './stage.ts';

interface Sizes {
  healthy: number;
  perSecond: number;
  seconds: number;
  /** Deliveries in the queue of the endpoint that never answers. */
  waiting: number;
  /** Number of measurements with that endpoint, and of measurements without it. */
  rounds: number;
}

const warmUpSeconds = 3;

const forgetDead = [
  'delete from webhook_waiting where endpoint_id = $1',
  'delete from webhook_endpoint where id = $1',
].map((text) => statement<Record<never, never>, [endpointId: string]>(text));

/** Measures how an endpoint that accepts every request and never answers affects the healthy endpoints. */
export const measureNeighbours = async (stage: Stage, sizes: Sizes): Promise<void> => {
  const { healthy, perSecond, seconds, waiting, rounds } = sizes;
  console.log(
    `From commit to receipt at ${healthy} healthy endpoints, ${perSecond} events/s in all, ${rounds} times ${seconds} s each in turn, one worker;\n` +
      `  with another endpoint that hangs until time-out, for which ${waiting} deliveries wait, and without it`,
  );
  await forgetEverything(stage);
  const told = await makeEndpoints(stage, healthy, 'ok');
  const worker = await startProgram({ command: ['src/main.ts', 'worker'], environment: stage.environment });
  const time = (duration: number) => timeDeliveries(stage, { told, perSecond, seconds: duration });

  const withDead = async (): Promise<number[]> => {
    const dead = await makeEndpoints(stage, 1, 'hang');
    await makeBacklog(stage, { told: dead, each: waiting, sender: 'worker' });
    const times = await time(seconds);
    for (const one of forgetDead) await stage.platform.database.rows(one, dead[0].endpointId);
    return times;
  };

  const times: Record<'without' | 'with', number[]> = { without: [], with: [] };
  try {
    await time(warmUpSeconds);
    for (let round = 0; round < rounds; round += 1) {
      times.without.push(...(await time(seconds)));
      times.with.push(...(await withDead()));
    }
  } finally {
    await worker.kill('SIGTERM');
  }
  for (const [name, all] of Object.entries(times)) {
    const [p50, p99] = [quantile(all, 0.5), quantile(all, 0.99)];
    console.log(`  ${name.padEnd(8)} p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms of ${all.length}`);
  }
  below('p99 with the endpoint that hangs', quantile(times.with, 0.99), 1_000, ' ms');
};
