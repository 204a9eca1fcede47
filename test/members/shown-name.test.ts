import { expect, it } from 'vitest';
import { enterWithCompanyAccount } from '../../src/modules/members/company-account.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { aCrmConnection, aDeal } from '../support/crm.ts';
import { inTheApp, type Somebody } from '../support/app-caller.ts';
import { renamePerson } from '../support/people.ts';
import { anAssignment, aScoredTraining } from '../support/practice.ts';
import { aDirectory, patchOf } from '../support/scim.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService();

/** Somebody who was invited with a name, and joined with a company account that has none. */
const invitedByName = async (team: TestTeam, name: string): Promise<Somebody & { email: string }> => {
  const { members } = await inTheApp(team);
  const email = anEmail('named');
  await members.invite({ people: [{ email, name, role: 'admin' }] });
  await enterWithCompanyAccount(await team.acting(), { subject: 'x', email, name: undefined, role: 'member' });
  const [{ id: memberId, user_id: userId } = { id: '', user_id: '' }] = (await members.list({ search: email })).data;
  await members.setRights({ member_id: memberId, rights: ['schnittstellen'] });
  return { memberId, userId: userId ?? '', role: 'admin', rights: ['schnittstellen'], email };
};

it('the app shows a person by the same name everywhere: that of the directory, else their own, else the one of the invitation', async () => {
  const team = await aTeam(service, { admins: 1, members: 4 });
  const person = await invitedByName(team, 'Mia Invited');
  const { memberId: member_id, userId, email } = person;
  await anAssignment(service, team, { memberId: member_id, title: 'Zinsen verhandeln' });
  for (const one of [userId, ...team.members.map(({ user_id }) => user_id ?? '')])
    await aScoredTraining(service, team, { userId: one });
  await (await inTheApp(team, person)).keys.create({ name: 'Theirs', template: 'read_only' });
  const connection = await aCrmConnection(service, team);
  await aDeal(service, team, connection, { ownerUserId: userId });
  const app = await inTheApp(team);

  const names = async () => {
    const invitee = anEmail('invitee');
    await (await inTheApp(team, person)).members.invite({ people: [{ email: invitee }] });
    const [invitation] = await service.mailsTo(invitee);
    const { entries } = (await app.teamAnalytics.show({})).leaderboard;
    const byThem = { actor_kind: 'person', actor_id: userId } as const;
    const changed = { action: 'member.rights_changed' } as const;
    return {
      'list of members': (await app.members.list({ search: email })).data[0]?.name,
      'page of the member': (await app.members.show({ member_id })).name,
      'other pages, by the user': (await app.members.names({ user_ids: [userId] })).data[0]?.name,
      'search for the member': (await app.search.find({ text: member_id })).data[0]?.name,
      'search for the assignment': (await app.search.find({ text: 'zinsen' })).data[0]?.detail,
      assignments: (await app.assigning.list({})).data[0]?.member.name,
      trainings: (await app.sessions.list({ user_id: userId })).data[0]?.person,
      leaderboard: entries.find(({ user_id }) => user_id === userId)?.name,
      'maker of a key': (await app.keys.list({ search: 'Theirs' })).data[0]?.created_by.name,
      'actor of an entry': (await app.audit.list({ ...byThem, action: 'key.created' })).data[0]?.actor.name,
      'target of an entry': (await app.audit.list(changed)).data[0]?.target.name,
      'owner of a deal': (await app.crm.deals({})).data[0]?.owner,
      'mail of an invitation': /^(.+) hat Sie eingeladen/m.exec(invitation?.body.text ?? '')?.[1],
    };
  };
  const everywhere = (shown: Awaited<ReturnType<typeof names>>, name: string) =>
    expect(shown).toEqual(Object.fromEntries(Object.keys(shown).map((place) => [place, name])));

  everywhere(await names(), 'Mia Invited');
  await renamePerson(service, team, userId, 'Mia Own');
  everywhere(await names(), 'Mia Own');
  const patch = patchOf({ op: 'replace', path: 'displayName', value: 'Mia Directory' });
  expect((await (await aDirectory(service, team)).patch(`/Users/${member_id}`, patch)).status).toBe(200);
  everywhere(await names(), 'Mia Directory');
  await removeMember(await team.acting(), member_id);
  expect((await app.formerMembers.list({})).data.map(({ name }) => name)).toEqual(['Mia Directory']);
});

it('the API has the name from the person or the directory, and none of the invitation', async () => {
  const team = await aTeam(service);
  const { memberId, userId } = await invitedByName(team, 'Mia Invited');
  const shown = async () => (await team.client.get(`/users/${memberId}`)).body['name'];
  expect(await shown()).toBeNull();
  await renamePerson(service, team, userId, 'Mia Own');
  expect(await shown()).toBe('Mia Own');
});
