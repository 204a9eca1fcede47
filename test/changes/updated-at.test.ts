import { expect, it } from 'vitest';
import { removeMember } from '../../src/modules/members/service.ts';
import { acceptInvitation } from '../../src/modules/members/acceptance.ts';
import { setRights } from '../../src/modules/members/roles.ts';
import { endTraining, saveEvaluation, startTraining } from '../../src/modules/trainings/service.ts';
import { lastLink } from '../members/links.ts';
import { erase } from '../erasure/erasing.ts';
import { anAssignment } from '../support/assignments.ts';
import { aCase } from '../support/cases.ts';
import { aCrmConnection, aDeal, anObjection } from '../support/crm.ts';
import { storeFound } from '../../src/modules/crm/sync.ts';
import { testPassword } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, anEmail } from '../support/team.ts';
import { aScoredTraining, anEvaluation } from '../support/trainings.ts';
import { changedBy } from './changed-rows.ts';

const service = await useTestService();

it('whoever accepts an invitation changes as a member, and their assignments with them', async () => {
  const team = await aTeam(service, { members: 1 });
  const email = anEmail('invited');
  const { id } = await team.anInvitedMember({ email });
  const theirs = await anAssignment(service, team, { memberId: id });
  await anAssignment(service, team, { memberId: team.members[0]?.id ?? '' });
  const token = await lastLink(service, email);
  const accept = () => acceptInvitation(service.platform, { token, name: 'Mia Berg', password: testPassword });
  expect(await changedBy(service, team, accept)).toEqual([`assignment ${theirs}`, `member ${id}`]);
});

it('the end of a membership changes the assignments that it revokes, and no training', async () => {
  const team = await aTeam(service, { members: 1 });
  const [member] = team.members;
  const memberId = member?.id ?? '';
  const open = await anAssignment(service, team, { memberId });
  await anAssignment(service, team, { memberId, status: 'revoked' });
  await aScoredTraining(service, team, { userId: member?.user_id ?? '' });
  const acting = await team.acting();
  expect(await changedBy(service, team, () => removeMember(acting, memberId))).toEqual([
    `assignment ${open}`,
    `member ${memberId}`,
  ]);
});

it('rights are not shown, so they change no member', async () => {
  const team = await aTeam(service, { members: 1 });
  const acting = await team.acting();
  const change = () => setRights(acting, team.members[0]?.id ?? '', ['schnittstellen']);
  expect(await changedBy(service, team, change)).toEqual([]);
});

it('a deleted assignment changes its trainings', async () => {
  const team = await aTeam(service);
  const assignment = await anAssignment(service, team, { memberId: team.owner.member_id });
  const training = await aScoredTraining(service, team, { userId: team.owner.user_id, assignmentId: assignment });
  await aScoredTraining(service, team, { userId: team.owner.user_id });
  expect(await changedBy(service, team, () => team.client.delete(`/assignments/${assignment}`))).toEqual([
    `training ${training}`,
  ]);
});

it('a training changes when it starts, ends and is scored or corrected; with its assignment at start and end', async () => {
  const team = await aTeam(service);
  const acting = await team.acting();
  const memberId = team.owner.member_id;
  const assignment_id = await anAssignment(service, team, { memberId });
  let id = '';
  const start = async () => {
    ({ trainingId: id } = await startTraining(acting, { memberId, source: 'app', assignmentId: assignment_id }));
  };
  const both = () => [`assignment ${assignment_id}`, `training ${id}`];
  const started = await changedBy(service, team, start);
  expect(started).toEqual(both());
  expect(await changedBy(service, team, () => endTraining(acting, id))).toEqual(both());
  expect(await changedBy(service, team, () => endTraining(acting, id))).toEqual([]);
  for (const total of [40, 60]) {
    const save = () => saveEvaluation(acting, id, anEvaluation({ total }));
    expect(await changedBy(service, team, save)).toEqual([`training ${id}`]);
  }
});

it('an erasure changes the cases that it gives away, and rows of others whose texts named the person', async () => {
  const team = await aTeam(service);
  const email = anEmail('erased');
  const { user_id } = await team.anActiveMember({ email });
  const given = await aCase(service, team, { userId: user_id ?? '' });
  const userId = team.owner.user_id;
  const named = await aCase(service, team, { userId, title: `Ask ${email}` });
  await aCase(service, team, { userId, title: 'Ask somebody' });
  const noted = await anAssignment(service, team, { memberId: team.owner.member_id, note: `With ${email}` });
  const scored = await aScoredTraining(service, team, {
    userId,
    evaluation: { ...anEvaluation({ strongest: `Better than ${email}` }), savedAt: service.clock.now() },
  });
  const connection = await aCrmConnection(service, team);
  const owned = await aDeal(service, team, connection, { ownerUserId: user_id ?? null });
  const titled = await aDeal(service, team, connection, { title: `With ${email}` });
  const objection = await anObjection(service, team, titled, { text: `Too dear for ${email}` });
  await anObjection(service, team, await aDeal(service, team, connection));
  const changed = await changedBy(service, team, () => erase(service, email));
  const rows = [
    `assignment ${noted}`,
    `case ${given}`,
    `case ${named}`,
    `training ${scored}`,
    `deal ${owned}`,
    `deal ${titled}`,
    `objection ${objection}`,
  ];
  expect(changed.filter((row) => !row.startsWith('member '))).toEqual(rows.toSorted());
});

it('a sync changes the deals that it found, and of the objections those that are new or different', async () => {
  const team = await aTeam(service);
  const acting = await team.acting();
  const connection = await aCrmConnection(service, team, { provider: 'feed' });
  const texts = { category: 'price', lang: 'de' };
  const same = { id: '1', dealId: 'a', text: 'same', ...texts };
  const found = { deals: [{ id: 'a', outcome: 'open' as const }], objections: [same, { ...same, id: '2' }] };
  await storeFound(acting, connection, { ...found, deals: [...found.deals, { id: 'b', outcome: 'open' }] });
  const idOf = async (externalId: string) =>
    (await service.database.prisma.crmDeal.findFirst({ where: { tenantId: team.id, externalId } }))?.id;
  const other = await service.database.prisma.crmObjection.findFirst({ where: { tenantId: team.id, externalId: '2' } });
  const again = () =>
    storeFound(acting, connection, { ...found, objections: [same, { ...same, id: '2', text: 'other' }] });
  const rows = [`deal ${await idOf('a')}`, `objection ${other?.id}`];
  expect(await changedBy(service, team, again)).toEqual(rows);
  expect(await changedBy(service, team, again)).toEqual(rows.slice(0, 1));
});

it('a change that keeps every value changes nothing', async () => {
  const team = await aTeam(service, { members: 1 });
  const title = 'The same';
  const id = await aCase(service, team, { userId: team.owner.user_id, title });
  const assignment = await anAssignment(service, team, { memberId: team.owner.member_id, note: title });
  const changes = async () => {
    for (const [path, body] of [
      [`/cases/${id}`, { title }],
      [`/assignments/${assignment}`, { note: title, status: 'open' }],
      [`/users/${team.members[0]?.id}`, { role: 'member' }],
    ] as const) {
      expect((await team.client.patch(path, body)).status).toBe(200);
    }
  };
  expect(await changedBy(service, team, changes)).toEqual([]);
});
