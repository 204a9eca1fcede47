import { describe, expect, it } from 'vitest';
import { hoursToMs } from '../../src/core/clock.ts';
import { keyTemplates } from '../../src/core/scopes.ts';
import { enterpriseUrn, messageUrns, userUrn } from '../../src/core/scim/schemas.ts';
import { erase } from '../erasure/erasing.ts';
import { inTheApp } from '../support/app-caller.ts';
import { setInvitationsInHour } from '../support/budgets.ts';
import { auditEntriesOn, eventDataOf } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import {
  added,
  aDirectory,
  aScimUser,
  directoryWith,
  expectScimError,
  found,
  patchOf,
  type Directory,
} from '../support/scim.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';

// The rules of a directory (SCIM), in the order of docs/decisions/modules.md. Messages of real directories are in the
// files beside.

const service = await useTestService();

const membersOf = async (team: TestTeam) => (await team.client.get('/users?limit=200')).data;

/** The membership that has an address; undefined if there is none. */
const memberWith = async (team: TestTeam, email: string) =>
  (await membersOf(team)).find((member) => member['email'] === email);

const deactivation = patchOf({ op: 'replace', path: 'active', value: false });
const activation = patchOf({ op: 'replace', path: 'active', value: true });

describe('the address of the service for directories', () => {
  it('has what RFC 7643 and 7644 name, in any case, for a key with the scope', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const config = await directory.get('/serviceproviderconfig');
    expect(config.body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      sort: { supported: false },
      etag: { supported: false },
      authenticationSchemes: [{ type: 'oauthbearertoken' }],
    });
    expect(config.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    for (const [list, ids] of [
      ['ResourceTypes', ['User', 'Group']],
      ['Schemas', [userUrn, userUrn.replace('User', 'Group'), enterpriseUrn]],
    ] as const) {
      const answer = await directory.get(`/${list.toUpperCase()}`);
      expect(answer.body).toMatchObject({ schemas: [messageUrns.list], totalResults: ids.length });
      expect(Object(answer.body['Resources']).map(({ id }: { id: string }) => id)).toEqual(ids);
      for (const id of ids) expect((await directory.get(`/${list}/${id.toLowerCase()}`)).body).toMatchObject({ id });
      expectScimError(await directory.get(`/${list}/unknown`), 404);
    }
    const { id } = await added(directory);
    const upper = await directory.request('GET', `/USERS/${String(id).toUpperCase()}`);
    expect(upper.body).toMatchObject({ id });
    for (const path of ['/Me', '/Bulk', '/.search', '/Users/.search']) {
      expectScimError(await directory.post(path, {}), 501);
    }
    expectScimError(await directory.get('/Devices'), 404);
    for (const [path, method, allowed] of [
      ['/Users', 'DELETE', 'GET, POST'],
      [`/Users/${String(id)}`, 'POST', 'GET, PUT, PATCH, DELETE'],
      ['/Groups', 'PUT', 'GET, POST'],
      ['/Groups/admins', 'POST', 'GET, PUT, PATCH, DELETE'],
    ] as const) {
      const refused = await directory.request(method, path, { body: {} });
      expectScimError(refused, 405);
      expect(refused.headers.get('allow')).toBe(allowed);
    }
    for (const path of ['/ServiceProviderConfig', '/ResourceTypes', '/Schemas', `/Schemas/${userUrn}`])
      expectScimError(await directory.get(`${path}?filter=id%20pr`), 403);
  });

  it('takes application/json too, and no other content', async () => {
    const directory = await aDirectory(service, await aTeam(service));
    const as = (type: string) => directory.post('/Users', aScimUser(), { headers: { 'Content-Type': type } });
    expect((await as('application/json')).status).toBe(201);
    expectScimError(await as('text/plain'), 415);
    expectScimError(await directory.post('/Users', `{"userName": "${'x'.repeat(300_000)}"}`), 413);
    expectScimError(await directory.post('/Users', '{'), 400, 'invalidSyntax');
  });
});

describe('a key', () => {
  it('needs the scope, which no template has', async () => {
    for (const scopes of Object.values(keyTemplates)) expect(scopes).not.toContain('directory:manage');
    const team = await aTeam(service);
    const other = await aDirectory(service, team, { scopes: keyTemplates.all });
    for (const [method, path] of [
      ['GET', '/Users'],
      ['GET', '/ServiceProviderConfig'],
      ['GET', '/Groups'],
      ['POST', '/Users'],
      ['PATCH', `/Users/${team.owner.member_id}`],
      ['PUT', `/Users/${team.owner.member_id}`],
      ['DELETE', `/Users/${team.owner.member_id}`],
      ['PATCH', '/Groups/admins'],
    ] as const) {
      const body = method === 'GET' ? {} : { body: '{ not read' };
      expectScimError(
        await other.request(method, path, body),
        403,
        undefined,
        expect.stringContaining('directory:manage'),
      );
    }
    expect(await membersOf(team)).toHaveLength(1);
  });

  it('that is missing, unknown, revoked or used from elsewhere is refused in the form of SCIM', async () => {
    const team = await aTeam(service);
    for (const key of [undefined, 'svck_live_unknown'])
      expectScimError(await directoryWith(service, key).get('/Users'), 401);
    const { id, text } = await team.aKey({ scopes: ['directory:manage'] });
    const directory = directoryWith(service, text);
    expect((await directory.get('/Users')).status).toBe(200);
    await (await inTheApp(team)).keys.revoke({ key_id: id });
    expectScimError(await directory.get('/Users'), 401);
    const narrowed = await aDirectory(service, team, { allowedIps: ['203.0.113.9'] });
    expectScimError(await narrowed.post('/Users', aScimUser()), 401);
    await team.change({ status: 'suspended' });
    expectScimError(await (await aDirectory(service, team)).get('/Users'), 403);
  });

  it('sees and changes nobody of another team', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service, { members: 1 })];
    const [directory, theirs] = [await aDirectory(service, team), await aDirectory(service, other)];
    const { id, userName } = await added(theirs);
    expect(await found(directory, `userName eq "${String(userName)}"`)).toEqual([]);
    for (const one of [String(id), String(other.members[0]?.id)]) {
      expectScimError(await directory.get(`/Users/${one}`), 404);
      expectScimError(await directory.patch(`/Users/${one}`, deactivation), 404);
      expectScimError(await directory.put(`/Users/${one}`, aScimUser()), 404);
      expectScimError(await directory.delete(`/Users/${one}`), 404);
      const operation = { op: 'add', path: 'members', value: [{ value: one }] };
      expectScimError(await directory.patch('/Groups/admins', patchOf(operation)), 400, 'invalidValue');
    }
    expect(await membersOf(other)).toHaveLength(3);
    // The same address is somebody in each team.
    expect((await directory.post('/Users', aScimUser({ userName }))).status).toBe(201);
  });
});

describe('a person whom the directory adds', () => {
  it('is invited by mail in their language, takes a seat, is audited and raises the event, as with POST /users', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const userName = anEmail('Vera.KAUF');
    const answer = await directory.post('/Users', aScimUser({ userName, locale: 'en-US', externalId: 'E-1' }));
    expect(answer.status).toBe(201);
    const { id } = answer.body;
    expect(answer.headers.get('location')).toBe(`http://localhost:3000/scim/v2/Users/${String(id)}`);
    expect(answer.body).toMatchObject({ userName, active: true, externalId: 'E-1', roles: [{ value: 'member' }] });
    const member = await memberWith(team, userName.toLowerCase());
    expect(member).toMatchObject({ status: 'invited', role: 'member', external_id: 'E-1' });
    const entries = await auditEntriesOn(service, team, String(member?.['id']));
    expect(entries.map(({ action }) => action)).toEqual(['member.joined']);
    expect(await eventDataOf(service, team, 'member.joined')).toMatchObject([{ member_id: member?.['id'] }]);
    const [mail] = await service.mailsTo(userName.toLowerCase());
    expect(mail?.body.text).toContain('You have been invited');
  });

  it.each([
    ['de-DE', 'Sie wurden eingeladen'],
    ['de_AT', 'Sie wurden eingeladen'],
    ['DE', 'Sie wurden eingeladen'],
    ['en_GB', 'You have been invited'],
    // Of another language and without one, it is the team's.
    ['fr-FR', 'Sie wurden eingeladen'],
    [undefined, 'Sie wurden eingeladen'],
  ])('is invited in the language of the locale %s', async (locale, text) => {
    const directory = await aDirectory(service, await aTeam(service));
    const { userName } = await added(directory, { ...(locale !== undefined && { locale }) });
    const [mail] = await service.mailsTo(String(userName));
    expect(mail?.body.text).toContain(text);
  });

  it('is no invitation of the 60 an hour', async () => {
    const team = await aTeam(service);
    await setInvitationsInHour(service, team, 60);
    expect((await team.client.post('/users', { email: anEmail() })).status).toBe(429);
    await added(await aDirectory(service, team));
  });

  it('is only stored while they are not active, without seat, mail or event', async () => {
    const team = await aTeam(service, { seats: 1 });
    const directory = await aDirectory(service, team);
    const { id, userName, active } = await added(directory, {
      active: false,
      externalId: 'later',
      roles: [{ value: 'admin' }],
    });
    expect(active).toBe(false);
    expect(await membersOf(team)).toHaveLength(1);
    expect(await service.mailsTo(String(userName))).toEqual([]);
    expectScimError(await directory.patch(`/Users/${String(id)}`, activation), 403);
    await team.change({ seats: 2 });
    expect((await directory.patch(`/Users/${String(id)}`, activation)).body).toMatchObject({ id, active: true });
    expect(await memberWith(team, String(userName))).toMatchObject({ role: 'admin', external_id: 'later' });
  });

  it('is refused without a free seat, and nothing is stored', async () => {
    const team = await aTeam(service, { seats: 1 });
    const directory = await aDirectory(service, team);
    const user = aScimUser();
    expectScimError(await directory.post('/Users', user), 403, undefined, expect.stringContaining('seat'));
    expect(await found(directory, `userName eq "${user.userName}"`)).toEqual([]);
    await team.change({ seats: 2 });
    expect((await directory.post('/Users', user)).status).toBe(201);
  });

  it('needs a userName that is an address, which nobody else of the team has, in any case', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    for (const userName of [undefined, '', 'vera', 5, `${'x'.repeat(300)}@example.com`, null]) {
      expectScimError(await directory.post('/Users', aScimUser({ userName })), 400, 'invalidValue');
    }
    const { id, userName } = await added(directory);
    const byHand = await team.anInvitedMember();
    for (const taken of [String(userName).toUpperCase(), String(byHand.email), team.owner.email]) {
      expectScimError(await directory.post('/Users', aScimUser({ userName: taken })), 409, 'uniqueness');
    }
    await directory.patch(`/Users/${String(id)}`, deactivation);
    expectScimError(await directory.post('/Users', aScimUser({ userName })), 409, 'uniqueness');
  });

  it('comes back with all that was sent and is kept, without a password and what is unknown', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const kept = {
      externalId: '00u1',
      name: { formatted: 'Dr. Vera Kauf', familyName: 'Kauf', givenName: 'Vera', honorificPrefix: 'Dr.' },
      displayName: 'Vera Kauf',
      emails: [
        { value: 'vera@work.example', type: 'work', primary: true },
        { value: 'vera@home.example', type: 'home' },
      ],
      locale: 'de-DE',
      title: 'Head of Sales',
      [enterpriseUrn]: { employeeNumber: '17', department: 'Sales', manager: { value: '26', displayName: 'Max' } },
    };
    const body = { ...aScimUser(kept), password: 'secret-1!', phoneNumbers: [{ value: '1' }], 'urn:x:User': { a: 1 } };
    const { id } = (await directory.post('/Users', body)).body;
    const answer = await directory.get(`/Users/${String(id)}`);
    expect(answer.body).toMatchObject({ ...kept, schemas: [userUrn, enterpriseUrn] });
    for (const left of ['secret-1!', 'phoneNumbers', 'urn:x']) expect(answer.text).not.toContain(left);
    const stored = await service.database.prisma.directoryUser.findFirst({
      where: { tenantId: team.id, id: String(id) },
    });
    expect(JSON.stringify(stored)).not.toContain('secret-1!');
  });
});

describe('who is listed', () => {
  it('are all members, also those invited by hand, and those whom the directory deactivated, each with one id for good', async () => {
    const team = await aTeam(service, { members: 1, admins: 1 });
    const directory = await aDirectory(service, team);
    const byHand = await team.anInvitedMember();
    const { id, userName } = await added(directory);
    const all = async () => found(directory, 'userName pr');
    const ids = async () => (await all()).map((user) => user['id']);
    const expected = [team.owner.member_id, ...[...team.admins, ...team.members].map((one) => one.id), byHand.id, id];
    expect(await ids()).toEqual(expected.toSorted());
    // The directory links to those who were invited by hand.
    const linked = await directory.patch(
      `/Users/${byHand.id}`,
      patchOf({ op: 'add', path: 'externalId', value: 'link' }),
    );
    expect(linked.body).toMatchObject({ id: byHand.id, externalId: 'link', userName: byHand.email, active: true });
    expect(await memberWith(team, String(byHand.email))).toMatchObject({ external_id: 'link' });
    await directory.patch(`/Users/${byHand.id}`, deactivation);
    await directory.patch(`/Users/${String(id)}`, deactivation);
    expect(await ids()).toEqual(expected.toSorted());
    expect((await directory.patch(`/Users/${byHand.id}`, activation)).body).toMatchObject({
      id: byHand.id,
      active: true,
    });
    // Somebody whom an admin invites again is the same person.
    expect((await team.client.post('/users', { email: userName })).status).toBe(201);
    expect((await directory.get(`/Users/${String(id)}`)).body).toMatchObject({ id, active: true });
    expect(await ids()).toEqual(expected.toSorted());
    // Of somebody removed by hand the directory has said something, so it still sees them.
    await team.client.delete(`/users/${String((await memberWith(team, String(userName)))?.['id'])}`);
    expect((await directory.get(`/Users/${String(id)}`)).body).toMatchObject({ id, active: false });
    const [member] = team.members;
    await team.client.delete(`/users/${String(member?.id)}`);
    expectScimError(await directory.get(`/Users/${String(member?.id)}`), 404);
  });

  it('are in a page as they are alone, whoever has changed them last', async () => {
    const team = await aTeam(service, { members: 1, admins: 1 });
    const directory = await aDirectory(service, team);
    await team.anInvitedMember();
    const joined = await added(directory);
    await added(directory, { displayName: undefined, name: undefined });
    await added(directory, { active: false });
    const left = await added(directory);
    await directory.patch(`/Users/${String(left['id'])}`, deactivation);
    service.clock.forward(1_000);
    // The directory says nothing, and what it sees of the person is new.
    const member = await memberWith(team, String(joined['userName']));
    expect((await team.client.patch(`/users/${String(member?.['id'])}`, { role: 'admin' })).status).toBe(200);
    const page: { id: string; meta: object }[] = Object((await directory.get('/Users')).body['Resources']);
    expect(page).toHaveLength(8);
    for (const person of page) expect((await directory.get(`/Users/${person.id}`)).body).toEqual(person);
    const changedAt = (person: unknown) => Date.parse(Object(person).meta.lastModified);
    const shown = page.find(({ id }) => id === joined['id']);
    expect(changedAt(shown) - changedAt(joined)).toBeGreaterThanOrEqual(1_000);
  });

  it('comes in pages from 1, with the exact total, in an order that stays while people are added', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const ids = [team.owner.member_id];
    for (let n = 0; n < 5; n += 1) ids.push(String((await added(directory, { active: n % 2 === 0 }))['id']));
    const page = async (query: string) => {
      const { body } = await directory.get(`/Users?${query}`);
      const { Resources, ...rest } = body;
      return { ...rest, ids: Object(Resources).map((user: { id: string }) => user.id) };
    };
    const list = { schemas: [messageUrns.list], totalResults: 6 };
    expect(await page('')).toEqual({ ...list, startIndex: 1, itemsPerPage: 6, ids });
    expect(await page('startIndex=1&count=2')).toEqual({
      ...list,
      startIndex: 1,
      itemsPerPage: 2,
      ids: ids.slice(0, 2),
    });
    ids.push(String((await added(directory))['id']));
    const more = { ...list, totalResults: 7 };
    expect(await page('startIndex=3&count=2')).toEqual({
      ...more,
      startIndex: 3,
      itemsPerPage: 2,
      ids: ids.slice(2, 4),
    });
    expect(await page('startIndex=6&count=9')).toEqual({ ...more, startIndex: 6, itemsPerPage: 2, ids: ids.slice(5) });
    expect(await page('startIndex=8&count=9')).toEqual({ ...more, startIndex: 8, itemsPerPage: 0, ids: [] });
    expect(await page('startIndex=-3&count=1')).toEqual({
      ...more,
      startIndex: 1,
      itemsPerPage: 1,
      ids: ids.slice(0, 1),
    });
    expect(await page('count=0')).toEqual({ ...more, startIndex: 1, itemsPerPage: 0, ids: [] });
    expect(await page('count=-1')).toEqual({ ...more, startIndex: 1, itemsPerPage: 0, ids: [] });
    expect(await page('count=100000')).toEqual({ ...more, startIndex: 1, itemsPerPage: 7, ids });
    const filtered = `filter=${encodeURIComponent('active eq true')}&startIndex=2&count=2`;
    const active = [ids[0], ids[1], ids[3], ids[5], ids[6]];
    expect(await page(filtered)).toEqual({
      ...list,
      totalResults: 5,
      startIndex: 2,
      itemsPerPage: 2,
      ids: active.slice(1, 3),
    });
    expectScimError(await directory.get('/Users?count=many'), 400, 'invalidValue');
  });

  it('has the attributes that are asked for', async () => {
    const directory = await aDirectory(service, await aTeam(service));
    const { id } = await added(directory, { [enterpriseUrn]: { department: 'Sales', employeeNumber: '1' } });
    const get = async (query: string) => (await directory.get(`/Users/${String(id)}?${query}`)).body;
    const schemas = [userUrn, enterpriseUrn];
    expect(await get('attributes=USERNAME,name.givenName')).toEqual({
      schemas,
      id,
      userName: expect.any(String),
      name: { givenName: 'Vera' },
    });
    expect(await get(`attributes=${enterpriseUrn}:department`)).toEqual({
      schemas,
      id,
      [enterpriseUrn]: { department: 'Sales' },
    });
    const excluded = await get(`excludedAttributes=id,name,emails.type,${enterpriseUrn}:department`);
    expect(excluded).toMatchObject({ id, [enterpriseUrn]: { employeeNumber: '1' }, displayName: 'Vera Kauf' });
    expect(excluded).not.toHaveProperty('name');
    expect(JSON.stringify(excluded)).not.toContain('Sales');
    const listed = await directory.get('/Users?attributes=active&count=1');
    expect(listed.body['Resources']).toEqual([{ schemas: [userUrn], id: expect.any(String), active: true }]);
  });
});

describe('a deactivation', () => {
  const forms: Record<string, object> = {
    'a path': { op: 'replace', path: 'active', value: false },
    'no path': { op: 'replace', value: { active: false } },
    'an operator in capitals': { op: 'REPLACE', path: 'active', value: false },
    'a text as Microsoft Entra ID has it': { op: 'Replace', path: 'active', value: 'False' },
    'a text': { op: 'replace', path: 'active', value: 'false' },
    'a list': { op: 'Replace', path: 'active', value: [{ value: 'False' }] },
    'a value within': { op: 'replace', path: 'active', value: { value: 'false' } },
    add: { op: 'Add', path: 'active', value: 'False' },
    'the path in capitals': { op: 'replace', path: 'ACTIVE', value: false },
    'the whole name': { op: 'replace', path: `${userUrn}:active`, value: false },
    'the whole name as a key': { op: 'replace', value: { [`${userUrn}:active`]: false } },
    'the schema as a key': { op: 'replace', value: { [userUrn]: { Active: 'false' } } },
    'the key in capitals': { op: 'replace', path: '', value: { ACTIVE: 'FALSE' } },
    'keys in capitals': { OP: 'replace', PATH: 'active', VALUE: false },
  };

  it.for(Object.entries(forms))('is understood as %s', async ([, operation]) => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const { id, userName } = await added(directory);
    const answer = await directory.patch(`/Users/${String(id)}`, patchOf(operation));
    expect([answer.status, answer.body['active']], answer.text).toEqual([200, false]);
    expect(await memberWith(team, String(userName))).toBeUndefined();
  });

  it('that is not understood is refused, never answered with success', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const { id, userName } = await added(directory);
    for (const [operation, kind] of [
      [{ op: 'replace', path: 'active', value: 'no' }, 'invalidValue'],
      [{ op: 'replace', path: 'active', value: 0 }, 'invalidValue'],
      [{ op: 'replace', path: 'active', value: [] }, 'invalidValue'],
      [{ op: 'replace', path: 'active', value: [{ value: 'False' }, { value: 'True' }] }, 'invalidValue'],
      [{ op: 'replace', path: 'active', value: null }, 'mutability'],
      [{ op: 'replace', path: 'active' }, 'mutability'],
      [{ op: 'remove', path: 'active' }, 'mutability'],
      [{ op: 'replace', path: 'active[value eq true]', value: false }, 'invalidPath'],
      [{ op: 'replace', path: 'active.value', value: false }, 'invalidPath'],
      [{ op: 'replace', path: 'urn:example:User:active', value: false }, 'invalidPath'],
      [{ op: 'replace', value: { 'urn:example:User:active': false } }, 'invalidPath'],
      [{ op: 'replace', value: 'False' }, 'invalidValue'],
      [{ op: 'replace', value: [{ active: false }] }, 'invalidValue'],
      [{ op: 'delete', path: 'active' }, 'invalidSyntax'],
      [{ path: 'active', value: false }, 'invalidSyntax'],
    ] as const) {
      expectScimError(await directory.patch(`/Users/${String(id)}`, patchOf(operation)), 400, kind);
    }
    expectScimError(
      await directory.put(`/Users/${String(id)}`, aScimUser({ userName, active: 'no' })),
      400,
      'invalidValue',
    );
    const twice = aScimUser({ userName, Active: false });
    expectScimError(await directory.put(`/Users/${String(id)}`, twice), 400, 'invalidSyntax');
    expect(await memberWith(team, String(userName))).toMatchObject({ status: 'invited' });
  });

  it('is what DELETE /users/{member_id} does, once; by PUT and DELETE too', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const ways: ((user: Record<string, unknown>) => Promise<unknown>)[] = [
      ({ id }) => directory.patch(`/Users/${String(id)}`, deactivation),
      ({ id, userName }) => directory.put(`/Users/${String(id)}`, aScimUser({ userName, active: false })),
      ({ id }) => directory.delete(`/Users/${String(id)}`),
    ];
    for (const [count, leave] of ways.entries()) {
      const user = await added(directory);
      const member = await memberWith(team, String(user['userName']));
      await leave(user);
      await leave(user);
      expect(await memberWith(team, String(user['userName']))).toBeUndefined();
      const actions = (await auditEntriesOn(service, team, String(member?.['id']))).map(({ action }) => action);
      expect(actions).toEqual(['member.joined', 'member.removed']);
      expect(await eventDataOf(service, team, 'member.removed')).toHaveLength(count + 1);
    }
  });

  it('of somebody who is deactivated is no error; after DELETE they are not found', async () => {
    const directory = await aDirectory(service, await aTeam(service));
    const { id } = await added(directory);
    for (let n = 0; n < 2; n += 1) {
      expect((await directory.patch(`/Users/${String(id)}`, deactivation)).body).toMatchObject({ id, active: false });
    }
    expect((await directory.get(`/Users/${String(id)}`)).body).toMatchObject({ id, active: false });
    const gone = await directory.delete(`/Users/${String(id)}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    for (const answer of [
      await directory.get(`/Users/${String(id)}`),
      await directory.patch(`/Users/${String(id)}`, activation),
      await directory.delete(`/Users/${String(id)}`),
    ]) {
      expectScimError(answer, 404);
    }
  });

  it('of the owner and of the last admin is refused, also by DELETE, PUT and the group', async () => {
    const team = await aTeam(service, { admins: 1 });
    const directory = await aDirectory(service, team);
    const [admin] = team.admins;
    for (const [id, userName, words] of [
      [team.owner.member_id, team.owner.email, 'owner'],
      [String(admin?.id), String(admin?.email), 'admin'],
    ] as const) {
      const detail = expect.stringContaining(words);
      expectScimError(await directory.patch(`/Users/${id}`, deactivation), 409, undefined, detail);
      expectScimError(
        await directory.put(`/Users/${id}`, aScimUser({ userName, active: false })),
        409,
        undefined,
        detail,
      );
      expectScimError(await directory.delete(`/Users/${id}`), 409, undefined, detail);
      const member = { op: 'replace', path: 'roles', value: [{ value: 'member' }] };
      expectScimError(await directory.patch(`/Users/${id}`, patchOf(member)), 409, undefined, detail);
      const out = { op: 'remove', path: `members[value eq "${id}"]` };
      expectScimError(await directory.patch('/Groups/admins', patchOf(out)), 409, undefined, detail);
      expect((await directory.get(`/Users/${id}`)).body).toMatchObject({ active: true, roles: [{ value: 'admin' }] });
    }
    // The rest of the owner is the directory's to say.
    const named = patchOf({ op: 'add', path: 'externalId', value: 'boss' }, { op: 'add', path: 'title', value: 'CEO' });
    expect((await directory.patch(`/Users/${team.owner.member_id}`, named)).body).toMatchObject({
      externalId: 'boss',
      title: 'CEO',
    });
  });
});

describe('a return', () => {
  it('is an invitation to the same id, with the role and external id from before', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const { id, userName } = await added(directory, { externalId: 'E-7', roles: [{ value: 'admin' }] });
    const before = await memberWith(team, String(userName));
    await directory.patch(`/Users/${String(id)}`, deactivation);
    const back = await directory.patch(`/Users/${String(id)}`, activation);
    expect(back.body).toMatchObject({ id, active: true, externalId: 'E-7', roles: [{ value: 'admin' }] });
    const member = await memberWith(team, String(userName));
    expect(member).toMatchObject({ status: 'invited', role: 'admin', external_id: 'E-7' });
    expect(member?.['id']).not.toBe(before?.['id']);
    expect(await service.mailsTo(String(userName))).toHaveLength(2);
  });

  it('has what the API had changed before the person was removed by hand', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const { id, userName } = await added(directory, { externalId: 'a' });
    const path = `/users/${String((await memberWith(team, String(userName)))?.['id'])}`;
    await team.client.patch(path, { role: 'admin', external_id: 'b' });
    await team.client.delete(path);
    const kept = { id, externalId: 'b', roles: [{ value: 'admin' }] };
    expect((await directory.get(`/Users/${String(id)}`)).body).toMatchObject({ ...kept, active: false });
    expect(await found(directory, 'externalId eq "b"')).toHaveLength(1);
    expect((await directory.patch(`/Users/${String(id)}`, activation)).body).toMatchObject({ ...kept, active: true });
    expect(await memberWith(team, String(userName))).toMatchObject({ role: 'admin', external_id: 'b' });
  });

  it('may be an invitation by an admin, also of somebody who was only stored', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const { id, userName } = await added(directory, { active: false, externalId: 'x' });
    const invited = await team.client.post('/users', { email: userName });
    expect(invited.body).toMatchObject({ external_id: 'x', role: 'member' });
    expect((await directory.get(`/Users/${String(id)}`)).body).toMatchObject({ id, active: true, externalId: 'x' });
    expect(await found(directory, 'userName pr')).toHaveLength(2);
  });

  it('of somebody who could sign in is at the address by which they do, whatever they are called now', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const person = await team.anActiveMember();
    const renamed = anEmail('renamed');
    const rename = patchOf({
      op: 'replace',
      value: { userName: renamed, active: false, emails: [{ value: renamed }] },
    });
    expect((await directory.patch(`/Users/${person.id}`, rename)).body).toMatchObject({
      userName: renamed,
      active: false,
    });
    expect((await directory.patch(`/Users/${person.id}`, activation)).body).toMatchObject({
      id: person.id,
      active: true,
    });
    expect(await memberWith(team, String(person.email))).toMatchObject({ status: 'invited' });
    expect(await service.mailsTo(renamed)).toEqual([]);
    // The directory has given the new name to them, so nobody else is invited with it.
    expect(await team.client.post('/users', { email: renamed })).toBeProblem('conflict');
  });
});

describe('a person’s own address', () => {
  it('is changed by no userName and no emails, and nobody takes another’s', async () => {
    const team = await aTeam(service, { members: 1 });
    const directory = await aDirectory(service, team);
    const [person] = team.members;
    const renamed = anEmail('renamed');
    const change = patchOf(
      { op: 'replace', path: 'userName', value: renamed },
      { op: 'replace', path: 'emails', value: [{ value: renamed }] },
    );
    const answer = await directory.patch(`/Users/${String(person?.id)}`, change);
    expect(answer.body).toMatchObject({ userName: renamed, emails: [{ value: renamed }] });
    expect((await team.client.get(`/users/${String(person?.id)}`)).body).toMatchObject({ email: person?.email });
    const { prisma } = service.database;
    expect(await prisma.person.count({ where: { email: renamed } })).toBe(0);
    expect(await prisma.person.count({ where: { email: String(person?.email) } })).toBe(1);
    const { id } = await added(directory);
    for (const taken of [renamed, String(person?.email), team.owner.email]) {
      const rename = patchOf({ op: 'replace', path: 'userName', value: taken });
      expectScimError(await directory.patch(`/Users/${String(id)}`, rename), 409, 'uniqueness');
      expectScimError(await directory.put(`/Users/${String(id)}`, aScimUser({ userName: taken })), 409, 'uniqueness');
      expectScimError(await directory.post('/Users', aScimUser({ userName: taken })), 409, 'uniqueness');
    }
  });
});

describe('the address that somebody had before the directory renamed them, and deactivated them,', () => {
  const renameAway = async (directory: Directory, id: string) => {
    const value = { userName: anEmail('renamed'), active: false };
    const answer = await directory.patch(`/Users/${id}`, patchOf({ op: 'replace', value }));
    expect(answer.body).toMatchObject({ id, ...value });
  };

  it('stays theirs if they sign in with it, whoever invites it', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const { id, email } = await team.anActiveMember();
    await renameAway(directory, id);
    expectScimError(await directory.post('/Users', aScimUser({ userName: email })), 409, 'uniqueness');
    expect((await team.client.post('/users', { email })).status).toBe(201);
    expect((await directory.get(`/Users/${id}`)).body).toMatchObject({ active: true });
  });

  it.each(['the directory', 'an admin'])('is free if they never came: %s gives it to somebody else', async (who) => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const { id, userName: email } = await added(directory);
    await renameAway(directory, String(id));
    if (who === 'an admin') expect((await team.client.post('/users', { email })).status).toBe(201);
    else expect((await added(directory, { userName: email }))['id']).not.toBe(id);
    expect(await memberWith(team, String(email))).toMatchObject({ status: 'invited' });
    expect((await directory.get(`/Users/${String(id)}`)).body).toMatchObject({ active: false });
  });
});

describe('the name of the directory', () => {
  it('is shown in this team in place of the person’s own, everywhere, and moves updated_at', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const directory = await aDirectory(service, team);
    const person = await team.anActiveMember();
    const elsewhere = await other.anActiveMember({ email: String(person.email) });
    await service.database.prisma.person.update({ where: { email: String(person.email) }, data: { name: 'Own Name' } });
    const shownIn = async (where: TestTeam, id: string) => (await where.client.get(`/users/${id}`)).body;
    const before = await shownIn(team, person.id);
    expect(before).toMatchObject({ name: 'Own Name' });
    service.clock.forward(1_000);
    const say = (value: object) => directory.patch(`/Users/${person.id}`, patchOf({ op: 'replace', value }));
    expect((await say({ displayName: 'Vera von der Firma' })).status).toBe(200);
    const after = await shownIn(team, person.id);
    expect(after).toMatchObject({ name: 'Vera von der Firma' });
    expect(String(after['updated_at']) > String(before['updated_at'])).toBe(true);
    const app = await inTheApp(team);
    const listed = (await app.members.list({ limit: 50, search: 'Firma' })).data;
    expect(listed.map(({ id, name }) => [id, name])).toEqual([[person.id, 'Vera von der Firma']]);
    const { data } = await app.members.names({ user_ids: [String(person.user_id)] });
    expect(data).toMatchObject([{ name: 'Vera von der Firma' }]);
    expect(await shownIn(other, elsewhere.id)).toMatchObject({ name: 'Own Name' });
    // Without a name to show, the whole name; without that, its parts; without these, the person's own.
    const parts = { givenName: 'Vera', familyName: 'Kauf' };
    for (const [said, shown] of [
      [{ displayName: 'Vera', name: { ...parts, formatted: 'Dr. Vera Kauf' } }, 'Vera'],
      [{ displayName: null }, 'Dr. Vera Kauf'],
      [{ name: null }, 'Own Name'],
      [{ name: parts }, 'Vera Kauf'],
      [{ name: { ...parts, formatted: 'www.example.com' } }, 'Vera Kauf'],
    ] as const) {
      expect((await say(said)).status).toBe(200);
      expect(await shownIn(team, person.id)).toMatchObject({ name: shown });
    }
    for (const name of [null, { formatted: 'www.example.com' }, { formatted: 'x'.repeat(121) }]) {
      expect((await say({ name: null })).status).toBe(200);
      expect((await say({ name })).status).toBe(200);
      expect(await shownIn(team, person.id)).toMatchObject({ name: 'Own Name' });
    }
    service.clock.set(new Date());
  });

  it('is theirs again when they come back by an invitation of an admin', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const { id, userName } = await added(directory, { displayName: 'Vera Kauf', externalId: 'E-3' });
    await directory.patch(`/Users/${String(id)}`, deactivation);
    const again = await team.client.post('/users', { email: userName });
    expect(again.body).toMatchObject({ external_id: 'E-3' });
    const { directoryName } = await service.database.prisma.member.findFirstOrThrow({
      where: { tenantId: team.id, id: String(again.body['id']) },
    });
    expect(directoryName).toBe('Vera Kauf');
  });
});

describe('PUT', () => {
  it('replaces all that is kept; read-only attributes are ignored, and an id of another is refused', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const { id, userName } = await added(directory, { title: 'Old', externalId: 'x', roles: [{ value: 'admin' }] });
    const given = { userName, id, displayName: 'New', groups: [{ value: 'none' }], meta: { created: 'x' } };
    const answer = await directory.put(`/Users/${String(id)}`, given);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, displayName: 'New', active: true, roles: [{ value: 'admin' }] });
    for (const gone of ['title', 'externalId', 'name']) expect(answer.body).not.toHaveProperty(gone);
    expect(await memberWith(team, String(userName))).toMatchObject({ external_id: null, role: 'admin' });
    expect(Object(answer.body['groups']).map(({ value }: { value: string }) => value)).toEqual(['members', 'admins']);
    expectScimError(
      await directory.put(`/Users/${String(id)}`, { ...given, id: team.owner.member_id }),
      400,
      'mutability',
    );
  });

  it.each([true, false])('that says nothing of active or roles leaves both as they are: active %s', async (active) => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const { id, userName } = await added(directory, { active, roles: [{ value: 'admin' }] });
    const { body } = await directory.put(`/Users/${String(id)}`, { userName, displayName: 'New' });
    expect(body).toMatchObject({ active, displayName: 'New', roles: [{ value: 'admin' }] });
    expect((await memberWith(team, String(userName)))?.['role']).toBe(active ? 'admin' : undefined);
  });

  it('takes an external id of 255 characters and attributes of 8 KiB, and no more', async () => {
    const directory = await aDirectory(service, await aTeam(service));
    const { id, userName } = await added(directory);
    const put = (more: object) => directory.put(`/Users/${String(id)}`, { userName, ...more });
    const mailed = (last: string) => ({
      emails: [...Array.from({ length: 8 }, () => 'ä'.repeat(500)), last].map((value) => ({ value })),
    });
    const room = 8 * 1024 - Buffer.byteLength(JSON.stringify(mailed('')));
    for (const [taken, refused] of [
      [{ externalId: '😀'.repeat(255) }, { externalId: '😀'.repeat(256) }],
      [mailed('x'.repeat(room)), mailed('x'.repeat(room + 1))],
    ] as const) {
      expectScimError(await put(refused), 400, 'invalidValue');
      const answer = await put(taken);
      expect([answer.status, answer.body], answer.text).toMatchObject([200, taken]);
    }
  });
});

describe('an attribute below the URN of its schema', () => {
  it('is the attribute itself, so a deactivation is understood there, and refused beside another value', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const { id, userName } = await added(directory);
    const path = `/Users/${String(id)}`;
    for (const name of ['active', 'Active']) {
      const both = { userName, [name]: true, [`${userUrn}:active`]: false };
      expectScimError(await directory.put(path, both), 400, 'invalidSyntax');
      expectScimError(
        await directory.put(path, { userName, [name]: true, [userUrn]: { active: false } }),
        400,
        'invalidSyntax',
      );
    }
    for (const leaving of [{ [`${userUrn}:active`]: false }, { [userUrn.toUpperCase()]: { Active: 'False' } }]) {
      expect((await directory.put(path, { userName, ...leaving })).body).toMatchObject({ id, active: false });
      expect((await directory.put(path, { userName, active: true })).body).toMatchObject({ id, active: true });
    }
  });
});

describe('filters', () => {
  it('find people by the attributes that have one, alone and together', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const before = service.clock.now().toISOString();
    const vera = await added(directory, {
      userName: anEmail('vera'),
      externalId: 'Ab"c\\1',
      emails: [{ value: 'v@work.example', type: 'work' }],
    });
    const max = await added(directory, { displayName: 'Max', name: { familyName: 'Muster' }, active: false });
    const name = String(vera['userName']);
    const cases: [string, unknown[]][] = [
      [`userName eq "${name.toUpperCase()}"`, [vera]],
      [`USERNAME EQ "${name}"`, [vera]],
      [`${userUrn}:userName eq "${name}"`, [vera]],
      [`userName sw "VERA." and active eq true`, [vera]],
      [`userName eq "${name}" and active eq false`, []],
      [`userName eq "${anEmail('nobody')}"`, []],
      [`id eq "${String(max['id']).toUpperCase()}"`, [max]],
      ['id eq "nobody"', []],
      ['externalId eq "Ab\\"c\\\\1"', [vera]],
      ['externalId eq "ab\\"c\\\\1"', []],
      ['externalId pr', [vera]],
      ['emails.value eq "V@work.example"', [vera]],
      ['emails eq "v@work.example"', [vera]],
      ['emails[type eq "work" and value co "@work."]', [vera]],
      ['emails[type eq "work"].value eq "v@work.example"', [vera]],
      ['emails[type eq "home" and value co "@work."]', []],
      ['displayName eq "max"', [max]],
      ['name.familyName ew "STER"', [max]],
      ['active eq "False"', [max]],
      ['active ne true', [max]],
      ['not (active eq true)', [max]],
      ['(displayName eq "Max" or name.familyName eq "Kauf") and not (active eq true)', [max]],
      [`meta.lastModified ge "${before}" and displayName co "a"`, [vera, max]],
      [`meta.lastModified lt "2001-01-01T00:00:00Z"`, []],
      ['displayName eq null', [team.owner]],
    ];
    for (const [filter, expected] of cases) {
      const ids = expected.map((one) => Object(one).id ?? Object(one).member_id);
      expect(
        (await found(directory, filter)).map(({ id }) => id),
        filter,
      ).toEqual(ids);
    }
  });

  it('are refused on other attributes, if they are not written so, too long or too deep', async () => {
    const directory = await aDirectory(service, await aTeam(service));
    const deep = (levels: number) => `${'('.repeat(levels)}active eq true${')'.repeat(levels)}`;
    const long = (length: number) => `userName eq "${'x'.repeat(length - 14)}"`;
    for (const filter of [
      'title eq "x"',
      'password eq "x"',
      'roles eq "admin"',
      '__proto__ eq "x"',
      'constructor pr',
      'emails.type eq "work"',
      `${enterpriseUrn}:department eq "x"`,
      'userName',
      'userName eq',
      'userName eq x',
      'userName is "x"',
      'userName eq "x" and',
      'userName eq "x" userName eq "y"',
      '(userName eq "x"',
      'userName eq "x")',
      'userName eq "x',
      'emails[value eq "x"',
      'not userName eq "x"',
      'active eq "x"',
      'active gt true',
      'meta.lastModified gt "yesterday"',
      '',
      '[]',
      long(2_001),
      deep(11),
      deep(1_000),
      'not ('.repeat(300),
    ]) {
      expectScimError(await directory.get(`/Users?filter=${encodeURIComponent(filter)}`), 400, 'invalidFilter');
    }
    expect(await found(directory, long(2_000))).toEqual([]);
    expect(await found(directory, deep(10))).toHaveLength(1);
    const tooLong = await directory.get(`/Users?filter=${'x'.repeat(100_000)}`);
    expect(tooLong.status).toBe(431);
  });
});

describe('data protection', () => {
  it('hides from a directory nothing that it said, and of others only the name, while member details are off', async () => {
    const team = await aTeam(service, { memberDetail: false, ownerName: 'Olaf Owner' });
    const directory = await aDirectory(service, team);
    const { id, userName } = await added(directory, { externalId: 'E-9' });
    expect((await directory.get(`/Users/${String(id)}`)).body).toMatchObject({
      userName,
      externalId: 'E-9',
      displayName: 'Vera Kauf',
    });
    const owner = await directory.get(`/Users/${team.owner.member_id}`);
    expect(owner.body).toMatchObject({ userName: team.owner.email });
    expect(owner.text).not.toContain('Olaf');
    await team.change({ memberDetail: true });
    expect((await directory.get(`/Users/${team.owner.member_id}`)).body).toMatchObject({ displayName: 'Olaf Owner' });
  });

  it('an erased person is not found, and POST makes somebody new', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    for (const active of [true, false]) {
      const { id, userName } = await added(directory, { active });
      if (active) await directory.patch(`/Users/${String(id)}`, deactivation);
      await erase(service, String(userName));
      expectScimError(await directory.get(`/Users/${String(id)}`), 404);
      const again = await added(directory, { userName });
      expect(again['id']).not.toBe(id);
    }
  });

  it('keeps addresses out of the log of requests', async () => {
    const team = await aTeam(service);
    const { id: keyId, text } = await team.aKey({ scopes: ['directory:manage'] });
    const userName = anEmail('private');
    const directory = directoryWith(service, text);
    await directory.get(`/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`);
    await directory.post('/Users', aScimUser({ userName: 'private address' }));
    await service.requestLog.write();
    const rows = await service.database.prisma.requestLogEntry.findMany({
      where: { tenantId: team.id, keyId },
      orderBy: { id: 'asc' },
    });
    expect(rows.map(({ route, status }) => [route, status])).toEqual([
      ['/scim/v2/Users', 200],
      ['/scim/v2/Users', 400],
    ]);
    expect(JSON.stringify(rows)).not.toContain('private');
  });
});

describe('limits', () => {
  it('of mails hold: 429 with Retry-After, and nothing is stored', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const { id, userName } = await added(directory);
    let last = await directory.get(`/Users/${String(id)}`);
    // The mails to one address in a day are few.
    for (let n = 0; n < 20 && last.status === 200; n += 1) {
      await directory.patch(`/Users/${String(id)}`, deactivation);
      last = await directory.patch(`/Users/${String(id)}`, activation);
    }
    expectScimError(last, 429);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await memberWith(team, String(userName))).toBeUndefined();
    expect((await directory.get(`/Users/${String(id)}`)).body).toMatchObject({ active: false });
    service.clock.forward(hoursToMs(24));
    expect((await directory.patch(`/Users/${String(id)}`, activation)).status).toBe(200);
    service.clock.set(new Date());
  });

  it('of requests are shown and hold as for every key', async () => {
    const team = await aTeam(service);
    await team.change({ rateLimit: 2 });
    const directory = await aDirectory(service, team);
    const first = await directory.get('/Users');
    expect(first.headers.get('ratelimit-limit')).toBe('2');
    await directory.get('/Users');
    const third = await directory.get('/Users');
    expectScimError(third, 429);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
