import { describe, expect, it } from 'vitest';
import { memberMessages } from '../../src/core/messages/people.ts';
import { handOver } from '../../src/modules/members/roles.ts';
import { keyRight } from '../../src/modules/keys/schema.ts';
import { aColleague, apiInTheApp, expectRefusal, inTheApp, type Somebody } from '../support/app-caller.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService();

const apiOf = async (team: TestTeam, person?: Somebody) =>
  (await apiInTheApp(team, ['users:read', 'users:write'], person)).members;
const rolesOf = async (team: TestTeam) => {
  const rows = await service.database.prisma.member.findMany({
    where: { tenantId: team.id, status: { not: 'ended' } },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ id, role, rights }) => ({ id, role, rights }));
};

describe('several members at once', () => {
  it('change their role, each by the rules of a single change, and the answer lists the failures', async () => {
    const team = await aTeam(service, { members: 2, admins: 1 });
    const { members } = await inTheApp(team);
    const [one, two] = team.members.filter(({ role }) => role === 'member');
    const [admin] = (await members.list({ role: 'admin' })).data;
    const ids = [team.owner.member_id, one?.id ?? '', two?.id ?? '', 'nobody'];
    expect(await members.changeRoleMany({ member_ids: ids, role: 'admin' })).toEqual({
      results: [
        { id: team.owner.member_id, code: 'owner' },
        { id: one?.id, code: null },
        { id: two?.id, code: null },
        { id: 'nobody', code: 'not_found' },
      ],
    });
    const all = [one?.id ?? '', two?.id ?? '', admin?.id ?? ''];
    const { results } = await members.changeRoleMany({ member_ids: all, role: 'member' });
    expect(results.map(({ code }) => code)).toEqual([null, null, 'last_admin']);
  });

  it('are removed, but neither the owner nor the last active admin', async () => {
    const team = await aTeam(service, { members: 2, admins: 1 });
    const { members } = await inTheApp(team);
    const { data } = await members.list({});
    const { results } = await members.removeMany({ member_ids: data.map(({ id }) => id) });
    expect(
      results
        .map(({ code }) => code)
        .filter((code) => code !== null)
        .toSorted(),
    ).toEqual(['last_admin', 'owner']);
    expect((await members.list({})).data.map(({ role }) => role)).toEqual(['owner', 'admin']);
  });
});

describe('members.setRights', () => {
  it('grants and revokes the right for keys, and audits changes', async () => {
    const team = await aTeam(service);
    const { memberId: member_id } = await aColleague(team, 'admin');
    const { members } = await inTheApp(team);
    expect(await members.setRights({ member_id, rights: [keyRight, keyRight] })).toMatchObject({ rights: [keyRight] });
    expect(await members.setRights({ member_id, rights: [keyRight] })).toMatchObject({ rights: [keyRight] });
    expect(await members.setRights({ member_id, rights: [] })).toMatchObject({ id: member_id, rights: [] });
    expect((await auditEntriesOn(service, team, member_id)).slice(1)).toMatchObject([
      { action: 'member.rights_changed', data: { from: [], to: [keyRight] } },
      { action: 'member.rights_changed', data: { from: [keyRight], to: [] } },
    ]);
  });

  it('refuses unknown rights, and the owner has all of them', async () => {
    const team = await aTeam(service);
    const { members } = await inTheApp(team);
    const { memberId: member_id } = await aColleague(team);
    // @ts-expect-error no such right
    await expectRefusal(members.setRights({ member_id, rights: ['everything'] }), 'BAD_REQUEST');
    const owner = members.setRights({ member_id: team.owner.member_id, rights: [] });
    await expectRefusal(owner, { code: 'owner', spoken: { detail: memberMessages.ownerHasAllRights } });
  });
});

describe('members.handOver', () => {
  it('makes an active member the owner and the former one an admin, and mails both in their language', async () => {
    const team = await aTeam(service, { name: 'Vertrieb', members: 1 });
    const { id: member_id = '', email = '' } = team.members[0] ?? {};
    await (await inTheApp(team)).members.setRights({ member_id, rights: [keyRight] });
    await service.database.prisma.person.update({ where: { email }, data: { name: 'Mia Berg', language: 'en' } });
    expect(await (await inTheApp(team)).members.handOver({ member_id })).toEqual({ ok: true });
    expect(await rolesOf(team)).toEqual([
      { id: team.owner.member_id, role: 'admin', rights: [] },
      { id: member_id, role: 'owner', rights: [] },
    ]);
    expect((await auditEntriesOn(service, team, member_id)).at(-1)).toEqual({
      action: 'team.handed_over',
      actor: ['person', team.owner.user_id],
      data: { from: team.owner.member_id, to: member_id },
      requestId: null,
    });
    const [got] = await service.mailsTo(email);
    expect(got).toMatchObject({ language: 'en', body: { subject: 'You are now the owner of a team' } });
    const former = team.owner.email.replaceAll('.', '[.]').replace('@', '[at]');
    expect(got?.body.text).toContain(`${former} transferred the team “Vertrieb” to you.`);
    expect(got?.body.text).toContain(`View team:\nhttp://localhost:3000/members?team=${team.id}\n`);
    expect(got?.body.text).toContain('You now have all permissions in the team');
    const [gave] = await service.mailsTo(team.owner.email);
    expect(gave).toMatchObject({ language: 'de', body: { subject: 'Sie haben ein Team übergeben' } });
    expect(gave?.body.text).toContain('Mia Berg ist jetzt Inhaber des Teams „Vertrieb“');
    expect(gave?.body.text).toContain('Team ansehen:\n');
    expect(gave?.body.text).toContain('wenden Sie sich umgehend an Mia Berg oder an den Support.');
  });

  it('leaves the team an admin, even if the only one becomes the owner', async () => {
    const team = await aTeam(service);
    const admin = await aColleague(team, 'admin');
    await (await inTheApp(team)).members.handOver({ member_id: admin.memberId });
    expect((await rolesOf(team)).map(({ role }) => role)).toEqual(['admin', 'owner']);
    const removed = (await apiOf(team, admin)).remove({ member_id: team.owner.member_id });
    await expectRefusal(removed, { code: 'last_admin' });
  });

  it('refuses people who have not accepted, the present owner, and unknown members', async () => {
    const team = await aTeam(service);
    const { members } = await inTheApp(team);
    const invited = await team.anInvitedMember();
    await expectRefusal(members.handOver({ member_id: invited.id }), {
      code: 'conflict',
      spoken: { detail: memberMessages.newOwnerNotActive },
    });
    await expectRefusal(members.handOver({ member_id: team.owner.member_id }), {
      code: 'owner',
      spoken: { detail: memberMessages.alreadyOwner },
    });
    await expectRefusal(members.handOver({ member_id: 'nobody' }), { code: 'not_found' });
    expect((await rolesOf(team)).map(({ role }) => role)).toEqual(['owner', 'member']);
  });

  it('refuses everybody but the owner, also the operator', async () => {
    const team = await aTeam(service, { members: 1 });
    const admin = await aColleague(team, 'admin');
    const id = team.members[0]?.id ?? '';
    const acting = await team.acting();
    for (const actor of [acting.actor, { kind: 'person', userId: admin.userId } as const]) {
      await expect(handOver({ ...acting, actor }, id)).rejects.toMatchObject({
        code: 'insufficient_scope',
        members: { required_scope: 'users:write' },
        spoken: { detail: memberMessages.ownerTransfers },
      });
    }
  });

  it('succeeds once of two at the same time: the former owner is no longer the owner', async () => {
    const team = await aTeam(service, { members: 2 });
    const { members } = await inTheApp(team);
    const all = await Promise.allSettled(team.members.map(({ id }) => members.handOver({ member_id: id })));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = all.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { cause: { code: 'insufficient_scope' } } });
    expect((await rolesOf(team)).map(({ role }) => role).toSorted()).toEqual(['admin', 'member', 'owner']);
  });
});
