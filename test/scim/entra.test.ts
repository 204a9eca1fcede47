import { expect, it } from 'vitest';
import { useTestService } from '../support/service.ts';
import { aDirectory, expectScimError } from '../support/scim.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { send, type Message } from './messages.ts';

// What Microsoft Entra ID sends: its connection test, its cycles, its forms of PATCH with and without the flag for
// compliance (aadOptscim062020), and its group calls.

const service = await useTestService();

const user = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const patch = (...Operations: object[]) => ({ schemas: [patchOp], Operations });

const person = {
  schemas: [user, enterprise],
  externalId: '{external}',
  userName: '{user}',
  active: true,
  displayName: 'Vera Kauf',
  emails: [{ primary: true, type: 'work', value: '{user}' }],
  meta: { resourceType: 'User' },
  name: { formatted: 'Vera Kauf', familyName: 'Kauf', givenName: 'Vera' },
  roles: [],
  title: 'Sales',
  [enterprise]: { employeeNumber: '701984', department: 'Sales' },
};

const messages: readonly Message[] = [
  {
    what: 'tests the connection',
    request: 'GET /Users?filter=userName eq "{random}"',
    status: 200,
    answer: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      Resources: [],
      startIndex: 1,
    },
  },
  {
    what: 'looks for the person by its own id',
    request: 'GET /Users?filter=externalId eq "{external}"',
    status: 200,
    answer: { totalResults: 0 },
  },
  {
    what: 'adds the person',
    request: 'POST /Users',
    body: person,
    status: 201,
    id: 'id',
    answer: { userName: '{user}', externalId: '{external}', title: 'Sales', [enterprise]: { department: 'Sales' } },
  },
  {
    what: 'reads the person',
    request: 'GET /Users/{id}',
    status: 200,
    answer: { id: '{id}', active: true, meta: { resourceType: 'User' } },
  },
  {
    what: 'finds the person by its own id',
    request: 'GET /Users?filter=externalId eq "{external}"',
    status: 200,
    answer: { totalResults: 1, Resources: [{ id: '{id}' }] },
  },
  {
    what: 'finds the person by address',
    request: 'GET /Users?filter=emails[type eq "work"].value eq "{user}"',
    status: 200,
    answer: { totalResults: 1 },
  },
  {
    what: 'changes several attributes by paths',
    request: 'PATCH /Users/{id}',
    body: patch(
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'new@work.example' },
      { op: 'Replace', path: 'name.familyName', value: 'Neu' },
      { op: 'Add', path: `${enterprise}:department`, value: 'Marketing' },
    ),
    status: 200,
    answer: {
      emails: [{ type: 'work', value: 'new@work.example', primary: true }],
      name: { familyName: 'Neu', givenName: 'Vera' },
      [enterprise]: { department: 'Marketing', employeeNumber: '701984' },
    },
  },
  {
    what: 'adds a value to a list that lacks it',
    request: 'PATCH /Users/{id}',
    body: patch({ op: 'Add', path: 'emails[type eq "other"].value', value: 'other@x.example' }),
    status: 200,
    answer: { emails: [{ type: 'work' }, { type: 'other', value: 'other@x.example' }] },
  },
  {
    what: 'sends what is not kept',
    request: 'PATCH /Users/{id}',
    body: patch(
      { op: 'Add', path: 'addresses[type eq "work"].formatted', value: 'x' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '1' },
      { op: 'Add', path: 'preferredLanguage', value: 'de' },
    ),
    status: 200,
  },
  {
    what: 'sets the manager as a text',
    request: 'PATCH /Users/{id}',
    body: patch({ op: 'Add', path: `${enterprise}:manager`, value: '2819c223' }),
    status: 200,
    answer: { [enterprise]: { manager: { value: '2819c223' } } },
  },
  {
    what: 'sets the manager as a list',
    request: 'PATCH /Users/{id}',
    body: patch({ op: 'Add', path: `${enterprise}:manager`, value: [{ $ref: '../Users/2', value: '2' }] }),
    status: 200,
    answer: { [enterprise]: { manager: { value: '2' } } },
  },
  {
    what: 'removes the manager',
    request: 'PATCH /Users/{id}',
    body: patch({ op: 'Remove', path: `${enterprise}:manager` }),
    status: 200,
  },
  {
    what: 'changes without paths',
    request: 'PATCH /Users/{id}',
    body: patch({
      op: 'Replace',
      value: { displayName: 'V. Neu', 'name.givenName': 'V.', [`${enterprise}:employeeNumber`]: '9' },
    }),
    status: 200,
    answer: { displayName: 'V. Neu', name: { givenName: 'V.' }, [enterprise]: { employeeNumber: '9' } },
  },
  {
    what: 'deactivates, as it usually does',
    request: 'PATCH /Users/{id}',
    body: patch({ op: 'Replace', path: 'active', value: 'False' }),
    status: 200,
    answer: { active: false },
  },
  {
    what: 'activates, as it usually does',
    request: 'PATCH /Users/{id}',
    body: patch({ op: 'Replace', path: 'active', value: 'True' }),
    status: 200,
    answer: { id: '{id}', active: true },
  },
  {
    what: 'deactivates with the flag for compliance',
    request: 'PATCH /Users/{id}',
    body: patch({ op: 'replace', path: 'active', value: false }),
    status: 200,
    answer: { active: false },
  },
  {
    what: 'activates with the flag for compliance',
    request: 'PATCH /Users/{id}',
    body: patch({ op: 'replace', path: 'active', value: true }),
    status: 200,
    answer: { active: true },
  },
  {
    what: 'changes the role',
    request: 'PATCH /Users/{id}',
    body: patch({ op: 'Add', path: 'roles[primary eq "True"].value', value: 'admin' }),
    status: 200,
    answer: { roles: [{ value: 'admin' }] },
  },
  {
    what: 'finds a group',
    request: 'GET /Groups?excludedAttributes=members&filter=displayName eq "Admins"',
    status: 200,
    answer: { totalResults: 1, Resources: [{ id: 'admins' }] },
  },
  {
    what: 'reads a group',
    request: 'GET /Groups/admins?excludedAttributes=members',
    status: 200,
    answer: { displayName: 'Admins' },
  },
  {
    what: 'removes a member of a group',
    request: 'PATCH /Groups/admins',
    body: patch({ op: 'Remove', path: 'members', value: [{ $ref: null, value: '{id}' }] }),
    status: 200,
  },
  {
    what: 'adds a member of a group',
    request: 'PATCH /Groups/admins',
    body: patch({ op: 'Add', path: 'members', value: [{ $ref: null, value: '{id}' }] }),
    status: 200,
  },
  { what: 'makes a group', request: 'POST /Groups', body: { displayName: 'Sales' }, status: 403 },
  {
    what: 'deactivates with a list',
    request: 'PATCH /Users/{id}',
    body: patch({ op: 'Replace', path: 'active', value: [{ $ref: null, value: 'False' }] }),
    status: 200,
    answer: { active: false },
  },
  { what: 'deletes the person after 30 days', request: 'DELETE /Users/{id}', status: 204 },
  { what: 'sees that the person is gone', request: 'GET /Users/{id}', status: 404 },
];

it('the messages of Microsoft Entra ID are answered as it expects', async () => {
  const team = await aTeam(service);
  const address = anEmail('vera');
  await send(await aDirectory(service, team), messages, {
    user: address,
    external: `58342554-${address}`,
    random: '12345678-9abc-def0-1234-56789abcdef0',
  });
  expect((await team.client.get('/users')).data).toHaveLength(1);
});

it('a first cycle that honours 429 adds everybody, each once', async () => {
  const team = await aTeam(service, { seats: 100 });
  const directory = await aDirectory(service, team);
  await team.change({ rateLimit: 12 });
  const people = Array.from({ length: 15 }, () => anEmail('cycle'));
  let refused = 0;
  /** Repeats what was refused after the time that the answer says. */
  const patient = async (request: () => ReturnType<typeof directory.get>) => {
    for (;;) {
      const answer = await request();
      if (answer.status !== 429) return answer;
      refused += 1;
      expectScimError(answer, 429);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      await team.change({ rateLimit: 12 * (refused + 1) });
    }
  };
  for (const userName of people) {
    const filter = encodeURIComponent(`userName eq "${userName}"`);
    expect((await patient(() => directory.get(`/Users?filter=${filter}`))).body).toMatchObject({ totalResults: 0 });
    const made = await patient(() => directory.post('/Users', { schemas: [user], userName, active: true }));
    expect(made.status, made.text).toBe(201);
  }
  expect(refused).toBeGreaterThan(0);
  await team.change({ rateLimit: 10_000 });
  const emails = (await team.client.get('/users?limit=200')).data.map(({ email }) => email);
  expect(emails.toSorted()).toEqual([team.owner.email, ...people].toSorted());
});
