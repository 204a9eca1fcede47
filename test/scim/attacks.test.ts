import { expect, it } from 'vitest';
import { eventDataOf } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { added, aDirectory, aScimUser, expectScimError, found, patchOf } from '../support/scim.ts';
import { anEmail, aTeam } from '../support/team.ts';

// What no directory sends, and what comes at once. Filters and patches of any content are in patches.test.ts.

const service = await useTestService();

it('names of prototypes, deep and large bodies, and texts that nothing can store are refused', async () => {
  const team = await aTeam(service);
  const directory = await aDirectory(service, team);
  const { id, userName } = await added(directory);
  const path = `/Users/${String(id)}`;
  const name = JSON.stringify(userName);
  const deep = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`;
  for (const [method, body] of [
    ['POST', `{"userName": ${JSON.stringify(anEmail())}, "__proto__": {"active": false}}`],
    ['POST', `{"userName": ${JSON.stringify(anEmail())}, "name": {"__proto__": {"x": 1}}}`],
    ['PUT', `{"userName": ${name}, "__proto__": {"x": 1}}`],
    ['PATCH', '{"Operations": [{"op": "replace", "value": {"__proto__": {"active": false}}}]}'],
    ['PATCH', '{"Operations": [{"op": "replace", "path": "__proto__", "value": {"x": 1}}]}'],
    ['PATCH', '{"Operations": [{"op": "replace", "path": "name.__proto__", "value": "x"}]}'],
    ['PUT', `{"userName": ${name}, "title": "\\u0000"}`],
    ['PUT', `{"userName": ${name}, "title": "\\ud800"}`],
    ['PUT', `{"userName": ${name}, "urn:x": ${deep}}`],
    ['PUT', `{"userName": ${name}, "title": "${'x'.repeat(1_001)}"}`],
    ['PUT', JSON.stringify(aScimUser({ userName, externalId: 'x'.repeat(256) }))],
    ['PUT', JSON.stringify({ userName, emails: Array.from({ length: 20 }, () => ({ value: 'x'.repeat(999) })) })],
    ['PUT', '[]'],
    ['PUT', 'null'],
  ] as const) {
    const answer = await directory.request(method, method === 'POST' ? '/Users' : path, { body });
    expect([answer.status, answer.body['scimType']], `${method} ${body.slice(0, 100)}`).toEqual([
      400,
      expect.stringMatching(/^invalid/),
    ]);
  }
  for (const query of ['filter=id%20pr&filter=id%20pr', 'filter=%ff', 'startIndex=%00', 'count=1e9']) {
    expectScimError(await directory.get(`/Users?${query}`), 400, 'invalidValue');
  }
  for (const text of ['%00', '%ff', '..', "'", '%27%20or%201=1']) {
    expectScimError(await directory.get(`/Users/${text}`), 404);
  }
  expect((await directory.get(path)).body).toMatchObject({ active: true, displayName: 'Vera Kauf' });
  expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
});

it('of several that add the same person at once, one does; the last seat is given once', async () => {
  const team = await aTeam(service, { seats: 2 });
  const directory = await aDirectory(service, team);
  const user = aScimUser();
  const same = await Promise.all(Array.from({ length: 5 }, () => directory.post('/Users', user)));
  expect(same.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
  expect(await found(directory, 'userName pr')).toHaveLength(2);
  await team.change({ seats: 3 });
  const others = await Promise.all(Array.from({ length: 4 }, () => directory.post('/Users', aScimUser())));
  expect(others.map(({ status }) => status).toSorted()).toEqual([201, 403, 403, 403]);
  expect((await team.client.get('/users')).data).toHaveLength(3);
});

it('a leaver who is removed by the directory, the app and the API at once leaves once', async () => {
  const team = await aTeam(service, { members: 1 });
  const directory = await aDirectory(service, team);
  const id = String(team.members[0]?.id);
  const leave = patchOf({ op: 'replace', path: 'active', value: false });
  const answers = await Promise.all([
    directory.patch(`/Users/${id}`, leave),
    directory.patch(`/Users/${id}`, leave),
    directory.put(`/Users/${id}`, aScimUser({ userName: team.members[0]?.email, active: false })),
    team.client.delete(`/users/${id}`),
  ]);
  // Somebody of whom the directory has said nothing is not found any more if the API was first.
  for (const { status } of answers) expect([200, 404]).toContain(status);
  expect((await team.client.get('/users')).data).toHaveLength(1);
  expect(await eventDataOf(service, team, 'member.removed')).toHaveLength(1);
});
