import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { daysToMs, hoursToMs, later, minutesToMs, secondsToMs } from '../../src/core/clock.ts';
import type { EventType } from '../../src/core/events.ts';
import type { Prisma } from '../../src/db/generated/client.ts';
import { lockTeamShared } from '../../src/platform/team-row.ts';
import { tendEndpoints } from '../../src/modules/webhooks/failing-endpoints.ts';
import { raise } from '../../src/deliveries/outbox.ts';
import { crmSyncFailed } from '../../src/modules/crm/events.ts';
import { aDispatcher, anEndpointAt, anEvent, deliveriesTo, endpointNow } from '../support/worker.ts';
import { apiInTheApp, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { aDelivery, anEndpoint, waitingFor } from '../support/webhooks.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { aReceiver, type AnswerProgress } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService({ own: true });

const EndpointEvent = z.object({ endpoint_id: z.string(), since: z.string() });

const tend = () => tendEndpoints(service.platform, (error) => expect(error).toBeUndefined());

const failingSince = (team: TestTeam, id: string, since: Date | null) =>
  service.database.prisma.webhookEndpoint.update({
    where: { tenantId_id: { tenantId: team.id, id } },
    data: { failingSince: since },
  });

const ago = (milliseconds: number) => later(service.clock.now(), -milliseconds);

/** An endpoint that has failed for this long. */
const aSilentEndpoint = async (team: TestTeam, milliseconds: number) => {
  const { id } = await anEndpointAt(service, team, 'https://receiver.example.com/hooks');
  await failingSince(team, id, ago(milliseconds));
  return id;
};

const mailsOfKind = async (email: string, kind: string) =>
  (await service.mailsTo(email)).filter((mail) => mail.kind === `webhook_endpoint_${kind}`);

describe('three days without a success', () => {
  it('pause the endpoint and cause a mail to every admin in their language, with the reason and a link', async () => {
    const team = await aTeam(service, { admins: 1, members: 1, language: 'en' });
    await service.database.prisma.person.updateMany({ where: { email: team.owner.email }, data: { language: 'en' } });
    const invited = await team.anInvitedMember({ role: 'admin' });
    const id = await aSilentEndpoint(team, daysToMs(3));
    await anEvent(service, team);
    await service.database.prisma.webhookDelivery.updateMany({
      where: { endpointId: id },
      data: { status: 'failed', attempt: 1, scheduled: 1, error: 'The connection was refused.' },
    });
    expect(await tend()).toMatchObject({ paused: 1 });
    expect((await endpointNow(service, team, id)).status).toBe('disabled_failures');

    const [ownerMail, ...more] = await mailsOfKind(team.owner.email, 'paused');
    expect(more).toEqual([]);
    expect(ownerMail?.body.subject).toBe('A webhook endpoint was paused');
    expect(ownerMail?.body.text).toContain(
      'In the team “A team” no delivery to receiver[.]example[.]com has succeeded',
    );
    expect(ownerMail?.body.text).toContain('Last attempt: The connection was refused.');
    expect(ownerMail?.body.text).toContain(`${service.platform.publicUrl}/webhooks/${id}?team=${team.id}\n`);
    const [adminMail] = await mailsOfKind(team.admins[0]?.email ?? '', 'paused');
    expect(adminMail?.body.subject).toBe('Ein Webhook-Endpunkt wurde pausiert');
    for (const { email } of [...team.members, invited]) expect(await mailsOfKind(email ?? '', 'paused')).toEqual([]);
    expect(await auditEntriesOn(service, team, id)).toEqual([
      expect.objectContaining({ action: 'webhook_endpoint.paused', actor: ['service', null] }),
    ]);
  });

  it('minus a moment do not', async () => {
    const team = await aTeam(service);
    const id = await aSilentEndpoint(team, daysToMs(3) - secondsToMs(30));
    await tend();
    expect((await endpointNow(service, team, id)).status).toBe('active');
  });

  it('are counted from a failed attempt: an endpoint without attempts is never paused', async () => {
    const team = await aTeam(service);
    const { id } = await anEndpointAt(service, team, 'https://receiver.example.com/');
    service.clock.forward(daysToMs(30));
    await tend();
    service.clock.set(new Date());
    expect((await endpointNow(service, team, id)).status).toBe('active');
  });

  it.each(['disabled', 'disabled_failures'] as const)('of a %s endpoint change nothing', async (status) => {
    const team = await aTeam(service);
    const id = await aSilentEndpoint(team, daysToMs(5));
    await service.database.prisma.webhookEndpoint.update({
      where: { tenantId_id: { tenantId: team.id, id } },
      data: { status },
    });
    await tend();
    expect((await endpointNow(service, team, id)).status).toBe(status);
    expect(await mailsOfKind(team.owner.email, 'paused')).toEqual([]);
  });

  it('pause once, with one mail for each admin, by any number of processes', async () => {
    const team = await aTeam(service, { admins: 2 });
    const id = await aSilentEndpoint(team, daysToMs(4));
    const done = await Promise.all(Array.from({ length: 12 }, tend));
    expect(done.reduce((sum, { paused }) => sum + paused, 0)).toBe(1);
    for (const email of [team.owner.email, ...team.admins.map(({ email }) => email ?? '')])
      expect(await mailsOfKind(email, 'paused')).toHaveLength(1);
    expect(await auditEntriesOn(service, team, id)).toHaveLength(1);
  });

  it('give up the waiting deliveries, except running ones and sends by hand', async () => {
    const team = await aTeam(service);
    const id = await aSilentEndpoint(team, daysToMs(3));
    await anEvent(service, team, 6);
    const [first, second, third] = await deliveriesTo(service, id);
    await service.database.prisma.webhookWaiting.updateMany({
      where: { deliveryId: first?.id ?? '' },
      data: { claimId: first?.id ?? '', dueAt: later(service.clock.now(), secondsToMs(20)) },
    });
    await service.database.prisma.webhookWaiting.updateMany({
      where: { deliveryId: { in: [second?.id ?? '', third?.id ?? ''] } },
      data: { byHand: true },
    });
    const former = { error: 'The connection was refused.', errorDe: 'Die Verbindung wurde abgelehnt.' };
    await service.database.prisma.webhookDelivery.updateMany({ where: { endpointId: id }, data: former });
    await tend();
    const after = await deliveriesTo(service, id);
    expect(after.map(({ status }) => status)).toEqual([...Array(3).fill('pending'), ...Array(3).fill('gave_up')]);
    const givenUp = { error: 'endpoint paused', errorDe: null, nextTryAt: null };
    expect(after.slice(3)).toMatchObject(Array.from({ length: 3 }, () => givenUp));
    expect((await waitingFor(service, id)).map(({ deliveryId }) => deliveryId).sort()).toEqual(
      after
        .slice(0, 3)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('give up neither a test nor a retry, which a person wants to see', async () => {
    const team = await aTeam(service);
    const id = await aSilentEndpoint(team, daysToMs(3));
    const retried = await aDelivery(service, team, { endpointId: id, status: 'gave_up' });
    await anEvent(service, team, 1);
    expect((await team.client.post(`/webhook-deliveries/${retried}/retry`)).status).toBe(202);
    const { body } = await team.client.post(`/webhook-endpoints/${id}/test`);
    await tend();
    expect((await endpointNow(service, team, id)).status).toBe('disabled_failures');
    expect((await waitingFor(service, id)).map(({ deliveryId }) => deliveryId).toSorted()).toEqual(
      [retried, String(body['delivery_id'])].toSorted(),
    );
  });

  it('give up events that were raised while the endpoint was being paused', async () => {
    const team = await aTeam(service);
    const id = await aSilentEndpoint(team, daysToMs(3));
    const acting = await team.acting();
    await service.database.transaction(async (tx) => {
      const data = { connection_id: id, provider: 'hubspot', reason: 'late' };
      raise(tx, await lockTeamShared(tx, acting), crmSyncFailed, { data, personal: {} });
      await tx.team.count({ where: { id: team.id } }); // the event is sent with the next statement
      await tend();
      expect((await endpointNow(service, team, id)).status).toBe('disabled_failures');
    });
    expect((await deliveriesTo(service, id)).map(({ status }) => status)).toEqual(['pending']);
    await tend();
    expect((await deliveriesTo(service, id)).map(({ status }) => status)).toEqual(['gave_up']);
  });
});

describe('halfway', () => {
  it('is the middle of the three days: a moment before, nobody is warned', async () => {
    const team = await aTeam(service);
    const id = await aSilentEndpoint(team, hoursToMs(36) - secondsToMs(30));
    await tend();
    expect(await mailsOfKind(team.owner.email, 'warned')).toEqual([]);
    expect((await endpointNow(service, team, id)).warnedAt).toBeNull();
  });

  it('the mail says since when, until when, and why the newest failed delivery failed, in the reader’s language', async () => {
    const team = await aTeam(service, { admins: 1, language: 'de' });
    const email = team.admins[0]?.email ?? '';
    await service.database.prisma.person.updateMany({ where: { email }, data: { language: 'en' } });
    const { id } = await anEndpointAt(service, team, 'https://receiver.example.com/hooks');
    const failures = [
      { status: 'failed', error: 'The connection was refused.', errorDe: 'Die Verbindung wurde abgelehnt.' },
      { status: 'gave_up', error: 'The certificate has expired.', errorDe: 'Das Zertifikat ist abgelaufen.' },
      { status: 'ok', error: null, errorDe: null },
    ] as const;
    for (const { status, ...why } of failures) {
      const delivery = await aDelivery(service, team, { endpointId: id, status });
      await service.database.prisma.webhookDelivery.updateMany({ where: { id: delivery }, data: why });
    }
    service.clock.set(new Date('2026-12-04T09:00:00Z'));
    onTestFinished(() => service.clock.set(new Date()));
    await failingSince(team, id, new Date('2026-12-02T20:00:00Z'));
    await tend();
    const texts = await Promise.all(
      [team.owner.email, email].map(async (reader) => (await mailsOfKind(reader, 'warned'))[0]?.body.text),
    );
    expect(texts[0]).toContain('seit dem 2. Dezember 2026 um 21:00 MEZ keine Zustellung');
    expect(texts[0]).toContain('Letzter Versuch: Das Zertifikat ist abgelaufen.');
    expect(texts[0]).toContain('wird am 5. Dezember 2026 um 21:00 MEZ pausiert');
    expect(texts[1]).toMatch(/has succeeded since (2 December|December 2,) 2026 at /);
    expect(texts[1]).toContain('Last attempt: The certificate has expired.');
    expect(texts[1]).toMatch(/pauses on (5 December|December 5,) 2026 at /);
  });

  it('every admin is warned, once', async () => {
    const team = await aTeam(service, { admins: 1 });
    const id = await aSilentEndpoint(team, hoursToMs(36));
    const done = await Promise.all([tend(), tend(), tend()]);
    expect(done.reduce((sum, { warned }) => sum + warned, 0)).toBe(1);
    await tend();
    const [mail, ...more] = await mailsOfKind(team.owner.email, 'warned');
    expect(more).toEqual([]);
    expect(mail?.body.subject).toBe('Webhook-Zustellungen schlagen fehl');
    expect(await mailsOfKind(team.admins[0]?.email ?? '', 'warned')).toHaveLength(1);
    expect(await endpointNow(service, team, id)).toMatchObject({ status: 'active', warnedAt: expect.any(Date) });
    expect(await auditEntriesOn(service, team, id)).toMatchObject([
      { action: 'webhook_endpoint.warned', actor: ['service', null] },
    ]);
  });

  it('a success ends the warning; the next failures warn again', async () => {
    const team = await aTeam(service);
    const receiver = await aReceiver();
    const { id } = await anEndpointAt(service, team, receiver.url);
    await failingSince(team, id, ago(hoursToMs(40)));
    await tend();
    await aDispatcher(service);
    await anEvent(service, team);
    await expect.poll(() => endpointNow(service, team, id)).toMatchObject({ failingSince: null, warnedAt: null });
    await failingSince(team, id, ago(hoursToMs(40)));
    await tend();
    expect(await mailsOfKind(team.owner.email, 'warned')).toHaveLength(2);
  });
});

it('an endpoint whose check fails is reported, and the others are still checked', async () => {
  const team = await aTeam(service);
  const [longest, id] = [await aSilentEndpoint(team, daysToMs(4)), await aSilentEndpoint(team, daysToMs(3))];
  let reads = 0;
  const platform = {
    ...service.platform,
    get publicUrl() {
      reads += 1;
      if (reads === 1) throw new Error('the first mail can not be written');
      return service.platform.publicUrl;
    },
  };
  const reported: string[] = [];
  const done = await tendEndpoints(platform, (_, endpoint) => void reported.push(endpoint.id));
  expect([reported, done.paused]).toEqual([[longest], 1]);
  expect((await endpointNow(service, team, id)).status).toBe('disabled_failures');
});

describe('a paused endpoint', () => {
  const aPausedEndpoint = async (answer: AnswerProgress = () => ({ status: 200 })) => {
    const team = await aTeam(service);
    const receiver = await aReceiver({ answer });
    const { id } = await anEndpointAt(service, team, receiver.url);
    await anEvent(service, team);
    await failingSince(team, id, ago(daysToMs(3)));
    await tend();
    await aDispatcher(service);
    return { team, receiver, id, path: `/webhook-endpoints/${id}` };
  };
  const listed = async (team: TestTeam, path: string) => {
    const { body } = await team.client.get(`${path}/deliveries`);
    return body;
  };

  it.each(['disabled_failures', 'disabled'] as const)(
    'that is %s gets one attempt of a ping: if it fails, it is given up at once',
    async (status) => {
      const { team, receiver, id, path } = await aPausedEndpoint(() => ({ status: 500 }));
      await team.client.patch(path, { status: 'active' });
      await service.database.prisma.webhookEndpoint.updateMany({ where: { id }, data: { status } });
      const { body } = await team.client.post(`${path}/test`);
      const ping = { id: body['delivery_id'], event_type: 'ping', response_code: 500 };
      await expect
        .poll(async () => (await listed(team, path))['data'])
        .toContainEqual(expect.objectContaining({ ...ping, status: 'gave_up', attempt: 1, next_try_at: null }));
      expect(receiver.received).toHaveLength(1);
      expect(await waitingFor(service, id)).toEqual([]);
      expect((await endpointNow(service, team, id)).status).toBe(status);
    },
  );

  it.each([
    { status: 200, state: 'disabled_failures', outcome: { status: 'ok', attempt: 1 } },
    { status: 500, state: 'disabled_failures', outcome: { status: 'gave_up', attempt: 1, response_code: 500 } },
    { status: 500, state: 'active', outcome: { status: 'gave_up', attempt: 1, response_code: 500 } },
  ] as const)('gets retries by hand, once: while it is $state, a $status leaves it $outcome.status', async (row) => {
    const { status, state, outcome } = row;
    const { team, receiver, id, path } = await aPausedEndpoint(() => ({ status }));
    if (state === 'active') await team.client.patch(path, { status: state });
    const [delivery] = await deliveriesTo(service, id);
    const answer = await team.client.post(`/webhook-deliveries/${delivery?.id}/retry`);
    expect(answer).toMatchObject({ status: 202, body: { status: 'pending' } });
    await receiver.untilReceived(1);
    await expect.poll(() => listed(team, path)).toMatchObject({ data: [outcome] });
    expect(await waitingFor(service, id)).toEqual([]);
  });
});

describe('the events about an endpoint', () => {
  const aboutEndpoints: EventType[] = ['endpoint.failing', 'endpoint.paused', 'endpoint.recovered'];
  const subscribed = async (team: TestTeam) => anEndpoint(service, team, { events: aboutEndpoints });
  /** An endpoint that gets the events about others, and has failed for this long. */
  const aFailing = async (team: TestTeam, milliseconds: number) => {
    const id = await anEndpoint(service, team, { events: aboutEndpoints, failingSince: ago(milliseconds) });
    await aDelivery(service, team, { endpointId: id, status: 'failed' });
    return id;
  };
  const change = (team: TestTeam, id: string, data: Prisma.WebhookEndpointUpdateInput) =>
    service.database.prisma.webhookEndpoint.update({ where: { tenantId_id: { tenantId: team.id, id } }, data });
  const works = { status: 'active', failingSince: null, failedAgainAt: null, warnedAt: null } as const;
  const succeed = (team: TestTeam, id: string) =>
    change(team, id, { ...works, lastSuccessAt: later(service.clock.now(), 1) });
  /** All events of the team's feed, as [type, endpoint, since]. */
  const raised = async (team: TestTeam) =>
    (await team.client.get('/events?limit=200')).data.map(({ type, data }) => {
      const { endpoint_id, since } = EndpointEvent.parse(data);
      return [type, endpoint_id, since];
    });
  const sentTo = async (endpointId: string) => (await deliveriesTo(service, endpointId)).map((one) => one.eventType);

  it('say that it fails, is paused and works again: to the other endpoints and in the feed, never to itself', async () => {
    const team = await aTeam(service);
    const [watching, deaf] = [await subscribed(team), await anEndpoint(service, team)];
    const id = await aFailing(team, minutesToMs(31));
    const { failingSince } = await endpointNow(service, team, id);
    await tend();
    const since = failingSince?.toISOString();
    expect((await team.client.get('/events')).data).toMatchObject([
      { type: 'endpoint.failing', data: { team_id: team.id, endpoint_id: id, since, reason: 'HTTP 500' } },
    ]);
    const started = ago(daysToMs(3));
    await change(team, id, { failingSince: started });
    await tend();
    await change(team, id, works);
    await tend();
    await succeed(team, id);
    await tend();
    const { lastSuccessAt } = await endpointNow(service, team, id);
    expect(await raised(team)).toEqual([
      ['endpoint.failing', id, since],
      ['endpoint.paused', id, started.toISOString()],
      ['endpoint.recovered', id, lastSuccessAt?.toISOString()],
    ]);
    expect(await sentTo(watching)).toEqual(aboutEndpoints);
    expect(await sentTo(deaf)).toEqual([]);
    expect((await sentTo(id)).filter((type) => type !== 'training.completed')).toEqual([]);

    // Neither recovery nor replay sends them to it.
    const wanted = { endpoint_id: id, since: '2026-01-01T00:00:00Z' };
    const { webhooks } = await apiInTheApp(team, ['webhooks:manage']);
    expect(await webhooks.recover(wanted)).toEqual({ recovered: 0, older: 0, more: false });
    const [event] = (await team.client.get('/events')).data;
    const { webhookHistory } = await inTheApp(team);
    const event_id = String(event?.['id']);
    await expectRefusal(webhookHistory.replay({ event_id, endpoint_id: id }), {
      code: 'validation_error',
      members: { field: 'endpoint_id' },
    });
    const { endpoints } = await webhookHistory.event({ event_id });
    expect(Object.fromEntries(endpoints.map(({ endpoint_id, state }) => [endpoint_id, state]))).toEqual({
      [id]: 'concerned',
      [watching]: 'asked',
      [deaf]: 'not_subscribed',
    });
  });

  it('reach a second receiver and the feed while the first receiver fails, is paused and works again', async () => {
    const team = await aTeam(service);
    const first = await aReceiver({ answer: () => ({ status: 500 }) });
    const second = await aReceiver();
    const { id } = await anEndpointAt(service, team, first.url);
    const { id: watching } = await anEndpointAt(service, team, second.url);
    await change(team, watching, { events: aboutEndpoints });
    await aDispatcher(service);
    const untilIt = (state: object) => expect.poll(() => endpointNow(service, team, id)).toMatchObject(state);

    await anEvent(service, team);
    await untilIt({ failingSince: expect.any(Date) });
    service.clock.forward(minutesToMs(31));
    await untilIt({ failedAgainAt: expect.any(Date) });
    await tend();
    await second.untilReceived(1);
    service.clock.forward(daysToMs(3));
    await tend();
    await second.untilReceived(2);
    first.answerWith(() => ({ status: 200 }));
    expect((await team.client.patch(`/webhook-endpoints/${id}`, { status: 'active' })).status).toBe(200);
    await anEvent(service, team);
    await untilIt({ lastSuccessAt: expect.any(Date) });
    await tend();
    await second.untilReceived(3);
    service.clock.set(new Date());

    const told = aboutEndpoints.map((type) => ({ type, data: { endpoint_id: id } }));
    expect(second.received.map(({ body }): unknown => JSON.parse(body))).toMatchObject(told);
    const { data } = await team.client.get('/events?limit=200');
    expect(data.filter(({ type }) => String(type).startsWith('endpoint.'))).toMatchObject(told);
    const sentToFirst = first.received.map(({ body }): { type?: unknown } => JSON.parse(body));
    expect(new Set(sentToFirst.map(({ type }) => type))).toEqual(new Set(['crm.sync.failed']));
  });

  it('are not raised for a failure that is short or single, nor for a recovery that nobody was told to need', async () => {
    const team = await aTeam(service);
    await aFailing(team, minutesToMs(29));
    const single = await aFailing(team, hoursToMs(1));
    await change(team, single, { failedAgainAt: null });
    const id = await aFailing(team, minutesToMs(5));
    await succeed(team, id);
    await tend();
    expect(await raised(team)).toEqual([]);
  });

  it('are raised at most once a day for each, by any number of processes and however often it fails', async () => {
    const team = await aTeam(service);
    const ids = [await aFailing(team, hoursToMs(1)), await aFailing(team, hoursToMs(2))];
    await Promise.all(Array.from({ length: 6 }, tend));
    for (let again = 0; again < 3; again += 1) {
      for (const id of ids) await succeed(team, id);
      await tend();
      service.clock.forward(minutesToMs(45));
      for (const id of ids) await change(team, id, { failingSince: ago(minutesToMs(40)), failedAgainAt: ago(0) });
      await tend();
    }
    const types = async () => (await raised(team)).map(([type, id]) => `${String(type)} ${String(id)}`).toSorted();
    const once = ids.flatMap((id) => [`endpoint.failing ${id}`, `endpoint.recovered ${id}`]);
    expect(await types()).toEqual(once.toSorted());

    // The day after, the failure that lasts is told.
    service.clock.forward(daysToMs(1));
    await tend();
    expect(await types()).toEqual([...once, ...ids.map((id) => `endpoint.failing ${id}`)].toSorted());
    service.clock.set(new Date());
  });

  it('say why in at most 200 characters', async () => {
    const team = await aTeam(service);
    const id = await aFailing(team, minutesToMs(31));
    await service.database.prisma.webhookDelivery.updateMany({
      where: { endpointId: id },
      data: { error: '\u{1F4A5}'.repeat(300) },
    });
    await tend();
    expect((await team.client.get('/events')).data).toMatchObject([{ data: { reason: '\u{1F4A5}'.repeat(200) } }]);
  });

  it('come after a quarter of the time until the pause, if that is less than half an hour', async () => {
    const team = await aTeam(service);
    await aFailing(team, minutesToMs(14));
    const id = await aFailing(team, minutesToMs(16));
    const deliverySchedule = { ...service.platform.deliverySchedule, pauseAfterSeconds: 3_600 };
    await tendEndpoints({ ...service.platform, deliverySchedule }, (error) => expect(error).toBeUndefined());
    expect((await raised(team)).map(([type, about]) => [type, about])).toEqual([['endpoint.failing', id]]);
  });

  it('say that it is paused at most once a day; the day after, a pause is told again', async () => {
    const team = await aTeam(service);
    onTestFinished(() => service.clock.set(new Date()));
    const id = await anEndpoint(service, team);
    const pauses = async () => {
      await change(team, id, { status: 'active', failingSince: ago(daysToMs(3)), failedAgainAt: null });
      await tend();
      expect((await endpointNow(service, team, id)).status).toBe('disabled_failures');
      return (await raised(team)).map(([type]) => type);
    };
    expect(await pauses()).toEqual(['endpoint.paused']);
    service.clock.forward(hoursToMs(23));
    expect(await pauses()).toEqual(['endpoint.paused']);
    service.clock.forward(hoursToMs(2));
    expect(await pauses()).toEqual(['endpoint.paused', 'endpoint.paused']);
  });

  it('say that it works again after a pause of which nothing else had warned', async () => {
    const team = await aTeam(service);
    const id = await anEndpoint(service, team, { failingSince: ago(daysToMs(3)), failedAgainAt: null });
    await tend();
    await succeed(team, id);
    await tend();
    expect((await raised(team)).map(([type]) => type)).toEqual(['endpoint.paused', 'endpoint.recovered']);
  });

  it('say that it works again for a second time once a day has passed since the first time', async () => {
    const team = await aTeam(service);
    onTestFinished(() => service.clock.set(new Date()));
    const id = await aFailing(team, hoursToMs(1));
    const types = async () => {
      await tend();
      return (await raised(team)).map(([type]) => type);
    };
    const once = ['endpoint.failing', 'endpoint.recovered'];
    await tend();
    service.clock.forward(minutesToMs(30));
    await succeed(team, id);
    expect(await types()).toEqual(once);
    service.clock.forward(daysToMs(1) - minutesToMs(20));
    await change(team, id, { failingSince: ago(minutesToMs(40)), failedAgainAt: ago(0) });
    expect(await types()).toEqual([...once, 'endpoint.failing']);
    service.clock.forward(minutesToMs(10));
    await succeed(team, id);
    expect(await types()).toEqual([...once, 'endpoint.failing']);
    service.clock.forward(minutesToMs(20));
    expect(await types()).toEqual([...once, ...once]);
  });

  it.each(['disabled', 'disabled_failures'] as const)('are not raised while it is %s', async (status) => {
    const team = await aTeam(service);
    const failing = await aFailing(team, hoursToMs(1));
    await change(team, failing, { status });
    const recovered = await anEndpoint(service, team);
    const times = { alarmedAt: ago(minutesToMs(9)), lastSuccessAt: ago(minutesToMs(1)) };
    await change(team, recovered, { status, ...times });
    await tend();
    expect(await raised(team)).toEqual([]);
  });

  it('of a team without the API are not raised', async () => {
    const team = await aTeam(service);
    await aFailing(team, hoursToMs(1));
    await team.change({ status: 'suspended' });
    await tend();
    await team.change({ status: 'active' });
    expect(await raised(team)).toEqual([]);
  });
});
