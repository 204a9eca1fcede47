import { expect, it } from 'vitest';
import { useTestService } from '../support/service.ts';
import { aDirectory } from '../support/scim.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { send, type Message } from './messages.ts';

// What Okta sends: the steps of its published test of SCIM 2.0 servers, and the messages of its provisioning.

const service = await useTestService();

const list = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const error = 'urn:ietf:params:scim:api:messages:2.0:Error';
const user = 'urn:ietf:params:scim:schemas:core:2.0:User';
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const person = {
  schemas: [user],
  userName: '{user}',
  name: { givenName: 'Isaac', familyName: 'Brock' },
  emails: [{ primary: true, value: '{user}', type: 'work' }],
  displayName: 'Isaac Brock',
  locale: 'en-US',
  externalId: '00ujl29u0le5T6Aj10h7',
  groups: [],
  password: '1mz050nq',
  active: true,
};

const messages: readonly Message[] = [
  {
    what: 'reads the first person',
    request: 'GET /Users?count=1&startIndex=1',
    status: 200,
    answer: { schemas: [list], itemsPerPage: 1, startIndex: 1, totalResults: 1 },
  },
  {
    what: 'reads somebody who is there',
    request: 'GET /Users/{owner}',
    status: 200,
    answer: { id: '{owner}', active: true, emails: [{ primary: true }] },
  },
  {
    what: 'looks for a random name',
    request: 'GET /Users?filter=userName eq "{random}"',
    status: 200,
    answer: { schemas: [list], totalResults: 0 },
  },
  {
    what: 'reads a random id',
    request: 'GET /Users/{unknown}',
    status: 404,
    answer: { schemas: [error], status: '404' },
  },
  {
    what: 'reads the groups',
    request: 'GET /Groups?startIndex=1&count=100',
    status: 200,
    answer: { schemas: [list], totalResults: 2, startIndex: 1 },
  },
  {
    what: 'looks for the person',
    request: 'GET /Users?filter=userName eq "{user}"&startIndex=1&count=100',
    status: 200,
    answer: { totalResults: 0, Resources: [] },
  },
  {
    what: 'adds the person',
    request: 'POST /Users',
    body: person,
    status: 201,
    id: 'id',
    answer: {
      schemas: [user],
      active: true,
      userName: '{user}',
      name: { givenName: 'Isaac', familyName: 'Brock' },
      externalId: '00ujl29u0le5T6Aj10h7',
      locale: 'en-US',
    },
  },
  {
    what: 'reads the person',
    request: 'GET /Users/{id}',
    status: 200,
    answer: { userName: '{user}', name: { familyName: 'Brock', givenName: 'Isaac' } },
  },
  {
    what: 'adds the person again',
    request: 'POST /Users',
    body: person,
    status: 409,
    answer: { schemas: [error], status: '409', scimType: 'uniqueness' },
  },
  {
    what: 'looks for the name in other case',
    request: 'GET /Users?filter=userName eq "{USER}"&startIndex=1&count=100',
    status: 200,
    answer: { totalResults: 1, Resources: [{ id: '{id}' }] },
  },
  {
    what: 'changes the profile',
    request: 'PUT /Users/{id}',
    body: {
      ...person,
      id: '{id}',
      name: { givenName: 'Another', familyName: 'Brock', middleName: 'Excited' },
      meta: { resourceType: 'User' },
    },
    status: 200,
    answer: { id: '{id}', name: { givenName: 'Another', middleName: 'Excited' }, active: true },
  },
  {
    what: 'deactivates the person',
    request: 'PATCH /Users/{id}',
    body: { schemas: [patchOp], Operations: [{ op: 'replace', value: { active: false } }] },
    status: 200,
    answer: { id: '{id}', active: false },
  },
  {
    what: 'sees that the person is inactive',
    request: 'GET /Users/{id}',
    status: 200,
    answer: { id: '{id}', active: false, userName: '{user}' },
  },
  {
    what: 'changes the profile of somebody inactive',
    request: 'PUT /Users/{id}',
    body: { ...person, id: '{id}', active: false, displayName: 'I. B.' },
    status: 200,
    answer: { active: false, displayName: 'I. B.' },
  },
  {
    what: 'activates the person',
    request: 'PATCH /Users/{id}',
    body: { schemas: [patchOp], Operations: [{ op: 'replace', value: { active: true } }] },
    status: 200,
    answer: { id: '{id}', active: true },
  },
  {
    what: 'sets a password',
    request: 'PATCH /Users/{id}',
    body: { schemas: [patchOp], Operations: [{ op: 'replace', value: { password: 't1meMa$heen' } }] },
    status: 200,
    answer: { id: '{id}' },
  },
  {
    what: 'pushes a group: looks for it',
    request: 'GET /Groups?filter=displayName eq "Admins"&startIndex=1&count=100',
    status: 200,
    answer: { totalResults: 1, Resources: [{ id: 'admins' }] },
  },
  {
    what: 'pushes a group: its name',
    request: 'PATCH /Groups/admins',
    body: { schemas: [patchOp], Operations: [{ op: 'replace', value: { id: 'admins', displayName: 'Admins' } }] },
    status: 200,
  },
  {
    what: 'pushes a group: adds a member',
    request: 'PATCH /Groups/admins',
    body: {
      schemas: [patchOp],
      Operations: [{ op: 'add', path: 'members', value: [{ value: '{id}', display: '{user}' }] }],
    },
    status: 200,
  },
  {
    what: 'sees the group of the person',
    request: 'GET /Users/{id}',
    status: 200,
    answer: { roles: [{ value: 'admin' }] },
  },
  {
    what: 'pushes a group: removes a member',
    request: 'PATCH /Groups/admins',
    body: { schemas: [patchOp], Operations: [{ op: 'remove', path: 'members[value eq "{id}"]' }] },
    status: 200,
  },
];

it('Okta’s messages are answered as it expects', async () => {
  const team = await aTeam(service);
  const directory = await aDirectory(service, team);
  const address = anEmail('isaac.brock');
  const ids = await send(directory, messages, {
    user: address,
    USER: address.toUpperCase(),
    owner: team.owner.member_id,
    random: anEmail('random'),
    unknown: '00919288221112222',
  });
  const members = (await team.client.get('/users')).data;
  expect(members).toContainEqual(expect.objectContaining({ email: address, role: 'member', status: 'invited' }));
  expect(ids.get('id')).toBeDefined();
});
