import { describe, expect, it } from 'vitest';
import { daysToMs, hoursToMs } from '../../src/core/clock.ts';
import { limits } from '../../src/core/limits.ts';
import { memberMessages } from '../../src/core/messages/people.ts';
import { findInvitation } from '../../src/modules/members/acceptance.ts';
import { addressesIn, readInvitations, reviewInvitations } from '../../src/web/pages/members/invitation-list.ts';
import { aColleague, apiInTheApp, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { invitationsCounted, setInvitationsInHour } from '../support/budgets.ts';
import { renamePerson } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { lastLink } from './links.ts';

const service = await useTestService();

describe('members.invite', () => {
  it('invites one by one, in order: a refused invitation does not stop the others', async () => {
    const team = await aTeam(service, { seats: 5 });
    const admin = await aColleague(team, 'admin');
    const app = (await inTheApp(team, admin)).members;
    const [one, two, three, four] = [anEmail('One'), anEmail('two'), anEmail('three'), anEmail('four')];
    const { results } = await app.invite({
      people: [
        { email: ` ${one} `, role: 'admin', lang: 'en' },
        { email: 'not an email' },
        { email: one.toUpperCase() },
        { email: two },
        { email: three },
        { email: four },
      ],
    });
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(results).toEqual([
      { email: one, outcome: 'invited', member_id: id },
      { email: 'not an email', outcome: 'invalid', member_id: null },
      { email: one.toUpperCase(), outcome: 'conflict', member_id: null },
      { email: two, outcome: 'invited', member_id: id },
      { email: three, outcome: 'invited', member_id: id },
      { email: four, outcome: 'seat_limit_reached', member_id: null },
    ]);
    const { data } = await app.list({ status: 'invited' });
    expect(data.map(({ email, role, invitation }) => [email, role, invitation?.lang])).toEqual([
      [one.toLowerCase(), 'admin', 'en'],
      [two, 'member', 'de'],
      [three, 'member', 'de'],
    ]);
    expect(await service.mailsTo(two)).toHaveLength(1);
    expect(await auditEntriesOn(service, team, results[0]?.member_id ?? '')).toMatchObject([
      { action: 'member.joined', actor: ['person', admin.userId] },
    ]);
  });

  it('names the person who invites in the mail, because the reader does not know the service; a key names nobody', async () => {
    const team = await aTeam(service, { name: 'Nord' });
    const admin = await aColleague(team, 'admin');
    await renamePerson(service, team, admin.userId, 'Eleanor Finch');
    const [german, english] = [anEmail('invited'), anEmail('invited')];
    const { members } = await inTheApp(team, admin);
    await members.invite({ people: [{ email: german }, { email: english, lang: 'en' }] });
    const textOf = async (email: string) => (await service.mailsTo(email))[0]?.body.text;
    expect(await textOf(german)).toContain(
      'Eleanor Finch hat Sie eingeladen, im Team „Nord“ Verkaufsgespräche zu üben.',
    );
    expect(await textOf(english)).toContain(
      'Eleanor Finch has invited you to practise sales conversations in the team “Nord”.',
    );
    const byKey = anEmail('invited');
    expect((await team.client.post('/users', { email: byKey, lang: 'en' })).status).toBe(201);
    expect(await textOf(byKey)).toContain('You have been invited to practise sales conversations in the team “Nord”.');
  });

  it('keeps the name from a list, and shows and finds it, until the person has one of their own', async () => {
    const team = await aTeam(service);
    const { members } = await inTheApp(team);
    const [mia, other] = [anEmail('m'), anEmail('o')];
    const { results } = await members.invite({
      people: [
        { email: mia, name: ' Mia Berg ' },
        // A name that may not be shown, because a mail would make a link of it.
        { email: other, name: 'www.example.com' },
      ],
    });
    expect(results.map(({ outcome }) => outcome)).toEqual(['invited', 'invited']);
    const [{ member_id: id } = { member_id: '' }] = results;
    const namesOf = async (query: object) => (await members.list(query)).data.map(({ name }) => name);
    expect(await namesOf({ status: 'invited', sort: { by: 'name', desc: false } })).toEqual(['Mia Berg', null]);
    expect(await namesOf({ search: 'berg mia' })).toEqual(['Mia Berg']);
    expect(await members.show({ member_id: id ?? '' })).toMatchObject({ name: 'Mia Berg', status: 'invited' });
    // A program has it from the person alone.
    expect((await team.client.get(`/users/${id}`)).body).toMatchObject({ name: null });

    const active = await team.anActiveMember({ email: anEmail('a') });
    const { prisma } = service.database;
    const where = { tenantId_id: { tenantId: team.id, id: active.id } };
    await prisma.member.update({ where, data: { invitedName: 'Mia Berg' } });
    expect(await namesOf({ status: 'active', search: 'mia' })).toEqual(['Mia Berg']);
    await renamePerson(service, team, active.user_id ?? '', 'Maria');
    expect(await namesOf({ status: 'active', search: 'mari' })).toEqual(['Maria']);
    expect(await namesOf({ status: 'active', search: 'mia' })).toEqual([]);
  });

  it('can be checked before: already in the team, active or invited, and duplicates in the file', async () => {
    const team = await aTeam(service);
    const [invited, former, stranger] = [await team.anInvitedMember(), await team.anActiveMember(), anEmail()];
    await team.client.delete(`/users/${former.id}`);
    const emails = [team.owner.email.toUpperCase(), invited.email ?? '', former.email ?? '', stranger, stranger];
    const { lines } = readInvitations(emails.join('\n'));
    const { data } = await (await inTheApp(team)).members.known({ emails: addressesIn(lines) });
    const known = new Map(data.map(({ email, status }) => [email, status]));
    const shown = reviewInvitations(lines, 1, known).map(({ error }) => error);
    // People who are already in the team do not count for the maximum of invitations.
    expect(shown).toEqual(['member', 'invited', undefined, 'too many', 'twice']);
    expect((await (await inTheApp(await aTeam(service))).members.known({ emails })).data).toEqual([]);
  });

  it('lets people wait once the team’s hourly limit is reached, and says for how long', async () => {
    const team = await aTeam(service);
    const endsAt = new Date(service.clock.now().getTime() + hoursToMs(0.5));
    await setInvitationsInHour(service, team, limits.invitationsPerHour - 1, endsAt);
    const people = [{ email: anEmail('last') }, { email: anEmail('late') }];
    const { results } = await (await inTheApp(team)).members.invite({ people });
    expect(results).toMatchObject([{ outcome: 'invited' }, { outcome: 'waiting', member_id: null }]);
    expect(results[0]).not.toHaveProperty('retry_after');
    expect(results[1]?.retry_after).toBeGreaterThan(1_700);
    expect(results[1]?.retry_after).toBeLessThanOrEqual(1_800);
  });

  it('refuses the role admin for a former admin, while other invitations succeed', async () => {
    const team = await aTeam(service, { admins: 1 });
    const admin = await aColleague(team, 'admin');
    const { members } = await inTheApp(team, admin);
    await (await apiInTheApp(team, ['users:write'])).members.changeRole({ member_id: admin.memberId, role: 'member' });
    const people = [{ email: anEmail('boss'), role: 'admin' as const }, { email: anEmail('plain') }];
    const { results } = await members.invite({ people });
    expect(results.map(({ outcome }) => outcome)).toEqual(['insufficient_scope', 'invited']);
  });

  it('accepts 1 to 60 people', async () => {
    const { members } = await inTheApp(await aTeam(service));
    await expectRefusal(members.invite({ people: [] }), 'BAD_REQUEST');
    const people = Array.from({ length: limits.invitationsPerHour }, () => ({ email: 'x' }));
    await expectRefusal(members.invite({ people: [...people, { email: 'x' }] }), 'BAD_REQUEST');
    const { results } = await members.invite({ people });
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['invalid']));
  });
});

describe('members.resend', () => {
  it('sends a new link in the language of the first, with a new expiry: the old one is no longer valid', async () => {
    const team = await aTeam(service);
    const { members } = await inTheApp(team);
    const email = anEmail('invited');
    const { results } = await members.invite({ people: [{ email, lang: 'en' }] });
    const member_id = results[0]?.member_id ?? '';
    const old = await lastLink(service, email);
    service.clock.forward(daysToMs(limits.invitationDays + 1));
    const again = await members.resend({ member_id });
    expect(again).toMatchObject({ id: member_id, status: 'invited', invitation: { expired: false, lang: 'en' } });
    const link = await lastLink(service, email);
    expect(link).not.toBe(old);
    expect(await findInvitation(service.platform, old)).toBeUndefined();
    expect(await findInvitation(service.platform, link)).toMatchObject({ email, teamName: 'A team' });
    service.clock.set(new Date());
    const mails = await service.mailsTo(email);
    expect(mails.map(({ language }) => language)).toEqual(['en', 'en']);
    expect((await auditEntriesOn(service, team, member_id)).map(({ action }) => action)).toEqual([
      'member.joined',
      'member.invited_again',
    ]);
    expect(
      await service.database.prisma.webhookEvent.count({ where: { tenantId: team.id, type: 'member.joined' } }),
    ).toBe(1);
  });

  it('counts in the team’s hourly limit', async () => {
    const team = await aTeam(service);
    const { id: member_id } = await team.anInvitedMember();
    const { members } = await inTheApp(team);
    await members.resend({ member_id });
    expect(await invitationsCounted(service, team)).toBe(2);
    await setInvitationsInHour(service, team, limits.invitationsPerHour);
    const before = await service.database.prisma.invitation.findMany({ where: { tenantId: team.id } });
    await expectRefusal(members.resend({ member_id }), { code: 'rate_limited' });
    expect(await service.database.prisma.invitation.findMany({ where: { tenantId: team.id } })).toEqual(before);
  });

  it('refuses people who have accepted, and people who are not in the team any more', async () => {
    const team = await aTeam(service, { members: 1 });
    const { members } = await inTheApp(team);
    await expectRefusal(members.resend({ member_id: team.members[0]?.id ?? '' }), {
      code: 'conflict',
      spoken: { detail: memberMessages.alreadyAccepted },
    });
    const { id: member_id } = await team.anInvitedMember();
    await team.client.delete(`/users/${member_id}`);
    await expectRefusal(members.resend({ member_id }), { code: 'not_found' });
  });

  it('an admin’s invitation needs the right to grant that role', async () => {
    const team = await aTeam(service, { admins: 1 });
    const { id: member_id } = await team.anInvitedMember({ role: 'admin' });
    const admin = await aColleague(team, 'admin');
    const { members } = await inTheApp(team, admin);
    await members.resend({ member_id });
    await (await apiInTheApp(team, ['users:write'])).members.changeRole({ member_id: admin.memberId, role: 'member' });
    await expectRefusal(members.resend({ member_id }), { code: 'insufficient_scope' });
  });
});

describe('withdrawing an invitation', () => {
  it('removes the invitation and its link, and frees the seat', async () => {
    const team = await aTeam(service, { seats: 2 });
    const { id: member_id, email = '' } = await team.anInvitedMember();
    const link = await lastLink(service, email);
    expect(await findInvitation(service.platform, link)).toBeDefined();
    await (await apiInTheApp(team, ['users:write'])).members.remove({ member_id });
    expect(await findInvitation(service.platform, link)).toBeUndefined();
    expect(await service.database.prisma.invitation.count({ where: { tenantId: team.id } })).toBe(0);
    const { results } = await (await inTheApp(team)).members.invite({ people: [{ email }] });
    expect(results).toMatchObject([{ outcome: 'invited' }]);
  });
});

describe('several invitations at once', () => {
  it('are sent again one by one, and the answer lists the failures', async () => {
    const team = await aTeam(service, { members: 1 });
    const [first, second] = [await team.anInvitedMember(), await team.anInvitedMember()];
    const accepted = team.members[0]?.id ?? '';
    await setInvitationsInHour(service, team, limits.invitationsPerHour - 1);
    const { members } = await inTheApp(team);
    const { results } = await members.resendMany({ member_ids: [accepted, first.id, second.id, 'nobody'] });
    expect(results).toEqual([
      { id: accepted, code: 'conflict' },
      { id: first.id, code: null },
      { id: second.id, code: 'rate_limited', retry_after: expect.any(Number) },
      { id: 'nobody', code: 'not_found' },
    ]);
    expect((await auditEntriesOn(service, team, first.id)).map(({ action }) => action)).toEqual([
      'member.joined',
      'member.invited_again',
    ]);
  });

  it('are withdrawn, but members who accepted are not removed', async () => {
    const team = await aTeam(service, { members: 1 });
    const invited = await team.anInvitedMember();
    const accepted = team.members[0]?.id ?? '';
    const { members } = await inTheApp(team);
    await expectRefusal(members.withdraw({ member_id: accepted }), {
      code: 'conflict',
      spoken: { detail: memberMessages.alreadyAccepted },
    });
    expect(await members.withdrawMany({ member_ids: [accepted, invited.id, team.owner.member_id] })).toEqual({
      results: [
        { id: accepted, code: 'conflict' },
        { id: invited.id, code: null },
        { id: team.owner.member_id, code: 'conflict' },
      ],
    });
    expect((await members.list({})).data.map(({ id }) => id)).toEqual([team.owner.member_id, accepted]);
    expect(await auditEntriesOn(service, team, invited.id)).toMatchObject([
      { action: 'member.joined', data: { role: 'member', status: 'invited' } },
      { action: 'member.removed', data: { role: 'member', assignments_revoked: 0 } },
    ]);
    const another = await team.anInvitedMember();
    expect(await members.withdraw({ member_id: another.id })).toEqual({ ok: true });
    expect((await members.list({})).data).toHaveLength(2);
  });
});
