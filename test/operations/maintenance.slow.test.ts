import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { beginMaintenance, endMaintenance } from '../../src/modules/maintenance/service.ts';
import { makeClient } from '../support/client.ts';
import { startObserved } from '../support/production-service.ts';
import { useTestService } from '../support/service.ts';
import { startMailServer } from '../support/mail-server.ts';
import { aTeam } from '../support/team.ts';
import { scrape } from '../telemetry/scrape.ts';
import { aDelivery, anEndpoint, anEvent, deliveryNow } from '../support/webhooks.ts';

// The test's own service ignores maintenance, so that the test can act while the processes are paused.
const service = await useTestService({ own: true });
const team = await aTeam(service);

/** A service like that of a process, because maintenance reaches every one through the database. */
const aProcess = (role: 'api' | 'worker', environment: Record<string, string> = {}) =>
  startObserved(service.databaseUrl, role, environment);

const clientOf = ({ baseUrl }: { baseUrl: string }) => makeClient(baseUrl, team.client.key);
const originOf = ({ origin }: { origin: string }) => makeClient(origin);

describe('maintenance', () => {
  it('is a 503 with Retry-After in every process, until it is over', async () => {
    const processes = [await aProcess('api'), await aProcess('api')];
    for (const one of processes) expect((await clientOf(one).get('/me')).status).toBe(200);
    await beginMaintenance(service.platform, 45);
    for (const one of processes) {
      await expect.poll(async () => (await clientOf(one).get('/me')).status).toBe(503);
      for (const path of ['/me', '/nothing', '/openapi.v1.json']) {
        const answer = await clientOf(one).get(path);
        expect(answer).toBeProblem('unavailable');
        expect(answer.body).not.toHaveProperty('detail');
        expect(answer.headers.get('retry-after')).toBe('45');
        expect(answer.headers.get('ratelimit-remaining')).toBe('0');
        expect(answer.headers.get('ratelimit-reset')).toBe('45');
      }
    }
    await endMaintenance(service.platform);
    for (const one of processes) await expect.poll(async () => (await clientOf(one).get('/me')).status).toBe(200);
  });

  it('survives restarts: a process that starts meanwhile accepts no request', async () => {
    await beginMaintenance(service.platform);
    const late = await aProcess('api');
    expect(await clientOf(late).get('/me')).toBeProblem('unavailable');
    expect(late.logged()).toContainEqual(expect.objectContaining({ msg: 'maintenance is on' }));
    await endMaintenance(service.platform);
    await expect.poll(async () => (await clientOf(late).get('/me')).status).toBe(200);
  });

  it('is reported by health, metrics and the app, in both languages; pages are still served', async () => {
    const api = await aProcess('api', { METRICS_PORT: '0' });
    const metric = async () => (await scrape(api.metricsPort)).value('team_api_maintenance');
    expect(await metric()).toBe(0);
    await beginMaintenance(service.platform);
    await expect.poll(() => metric()).toBe(1);
    for (const path of ['/healthz', '/readyz']) {
      const health = await originOf(api).get(path);
      expect([health.status, health.body]).toEqual([200, { status: 'maintenance' }]);
    }
    for (const [language, title] of [
      ['de', 'Wartungsarbeiten'],
      ['en', 'Maintenance in progress'],
    ] as const) {
      for (const path of ['/trpc/entrance/entrance.who', '/trpc/app/keys.list', '/trpc/api/account.me']) {
        const answer = await originOf(api).get(path, { headers: { 'Accept-Language': language } });
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
        expect(Refusal.parse(answer.body).error.data.problem).toMatchObject({
          code: 'unavailable',
          maintenance: true,
          title,
        });
      }
    }
    expect((await originOf(api).get('/developers/errors')).status).toBe(200);
    await endMaintenance(service.platform);
    await expect.poll(async () => (await originOf(api).get('/readyz')).body).toEqual({ status: 'ready' });
    expect((await originOf(api).get('/healthz')).body).toEqual({ status: 'ok' });
  });

  it('pauses the workers: mails and deliveries wait, and go out once it is over', async () => {
    const mailServer = await startMailServer();
    onTestFinished(() => mailServer.close());
    const worker = await aProcess('worker', { MAIL_URL: mailServer.url });
    const mailsTo = (email: string | null | undefined) => mailServer.received.filter(({ to }) => to === email);
    const first = await team.anInvitedMember();
    await expect.poll(() => mailsTo(first.email)).toHaveLength(1);

    await beginMaintenance(service.platform);
    await expect.poll(() => worker.logged()).toContainEqual(expect.objectContaining({ msg: 'jobs are paused' }));
    const waiting = await team.anInvitedMember();
    const endpointId = await anEndpoint(service, team);
    // A private address: the attempt is refused before anything leaves the machine.
    await service.database.prisma.webhookEndpoint.updateMany({
      where: { id: endpointId },
      data: { url: 'https://127.0.0.1/' },
    });
    const delivery = await aDelivery(service, team, { endpointId, eventId: await anEvent(service, team) });
    const other = await aProcess('worker', { MAIL_URL: mailServer.url });
    const attempts = async () => (await deliveryNow(service, team, delivery)).attempt;
    expect(await attempts()).toBe(0);
    expect(mailsTo(waiting.email)).toEqual([]);

    await endMaintenance(service.platform);
    await expect.poll(() => mailsTo(waiting.email)).toHaveLength(1);
    await expect.poll(() => attempts()).toBe(1);
    for (const one of [worker, other]) expect(one.logged().filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});

const Refusal = z.object({ error: z.object({ data: z.object({ problem: z.record(z.string(), z.unknown()) }) }) });
