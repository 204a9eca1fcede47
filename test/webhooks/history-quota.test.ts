import { beforeEach, describe, expect, it } from 'vitest';
import { deliveryLimits, webhookLimits } from '../../src/core/limits.ts';
import { aDispatcher, anEndpointAt, anEvent, attemptsTo, deliveriesTo, untilAllAre } from '../support/worker.ts';
import { aReceiver } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService({ own: true });

const { attemptsWithDetailsPerDay, shortExcerptCharacters, shortUrlCharacters } = deliveryLimits;
const { responseHeaderBytes, excerptCharacters } = webhookLimits;
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
  const receiver = await aReceiver({ answer: () => ({ status: 200, headers, body }) });
  const { id } = await anEndpointAt(service, team, `${receiver.url}${path}`);
  return { id, url: `${receiver.url}${path}` };
};

const delivered = async (endpointId: string, count = 1) => {
  await untilAllAre(service, 'ok', endpointId, count);
  const [attempt, delivery] = [
    (await attemptsTo(service, endpointId)).at(-1),
    (await deliveriesTo(service, endpointId)).at(-1),
  ];
  if (!attempt || !delivery) throw new Error('there is no attempt');
  return { attempt, delivery };
};

/** As if the team had made these attempts today. */
const attempted = (attempts: number) =>
  service.database.prisma.webhookTeamDay.updateMany({ where: { tenantId: team.id }, data: { attempts } });

describe('the stored part of an answer', () => {
  it('is limited', async () => {
    const { id, url } = await aTalkativeEndpoint();
    await anEvent(service, team);
    const { attempt, delivery } = await delivered(id);
    const kept = JSON.stringify(attempt.responseHeaders);
    expect(kept.length).toBeGreaterThan(responseHeaderBytes / 2);
    expect(kept.length).toBeLessThan(responseHeaderBytes + 500);
    expect([attempt.url, attempt.responseExcerpt, delivery.responseExcerpt]).toEqual([url, excerpt, excerpt]);
  });

  // history-rows.test.ts: the number is that of the team and the day.
  it('has no headers and no excerpt after the day’s number of attempts; the delivery keeps the beginning of the excerpt', async () => {
    const { id, url } = await aTalkativeEndpoint();
    await anEvent(service, team);
    await delivered(id);
    await attempted(attemptsWithDetailsPerDay - 1);
    await anEvent(service, team);
    expect((await delivered(id, 2)).attempt.responseHeaders).not.toBeNull();
    await anEvent(service, team);
    const { attempt, delivery } = await delivered(id, 3);
    expect(attempt).toMatchObject({ responseCode: 200, error: null, responseHeaders: null, responseExcerpt: null });
    expect(attempt.responseMs).not.toBeNull();
    expect(attempt.url).toBe(url.slice(0, shortUrlCharacters));
    expect(delivery.responseExcerpt).toBe('🎈'.repeat(shortExcerptCharacters));
  });
});
