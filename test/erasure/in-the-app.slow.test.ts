import { describe, expect, it } from 'vitest';
import { eraseAll, eraseNext, erasePerson } from '../../src/modules/erasure/service.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { addActivePerson } from '../../src/modules/members/invitations.ts';
import { aColleague, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { aPerson } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';
import { withSql } from '../support/postgres.ts';

/** It creates a whole team and visits all of its pages, which takes long on a busy machine. */
const service = await useTestService({ own: true });

const aFormerMember = async (team: TestTeam, options: { email?: string; name?: string } = {}) => {
  const person = await aPerson(team, options);
  await removeMember(await team.acting(), person.memberId);
  return person;
};

const finish = async ({ id: tenantId }: TestTeam): Promise<void> => {
  const begun = await service.database.prisma.erasure.findMany({ where: { tenantId } });
  for (const { id } of begun) await eraseAll(service.platform, { tenantId, id });
};

const accountOf = (email: string) => service.database.prisma.person.findUnique({ where: { email } });

describe('people who left a team', () => {
  it('are listed for its owner, the latest first, each once and without those who came back', async () => {
    const team = await aTeam(service);
    const { formerMembers } = await inTheApp(team);
    const first = await aFormerMember(team, { name: 'First' });
    service.clock.forward(1_000);
    const twice = await aFormerMember(team, { name: 'Twice' });
    const { id } = await addActivePerson(await team.acting(), { email: twice.email, role: 'member' });
    service.clock.forward(1_000);
    await removeMember(await team.acting(), id);
    const back = await aFormerMember(team);
    await addActivePerson(await team.acting(), { email: back.email, role: 'member' });

    const { data } = await formerMembers.list({});
    expect(data).toMatchObject([
      { id, name: 'Twice', email: twice.email, role: 'member' },
      { id: first.memberId, name: 'First', email: first.email },
    ]);
    const page = await formerMembers.list({ limit: 1 });
    expect(page.data.map((row) => row.id)).toEqual([id]);
    const rest = await formerMembers.list({ limit: 1, cursor: page.next_cursor ?? '' });
    expect(rest.data.map((row) => row.id)).toEqual([first.memberId]);
  });

  it('are found by a part of their name or address, also by an admin', async () => {
    const team = await aTeam(service);
    const found = await aFormerMember(team, { name: 'Mia Zorn' });
    await aFormerMember(team, { name: 'Otto' });
    const { formerMembers } = await inTheApp(team, await aColleague(team, 'admin'));
    const search = async (text: string) => (await formerMembers.list({ search: text })).data;
    expect(await search('zorn')).toMatchObject([{ user_id: found.userId, name: 'Mia Zorn' }]);
    expect(await search(found.email.toUpperCase())).toMatchObject([{ user_id: found.userId }]);
    expect(await search('nobody')).toEqual([]);
  });

  it('are erased by the owner: they leave the list at once, and their account ends if no other team has it', async () => {
    const team = await aTeam(service);
    const { formerMembers } = await inTheApp(team);
    const { email, memberId } = await aFormerMember(team);
    await formerMembers.erase({ member_id: memberId });
    expect((await formerMembers.list({})).data).toEqual([]);
    expect(await accountOf(email)).toBeNull();
    await finish(team);
    const { prisma } = service.database;
    expect(await prisma.member.count({ where: { tenantId: team.id, id: memberId } })).toBe(0);
    expect(await prisma.erasure.count({ where: { tenantId: team.id } })).toBe(0);
    await expectRefusal(formerMembers.erase({ member_id: memberId }), { code: 'not_found' });
  });

  it('keep their account and all data of another team that has them', async () => {
    const email = anEmail('both');
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const there = await aPerson(other, { email, name: 'In both' });
    const { memberId } = await aFormerMember(team, { email, name: 'In both' });
    await (await inTheApp(team)).formerMembers.erase({ member_id: memberId });
    await finish(team);
    expect(await accountOf(email)).toMatchObject({ email, name: 'In both' });
    const found = await other.client.get(`/users/${there.memberId}`);
    expect(found.body).toMatchObject({ email, user_id: there.userId });
    expect(await service.database.prisma.member.count({ where: { tenantId: team.id, email } })).toBe(0);
  });

  it('are erased once if the operator erases them everywhere meanwhile, and the account ends then', async () => {
    const email = anEmail('twice');
    const [team, other] = [await aTeam(service), await aTeam(service)];
    await aPerson(other, { email });
    const { memberId } = await aFormerMember(team, { email });
    await (await inTheApp(team)).formerMembers.erase({ member_id: memberId });
    const keys = await erasePerson(service.platform, { kind: 'operator' }, email);
    expect(keys.map(({ tenantId }) => tenantId).toSorted()).toEqual([team.id, other.id].toSorted());
    const { prisma } = service.database;
    const { personId } = await prisma.erasure.findFirstOrThrow({ where: { tenantId: team.id } });
    for (const key of keys) await eraseAll(service.platform, key);
    expect(await prisma.person.count({ where: { id: personId ?? '' } })).toBe(0);
    expect(await prisma.member.count({ where: { tenantId: team.id, email: { endsWith: '@erased.invalid' } } })).toBe(1);
  });

  it('are shown as an erasure under way, which says when it failed, until they are erased', async () => {
    const team = await aTeam(service);
    const { formerMembers } = await inTheApp(team);
    const { memberId } = await aFormerMember(team, { name: 'Known by name' });
    const { body } = await team.client.post('/cases', {
      user_id: team.owner.user_id,
      title: 'A talk with Known by name',
    });
    const running = async () => (await formerMembers.running({})).data;
    expect(await running()).toEqual([]);
    await formerMembers.erase({ member_id: memberId });
    expect(await running()).toEqual([{ started_at: expect.any(String), failed_at: null }]);
    await withSql(service, async (sql) => {
      await sql.query('begin');
      await sql.query('select from "case" where tenant_id = $1 and id = $2 for update', [team.id, body['id']]);
      await expect(finish(team)).rejects.toThrow('lock timeout');
      await sql.query('rollback');
    });
    expect(await running()).toMatchObject([{ failed_at: expect.any(String) }]);
    const [key = expect.fail('no erasure')] = await service.database.prisma.erasure.findMany({
      where: { tenantId: team.id },
      select: { tenantId: true, id: true },
    });
    await eraseNext(service.platform, key);
    expect(await running()).toMatchObject([{ failed_at: null }]);
    await finish(team);
    expect(await running()).toEqual([]);
  });

  it('appear in the audit log as an erased person, with the person who erased them', async () => {
    const team = await aTeam(service, { language: 'en' });
    const { formerMembers, audit } = await inTheApp(team);
    const { memberId } = await aFormerMember(team, { name: 'Known by name' });
    await formerMembers.erase({ member_id: memberId });
    await finish(team);
    const { data } = await audit.list({ action: 'member.erased' });
    expect(data).toMatchObject([
      { actor: { id: team.owner.user_id }, target: { type: 'member', name: 'Erased person' } },
    ]);
    expect(JSON.stringify((await audit.list({})).data)).not.toContain(memberId);
  });
});

describe('the owner’s action', () => {
  it('refuses people who are still in the team, even by another membership, and ids of another team', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const { formerMembers } = await inTheApp(team);
    const present = await aPerson(team);
    await expectRefusal(formerMembers.erase({ member_id: present.memberId }), { code: 'conflict' });
    const back = await aFormerMember(team);
    await addActivePerson(await team.acting(), { email: back.email, role: 'member' });
    await expectRefusal(formerMembers.erase({ member_id: back.memberId }), { code: 'conflict' });
    const elsewhere = await aFormerMember(other);
    await expectRefusal(formerMembers.erase({ member_id: elsewhere.memberId }), { code: 'not_found' });
    await expectRefusal(formerMembers.erase({ member_id: 'no id' }), { code: 'not_found' });
  });
});
