import { describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { inTheApp } from '../support/app-caller.ts';
import { makeClient } from '../support/client.ts';
import { theRequests } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { added, aScimUser, directoryWith, expectScimError, patchOf } from '../support/scim.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

// What the app shows of a customer's directory.

const service = await useTestService();

/** A team without keys but one for its directory. */
const aConnectedTeam = async () => {
  const team = await aTeam(service, { members: 1 });
  await service.database.prisma.apiKey.deleteMany({ where: { tenantId: team.id } });
  const { id, text } = await team.aKey({ scopes: ['directory:manage'] });
  return { team, keyId: id, key: text, directory: directoryWith(service, text) };
};

const stateOf = async (team: TestTeam) => {
  await service.requestLog.write();
  return (await inTheApp(team)).directory.state({});
};

describe('the state of a directory', () => {
  it('is empty for a team that has connected none', async () => {
    const team = await aTeam(service, { members: 1 });
    await service.database.prisma.apiKey.deleteMany({ where: { tenantId: team.id } });
    expect(await stateOf(team)).toEqual({
      address: `${service.platform.publicUrl}/scim/v2`,
      keys: [],
      people: { active: 0, invited: 0, deactivated: 0 },
      days: 7,
      last: null,
      refusals: [],
    });
  });

  it('has the keys with its scope, the people by what they are now, and the newest request, of this team alone', async () => {
    const { team, keyId, key, directory } = await aConnectedTeam();
    await team.aKey({ scopes: ['users:read'] });
    await added(directory);
    const left = await added(directory);
    await directory.patch(`/Users/${String(left['id'])}`, patchOf({ op: 'replace', path: 'active', value: false }));
    const known = team.members[0]?.id ?? '';
    const rename = patchOf({ op: 'replace', path: 'displayName', value: 'Known Here' });
    expect((await directory.patch(`/Users/${known}`, rename)).status).toBe(200);
    await added(directory, { active: false });
    // A request to the REST API is none of the directory.
    await makeClient(service.baseUrl, key).get('/me');
    const state = await stateOf(team);
    expect(state.keys).toMatchObject([{ key_id: keyId, status: 'active' }]);
    expect(state.people).toEqual({ active: 1, invited: 1, deactivated: 2 });
    expect(state.last).toMatchObject({ method: 'POST', route: '/scim/v2/Users', status: 201 });
    expect(state.refusals).toEqual([]);
    expect(await stateOf(await aTeam(service))).toMatchObject({ people: { active: 0 }, last: null });
  });

  it('has the refusals of seven days, once for each route and answer, the latest first; what names a person only while the team shows it', async () => {
    const { team, keyId, directory } = await aConnectedTeam();
    const user = aScimUser();
    await added(directory, user);
    for (let time = 0; time < 2; time += 1) expectScimError(await directory.post('/Users', user), 409, 'uniqueness');
    const owner = `/Users/${team.owner.member_id}`;
    expectScimError(await directory.patch(owner, patchOf({ op: 'replace', path: 'active', value: false })), 409);
    expectScimError(await directory.post('/Users', aScimUser({ userName: 'nobody' })), 400, 'invalidValue');
    const old = later(service.clock.now(), -daysToMs(8));
    // A directory that has to wait (429), or did not wait (499), has nothing to mend.
    await theRequests(service, team, keyId, [
      { route: '/scim/v2/Groups', status: 429, code: 'rate_limited' },
      { route: '/scim/v2/Users', status: 499, code: 'unavailable' },
      { route: '/trainings', status: 404, code: 'not_found' },
      { route: '/scim/v2/Groups', status: 503, code: 'unavailable' },
    ]);
    await service.database.prisma.requestQuarterHour.updateMany({
      where: { tenantId: team.id, status: 503 },
      data: { start: old },
    });
    const { refusals, last } = await stateOf(team);
    expect(last?.route).toBe('/scim/v2/Groups');
    expect(refusals).toMatchObject([
      { method: 'POST', status: 400, requests: 1, detail: 'userName must be an email address.' },
      { method: 'PATCH', route: '/scim/v2/Users/{id}', status: 409, code: 'owner', requests: 1, detail: null },
      { method: 'POST', status: 409, requests: 2, detail: 'Another person of the team has this userName.' },
    ]);
    const [{ id } = { id: '' }] = refusals;
    expect(await (await inTheApp(team)).requests.get({ entry_id: id })).toMatchObject({ status: 400 });
    await team.change({ memberDetail: false });
    expect((await stateOf(team)).refusals.map(({ detail }) => detail)).toEqual([null, null, null]);
  });
});

it('the list of members says whom the directory knows, and finds them and the others', async () => {
  const { team, directory } = await aConnectedTeam();
  const app = await inTheApp(team);
  expect(await app.team.settings({})).toMatchObject({ has_directory: false });
  const { userName } = await added(directory);
  const left = await added(directory);
  await directory.patch(`/Users/${String(left['id'])}`, patchOf({ op: 'replace', path: 'active', value: false }));
  expect(await app.team.settings({})).toMatchObject({ has_directory: true });
  const listed = async (filter: { from_directory?: boolean }) =>
    (await app.members.list(filter)).data.map(({ email, from_directory: is }) => [email, is]);
  const others = [
    [team.owner.email, false],
    [team.members[0]?.email, false],
  ];
  expect(await listed({})).toEqual([...others, [userName, true]]);
  expect(await listed({ from_directory: true })).toEqual([[userName, true]]);
  expect(await listed({ from_directory: false })).toEqual(others);
  expect(await app.members.count({ from_directory: true })).toEqual({ count: 1, more: false });
});
