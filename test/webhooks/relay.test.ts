import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { makeDeliverJobs } from '../../src/deliveries/outbox.ts';
import { useTestService } from '../support/service.ts';

const service = await useTestService();

it('the relay remembers nothing of the jobs that it has added, or could not add', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = (): void => void runInNewContext('gc()');
  let asked = 0;
  const run = async (): Promise<never[]> => {
    asked += 1;
    if (asked % 2 === 0) throw new Error('the database is away');
    return [];
  };
  const relay = makeDeliverJobs({ ...service.database, run });
  const due = { tenantId: makeId(), endpointId: makeId(), inMs: 0 };
  const heapAfter = async (jobs: number): Promise<number> => {
    for (let added = 0; added < jobs; added += 10_000) {
      await Promise.allSettled(Array.from({ length: 10_000 }, () => relay.add(due)));
    }
    await relay.added();
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = await heapAfter(20_000);
  const megabytes = ((await heapAfter(200_000)) - before) / 2 ** 20;
  expect(megabytes).toBeLessThan(5);
});
