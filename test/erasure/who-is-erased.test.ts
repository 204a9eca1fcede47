import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { memberMessages } from '../../src/core/messages/people.ts';
import {
  addLostErasureJobs,
  eraseAll,
  eraseFormerMember,
  eraseNext,
  erasePerson,
  listRunning,
} from '../../src/modules/erasure/service.ts';
import { steps } from '../../src/modules/erasure/steps.ts';
import { addActivePerson } from '../../src/modules/members/invitations.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { anAssignment, aCase, aTraining, aScoredTraining, anEvaluation } from '../support/practice.ts';
import { aCrmConnection, aDeal, anObjection } from '../support/crm.ts';
import { aPerson } from '../support/people.ts';
import { withSql } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';
import { asOwner, operator, pendingOf, refusal } from './erasing.ts';

// What an erasure takes on and what it leaves, by what the person was to a team.

const service = await useTestService({ own: true });
service.clock.stop();
const { prisma } = service.database;

const begun = ({ id: tenantId }: TestTeam) => prisma.erasure.findFirstOrThrow({ where: { tenantId } });
const accountsOf = (email: string) => prisma.person.count({ where: { email } });
const eraseFormer = async (team: TestTeam, memberId: string) => eraseFormerMember(await asOwner(team), memberId);
const placeholderIn = async (team: TestTeam) => {
  const { placeholderMemberId: id } = await begun(team);
  const member = await prisma.member.findUniqueOrThrow({ where: { tenantId_id: { tenantId: team.id, id } } });
  const { person } = await prisma.teamUser.findUniqueOrThrow({
    where: { tenantId_id: { tenantId: team.id, id: member.userId ?? '' } },
    include: { person: true },
  });
  return { ...member, name: person.name };
};

describe('the placeholder', () => {
  it.each([
    ['de', 'Gelöschte Person'],
    ['en', 'Erased person'],
  ] as const)(
    'of a member has left, was there as long, and has a name in the team’s language: %s',
    async (language, name) => {
      const team = await aTeam(service, { language });
      const { memberId } = await aPerson(team);
      const { joinedAt, createdAt } = await prisma.member.findUniqueOrThrow({
        where: { tenantId_id: { tenantId: team.id, id: memberId } },
      });
      service.clock.forward(60_000);
      await removeMember(await asOwner(team), memberId);
      await eraseFormer(team, memberId);
      expect(await placeholderIn(team)).toMatchObject({
        name,
        role: 'member',
        status: 'ended',
        endedAt: service.clock.now(),
        joinedAt,
        createdAt,
      });
    },
  );

  it('has no external id, and the person has none either from the first moment on', async () => {
    const team = await aTeam(service);
    const { memberId } = await aPerson(team);
    const { status } = await team.client.patch(`/users/${memberId}`, { role: 'member', external_id: 'E-7' });
    expect(status).toBe(200);
    await removeMember(await asOwner(team), memberId);
    await eraseFormer(team, memberId);
    expect(await prisma.member.count({ where: { tenantId: team.id, externalId: { not: null } } })).toBe(0);
  });

  it('of the owner of a team that has ended is its owner, and that of anybody else is not', async () => {
    const team = await aTeam(service);
    const { email, memberId } = await aPerson(team);
    await team.change({ status: 'ended' });
    await erasePerson(service.platform, operator, email);
    expect(await placeholderIn(team)).toMatchObject({ role: 'member', status: 'ended' });
    expect(await prisma.deletion.count({ where: { tenantId: team.id, resource: 'users', id: memberId } })).toBe(1);
    await eraseAll(service.platform, await pendingOf(service, team.id));
    await erasePerson(service.platform, operator, team.owner.email);
    expect(await placeholderIn(team)).toMatchObject({ role: 'owner', status: 'active', endedAt: null });
    const owners = await prisma.member.findMany({ where: { tenantId: team.id, role: 'owner' } });
    expect(owners).toHaveLength(1);
  });
});

describe('an erasure', () => {
  it('looks for all addresses of a person, and for the name if there is one', async () => {
    const team = await aTeam(service);
    const { email, memberId } = await aPerson(team, { name: 'Mia Zorn' });
    await removeMember(await asOwner(team), memberId);
    const renamed = anEmail('renamed');
    await prisma.person.update({ where: { email }, data: { email: renamed } });
    await eraseFormer(team, memberId);
    expect(await begun(team)).toMatchObject({ emails: [email, renamed], names: ['Mia Zorn'], memberIds: [memberId] });
  });

  it('of an invitation that was never accepted, and has ended, looks for its address alone', async () => {
    const team = await aTeam(service);
    const { id, email } = await team.anInvitedMember();
    await removeMember(await asOwner(team), id);
    await eraseFormer(team, id);
    expect(await begun(team)).toMatchObject({ emails: [email], names: [], userId: null, personId: null });
    await eraseAll(service.platform, await pendingOf(service, team.id));
    expect(await prisma.member.count({ where: { tenantId: team.id, id } })).toBe(0);
  });

  it('covers every membership of the person in the team, also an invitation to the address', async () => {
    const team = await aTeam(service);
    const { email, memberId } = await aPerson(team);
    await removeMember(await asOwner(team), memberId);
    const again = await addActivePerson(await asOwner(team), { email, role: 'member' });
    await removeMember(await asOwner(team), again.id);
    await eraseFormer(team, memberId);
    expect((await begun(team)).memberIds.toSorted()).toEqual([memberId, again.id].toSorted());
  });

  it('is refused to the owner for somebody who came back, with the reason', async () => {
    const team = await aTeam(service);
    const { email, memberId } = await aPerson(team);
    await removeMember(await asOwner(team), memberId);
    await addActivePerson(await asOwner(team), { email, role: 'member' });
    await expect(eraseFormer(team, memberId)).rejects.toMatchObject({
      ...refusal('conflict'),
      members: { detail: memberMessages.stillMember.en },
    });
    expect(await prisma.erasure.count({ where: { tenantId: team.id } })).toBe(0);
  });

  it('shows assignments and trainings to readers of changes at once: they are no longer the person’s', async () => {
    const team = await aTeam(service);
    const { email, memberId, userId } = await aPerson(team);
    const assignment = await anAssignment(service, team, { memberId });
    const other = await anAssignment(service, team, { memberId: team.owner.member_id });
    const training = await aTraining(service, team, { userId });
    service.clock.forward(60_000);
    await erasePerson(service.platform, operator, email);
    const now = service.clock.now();
    const timesOf = async (id: string) =>
      (await prisma.assignment.findUniqueOrThrow({ where: { tenantId_id: { tenantId: team.id, id } } })).updatedAt;
    expect(await timesOf(assignment)).toEqual(now);
    expect(await timesOf(other)).not.toEqual(now);
    expect((await team.client.get(`/trainings/${training}`)).status).toBe(404);
  });

  it('shows rows whose texts named the person, and their deals, to readers of changes', async () => {
    const team = await aTeam(service);
    const { email, userId } = await aPerson(team);
    const { user_id: ownerId, member_id: memberId } = team.owner;
    const connectionId = await aCrmConnection(service, team);
    const evaluated = (strongest: string) =>
      aScoredTraining(service, team, {
        userId: ownerId,
        evaluation: { ...anEvaluation({ strongest }), savedAt: service.clock.now() },
      });
    const ofOwner = { ownerUserId: ownerId };
    const other = await aDeal(service, team, connectionId, ofOwner);
    const named = {
      cases: [await aCase(service, team, { userId: ownerId, title: `Call ${email}` })],
      assignments: [await anAssignment(service, team, { memberId, note: `Ask ${email}` })],
      trainings: [
        await aTraining(service, team, { userId: ownerId, externalRef: { for: email } }),
        await evaluated(`As ${email} says`),
      ],
      'crm/deals': [
        await aDeal(service, team, connectionId, { ownerUserId: userId }),
        await aDeal(service, team, connectionId, { ...ofOwner, title: `Of ${email}` }),
      ],
      'crm/objections': [await anObjection(service, team, other, { text: `${email} says no` })],
    };
    await aCase(service, team, { userId: ownerId, title: 'Call somebody' });
    await anAssignment(service, team, { memberId, note: 'Ask somebody' });
    await evaluated('Asks');
    await anObjection(service, team, other, { text: 'No' });
    service.clock.forward(60_000);
    const since = encodeURIComponent(service.clock.now().toISOString());
    await erasePerson(service.platform, operator, email);
    await eraseAll(service.platform, await pendingOf(service, team.id));
    for (const [list, ids] of Object.entries(named)) {
      const more = list === 'trainings' ? '&include=evaluation' : '';
      const { data } = await team.client.get(`/${list}?updated_since=${since}${more}`);
      expect([list, data.map((row) => row['id']).toSorted()]).toEqual([list, ids.toSorted()]);
      expect(JSON.stringify(data)).not.toContain(email);
    }
  });

  it('leaves the time at which an earlier membership ended', async () => {
    const team = await aTeam(service);
    const { email, memberId: id } = await aPerson(team);
    await removeMember(await asOwner(team), id);
    const { id: again } = await addActivePerson(await asOwner(team), { email, role: 'member' });
    const endOf = async (member: string) =>
      (await prisma.member.findUniqueOrThrow({ where: { tenantId_id: { tenantId: team.id, id: member } } })).endedAt;
    const ended = await endOf(id);
    service.clock.forward(60_000);
    await erasePerson(service.platform, operator, email);
    expect([await endOf(id), await endOf(again)]).toEqual([ended, service.clock.now()]);
  });

  it('can’t be asked for by the placeholder of another one', async () => {
    const team = await aTeam(service);
    const { memberId } = await aPerson(team);
    await removeMember(await asOwner(team), memberId);
    await eraseFormer(team, memberId);
    const { id } = await placeholderIn(team);
    await expect(eraseFormer(team, id)).rejects.toMatchObject(refusal('not_found'));
    await expect(eraseFormer(team, makeId())).rejects.toMatchObject(refusal('not_found'));
  });

  it('that knows no step of this name begins again', async () => {
    const team = await aTeam(service);
    const { email, memberId } = await aPerson(team);
    await erasePerson(service.platform, operator, email);
    const key = await pendingOf(service, team.id);
    await prisma.erasure.update({ where: { tenantId_id: key }, data: { step: 'of another version', position: ['x'] } });
    expect(await eraseNext(service.platform, key)).toBe(true);
    expect(await begun(team)).toMatchObject({ step: steps[1]?.name, position: [] });
    await eraseAll(service.platform, key);
    expect(await prisma.member.count({ where: { tenantId: team.id, id: memberId } })).toBe(0);
  });
});

const invitationWaits = async ({ id: tenantId }: TestTeam, email: string): Promise<void> => {
  const now = service.clock.now();
  const row = { tenantId, id: makeId(), email, role: 'member', invitedBy: makeId() } as const;
  await prisma.waitingInvitation.create({ data: { ...row, dueAt: now, createdAt: now } });
};

describe('an account', () => {
  it.each([false, true])('without a team is deleted at once; an invitation waits: %s', async (waits) => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const { email, memberId } = await aPerson(team);
    await removeMember(await asOwner(team), memberId);
    const { personId } = await prisma.teamUser.findFirstOrThrow({ where: { tenantId: team.id, person: { email } } });
    await prisma.member.deleteMany({ where: { tenantId: team.id, id: memberId } });
    await prisma.teamUser.deleteMany({ where: { personId } });
    if (waits) await invitationWaits(other, email);
    expect(await erasePerson(service.platform, operator, email)).toEqual([]);
    expect(await prisma.person.count({ where: { id: personId } })).toBe(0);
  });

  it('stays while another team has invited its address', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const { email, memberId } = await aPerson(team);
    await other.anInvitedMember({ email });
    await removeMember(await asOwner(team), memberId);
    await eraseFormer(team, memberId);
    await eraseAll(service.platform, await pendingOf(service, team.id));
    expect(await accountsOf(email)).toBe(1);
  });

  it('ends with the last of two teams that erase the person one after the other', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const { email, memberId } = await aPerson(team);
    const there = await aPerson(other, { email });
    await removeMember(await asOwner(team), memberId);
    await removeMember(await asOwner(other), there.memberId);
    await eraseFormer(team, memberId);
    const first = await pendingOf(service, team.id);
    expect(await accountsOf(email)).toBe(1);
    await eraseFormer(other, there.memberId);
    const { personId } = await begun(other);
    expect(await accountsOf(email)).toBe(0); // disabled: both teams erase the person
    await eraseAll(service.platform, first);
    expect(await prisma.person.count({ where: { id: personId ?? '' } })).toBe(1);
    await eraseAll(service.platform, await pendingOf(service, other.id));
    expect(await prisma.person.count({ where: { id: personId ?? '' } })).toBe(0);
  });
});

it('an address that only waits to be invited is deleted from the queue, which the audit log says without it', async () => {
  const [team, other] = [await aTeam(service), await aTeam(service)];
  const email = anEmail('waits');
  const stays = anEmail('stays');
  for (const [one, address] of [
    [team, email],
    [team, stays],
    [other, stays],
  ] as const)
    await invitationWaits(one, address);
  expect(await erasePerson(service.platform, operator, email)).toEqual([]);
  expect(await prisma.waitingInvitation.count({ where: { tenantId: { in: [team.id, other.id] } } })).toBe(2);
  const entries = await prisma.auditEntry.findMany({ where: { tenantId: { in: [team.id, other.id] } } });
  expect(entries.filter(({ action }) => action === 'invitation.canceled')).toMatchObject([
    { tenantId: team.id, targetType: 'team', targetId: team.id, data: { invitations: 1 } },
  ]);
});

it('an erasure that is not finished is listed for its team, and its job comes back if it was lost', async () => {
  const [team, other] = [await aTeam(service), await aTeam(service)];
  for (const one of [team, other]) await erasePerson(service.platform, operator, (await aPerson(one)).email);
  const [{ createdAt: startedAt }, { id }] = [await begun(team), await begun(other)];
  expect(await listRunning(await team.acting())).toEqual([{ startedAt, failedAt: null }]);
  const jobs = (select: string) =>
    withSql(service, async (client) => {
      const { rows } = await client.query<{ key: string }>(
        `select ${select} as key from graphile_worker.jobs where task_identifier = 'erase_person' order by 1`,
      );
      return rows.map(({ key }) => key);
    });
  expect((await jobs('key')).some((key) => key.includes(id))).toBe(true);
  await jobs('graphile_worker.remove_job(key)::text');
  expect(await jobs('key')).toEqual([]);
  await addLostErasureJobs(service.platform);
  // Erasures that were run here had a job, too.
  const unfinished = (await prisma.erasure.findMany()).map((row) => `erase_person ${row.tenantId} ${row.id}`);
  expect(await jobs('key')).toEqual(unfinished.toSorted());
});
