import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startQueueRunner } from '../../src/worker/queue-runner.ts';
import { startWiredService } from '../support/wired-service.ts';
import { firstStatement, silentLog } from '../support/worker.ts';

let wired: Awaited<ReturnType<typeof startWiredService>>;
beforeAll(async () => {
  wired = await startWiredService();
});
afterAll(() => wired.close());

describe('a queue that lost a connection at its first statement', () => {
  it.each([
    ['that fetches jobs one by one', {}],
    ['that fetches jobs in batches', { localQueue: { size: 5, ttl: 5_000, refetchDelay: { durationMs: 10 } } }],
  ])('%s runs jobs again within 30 seconds', async (_which, worker) => {
    const { database, databaseUrl } = wired.service;
    const isCut = wired.wire.cutAt(firstStatement);
    const done = vi.fn();
    const runner = startQueueRunner({
      database,
      databaseUrl,
      log: silentLog,
      options: { concurrency: 5, pollInterval: 250, taskList: { done }, preset: { worker } },
    });
    onTestFinished(() => runner.stop());
    await isCut;
    await database.prisma.$executeRaw`select graphile_worker.add_job('done')`;
    await vi.waitFor(() => expect(done).toHaveBeenCalledTimes(1), { timeout: 30_000 });
  });
});
