import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { makeId } from '../../src/core/ids.ts';
import { httpLimits, limits } from '../../src/core/limits.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf } from '../../src/platform/trpc/procedures.ts';
import { makeClient, type Answer, type Client } from '../support/client.ts';
import { expectDescribed } from '../support/document.ts';
import { auditEntriesOn, eventDataOf } from '../support/logs.ts';
import { aSignedInPerson } from '../support/people.ts';
import { aCombination, block } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { anEndpoint } from '../support/webhooks.ts';

const described =
  operationsOf(publicRouter).find(({ operation }) => operation.route === 'POST /assignments/bulk') ??
  expect.unreachable();
const service = await useTestService();
const { prisma } = service.database;
const combination = await aCombination(service);

const Values = z.record(z.string(), z.unknown());
const Results = z.array(z.object({ status: z.int(), assignment: Values.optional(), problem: Values.optional() }));

const post = async (client: Client, items: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
  const answer = await client.post('/assignments/bulk', { items }, { headers });
  expectDescribed(described, answer);
  return answer;
};

const resultsOf = (answer: Answer) => {
  expect(answer.status).toBe(200);
  return Results.parse(answer.body['results']);
};

const itemFor = (memberId: string, more: object = {}) => ({
  member_id: memberId,
  title: 'Price talk',
  ...combination,
  ...more,
});

const made = (team: TestTeam) =>
  prisma.assignment.findMany({ where: { tenantId: team.id }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });

/** Items that are wrong, each in another way, for a team in which a policy blocks the situation for a member. */
const wrongItems = async (team: TestTeam, other: TestTeam): Promise<unknown[]> => {
  const [ended, blocked] = [await team.anActiveMember(), await team.anActiveMember()];
  await team.client.delete(`/users/${ended.id}`);
  await block(service, { tenantId: team.id, memberId: blocked.id, itemId: combination.situation_id });
  const own = team.owner.member_id;
  const { title: _title, ...untitled } = itemFor(own);
  return [
    itemFor(makeId()),
    itemFor(other.owner.member_id),
    itemFor(ended.id),
    itemFor('nobody'),
    itemFor(blocked.id),
    itemFor(own, { situation_id: makeId() }),
    itemFor(own, { personality_id: combination.industry_id }),
    untitled,
    itemFor(own, { title: '', due_date: '2026-02-30' }),
    itemFor(own, { note: 'a\0b' }),
    itemFor(own, { title: 'half \ud83d' }),
    itemFor(own, { focus_dimension: 'closing' }),
    { ...itemFor(own), ['__proto__']: { title: 'x' } },
    { ...itemFor(own), 'a\0b': 1 },
    itemFor(own, { note: { deep: [1] } }),
    { title: 'a\0b', member_id: 7 },
    {},
    [],
    null,
    'Price talk',
    7,
  ];
};

describe('POST /assignments/bulk', () => {
  it('creates the right items, and has the problem that each wrong one would get alone in its place', async () => {
    const [team, other] = [await aTeam(service, { members: 3 }), await aTeam(service)];
    const wrong = await wrongItems(team, other);
    const invited = await team.anInvitedMember();
    const right = [...team.members.map(({ id }) => id), invited.id].map((id, at) =>
      itemFor(id, { title: `Talk ${at}`, note: 'Calmly.', due_date: `2027-01-0${at + 1}` }),
    );
    // A right item before, among and behind the wrong ones.
    const items = wrong.flatMap((item, at) => (at % 6 === 0 ? [right[at / 6], item] : [item]));
    expect(items.length).toBe(right.length + wrong.length);
    const answer = await post(team.client, items);
    const results = resultsOf(answer);

    const created = results.flatMap(({ assignment }) => (assignment ? [assignment] : []));
    expect(created.map(({ title }) => title)).toEqual(right.map(({ title }) => title));
    expect((await made(team)).map(({ title }) => title)).toEqual(right.map(({ title }) => title));
    expect(await made(other)).toEqual([]);
    for (const assignment of created) {
      expect((await team.client.get(`/assignments/${String(assignment['id'])}`)).body).toEqual(assignment);
    }
    for (const [at, { status, assignment, problem }] of results.entries()) {
      expect(Object.keys(problem ?? assignment ?? {})).not.toEqual([]);
      expect(assignment === undefined).toBe(problem !== undefined);
      if (assignment) expect(status).toBe(201);
      if (!problem) continue;
      const alone = await team.client.post('/assignments', items[at]);
      expect(status).toBe(alone.status);
      const { errors, ...members } = alone.body;
      // A body that is no object is refused in other words than an item.
      if (typeof items[at] !== 'object' || items[at] === null || Array.isArray(items[at])) {
        expect(problem).toMatchObject({ code: 'validation_error', errors: [{ path: ['items', at] }] });
        continue;
      }
      const inItem = Array.isArray(errors)
        ? { errors: errors.map((flaw) => ({ ...flaw, path: ['items', at, ...Object(flaw)['path']] })) }
        : {};
      expect(problem).toEqual({ ...members, ...inItem, request_id: answer.headers.get('x-request-id') });
    }
  });

  it('raises an event, writes its deliveries and an audit entry for each that it creates, as for a single one', async () => {
    const team = await aTeam(service, { members: 2 });
    const key = await team.aKey();
    const client = makeClient(service.baseUrl, key.text);
    const endpoint = await anEndpoint(service, team, { events: ['assignment.created'] });
    const items = team.members.flatMap(({ id }) => [itemFor(id, { due_date: '2027-01-31' }), itemFor(makeId())]);
    const answer = await post(client, items);
    const ids = resultsOf(answer).flatMap(({ assignment }) => (assignment ? [String(assignment['id'])] : []));
    expect(ids).toHaveLength(2);
    expect(await eventDataOf(service, team, 'assignment.created')).toEqual(
      ids.map((assignment_id, at) => ({
        team_id: team.id,
        assignment_id,
        status: 'open',
        due_date: '2027-01-31',
        completed_training_id: null,
        user_id: team.members[at]?.user_id,
      })),
    );
    for (const [at, id] of ids.entries()) {
      expect(await auditEntriesOn(service, team, id)).toEqual([
        {
          action: 'assignment.created',
          actor: ['key', key.id],
          data: { member_id: team.members[at]?.id, title: 'Price talk' },
          requestId: answer.headers.get('x-request-id'),
        },
      ]);
    }
    const deliveries = await prisma.webhookDelivery.findMany({ where: { tenantId: team.id, endpointId: endpoint } });
    expect(new Set(deliveries.map(({ eventId }) => eventId)).size).toBe(2);
    const feed = await team.client.get('/events?type=assignment.created');
    expect(feed.data.map(({ data }) => Object(data)['assignment_id'])).toEqual(ids);
    // Nobody is mailed about an assignment that a program gives: a single POST mails nobody either.
    for (const { email } of team.members) expect(await service.mailsTo(email ?? '')).toEqual([]);
  });

  it('is in the request log once', async () => {
    const team = await aTeam(service);
    await post(team.client, [itemFor(team.owner.member_id), {}]);
    await service.requestLog.write();
    const logged = await prisma.requestLogEntry.findMany({ where: { tenantId: team.id } });
    expect(logged.map(({ method, route, status }) => [method, route, status])).toEqual([
      ['POST', '/assignments/bulk', 200],
    ]);
  });

  it('takes 1 to 100 items, and refuses any other list as a whole', async () => {
    const team = await aTeam(service);
    const item = itemFor(team.owner.member_id);
    const times = (count: number) => Array.from({ length: count }, () => item);
    for (const items of [[], times(limits.itemsInRequest + 1), item, 'x', null]) {
      expect(await post(team.client, items)).toBeProblem('validation_error', {
        errors: [expect.objectContaining({ in: 'body', path: ['items'] })],
      });
    }
    const unknown = await team.client.post('/assignments/bulk', { items: [item], title: 'x' });
    expect(unknown).toBeProblem('validation_error', { errors: [expect.objectContaining({ path: ['title'] })] });
    expect(await made(team)).toEqual([]);

    const results = resultsOf(await post(team.client, times(limits.itemsInRequest)));
    expect(results.map(({ status }) => status)).toEqual(times(limits.itemsInRequest).map(() => 201));
    expect(await made(team)).toHaveLength(limits.itemsInRequest);
  });

  it('does everything once for an Idempotency-Key, and gives all results again', async () => {
    const team = await aTeam(service, { members: 1 });
    const items = [itemFor(team.members[0]?.id ?? ''), itemFor(makeId()), {}];
    const headers = { 'Idempotency-Key': 'once' };
    const [first, again] = [await post(team.client, items, headers), await post(team.client, items, headers)];
    expect(resultsOf(first).map(({ status }) => status)).toEqual([201, 404, 422]);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect(await post(team.client, items.slice(1), headers)).toBeProblem('idempotency_mismatch');
    expect(await made(team)).toHaveLength(1);
    expect(await eventDataOf(service, team, 'assignment.created')).toHaveLength(1);
    await team.change({ memberDetail: false });
    const hidden = resultsOf(await post(team.client, items, headers));
    expect(hidden[0]?.assignment).toMatchObject({ member_user_id: null, member_email: null });
  });

  it('names nobody while member details are off, neither in the results nor in the events', async () => {
    const team = await aTeam(service, { members: 1, memberDetail: false });
    const answer = await post(team.client, [itemFor(makeId()), itemFor(team.members[0]?.id ?? '')]);
    expect(resultsOf(answer)[1]?.assignment).toMatchObject({ member_user_id: null, member_email: null });
    expect(answer.text).not.toContain(team.members[0]?.email);
    expect((await eventDataOf(service, team, 'assignment.created'))[0]).not.toHaveProperty('user_id');
  });

  it('has the titles of problems in the language of the request, and raises no event for an admin in the app', async () => {
    const team = await aTeam(service);
    const german = resultsOf(await post(team.client, [{}], { 'Accept-Language': 'de' }));
    const english = resultsOf(await post(team.client, [{}], { 'Accept-Language': 'en' }));
    expect(german[0]?.problem?.['title']).not.toBe(english[0]?.problem?.['title']);
    const { browser } = await aSignedInPerson(service, team, { role: 'admin' });
    const items = [itemFor(team.owner.member_id), itemFor(makeId())];
    const { data } = await browser.mutate('api/assignments.createMany', { items }, { team: team.id });
    expect(Results.parse(Object(data)['results']).map(({ status }) => status)).toEqual([201, 404]);
    expect(await eventDataOf(service, team, 'assignment.created')).toEqual([]);
  });

  it('answers the largest requests, and does not multiply the size of one with many flaws', async () => {
    const team = await aTeam(service);
    const note = '"\n'.repeat(limits.bodyBytes / limits.itemsInRequest / 4 - 150);
    const large = Array.from({ length: limits.itemsInRequest }, () => itemFor(team.owner.member_id, { note }));
    const answer = await post(team.client, large);
    expect(resultsOf(answer).map(({ status }) => status)).toEqual(large.map(() => 201));
    expect(answer.text.length).toBeLessThan(httpLimits.answerBytes / 2);

    const unknown = Object.fromEntries(Array.from({ length: 48 }, (_, at) => [`x${at}`, 1]));
    const flawed = await post(
      team.client,
      Array.from({ length: limits.itemsInRequest }, () => unknown),
    );
    for (const { problem } of resultsOf(flawed)) expect(problem?.['errors']).toHaveLength(10);
    expect(flawed.text.length).toBeLessThan(limits.bodyBytes);
  });
});
