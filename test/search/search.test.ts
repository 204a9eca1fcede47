import { describe, expect, it } from 'vitest';
import { memberMessages } from '../../src/core/messages/people.ts';
import { publicEventId } from '../../src/deliveries/message.ts';
import { aColleague, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { anAssignment, aCase, aTraining } from '../support/practice.ts';
import { aLoggedRequest } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { aDelivery, anEndpoint, anEvent } from '../support/webhooks.ts';

const service = await useTestService();

/** The ids of one object of each kind. Objects that belong to a person belong to `userId`. */
const oneOfEach = async (team: TestTeam, { memberId, userId }: { memberId: string; userId: string }) => {
  const endpoint = await anEndpoint(service, team);
  const event = await anEvent(service, team);
  return {
    member: memberId,
    key: (await team.aKey()).id,
    endpoint,
    delivery: await aDelivery(service, team, { endpointId: endpoint, eventId: event, status: 'ok' }),
    event: publicEventId(event),
    request: await aLoggedRequest(service, team),
    training: await aTraining(service, team, { userId }),
    assignment: await anAssignment(service, team, { memberId, title: 'Zinsen verhandeln' }),
    case: await aCase(service, team, { userId }),
  };
};

const found = async (caller: Awaited<ReturnType<typeof inTheApp>>, text: string) =>
  (await caller.search.find({ text })).data.map(({ kind, id }) => [kind, id]);

describe('the search of the app', () => {
  it('finds each object by its id, also within other text, and nothing by ids of another team', async () => {
    const team = await aTeam(service);
    const ids = await oneOfEach(team, await aColleague(team));
    const [ours, others] = [await inTheApp(team), await inTheApp(await aTeam(service))];
    for (const [kind, id] of Object.entries(ids)) {
      // The page of a request is that of its entry in the log.
      const known = kind === 'request' ? expect.any(String) : id;
      expect([kind, await found(ours, id)]).toEqual([kind, [[kind, known]]]);
      expect([kind, await found(others, id)]).toEqual([kind, []]);
    }
    expect(await found(ours, `"id": "${ids.event}",`)).toEqual([['event', ids.event]]);
    const address = `https://example.com/webhooks/${ids.endpoint}/deliveries/${ids.delivery.toUpperCase()}?team=1`;
    expect(await found(ours, address)).toEqual([['delivery', ids.delivery]]);
  });

  it('finds members by name and address, keys by name and prefix, endpoints by URL and description, assignments by title', async () => {
    const team = await aTeam(service);
    const [colleague, reader] = [await aColleague(team), await inTheApp(team)];
    const { assignment, endpoint, key } = await oneOfEach(team, colleague);
    const people = (await reader.members.list({})).data;
    const email = people.find(({ id }) => id === colleague.memberId)?.email ?? '';
    expect(await found(reader, email.slice(0, -4).toUpperCase())).toEqual([['member', colleague.memberId]]);
    expect(await found(reader, 'zinsen')).toEqual([['assignment', assignment]]);
    expect(await found(reader, 'sen zin')).toEqual([['assignment', assignment]]);
    expect(await found(reader, 'EXAMPLE.com/')).toContainEqual(['endpoint', endpoint]);
    const described = await anEndpoint(service, team, { description: 'Data warehouse' });
    expect(await found(reader, 'data WARE')).toEqual([['endpoint', described]]);
    const { prefix } = await reader.keys.get({ key_id: key });
    expect(await found(reader, prefix)).toEqual([['key', key]]);
    expect(await found(reader, `svck_live_${prefix}`)).toEqual([['key', key]]);
    for (const wildcards of ['100%', '__', '%%']) expect(await found(reader, wildcards)).toEqual([]);
    await expectRefusal(reader.search.find({ text: 'x' }), 'BAD_REQUEST');
  });

  it('finds nothing that belongs to a person while member details are hidden, but every member', async () => {
    const team = await aTeam(service);
    const colleague = await aColleague(team);
    const ids = await oneOfEach(team, colleague);
    await team.change({ memberDetail: false });
    const reader = await inTheApp(team);
    for (const text of ['zinsen', ids.training, ids.assignment, ids.case]) {
      expect([text, (await found(reader, text)).filter(([kind]) => kind !== 'endpoint')]).toEqual([text, []]);
    }
    const { data: listed } = await reader.members.list({ role: 'member' });
    const { email } = await reader.members.show({ member_id: colleague.memberId });
    for (const text of [colleague.memberId, colleague.userId, email]) {
      const { data } = await reader.search.find({ text });
      expect(data).toMatchObject([{ kind: 'member', id: colleague.memberId, detail: email }]);
    }
    const shown = await reader.members.show({ member_id: colleague.memberId });
    expect({ ...shown, work: null }).toEqual(listed[0]);
  });

  it('finds only their own objects for members who are no admins', async () => {
    const team = await aTeam(service);
    const [colleague, other] = [await aColleague(team), await aColleague(team)];
    const [own, others] = [await oneOfEach(team, colleague), await oneOfEach(team, other)];
    const reader = await inTheApp(team, colleague);
    const theirs = ['training', 'assignment'];
    for (const [kind, id] of Object.entries(own)) {
      expect([kind, await found(reader, id)]).toEqual([kind, theirs.includes(kind) ? [[kind, id]] : []]);
    }
    for (const [kind, id] of Object.entries(others)) expect([kind, await found(reader, id)]).toEqual([kind, []]);
    const privateCase = await aCase(service, team, { userId: colleague.userId, private: true });
    expect(await found(reader, privateCase)).toEqual([['case', privateCase]]);
    expect(await found(await inTheApp(team), privateCase)).toEqual([]);
    expect(await found(reader, 'zinsen')).toEqual([['assignment', own.assignment]]);
    expect(await found(reader, 'example.com')).toEqual([]);
  });
});

describe('the page of a member', () => {
  it('has their progress, their keys, and the audit entries by them', async () => {
    const team = await aTeam(service);
    const [colleague, reader] = [await aColleague(team, 'admin', ['schnittstellen']), await inTheApp(team)];
    const { key_id } = await (await inTheApp(team, colleague)).keys.create({ name: 'Theirs', template: 'read_only' });
    const member = { member_id: colleague.memberId };
    expect((await reader.keys.ofMember(member)).data).toMatchObject([{ key_id, name: 'Theirs', status: 'active' }]);
    const { data } = await reader.audit.list({ actor_kind: 'person', actor_id: colleague.userId });
    expect(data.map(({ action, target }) => [action, target.id])).toEqual([['key.created', key_id]]);
    expect(await reader.progress.of(member)).toMatchObject({ sessions: 0, avg_score: null });
  });

  it('has no progress of people who have not accepted, and nobody’s while member details are off', async () => {
    const team = await aTeam(service, { members: 1 });
    const invited = await team.anInvitedMember();
    const progressOf = async (member_id = '') => (await inTheApp(team)).progress.of({ member_id });
    await expectRefusal(progressOf(invited.id), {
      code: 'not_found',
      spoken: { detail: memberMessages.notYetAccepted },
    });
    await team.change({ memberDetail: false });
    await expectRefusal(progressOf(team.members[0]?.id), { code: 'privacy_restricted' });
  });
});
