import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { makeId } from '../../src/core/ids.ts';
import { jsonSchemaOf } from '../../src/core/json-schema.ts';
import { connectCrm } from '../../src/modules/crm/service.ts';
import { lockTeamShared, lockTeam } from '../../src/platform/team-row.ts';
import { apiVersion, bodyOf } from '../../src/deliveries/message.ts';
import { english } from '../../src/core/language.ts';
import { storableReason } from '../../src/modules/crm/run.ts';
import { raise } from '../../src/deliveries/outbox.ts';
import { memberJoined } from '../../src/modules/members/events.ts';
import { evaluationCompleted } from '../../src/modules/trainings/events.ts';
import { ping } from '../../src/modules/webhooks/events.ts';
import { bodySchemaOf, dataOf, exampleBodyOf, payloads } from '../../src/modules/events/payloads.ts';
import { eventTypes, sentTypes } from '../../src/core/events.ts';
import { syncFailed } from '../support/crm.ts';
import { expectDescribedEvent } from '../support/document.ts';
import { liveThrough, usualTypes } from '../support/every-event.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { anEndpoint, waitingFor } from '../support/webhooks.ts';
import { untilLockWaits } from '../support/postgres.ts';

const service = await useTestService();

const nameOf = (type: string) =>
  sentTypes.find((known) => known === type) ?? expect.unreachable(`${type} is described nowhere`);

/** All events of a team, oldest first, with the bodies that receivers get. */
const eventsOf = async ({ id: tenantId }: { id: string }) => {
  const events = await service.database.prisma.webhookEvent.findMany({ where: { tenantId }, orderBy: { id: 'asc' } });
  return events.map(({ id, type, data: stored, createdAt }) => {
    const data: unknown = JSON.parse(stored);
    const event = { tenantId, eventId: id, type, createdAt: createdAt.toISOString(), apiVersion, data };
    return { type: nameOf(type), data, body: bodyOf(event) };
  });
};

const mostBytes = 16 * 1024;

const Described = z.object({
  required: z.array(z.string()),
  properties: z.record(
    z.string(),
    z.object({ description: z.string().min(5), pattern: z.string().startsWith('^').endsWith('$').optional() }),
  ),
});

describe('the body of an event', () => {
  it.each(sentTypes)('says of each field what it means, and which form its text has (%s)', (type) => {
    const { required, properties } = Described.parse(z.toJSONSchema(bodySchemaOf(type)));
    const names = ['id', 'type', 'created_at', 'api_version', 'tenant_id', 'data'];
    expect([required, Object.keys(properties)]).toEqual([names, names]);
    const example = z.record(z.string(), z.unknown()).parse(JSON.parse(exampleBodyOf(type)));
    for (const name of ['id', 'api_version'])
      expect(example[name]).toMatch(new RegExp(properties[name]?.pattern ?? 'none'));
    expect(bodySchemaOf(type).parse(example)).toEqual(example);
    expect(new Date(String(example['created_at'])).toISOString()).toBe(example['created_at']);
  });
});

describe('the data of events', () => {
  it('matches its schema exactly, with every possible field', async () => {
    const team = await aTeam(service);
    const { active } = await liveThrough(service, team);
    const events = await eventsOf(team);
    expect([...new Set(events.map(({ type }) => type))].sort()).toEqual(usualTypes.toSorted());
    for (const { type, data, body } of events) {
      expect(Buffer.byteLength(body), type).toBeLessThan(mostBytes);
      expectDescribedEvent(type, JSON.parse(body));
      expect(dataOf(type).strict().safeParse(data).error, type).toBeUndefined();
      expect(data, type).toMatchObject({ team_id: team.id });
    }
    // An invited member has no user id yet; all other personal fields are there.
    const users = events.filter(({ data }) => JSON.stringify(data).includes('"user_id"'));
    expect(users.map(({ type }) => type)).toEqual([
      'member.joined',
      'assignment.created',
      'assignment.completed',
      'training.completed',
      'evaluation.completed',
      'evaluation.completed',
      'training.completed',
      'evaluation.completed',
      'member.removed',
    ]);
    for (const { data } of users) expect(data).toMatchObject({ user_id: active.user_id });
    const scores = events.filter(({ type }) => type === 'evaluation.completed').map(({ data }) => data);
    expect(scores).toMatchObject([{ score: 72 }, { score: 81 }, {}]);
    expect(scores[2]).not.toHaveProperty('score');
  });

  it('has no personal data and no score while details about single people are off', async () => {
    const team = await aTeam(service, { memberDetail: false });
    const { active } = await liveThrough(service, team);
    const events = await eventsOf(team);
    expect([...new Set(events.map(({ type }) => type))].sort()).toEqual(usualTypes.toSorted());
    for (const { type, data, body } of events) {
      expectDescribedEvent(type, JSON.parse(body));
      const impersonal = payloads[type].data.extend({ team_id: dataOf(type).shape.team_id });
      expect(impersonal.strict().safeParse(data).error, type).toBeUndefined();
      const text = JSON.stringify(data);
      for (const secret of ['user_id', 'score', 'email', active.user_id, active.email])
        expect(text).not.toContain(secret);
    }
  });

  it('has, for a failed sync, connection, CRM and reason, and the connection keeps the reason', async () => {
    const team = await aTeam(service);
    const { id: connectionId } = await connectCrm(await team.acting(), { provider: 'hubspot' });
    const reason = `Große Störung 🚚 \0\uD800 ${'x'.repeat(2_000)}`;
    await syncFailed(await team.acting(), { connectionId, reason: storableReason(english(reason)).en });
    const kept = `Große Störung 🚚 \uFFFD ${'x'.repeat(2_000)}`;
    const last = (await eventsOf(team)).at(-1);
    const cut = [...kept].slice(0, 1_000).join('');
    expect(last).toMatchObject({
      type: 'crm.sync.failed',
      data: { team_id: team.id, connection_id: connectionId, provider: 'hubspot', reason: cut },
    });
    const connection = await service.database.prisma.crmConnection.findUnique({
      where: { tenantId_id: { tenantId: team.id, id: connectionId } },
    });
    expect(connection).toMatchObject({ failureReason: cut, lastFailedAt: expect.any(Date) });
  });

  it('has, for a failed sync, the data that the team allows when the sync ends', async () => {
    const team = await aTeam(service);
    const { id: connectionId } = await connectCrm(await team.acting(), { provider: 'hubspot' });
    const endpointId = await anEndpoint(service, team, { events: ['crm.sync.failed'] });
    const acting = await team.acting();
    let failing: Promise<void> | undefined;
    await service.database.transaction(async (tx) => {
      await lockTeam(tx, acting);
      failing = syncFailed(acting, { connectionId, reason: 'Signed out.' });
      await untilLockWaits(service);
      await tx.webhookEndpoint.updateMany({ where: { id: endpointId }, data: { status: 'disabled' } });
    });
    await failing;
    expect((await eventsOf(team)).map(({ type }) => type)).toEqual(['crm.sync.failed']);
    expect(await waitingFor(service, endpointId)).toEqual([]);
  });

  it('is at most 16 KiB, also with the longest reason of a failed sync, the only free text', async () => {
    const team = await aTeam(service);
    const { id: connectionId } = await connectCrm(await team.acting(), { provider: 'hubspot' });
    // These characters take the most bytes in JSON.
    await syncFailed(await team.acting(), { connectionId, reason: '\u0001'.repeat(1_000) });
    const [failed] = await eventsOf(team);
    expect(failed?.type).toBe('crm.sync.failed');
    expect(Buffer.byteLength(failed?.body ?? '')).toBeLessThan(mostBytes);
  });
});

/** The fields of an object as the documentation lists them. */
const fieldsOf = (schema: z.ZodObject) =>
  Object.entries(jsonSchemaOf(schema).properties ?? {}).map(([name, field]) => ({
    name,
    description: typeof field === 'object' ? (field.description ?? '') : '',
  }));

describe('the table of payloads', () => {
  it('has exactly the events that can be subscribed to, and the ping', () => {
    expect(Object.keys(payloads).toSorted()).toEqual([...Object.keys(eventTypes), 'ping'].sort());
  });

  it.each(sentTypes)('%s: has personal data only in personal fields, and documents when they are absent', (type) => {
    const { data, personal } = payloads[type];
    for (const key of ['user_id', 'score', 'email', 'member_email', 'member_user_id']) {
      expect(data.shape).not.toHaveProperty(key);
    }
    for (const { description, name } of fieldsOf(personal)) {
      expect(description, name).toContain('Absent while `member_detail_enabled` is off');
    }
  });

  it.each(sentTypes)('%s: describes every field, and its example has all of them', (type) => {
    const { data }: { data: object } = JSON.parse(exampleBodyOf(type));
    expect(Object.keys(data).toSorted()).toEqual(Object.keys(dataOf(type).shape).toSorted());
    for (const { name, description } of fieldsOf(dataOf(type))) expect(description, name).not.toBe('');
    expect(dataOf(type).strict().safeParse(data).error).toBeUndefined();
  });

  it('is enforced by the compiler when raising', async () => {
    const { database } = service;
    const acting = await (await aTeam(service)).acting();
    const training_id = makeId();
    const user_id = makeId();
    const compiled = () =>
      database.transaction(async (tx) => {
        const team = await lockTeamShared(tx, acting);
        raise(tx, team, evaluationCompleted, { data: { training_id }, personal: { user_id } });
        // @ts-expect-error: nobody holds this team: its switches and endpoints may be others by now
        raise(tx, acting, evaluationCompleted, { data: { training_id }, personal: { user_id } });
        // @ts-expect-error: whose it is may be told to some only
        raise(tx, team, evaluationCompleted, { data: { training_id, user_id }, personal: { user_id } });
        // @ts-expect-error: and is not forgotten
        raise(tx, team, evaluationCompleted, { data: { training_id }, personal: {} });
        // @ts-expect-error: another type's data
        raise(tx, team, memberJoined, { data: { training_id }, personal: {} });
        // @ts-expect-error: a score is a number
        raise(tx, team, evaluationCompleted, { data: { training_id }, personal: { user_id, score: '72' } });
        // @ts-expect-error: only an endpoint's test pings
        raise(tx, team, ping, { data: { endpoint_id: training_id }, personal: {} });
      });
    expect(compiled).toBeTypeOf('function');
  });
});
