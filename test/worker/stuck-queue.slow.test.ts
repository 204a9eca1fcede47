import { expect, it, vi } from 'vitest';
import { certificates } from '../support/certificates.ts';
import { anEvent, aReceivingEndpoint } from '../support/deliveries.ts';
import { testSecret } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { startWiredService } from '../support/wired-service.ts';
import { firstStatement } from '../support/worker.ts';
import { startObserved } from '../telemetry/observed-service.ts';

const within = { timeout: 30_000, interval: 50 };
const queuesOfWorker = 3;

it('deliveries go on within 30 seconds, whichever queue it was, after a queue lost a connection at its first statement', async () => {
  const { service, wire, close } = await startWiredService();
  const team = await aTeam(service);
  const { receiver } = await aReceivingEndpoint(service, team);
  const environment = {
    APP_SECRET: testSecret,
    WORKER_PORT: '0',
    WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: (await certificates()).caFile(),
  };
  for (let round = 1; round <= 2 * queuesOfWorker; round += 1) {
    // Another one of the worker's queues each time.
    const isCut = wire.cutAt(firstStatement, 1 + (round % queuesOfWorker));
    const worker = await startObserved(wire.url, 'worker', environment);
    await isCut;
    await anEvent(service, team);
    await vi.waitFor(() => expect(receiver.received).toHaveLength(round), within);
    const isReady = async () => (await fetch(`http://127.0.0.1:${worker.workerPort}/readyz`)).status === 200;
    await vi.waitFor(async () => expect(await isReady()).toBe(true), within);
    await worker.stop();
  }
  await close();
}, 900_000);
