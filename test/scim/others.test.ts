import { it } from 'vitest';
import { useTestService } from '../support/service.ts';
import { aDirectory } from '../support/scim.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { send, type Message } from './messages.ts';

// What OneLogin (as JumpCloud and Ping: PUT for all) and Google Workspace (addresses and active alone) send.

const service = await useTestService();

const user = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const oneLogin = {
  schemas: [user, enterprise],
  userName: '{user}',
  active: true,
  name: { givenName: 'Vera', familyName: 'Kauf', formatted: 'Vera Kauf' },
  displayName: 'Vera Kauf',
  emails: [{ value: '{user}', primary: true, type: 'work' }],
  externalId: '{external}',
  locale: null,
  [enterprise]: { department: 'Sales' },
};

const tables: Record<string, readonly Message[]> = {
  OneLogin: [
    {
      what: 'tests the connection',
      request: 'GET /ServiceProviderConfig',
      status: 200,
      answer: { patch: { supported: true } },
    },
    { what: 'reads the schemas', request: 'GET /Schemas', status: 200, answer: { totalResults: 3 } },
    {
      what: 'looks for the person',
      request: 'GET /Users?filter=userName eq "{user}"',
      status: 200,
      answer: { totalResults: 0 },
    },
    {
      what: 'adds the person',
      request: 'POST /Users',
      body: oneLogin,
      status: 201,
      id: 'id',
      answer: { active: true, displayName: 'Vera Kauf' },
    },
    {
      what: 'changes the person',
      request: 'PUT /Users/{id}',
      body: { ...oneLogin, id: '{id}', displayName: 'Vera Neu' },
      status: 200,
      answer: { displayName: 'Vera Neu', active: true },
    },
    {
      what: 'suspends the person',
      request: 'PUT /Users/{id}',
      body: { ...oneLogin, active: false },
      status: 200,
      answer: { active: false },
    },
    {
      what: 'activates the person',
      request: 'PUT /Users/{id}',
      body: { ...oneLogin, active: true },
      status: 200,
      answer: { id: '{id}', active: true },
    },
    { what: 'deletes the person', request: 'DELETE /Users/{id}', status: 204 },
    { what: 'deletes the person again', request: 'DELETE /Users/{id}', status: 404 },
  ],
  'Google Workspace': [
    {
      what: 'looks for the person',
      request: 'GET /Users?filter=userName eq "{user}"&startIndex=1&count=1',
      status: 200,
      answer: { totalResults: 0 },
    },
    {
      what: 'adds the person',
      request: 'POST /Users',
      body: {
        schemas: [user],
        userName: '{user}',
        emails: [{ value: '{user}', primary: true, type: 'work' }],
        active: true,
      },
      status: 201,
      id: 'id',
      answer: { active: true, emails: [{ value: '{user}' }] },
    },
    {
      what: 'suspends the person',
      request: 'PATCH /Users/{id}',
      body: { schemas: [patchOp], Operations: [{ op: 'replace', path: 'active', value: false }] },
      status: 200,
      answer: { active: false },
    },
    {
      what: 'activates the person',
      request: 'PATCH /Users/{id}',
      body: { schemas: [patchOp], Operations: [{ op: 'replace', path: 'active', value: true }] },
      status: 200,
      answer: { id: '{id}', active: true },
    },
    { what: 'deletes the person', request: 'DELETE /Users/{id}', status: 204 },
  ],
};

it.for(Object.entries(tables))('the messages of %s are answered as it expects', async ([, messages]) => {
  const team = await aTeam(service);
  const address = anEmail('vera');
  await send(await aDirectory(service, team), messages, { user: address, external: `id of ${address}` });
});
