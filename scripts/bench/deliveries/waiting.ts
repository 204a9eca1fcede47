import { setTimeout as sleep } from 'node:timers/promises';
import { statement } from '../../../src/db/query.ts';
import { atMost, below } from '../bounds.ts';
import { quantile } from '../statistics.ts';
import { forgetEverything, makeEndpoints } from './endpoints.ts';
import { startProgram } from './program.ts';
import { timeDeliveries } from './promptness.ts';
import type { Stage } from './stage.ts';
import { watchUsage } from './usage.ts';

interface Sizes {
  perSecond: number;
  seconds: number;
  /** Endpoints with one delivery each whose next attempt is due in a day. */
  waiting: number;
}

const warmUpSeconds = 3;
const atOnce = 5_000;

const waitTillTomorrow = statement<Record<never, never>, [endpointIds: string[]]>(
  `insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at)
   select tenant_id, uuidv7(), id, now() + interval '1 day' from webhook_endpoint where id = any($1::uuid[])`,
);
/** An endpoint gets the job for its next attempt from the job of its former attempt; here there was none. */
const addJobs = statement<Record<never, never>, []>(
  `select count(*) from graphile_worker.add_jobs((
     select array_agg(row('deliver', json_build_object('tenantId', tenant_id, 'endpointId', endpoint_id), null, due_at, null,
                          'deliver:' || endpoint_id, null, null)::graphile_worker.job_spec)
       from webhook_waiting where due_at > now() + interval '1 hour'))`,
);
const analyze = statement<Record<never, never>, []>('vacuum analyze');

/** Measures what many endpoints with later attempts cost: CPU time of an idle worker, and latency of all other deliveries. */
export const measureWaiting = async (stage: Stage, { perSecond, seconds, waiting }: Sizes): Promise<void> => {
  console.log(
    `${perSecond} events/s for ${seconds} s, without and with ${waiting} endpoints that wait for later tries, one worker`,
  );
  await forgetEverything(stage);
  const { database } = stage.platform;
  const told = await makeEndpoints(stage, 20, 'ok');
  const worker = await startProgram({ command: ['src/main.ts', 'worker'], environment: stage.environment });
  const time = (duration: number) => timeDeliveries(stage, { told, perSecond, seconds: duration });
  /** Not the first seconds: after a pause the worker connects to each receiver again. */
  const timeWarm = async () => {
    await time(warmUpSeconds);
    return time(seconds);
  };
  try {
    const without = await timeWarm();
    for (let made = 0; made < waiting; made += atOnce) {
      const later = await makeEndpoints(stage, Math.min(atOnce, waiting - made), 'ok');
      await database.rows(
        waitTillTomorrow,
        later.map(({ endpointId }) => endpointId),
      );
    }
    await database.rows(addJobs);
    await database.rows(analyze);
    await sleep(5_000);
    const watch = watchUsage({
      worker: { pid: worker.child.pid ?? 0 },
      postgres: { pid: stage.cluster.running()?.pid ?? 0, children: true },
    });
    await sleep(10_000);
    const idle = watch?.().each;
    const withThem = await timeWarm();
    const [p99Without, p99With] = [quantile(without, 0.99), quantile(withThem, 0.99)];
    console.log(`  p99 without ${p99Without.toFixed(0)} ms, with ${p99With.toFixed(0)} ms`);
    atMost('p99 with to without', p99With / p99Without, 1.5);
    if (idle) {
      below('idle worker', (idle['worker'] ?? NaN) * 100, 3, ' % of a core');
      console.log(`  PostgreSQL meanwhile ${((idle['postgres'] ?? NaN) * 100).toFixed(1)} % of a core`);
    }
  } finally {
    await worker.kill('SIGTERM');
  }
};
