import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { webhookLimits } from '../../src/core/limits.ts';
import { aDispatcher, anEndpointAt, anEvent, attemptsTo, deliveriesTo } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { startReceiver } from '../support/receiver.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import type { TestTeam } from '../support/team.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ own: true });
});
afterAll(() => service.close());

const { historyBytesPerDay, responseHeaderBytes, shortExcerptCharacters, shortUrlCharacters, excerptCharacters } =
  webhookLimits;
const body = '🎈'.repeat(excerptCharacters + 500);
const excerpt = '🎈'.repeat(excerptCharacters);
const path = `/hooks/${'x'.repeat(1_000)}`;

let team: TestTeam;
beforeEach(async () => {
  team = await aTeam(service);
  await aDispatcher(service);
});

/** An endpoint whose receiver gives answers of the maximum size. */
const aTalkativeEndpoint = async () => {
  const headers = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x-${index}`, 'h'.repeat(400)]));
  const receiver = await startReceiver({ answer: () => ({ status: 200, headers, body }) });
  onTestFinished(() => receiver.close());
  const { id } = await anEndpointAt(service, team, `${receiver.url}${path}`);
  return { id, url: `${receiver.url}${path}` };
};

const delivered = async (endpointId: string, count = 1) => {
  await eventually(async () => {
    const statuses = (await deliveriesTo(service, endpointId)).map(({ status }) => status);
    expect(statuses).toEqual(Array(count).fill('ok'));
  });
  const [attempt, delivery] = [
    (await attemptsTo(service, endpointId)).at(-1),
    (await deliveriesTo(service, endpointId)).at(-1),
  ];
  if (!attempt || !delivery) throw new Error('there is no attempt');
  return { attempt, delivery };
};

const spentToday = async (): Promise<number> => {
  const rows = await service.database.prisma.webhookTeamDay.findMany({ where: { tenantId: team.id } });
  return rows.reduce((sum, { detailBytes }) => sum + Number(detailBytes), 0);
};
const spend = (bytes: number) =>
  service.database.prisma.webhookTeamDay.updateMany({
    where: { tenantId: team.id },
    data: { detailBytes: bytes },
  });

describe('the stored part of an answer', () => {
  it('is limited, and counted for the team and the day', async () => {
    const { id, url } = await aTalkativeEndpoint();
    await anEvent(service, team);
    const { attempt, delivery } = await delivered(id);
    const kept = JSON.stringify(attempt.responseHeaders);
    expect(kept.length).toBeGreaterThan(responseHeaderBytes / 2);
    expect(kept.length).toBeLessThan(responseHeaderBytes + 500);
    expect([attempt.url, attempt.responseExcerpt, delivery.responseExcerpt]).toEqual([url, excerpt, excerpt]);
    const counted = url.length + kept.length + 2 * Buffer.byteLength(excerpt);
    expect(await spentToday()).toBe(counted);
    await anEvent(service, team);
    await delivered(id, 2);
    expect(await spentToday()).toBe(2 * counted);
  });

  it('has no headers and no excerpt once the team has used up its day; the delivery keeps the excerpt', async () => {
    const { id, url } = await aTalkativeEndpoint();
    await anEvent(service, team);
    await delivered(id);
    await spend(historyBytesPerDay.details);
    await anEvent(service, team);
    const { attempt, delivery } = await delivered(id, 2);
    expect(attempt).toMatchObject({ responseCode: 200, error: null, responseHeaders: null, responseExcerpt: null });
    expect(attempt.responseMs).not.toBeNull();
    expect(attempt.url).toBe(url.slice(0, shortUrlCharacters));
    expect(delivery.responseExcerpt).toBe(excerpt);
    expect(await spentToday()).toBe(historyBytesPerDay.details + Buffer.byteLength(excerpt));
  });

  it('is only the beginning of the last excerpt if even that is used up, and nothing more is counted', async () => {
    const { id } = await aTalkativeEndpoint();
    await anEvent(service, team);
    await delivered(id);
    await spend(historyBytesPerDay.excerpts);
    await anEvent(service, team);
    const { attempt, delivery } = await delivered(id, 2);
    expect(attempt).toMatchObject({ responseHeaders: null, responseExcerpt: null });
    expect(delivery.responseExcerpt).toBe('🎈'.repeat(shortExcerptCharacters));
    expect(await spentToday()).toBe(historyBytesPerDay.excerpts);
  });

  it('has the same budget after the endpoint was deleted and created again; another team and another day have their own', async () => {
    const first = await aTalkativeEndpoint();
    await anEvent(service, team);
    await delivered(first.id);
    await spend(historyBytesPerDay.details);
    expect((await team.client.delete(`/webhook-endpoints/${first.id}`)).status).toBe(200);
    const second = await aTalkativeEndpoint();
    await anEvent(service, team);
    expect((await delivered(second.id)).attempt.responseHeaders).toBeNull();

    await service.database.prisma.$executeRaw`
      update webhook_team_day set day = day - 1 where tenant_id = ${team.id}::uuid`;
    await anEvent(service, team);
    expect((await delivered(second.id, 2)).attempt.responseHeaders).not.toBeNull();

    await spend(historyBytesPerDay.details);
    team = await aTeam(service);
    const other = await aTalkativeEndpoint();
    await anEvent(service, team);
    expect((await delivered(other.id)).attempt.responseHeaders).not.toBeNull();
  });
});
