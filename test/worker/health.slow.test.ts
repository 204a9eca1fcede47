import { describe, expect, it, onTestFinished } from 'vitest';
import { beginMaintenance, endMaintenance } from '../../src/modules/maintenance/service.ts';
import { scrape } from '../telemetry/scrape.ts';
import { useTestService } from '../support/service.ts';
import { openWire } from '../support/wire.ts';
import { startObserved } from '../support/production-service.ts';

/** A part of a queue's first statement. graphile-worker keeps its failure. */
const firstStatement = '_private_tasks as tasks (identifier)';

const service = await useTestService({ own: true });

const aWorkerOn = (databaseUrl: string) =>
  startObserved(databaseUrl, 'worker', { WORKER_PORT: '0', METRICS_PORT: '0' });

/** The answers of both ports, which have to be the same. */
const ask = async (
  { workerPort, metricsPort }: Awaited<ReturnType<typeof aWorkerOn>>,
  path: string,
): Promise<unknown[]> => {
  const answers = await Promise.all(
    [workerPort, metricsPort].map(async (port) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return [response.status, await response.json()];
    }),
  );
  expect(answers[0]).toEqual(answers[1]);
  return answers[0] ?? [];
};

const alive = [200, { status: 'ok' }];
const ready = [200, { status: 'ready' }];

describe('the health of a worker', () => {
  it('is on WORKER_PORT and on its METRICS_PORT; it is ready when its queues fetch jobs', async () => {
    const worker = await aWorkerOn(service.databaseUrl);
    expect(await ask(worker, '/healthz')).toEqual(alive);
    await expect.poll(() => ask(worker, '/readyz')).toEqual(ready);
    const url = `http://127.0.0.1:${worker.workerPort}`;
    const others = [fetch(`${url}/metrics`), fetch(`${url}/readyz/`), fetch(`${url}/readyz`, { method: 'POST' })];
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  it('has no port by default', async () => {
    expect((await startObserved(service.databaseUrl, 'worker')).workerPort).toBeUndefined();
  });

  it('is ready during maintenance, when no queue may fetch', async () => {
    const worker = await aWorkerOn(service.databaseUrl);
    await expect.poll(() => ask(worker, '/readyz')).toEqual(ready);
    await beginMaintenance(service.platform);
    onTestFinished(() => endMaintenance(service.platform));
    for (const path of ['/healthz', '/readyz'])
      await expect.poll(() => ask(worker, path)).toEqual([200, { status: 'maintenance' }]);
    await endMaintenance(service.platform);
    await expect.poll(() => ask(worker, '/readyz')).toEqual(ready);
  });

  it('is not ready while the database can not be reached', async () => {
    const before = await openWire(service.databaseUrl);
    const worker = await aWorkerOn(before.url);
    await expect.poll(() => ask(worker, '/readyz')).toEqual(ready);
    await before.close();
    await expect.poll(() => ask(worker, '/readyz')).toEqual([503, { status: 'unavailable' }]);
    expect(await ask(worker, '/healthz')).toEqual(alive);
    const after = await openWire(service.databaseUrl, Number(new URL(before.url).port));
    await expect.poll(() => ask(worker, '/readyz')).toEqual(ready);
    await worker.stop();
    await after.close();
  });

  it('is not ready while one of its queues is stuck, whichever starts first', async () => {
    await Promise.all(
      [1, 2, 3].map(async (nth) => {
        const wire = await openWire(service.databaseUrl);
        const isCut = wire.cutAt(firstStatement, nth);
        const worker = await aWorkerOn(wire.url);
        await isCut;
        expect(await ask(worker, '/readyz')).toEqual([503, { status: 'not_fetching' }]);
        expect((await scrape(worker.metricsPort)).text).toMatch(/^team_api_queue_fetching\{.*\} 0$/m);
        expect(await ask(worker, '/healthz')).toEqual(alive);
        await expect.poll(() => ask(worker, '/readyz')).toEqual(ready);
        await worker.stop();
        await wire.close();
      }),
    );
  });
});
