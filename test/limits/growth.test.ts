import { describe, expect, it } from 'vitest';
import { daysToMs, hoursToMs, later } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { endpointLimits, limits } from '../../src/core/limits.ts';
import { rotateKey } from '../../src/modules/keys/service.ts';
import { apiInTheApp, expectRefusal, inTheApp } from '../support/app-caller.ts';
import type { Client } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { anEndpoint, anEvent, eventRow } from '../support/webhooks.ts';

const service = await useTestService({ own: true });

const limited = { code: 'rate_limited' };

describe('keys, none of which is ever deleted', () => {
  const manyKeys = async (team: TestTeam, count: number, createdAt: Date, revokedAt: Date | null) => {
    await service.database.prisma.apiKey.createMany({
      data: Array.from({ length: count }, () => ({
        tenantId: team.id,
        id: makeId(),
        prefix: makeId().slice(-12),
        secretHash: new Uint8Array(32),
        name: 'many',
        scopes: ['users:read'],
        createdBy: team.owner.member_id,
        createdAt,
        revokedAt,
      })),
    });
  };

  it('have a limit of active ones; revoking one frees a place, and rotating is always possible', async () => {
    const team = await aTeam(service);
    const last = await team.aKey();
    const now = new Date();
    await manyKeys(team, limits.activeKeys - 2, later(now, -daysToMs(2)), null);
    await expect(team.aKey()).rejects.toMatchObject({ code: 'conflict' });
    await rotateKey(await team.acting(), last.id, { graceSeconds: 0 });
    await service.database.prisma.apiKey.updateMany({
      where: { tenantId: team.id, name: 'many' },
      data: { revokedAt: now },
    });
    await team.aKey();
    await (await aTeam(service)).aKey();
  });

  it('have a limit within 24 hours, created or rotated, even if each is revoked at once', async () => {
    const team = await aTeam(service);
    const { id } = await team.aKey();
    const now = new Date();
    await manyKeys(team, limits.newKeysPerDay - 2, later(now, -hoursToMs(23)), now);
    const refused = { ...limited, members: { retry_after: expect.any(Number), detail: expect.any(String) } };
    await expect(team.aKey()).rejects.toMatchObject(refused);
    await expect(rotateKey(await team.acting(), id, { graceSeconds: 0 })).rejects.toMatchObject(refused);
    service.clock.set(later(now, hoursToMs(1) + 1_000));
    await team.aKey();
    service.clock.set(new Date());
  });
});

describe('sending to an endpoint by hand', () => {
  it('is limited per hour, over the API and in the app, and possible again in the next hour', async () => {
    const team = await aTeam(service);
    const [endpoint, other] = [await anEndpoint(service, team), await anEndpoint(service, team)];
    const app = await inTheApp(team);
    const max = endpointLimits.sentByHandPerHour;
    const start = new Date();
    service.clock.set(start);
    const ping = (client: Client) => client.post(`/webhook-endpoints/${endpoint}/test`, undefined);
    expect((await ping(team.client)).status).toBe(202);
    // As if most of them had been sent.
    const counted = await service.database.prisma.$executeRaw`
      update rate_window set used = ${max} - 1 where subject = ${`by hand ${endpoint}`}`;
    expect(counted).toBe(1);
    expect((await ping(await team.aClient())).status).toBe(202);
    const pinged = await service.database.prisma.webhookDelivery.findFirstOrThrow({ where: { tenantId: team.id } });
    await service.database.prisma.webhookDelivery.updateMany({
      where: { tenantId: team.id },
      data: { status: 'gave_up', nextTryAt: null },
    });
    const refusals = [
      await ping(team.client),
      await team.client.post(`/webhook-deliveries/${pinged.id}/retry`, undefined),
    ];
    for (const refusal of refusals) {
      expect(refusal).toBeProblem('rate_limited');
      expect(Number(refusal.body['retry_after'])).toBeGreaterThan(3_000);
      expect(refusal.headers.get('retry-after')).toBe(String(refusal.body['retry_after']));
    }
    const event = await anEvent(service, team);
    await expectRefusal(app.webhookHistory.replay({ event_id: event, endpoint_id: endpoint }), limited);
    const since = start.toISOString();
    expect(await team.client.post(`/webhook-endpoints/${endpoint}/recover`, { since })).toBeProblem('rate_limited');
    expect((await team.client.post(`/webhook-endpoints/${other}/test`, undefined)).status).toBe(202);
    expect(await service.database.prisma.webhookEvent.count({ where: { tenantId: team.id, type: 'ping' } })).toBe(3);

    service.clock.set(later(start, hoursToMs(1) + 60_000));
    expect((await ping(team.client)).status).toBe(202);
    service.clock.set(new Date());
  });

  it('is limited per hour for the team, even if its endpoints are deleted and created again', async () => {
    const team = await aTeam(service);
    const start = new Date();
    service.clock.set(start);
    const ping = async () => team.client.post(`/webhook-endpoints/${await anEndpoint(service, team)}/test`, undefined);
    expect((await ping()).status).toBe(202);
    const max = endpointLimits.sentByHandPerTeamPerHour;
    const counted = await service.database.prisma.$executeRaw`
      update rate_window set used = ${max} - 1 where subject = ${`by hand ${team.id}`}`;
    expect(counted).toBe(1);
    expect((await ping()).status).toBe(202);
    await service.database.prisma.webhookEndpoint.deleteMany({ where: { tenantId: team.id } });
    const refusal = await ping();
    expect(refusal).toBeProblem('rate_limited');
    expect(Number(refusal.body['retry_after'])).toBeGreaterThan(3_000);

    service.clock.set(later(start, hoursToMs(1) + 60_000));
    expect((await ping()).status).toBe(202);
    service.clock.set(new Date());
  });
});

describe('deliveries of recoveries', () => {
  const recover = async (team: TestTeam, endpointId: string) =>
    (await apiInTheApp(team, ['webhooks:manage'])).webhooks.recover({
      endpoint_id: endpointId,
      since: '2026-01-01T00:00:00Z',
      include_older: true,
    });
  const raised = (team: TestTeam, count: number) =>
    service.database.prisma.webhookEvent.createMany({
      data: Array.from({ length: count }, () => eventRow(service, team)),
    });

  it('are limited per team and day, even if endpoints are deleted and created again', async () => {
    const team = await aTeam(service);
    const start = new Date();
    service.clock.set(start);
    await raised(team, 3);
    expect(await recover(team, await anEndpoint(service, team))).toEqual({ recovered: 3, older: 3, more: false });
    const max = endpointLimits.recoveredPerTeamPerDay;
    const subject = `recovered ${team.id}`;
    const { used } = await service.database.prisma.rateWindow.findUniqueOrThrow({ where: { subject } });
    expect(used).toBe(3);
    await service.database.prisma.rateWindow.update({ where: { subject }, data: { used: max - 2 } });
    await service.database.prisma.webhookEndpoint.deleteMany({ where: { tenantId: team.id } });

    const endpoint = await anEndpoint(service, team);
    expect(await recover(team, endpoint)).toEqual({ recovered: 2, older: 3, more: true });
    const refused = {
      code: 'rate_limited',
      members: { retry_after: expect.any(Number), detail: expect.stringContaining(String(max)) },
    };
    await expectRefusal(recover(team, endpoint), refused);
    await expectRefusal(recover(team, await anEndpoint(service, team)), refused);
    // If there is nothing to recover, the request is not refused.
    const other = await aTeam(service);
    expect(await recover(other, await anEndpoint(service, other))).toEqual({ recovered: 0, older: 0, more: false });
    service.clock.set(later(start, daysToMs(1) + 60_000));
    expect(await recover(team, endpoint)).toEqual({ recovered: 1, older: 1, more: false });
    service.clock.set(new Date());
  });
});
