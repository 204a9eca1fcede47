import { atMost } from '../bounds.ts';
import { quantile } from '../statistics.ts';
import { forgetEverything, makeEndpoints } from './endpoints.ts';
import { startProgram } from './program.ts';
import { timeDeliveries } from './promptness.ts';
import type { Stage } from './stage.ts';

const warmUpSeconds = 3;

/** Measures the time from an event's commit to its receipt while the queue is empty. */
export const measureLatency = async (
  stage: Stage,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<void> => {
  console.log(`From just before the commit to the receipt, ${perSecond} events/s for ${seconds} s, one worker`);
  await forgetEverything(stage);
  const told = await makeEndpoints(stage, 20, 'ok');
  const worker = await startProgram({ command: ['src/main.ts', 'worker'], environment: stage.environment });
  try {
    await timeDeliveries(stage, { told, perSecond, seconds: warmUpSeconds });
    const times = await timeDeliveries(stage, { told, perSecond, seconds });
    atMost('p50', quantile(times, 0.5), 30, ' ms');
    atMost('p99', quantile(times, 0.99), 150, ' ms');
    console.log(`  longest ${quantile(times, 1).toFixed(0)} ms of ${times.length}`);
  } finally {
    await worker.kill('SIGTERM');
  }
};
