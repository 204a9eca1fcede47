import { describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/database.ts';
import { completeAssignment } from '../../src/modules/assignments/service.ts';
import { lockTeamShared } from '../../src/platform/team-row.ts';
import { aCombination, anAssignment, aTraining } from '../support/practice.ts';
import type { Answer } from '../support/client.ts';
import { auditEntriesOn, eventDataOf } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { untilLockWaits } from '../support/postgres.ts';

const service = await useTestService();
const combination = await aCombination(service);

const times = (count: number) => Array.from({ length: count }, (_, index) => index);
const row = (team: TestTeam, id: string) =>
  service.database.prisma.assignment.findUnique({ where: { tenantId_id: { tenantId: team.id, id } } });

/** A running training of an assignment, and the function with which its runtime ends it. */
const aRunningTraining = async (team: TestTeam, assignmentId: string) => {
  const id = await aTraining(service, team, { userId: team.owner.user_id, assignmentId });
  const acting = await team.acting();
  const endIn = async (tx: Tx, meanwhile = async () => {}) => {
    const held = await lockTeamShared(tx, acting);
    await completeAssignment(tx, held, { id: assignmentId, trainingId: id });
    await meanwhile();
    await tx.training.updateMany({ where: { tenantId: team.id, id }, data: { status: 'ended' } });
  };
  return {
    id,
    end: (meanwhile?: () => Promise<void>) => service.database.transaction((tx) => endIn(tx, meanwhile)),
  };
};
const trainingRow = (team: TestTeam, id: string) =>
  service.database.prisma.training.findUnique({ where: { tenantId_id: { tenantId: team.id, id } } });

describe('several at once', () => {
  it('changes into done raise assignment.completed once and are audited once', async () => {
    const team = await aTeam(service);
    const id = await anAssignment(service, team, { memberId: team.owner.member_id });
    let calls: Promise<Answer>[] = [];
    await service.database.transaction(async (tx) => {
      await tx.$executeRaw`select from assignment where tenant_id = ${team.id}::uuid and id = ${id}::uuid for update`;
      calls = times(4).map(() => team.client.patch(`/assignments/${id}`, { status: 'done' }));
      await untilLockWaits(service, { count: 4 });
    });
    const answers = await Promise.all(calls);
    expect(answers.map(({ status, body }) => [status, body['status']])).toEqual(times(4).map(() => [200, 'done']));
    expect(await eventDataOf(service, team, 'assignment.completed')).toHaveLength(1);
    expect(await auditEntriesOn(service, team, id)).toHaveLength(1);
  });

  it('deletions: one succeeds, the others get not_found', async () => {
    const team = await aTeam(service);
    const id = await anAssignment(service, team, { memberId: team.owner.member_id });
    let calls: Promise<Answer>[] = [];
    await service.database.transaction(async (tx) => {
      await tx.$executeRaw`select from assignment where tenant_id = ${team.id}::uuid and id = ${id}::uuid for update`;
      calls = times(4).map(() => team.client.delete(`/assignments/${id}`));
      await untilLockWaits(service, { count: 4 });
    });
    const answers = await Promise.all(calls);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    expect(await auditEntriesOn(service, team, id)).toHaveLength(1);
  });
});

describe('a deletion and a training of it that ends', () => {
  it('if the training was first, the deletion waits, and the training keeps no assignment', async () => {
    const team = await aTeam(service);
    const id = await anAssignment(service, team, { memberId: team.owner.member_id });
    const training = await aRunningTraining(team, id);
    let deletion: ReturnType<typeof team.client.delete> | undefined;
    await training.end(async () => {
      deletion = team.client.delete(`/assignments/${id}`);
      await untilLockWaits(service);
    });
    expect((await deletion)?.status).toBe(200);
    expect(await trainingRow(team, training.id)).toMatchObject({ status: 'ended', assignmentId: null });
    expect(await row(team, id)).toBeNull();
  });
});

describe('the removal of a member and an assignment for them', () => {
  const give = (team: TestTeam, member_id: string) =>
    team.client.post('/assignments', { member_id, title: 'Practise', ...combination });
  const lockMember = (tx: Tx, team: TestTeam, id: string) =>
    tx.$executeRaw`select from member where tenant_id = ${team.id}::uuid and id = ${id}::uuid for update`;
  const givenTo = (team: TestTeam, memberId: string) =>
    service.database.prisma.assignment.findMany({ where: { tenantId: team.id, memberId } });

  it('if the removal was first, the assignment is refused', async () => {
    const team = await aTeam(service, { members: 1 });
    const id = team.members[0]?.id ?? '';
    let removal: Promise<{ status: number }> | undefined;
    let gift: Promise<{ status: number }> | undefined;
    await service.database.transaction(async (tx) => {
      await lockMember(tx, team, id);
      removal = team.client.delete(`/users/${id}`);
      await untilLockWaits(service);
      gift = give(team, id);
      await untilLockWaits(service, { count: 2 });
    });
    expect((await removal)?.status).toBe(200);
    expect((await gift)?.status).toBe(404);
    expect(await givenTo(team, id)).toEqual([]);
  });

  it('if the assignment was first, it is revoked with the others', async () => {
    const team = await aTeam(service, { members: 1 });
    const id = team.members[0]?.id ?? '';
    let removal: Promise<{ status: number }> | undefined;
    let gift: Promise<{ status: number }> | undefined;
    await service.database.transaction(async (tx) => {
      // At this point the request has found the member and waits for the member's row.
      await lockMember(tx, team, id);
      gift = give(team, id);
      await untilLockWaits(service);
      removal = team.client.delete(`/users/${id}`);
      await untilLockWaits(service, { count: 2 });
    });
    expect((await gift)?.status).toBe(201);
    expect((await removal)?.status).toBe(200);
    expect(await givenTo(team, id)).toMatchObject([{ status: 'revoked' }]);
  });

  it('in any order, no assignment stays open', async () => {
    const team = await aTeam(service, { members: 12 });
    for (const { id } of team.members) {
      const [removal, ...gifts] = await Promise.all([
        team.client.delete(`/users/${id}`),
        ...times(3).map(() => give(team, id)),
      ]);
      expect(removal.status).toBe(200);
      for (const { status } of gifts) expect([201, 404]).toContain(status);
      for (const { status } of await givenTo(team, id)) expect(status).toBe('revoked');
    }
  });
});

describe('details switched off while a call is under way', () => {
  it.each([
    ['assignment.created', 'POST'],
    ['assignment.completed', 'PATCH'],
  ])('%s has no personal data', async (type, method) => {
    const team = await aTeam(service);
    const id = await anAssignment(service, team, { memberId: team.owner.member_id });
    let call: Promise<{ status: number }> | undefined;
    await service.database.transaction(async (tx) => {
      await tx.$executeRaw`select from team where id = ${team.id}::uuid for update`;
      call =
        method === 'POST'
          ? team.client.post('/assignments', { member_id: team.owner.member_id, title: 'Practise', ...combination })
          : team.client.patch(`/assignments/${id}`, { status: 'done' });
      await untilLockWaits(service);
      await tx.team.update({ where: { id: team.id }, data: { memberDetailEnabled: false } });
    });
    expect((await call)?.status).toBe(method === 'POST' ? 201 : 200);
    const [eventData] = await eventDataOf(service, team, type);
    expect(eventData).toMatchObject({ team_id: team.id });
    expect(eventData).not.toHaveProperty('user_id');
  });
});
