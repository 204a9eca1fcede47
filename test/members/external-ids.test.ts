import { describe, expect, it } from 'vitest';
import { hoursToMs } from '../../src/core/clock.ts';
import { limits } from '../../src/core/limits.ts';
import { roster } from '../../src/modules/members/service.ts';
import { sendWaiting } from '../../src/modules/members/waiting.ts';
import { inTheApp } from '../support/app-caller.ts';
import { setInvitationsInHour } from '../support/budgets.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService();

/** Invites somebody with this external id. */
const invite = (team: TestTeam, external_id: unknown) =>
  team.client.post('/users', { email: anEmail('external'), external_id });

const idOf = async (team: TestTeam, external_id: string): Promise<string> => {
  const answer = await invite(team, external_id);
  expect(answer.status, answer.text).toBe(201);
  return String(answer.body['id']);
};

const found = async (team: TestTeam, externalId: string): Promise<unknown[]> => {
  const answer = await team.client.get(`/users?external_id=${encodeURIComponent(externalId)}`);
  return answer.data.map(({ id }) => id);
};

describe('the external id of a member', () => {
  it('is given with the invitation, is in every answer beside the address, and finds the member, compared exactly', async () => {
    const team = await aTeam(service, { members: 1 });
    const id = await idOf(team, 'E-1042 ü/ß 😀');
    const shown = { id, external_id: 'E-1042 ü/ß 😀' };
    expect((await team.client.get(`/users/${id}`)).body).toMatchObject(shown);
    for (const query of ['', '?updated_since=2000-01-01T00:00:00Z']) {
      const rows = (await team.client.get(`/users${query}`)).data.map((row) => [row['id'], row['external_id']]);
      expect(Object.fromEntries(rows)).toEqual({
        [team.owner.member_id]: null,
        [String(team.members[0]?.id)]: null,
        [id]: shown.external_id,
      });
    }
    expect(await found(team, 'E-1042 ü/ß 😀')).toEqual([id]);
    for (const other of ['e-1042 ü/ß 😀', 'E-1042', ' E-1042 ü/ß 😀', '%'])
      expect(await found(team, other)).toEqual([]);
    expect((await team.client.get('/users?external_id=E&role=member&cursor=x')).body['field']).toBe('cursor');
    // An operator's list has it, too.
    const listed = await roster(await team.acting());
    expect(listed.map(({ memberId, externalId }) => [memberId, externalId])).toContainEqual([id, shown.external_id]);
  });

  it('is changed and removed beside the role, and stays without the field', async () => {
    const team = await aTeam(service, { admins: 1 });
    const { id } = await team.anActiveMember();
    const change = (body: object) => team.client.patch(`/users/${id}`, body);
    const before = service.clock.now();
    expect((await change({ role: 'member', external_id: 'a' })).body).toMatchObject({
      role: 'member',
      external_id: 'a',
    });
    expect((await change({ role: 'admin' })).body).toMatchObject({ role: 'admin', external_id: 'a' });
    expect((await change({ role: 'member', external_id: 'b' })).body).toMatchObject({
      role: 'member',
      external_id: 'b',
    });
    const kept = (await change({ role: 'member', external_id: 'b' })).body;
    expect((await team.client.get(`/users/${id}`)).body).toEqual(kept);
    expect((await change({ role: 'member', external_id: null })).body).toMatchObject({ external_id: null });
    expect(await found(team, 'b')).toEqual([]);
    const changed = await team.client.get(`/users?updated_since=${before.toISOString()}`);
    expect(changed.data).toMatchObject([{ id, external_id: null }]);
    // The log says that it changed, and not to what.
    const entries = await auditEntriesOn(service, team, id);
    expect(entries.map(({ action, data }) => [action, data])).toEqual([
      ['member.joined', { role: 'member', status: 'active' }],
      ['member.external_id_changed', {}],
      ['member.role_changed', { from: 'member', to: 'admin' }],
      ['member.role_changed', { from: 'admin', to: 'member' }],
      ['member.external_id_changed', {}],
      ['member.external_id_changed', {}],
    ]);
    expect(await change({ external_id: 'c' })).toBeProblem('validation_error');
  });

  it('of an admin may be changed by a key that may not change roles', async () => {
    const team = await aTeam(service, { admins: 1 });
    const { client } = await team.aFormerAdmin();
    const admin = String(team.admins[0]?.id);
    expect((await client.patch(`/users/${admin}`, { role: 'admin', external_id: 'a' })).status).toBe(200);
    const refused = await client.patch(`/users/${admin}`, { role: 'member', external_id: 'b' });
    expect(refused).toBeProblem('insufficient_scope', { required_scope: 'users:write' });
    expect(await found(team, 'a')).toEqual([admin]);
  });

  it('of the owner can’t be changed by the API', async () => {
    const team = await aTeam(service);
    const answer = await team.client.patch(`/users/${team.owner.member_id}`, { role: 'admin', external_id: 'a' });
    expect(answer).toBeProblem('owner');
  });

  it('is one member’s in the team: another one is refused until the first has left', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const first = await idOf(team, 'same');
    await idOf(other, 'same');
    const { id } = await team.anActiveMember();
    const toSame = () => team.client.patch(`/users/${id}`, { role: 'member', external_id: 'same' });
    const detail = 'Another member has this external ID.';
    for (const refused of [await invite(team, 'same'), await toSame()]) {
      expect(refused).toBeProblem('conflict', { detail });
    }
    await team.client.delete(`/users/${first}`);
    expect((await toSame()).status).toBe(200);
    expect(await found(team, 'same')).toEqual([id]);
    // Several members have none.
    expect((await invite(team, null)).status).toBe(201);
    expect((await invite(team, undefined)).status).toBe(201);
  });

  it('is given once, if several ask for it at the same time', async () => {
    const team = await aTeam(service, { members: 2 });
    const answers = await Promise.all([
      invite(team, 'wanted'),
      invite(team, 'wanted'),
      ...team.members.map(({ id }) => team.client.patch(`/users/${id}`, { role: 'member', external_id: 'wanted' })),
    ]);
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(3);
  });

  it('has 1 to 255 characters of any kind', async () => {
    const team = await aTeam(service);
    const { id } = await team.anActiveMember();
    for (const external_id of ['😀'.repeat(limits.externalIdCharacters), 'x'.repeat(255), ' ', '"\n']) {
      const answer = await team.client.patch(`/users/${id}`, { role: 'member', external_id });
      expect(answer.body['external_id']).toBe(external_id);
      expect(await found(team, external_id)).toEqual([id]);
    }
    for (const external_id of ['', 'x'.repeat(256), 7, {}]) {
      const errors = [expect.objectContaining({ path: ['external_id'] })];
      expect(await invite(team, external_id)).toBeProblem('validation_error', { errors });
      const changed = await team.client.patch(`/users/${id}`, { role: 'member', external_id });
      expect(changed).toBeProblem('validation_error', { errors });
    }
    for (const query of ['', 'x'.repeat(256)]) {
      const errors = [expect.objectContaining({ path: ['external_id'] })];
      expect(await team.client.get(`/users?external_id=${query}`)).toBeProblem('validation_error', { errors });
    }
  });

  it('is hidden while member details are off, and nobody is looked for by it, so that no answer says whether somebody has it', async () => {
    const team = await aTeam(service);
    const id = await idOf(team, 'hidden-id');
    await team.change({ memberDetail: false });
    const { client } = team;
    const answers = [
      await client.get('/users'),
      await client.get('/users?updated_since=2000-01-01T00:00:00Z'),
      await client.get(`/users/${id}`),
      await client.patch(`/users/${id}`, { role: 'member', external_id: 'another-hidden-id' }),
      await invite(team, 'one-more-hidden-id'),
    ];
    for (const { status, text } of answers) {
      expect(status).toBeLessThan(300);
      expect(text).not.toMatch(/hidden-id|external_id/);
    }
    for (const wanted of ['another-hidden-id', 'nobody']) {
      for (const further of ['', '&role=member', '&updated_since=2000-01-01T00:00:00Z', '&cursor=x']) {
        expect(await client.get(`/users?external_id=${wanted}${further}`)).toBeProblem('privacy_restricted');
      }
    }
  });
});

describe('in the app', () => {
  it('the list finds members by it and shows it', async () => {
    const team = await aTeam(service, { members: 1 });
    const id = await idOf(team, 'PERS-77');
    const { members } = await inTheApp(team);
    expect((await members.list({ search: 'pers-77' })).data).toMatchObject([{ id, external_id: 'PERS-77' }]);
    expect(await members.count({ search: 'pers-77' })).toEqual({ count: 1, more: false });
    expect(await members.show({ member_id: id })).toMatchObject({ external_id: 'PERS-77' });
  });

  it('several people are invited with theirs, and one that is taken is named', async () => {
    const team = await aTeam(service);
    await idOf(team, 'a');
    const { members } = await inTheApp(team);
    const { results } = await members.invite({
      people: ['a', 'b', 'b', null].map((external_id) => ({ email: anEmail('several'), external_id })),
    });
    expect(results.map(({ outcome }) => outcome)).toEqual([
      'external_id_taken',
      'invited',
      'external_id_taken',
      'invited',
    ]);
    expect(await found(team, 'b')).toEqual([results[1]?.member_id]);
  });

  it('an invitation that waits has it when it is sent, and stays if it is taken by then', async () => {
    const team = await aTeam(service);
    const { id: member } = await team.anActiveMember();
    await setInvitationsInHour(service, team, limits.invitationsPerHour);
    const { members } = await inTheApp(team);
    const [one, two] = [anEmail('waits'), anEmail('waits')];
    const { results } = await members.invite({
      people: [
        { email: one, external_id: 'one' },
        { email: two, external_id: 'two' },
        { email: anEmail('waits'), external_id: 'two' },
      ],
    });
    expect(results.map(({ outcome }) => outcome)).toEqual(['waiting', 'waiting', 'external_id_taken']);
    // Only an invitation that waits is sent later.
    expect(results.map(({ retry_after }) => retry_after !== undefined)).toEqual([true, true, false]);
    await team.client.patch(`/users/${member}`, { role: 'member', external_id: 'one' });
    service.clock.forward(hoursToMs(1));
    await sendWaiting(service.platform, team.id);
    service.clock.set(new Date());
    expect((await members.waiting({})).data).toMatchObject([{ email: one, refusal: 'conflict' }]);
    expect((await team.client.get('/users?external_id=two')).data).toMatchObject([{ email: two, status: 'invited' }]);
  });
});
