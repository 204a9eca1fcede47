import { describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { groupUrn, messageUrns } from '../../src/core/scim/schemas.ts';
import { useTestService } from '../support/service.ts';
import { added, aDirectory, aScimUser, directoryWith, expectScimError, found, patchOf } from '../support/scim.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

// Roles and groups of a directory (SCIM).

const service = await useTestService();

const roleOf = async (team: TestTeam, email: unknown) =>
  (await team.client.get(`/users?email=${encodeURIComponent(String(email))}`)).data[0]?.['role'];

const idsIn = (group: Record<string, unknown>) => Object(group['members']).map(({ value }: { value: string }) => value);

describe('roles', () => {
  it('are admin or member: of those that are sent, admin counts; without any it is member', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    for (const [roles, role] of [
      [[{ value: 'admin' }], 'admin'],
      [[{ value: 'Member' }, { value: 'ADMIN' }], 'admin'],
      ['admin', 'admin'],
      [['member'], 'member'],
      [[], 'member'],
      [undefined, 'member'],
    ] as const) {
      const { userName, ...user } = await added(directory, { roles });
      expect(await roleOf(team, userName)).toBe(role);
      expect(user['roles']).toContainEqual(expect.objectContaining({ value: role }));
    }
    expectScimError(await directory.post('/Users', aScimUser({ roles: [{ value: 'owner' }] })), 400, 'invalidValue');
  });

  it('follow what the app and the API change, and are changed by PATCH in the forms that directories send', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const { id, userName } = await added(directory, { roles: [{ value: 'member', primary: true, type: 'x' }] });
    const [member] = (await team.client.get(`/users?email=${encodeURIComponent(String(userName))}`)).data;
    await team.client.patch(`/users/${String(member?.['id'])}`, { role: 'admin' });
    expect((await directory.get(`/Users/${String(id)}`)).body['roles']).toEqual([{ value: 'admin', primary: true }]);
    for (const [operation, role] of [
      [{ op: 'replace', path: 'roles', value: [{ value: 'member' }] }, 'member'],
      [{ op: 'Add', path: 'roles[primary eq "True"].value', value: 'admin' }, 'admin'],
      [{ op: 'remove', path: 'roles[value eq "admin"]' }, 'member'],
      [{ op: 'add', path: 'roles', value: [{ value: 'admin' }] }, 'admin'],
      [{ op: 'remove', path: 'roles' }, 'member'],
    ] as const) {
      const answer = await directory.patch(`/Users/${String(id)}`, patchOf(operation));
      expect([answer.status, await roleOf(team, userName)], answer.text).toEqual([200, role]);
    }
  });

  it('of an admin are given and taken only by a key whose maker may, also by groups, deactivation and return', async () => {
    const team = await aTeam(service, { admins: 1 });
    const { client, member: former } = await team.aFormerAdmin();
    const may = await aDirectory(service, team);
    const { id, userName } = await added(may);
    const admin = await added(may, { roles: [{ value: 'admin' }] });
    const away = await added(may, { roles: [{ value: 'admin' }] });
    await may.patch(`/Users/${String(away['id'])}`, patchOf({ op: 'replace', path: 'active', value: false }));
    const mayNot = directoryWith(service, client.key);
    const promote = { op: 'replace', path: 'roles', value: [{ value: 'admin' }] };
    for (const answer of [
      await mayNot.post('/Users', aScimUser({ roles: [{ value: 'admin' }] })),
      await mayNot.patch(`/Users/${String(id)}`, patchOf(promote)),
      await mayNot.put(`/Users/${String(id)}`, aScimUser({ userName, roles: [{ value: 'admin' }] })),
      await mayNot.patch('/Groups/admins', patchOf({ op: 'add', path: 'members', value: [{ value: id }] })),
      await mayNot.patch(`/Users/${former.id}`, patchOf(promote)),
      await mayNot.patch(`/Users/${String(admin['id'])}`, patchOf({ op: 'replace', path: 'active', value: false })),
      await mayNot.delete(`/Users/${String(admin['id'])}`),
      await mayNot.patch(`/Users/${String(away['id'])}`, patchOf({ op: 'replace', path: 'active', value: true })),
    ]) {
      expectScimError(answer, 403, undefined, expect.stringContaining('admin'));
    }
    expect([await roleOf(team, userName), await roleOf(team, admin['userName'])]).toEqual(['member', 'admin']);
    // What needs no admin it may.
    expect(
      (await mayNot.patch(`/Users/${String(admin['id'])}`, patchOf({ op: 'add', path: 'title', value: 'x' }))).status,
    ).toBe(200);
  });
});

describe('groups', () => {
  it('are Admins and Members, with fixed ids, found by name, with and without their members', async () => {
    const team = await aTeam(service, { admins: 1 });
    const directory = await aDirectory(service, team);
    const { id, userName } = await added(directory);
    const away = await added(directory, { active: false });
    const admins = [team.owner.member_id, String(team.admins[0]?.id)];
    const list = (await directory.get('/Groups')).body;
    expect(list).toMatchObject({ schemas: [messageUrns.list], totalResults: 2, itemsPerPage: 2 });
    const [first, second] = Object(list['Resources']);
    expect(first).toMatchObject({ schemas: [groupUrn], id: 'admins', displayName: 'Admins' });
    expect(idsIn(first)).toEqual(admins.toSorted());
    expect(idsIn(second)).toEqual([...admins, id].toSorted());
    expect(second.members).toContainEqual({ value: id, display: userName, type: 'User' });
    expect(idsIn(second)).not.toContain(away['id']);
    const without = await directory.get(
      `/Groups?filter=${encodeURIComponent('displayName eq "ADMINS"')}&excludedAttributes=members`,
    );
    expect(without.body['Resources']).toEqual([
      {
        schemas: [groupUrn],
        id: 'admins',
        displayName: 'Admins',
        meta: expect.objectContaining({ resourceType: 'Group' }),
      },
    ]);
    expect((await directory.get('/Groups/MEMBERS?excludedAttributes=members')).body).not.toHaveProperty('members');
    expect((await directory.get('/Groups/members?attributes=members.value')).body).toEqual({
      schemas: [groupUrn],
      id: 'members',
      members: [...admins, id].toSorted().map((value) => ({ value })),
    });
    const ofMember = await directory.get(`/Groups?filter=${encodeURIComponent(`members.value eq "${String(id)}"`)}`);
    expect(Object(ofMember.body['Resources']).map(({ id: one }: { id: string }) => one)).toEqual(['members']);
    for (const [query, ids] of [
      ['count=0', []],
      ['count=1', ['admins']],
      ['startIndex=2&count=1', ['members']],
      ['startIndex=3', []],
    ] as const) {
      const { body } = await directory.get(`/Groups?${query}`);
      expect(body).toMatchObject({ totalResults: 2, Resources: ids.map((one) => ({ id: one })) });
    }
    expectScimError(await directory.get('/Groups/others'), 404);
    expectScimError(await directory.get('/Groups?filter=title%20pr'), 400, 'invalidFilter');
    const [user] = await found(directory, `id eq "${String(id)}"`);
    expect(Object(user?.['groups'])).toEqual([
      { value: 'members', display: 'Members', $ref: 'http://localhost:3000/scim/v2/Groups/members' },
    ]);
  });

  it('give and take the role of admins, in each form, all or none', async () => {
    const team = await aTeam(service, { admins: 1 });
    const directory = await aDirectory(service, team);
    const { id, userName } = await added(directory);
    const other = await added(directory);
    const member = { value: id };
    const kept = [team.owner.member_id, String(team.admins[0]?.id)].map((value) => ({ value }));
    for (const [operation, role] of [
      [{ op: 'Add', path: 'members', value: [member] }, 'admin'],
      [{ op: 'add', path: 'members', value: [member] }, 'admin'],
      [{ op: 'Remove', path: 'members', value: [member] }, 'member'],
      [{ op: 'remove', path: `members[value eq "${String(id)}"]` }, 'member'],
      [{ op: 'add', value: { members: [{ ...member, display: 'x' }] } }, 'admin'],
      [{ op: 'replace', path: 'members', value: kept }, 'member'],
      [{ op: 'replace', value: { id: 'admins', displayName: 'Admins', members: [...kept, member] } }, 'admin'],
    ] as const) {
      const answer = await directory.patch('/Groups/admins', patchOf(operation));
      expect([answer.status, await roleOf(team, userName)], answer.text).toEqual([200, role]);
      expect(idsIn(answer.body).includes(id)).toBe(role === 'admin');
    }
    const put = await directory.put('/Groups/admins', { displayName: 'Admins', members: kept });
    expect([put.status, await roleOf(team, userName)]).toEqual([200, 'member']);
    const half = patchOf({ op: 'add', path: 'members', value: [{ value: other['id'] }, { value: 'nobody' }] });
    expectScimError(await directory.patch('/Groups/admins', half), 400, 'invalidValue');
    expect(await roleOf(team, other['userName'])).toBe('member');
    await directory.patch(`/Users/${String(id)}`, patchOf({ op: 'replace', path: 'active', value: false }));
    expectScimError(
      await directory.patch('/Groups/admins', patchOf({ op: 'add', path: 'members', value: [member] })),
      400,
      'invalidValue',
    );
  });

  it('change at most so many of their members in a request', async () => {
    const directory = await aDirectory(service, await aTeam(service));
    const add = (count: number) => {
      const value = Array.from({ length: count }, (_, at) => ({ value: `nobody ${at}` }));
      return directory.patch('/Groups/admins', patchOf({ op: 'add', path: 'members', value }));
    };
    const max = limits.bulkItems;
    expectScimError(await add(max), 400, 'invalidValue', 'nobody 0 is no member of the team.');
    const detail = `A request may change at most ${max} members of a group.`;
    expectScimError(await add(max + 1), 400, 'invalidValue', detail);
  });

  it('can’t be made, renamed or deleted, and the members are not changed here: 403', async () => {
    const team = await aTeam(service, { members: 1 });
    const directory = await aDirectory(service, team);
    expectScimError(await directory.post('/Groups', { displayName: 'Sales' }), 403);
    expectScimError(await directory.delete('/Groups/admins'), 403);
    const out = { op: 'remove', path: `members[value eq "${String(team.members[0]?.id)}"]` };
    expectScimError(await directory.patch('/Groups/members', patchOf(out)), 403);
    expectScimError(await directory.put('/Groups/members', { displayName: 'Members', members: [] }), 403);
    const same = (await directory.get('/Groups/members')).body;
    expect((await directory.put('/Groups/members', same)).body).toEqual(same);
    const rename = { op: 'replace', value: { displayName: 'Bosses' } };
    expectScimError(await directory.patch('/Groups/admins', patchOf(rename)), 400, 'mutability');
    expectScimError(await directory.put('/Groups/admins', { displayName: 'Bosses', members: [] }), 400, 'mutability');
  });
});
