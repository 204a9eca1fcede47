import { describe, expect, it, onTestFinished } from 'vitest';
import { startServiceProcess, startObserved } from '../support/production-service.ts';
import { certificates } from '../support/certificates.ts';
import { anEvent, aReceivingEndpoint, attemptsTo, deliveriesTo } from '../support/worker.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { waitingFor } from '../support/webhooks.ts';

const service = await useTestService({ own: true });
const team = await aTeam(service);

const ofWorker = {
  WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8',
  WEBHOOK_CA_FILE: (await certificates()).caFile(),
};
const aWorker = (environment: Record<string, string> = {}) =>
  startObserved(service.databaseUrl, 'worker', { ...ofWorker, ...environment });

const aWorkerProcess = async (environment: Record<string, string> = {}) => {
  const worker = await startServiceProcess({
    databaseUrl: service.databaseUrl,
    role: 'worker',
    environment: { ...ofWorker, ...environment },
  });
  onTestFinished(async () => void (await worker.stop()));
  return worker;
};

describe('a worker', () => {
  it('makes three attempts a second apart with this WEBHOOK_RETRY_SECONDS, and then gives up', async () => {
    const { receiver, id } = await aReceivingEndpoint(service, team, { answer: () => ({ status: 500 }), alone: true });
    await aWorker({ WEBHOOK_RETRY_SECONDS: '1,1' });
    await anEvent(service, team);
    await expect.poll(async () => (await deliveriesTo(service, id))[0]).toMatchObject({ status: 'gave_up' });
    expect((await deliveriesTo(service, id))[0]).toMatchObject({ attempt: 3, nextTryAt: null, responseCode: 500 });
    const attempts = await attemptsTo(service, id);
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3]);
    for (const [index, { startedAt }] of attempts.slice(1).entries())
      expect(startedAt.getTime() - (attempts[index]?.startedAt.getTime() ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(receiver.received).toHaveLength(3);
  });

  it('killed while it sends loses nothing: another one sends it again after its lease', async () => {
    let answer: 'hang' | { status: number } = 'hang';
    const { receiver, id } = await aReceivingEndpoint(service, team, { answer: () => answer, alone: true });
    const first = await aWorkerProcess();
    await anEvent(service, team, 3);
    await receiver.untilReceived(3);
    answer = { status: 200 };
    first.child.kill('SIGKILL');
    const killed = Date.now();
    const leases = await waitingFor(service, id);
    expect(leases).toHaveLength(3);
    for (const { dueAt } of leases) {
      expect(Number(dueAt)).toBeGreaterThan(killed);
      expect(Number(dueAt)).toBeLessThan(killed + 60_000);
    }
    // The leases end.
    await service.database.prisma.webhookWaiting.updateMany({ where: { endpointId: id }, data: { dueAt: new Date() } });
    await aWorker();
    await receiver.untilReceived(6);
    await expect
      .poll(async () => (await deliveriesTo(service, id)).map(({ status }) => status))
      .toEqual(['ok', 'ok', 'ok']);
    const ids = receiver.received.map(({ headers }) => headers['svc-event-id']);
    expect(new Set(ids).size).toBe(3);
  });

  it('whose clock is ten minutes ahead signs with the right time, and sends nothing ten minutes early', async () => {
    const shifted = `const now = Date.now, Real = Date; globalThis.Date = class extends Real {
      constructor(...of) { if (of.length) super(...of); else super(now() + 600000); }
      static now() { return now() + 600000; } };`;
    const { receiver, id } = await aReceivingEndpoint(service, team, { answer: () => ({ status: 500 }), alone: true });
    const worker = await aWorkerProcess({
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(shifted)}`,
      LOG_LEVEL: 'info',
    });
    expect(new Date(String(worker.logged()[0]?.['time'])).getTime() - Date.now()).toBeGreaterThan(500_000);
    await anEvent(service, team);
    const [request] = await receiver.untilReceived(1);
    const [, t] = /^t=(\d+),/.exec(String(request?.headers['svc-signature'])) ?? [];
    expect(Math.abs(Number(t) * 1000 - (request?.at.getTime() ?? 0))).toBeLessThan(5_000);
    await expect.poll(async () => (await deliveriesTo(service, id))[0]).toMatchObject({ status: 'failed' });
    const [delivery] = await deliveriesTo(service, id);
    expect(Math.abs((delivery?.nextTryAt?.getTime() ?? 0) - Date.now() - 60_000)).toBeLessThan(20_000);
    expect(receiver.received).toHaveLength(1);
  });

  it('waits for running attempts when it is stopped', async () => {
    let letGo = () => {};
    const answered = new Promise<void>((resolve) => (letGo = resolve));
    const { receiver, id } = await aReceivingEndpoint(service, team, {
      answer: async () => {
        await answered;
        return { status: 200 };
      },
      alone: true,
    });
    const worker = await aWorkerProcess();
    await anEvent(service, team);
    await receiver.untilReceived(1);
    const stopped = worker.stop();
    letGo();
    expect(await stopped).toBe(0);
    expect((await deliveriesTo(service, id))[0]).toMatchObject({ status: 'ok', attempt: 1 });
  });

  it('refuses to start in production if private targets are allowed', async () => {
    const environment = {
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://api.example.com',
      WEBHOOK_ALLOW_TARGETS: '127.0.0.1:9443',
    };
    await expect(aWorker(environment)).rejects.toThrow(/WEBHOOK_ALLOW_TARGETS: is not for production/);
  });
});
