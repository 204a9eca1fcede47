import { describe, expect, it } from 'vitest';
import { importTrainings } from '../../src/modules/trainings/import.ts';
import { anAssignment, aCatalogItem, anEvaluation, dimensions, theTrainings } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService();

const minute = 60_000;
const start = Date.parse('2026-02-02T09:00:00.000Z');
const at = (minutes: number) => new Date(start + minutes * minute);
const totalsOf = async (team: TestTeam) => (await team.client.get('/analytics/team')).body['totals'];

describe('importing a history', () => {
  it('inserts each training as given, in this order, raises and audits nothing, and counts everything', async () => {
    const team = await aTeam(service);
    const { user_id, member_id } = team.owner;
    const assignment_id = await anAssignment(service, team, { memberId: member_id });
    const situation_id = await aCatalogItem(service, { dimension: 'situation' });
    const external_ref = { from: 'elsewhere' };
    const audited = await service.database.prisma.auditEntry.count({ where: { tenantId: team.id } });
    const ids = await theTrainings(service, team, [
      { userId: user_id, status: 'running', createdAt: at(0) },
      { userId: user_id, status: 'aborted', source: 'phone', createdAt: at(1), finishedAt: at(2) },
      {
        userId: user_id,
        status: 'ended',
        source: 'api',
        createdAt: at(3),
        finishedAt: new Date(at(11).getTime() + 999),
        assignmentId: assignment_id,
        situationId: situation_id,
        externalRef: external_ref,
      },
      {
        userId: user_id,
        status: 'ended',
        createdAt: at(5),
        finishedAt: at(6),
        evaluation: { ...anEvaluation({ goal: 'missed' }), savedAt: at(7) },
      },
    ]);
    const { data } = (await team.client.get('/trainings')).body;
    expect(data).toMatchObject([
      { id: ids[3], status: 'scored', source: 'app', duration_s: 60, finished_at: at(6).toISOString() },
      {
        id: ids[2],
        status: 'ended',
        source: 'api',
        duration_s: 480,
        assignment_id,
        situation_id,
        external_ref,
        personality_id: null,
      },
      { id: ids[1], status: 'aborted', source: 'phone', duration_s: 60 },
      { id: ids[0], status: 'running', created_at: at(0).toISOString(), finished_at: null, duration_s: null },
    ]);
    expect((await team.client.get(`/trainings/${ids[3]}/evaluation`)).body).toMatchObject({
      score: { dimensions, total: 63, spread: 44 },
      goal: 'missed',
    });
    const since = async (minutes: number) =>
      (await team.client.get(`/evaluations?updated_since=${at(minutes).toISOString()}`)).data.length;
    expect([await since(7), await since(8)]).toEqual([1, 0]);
    expect(await totalsOf(team)).toMatchObject({ sessions: 2, scored: 1, avg_score: 63 });
    expect(await service.database.prisma.webhookEvent.count({ where: { tenantId: team.id } })).toBe(0);
    expect(await service.database.prisma.auditEntry.count({ where: { tenantId: team.id } })).toBe(audited);
  });

  it('inserts many more than fit into one statement, in addition to existing ones, or none', async () => {
    const team = await aTeam(service, { members: 1 });
    const [member] = team.members;
    const one = { userId: team.owner.user_id, status: 'ended' as const, createdAt: at(0), finishedAt: at(1) };
    await theTrainings(service, team, [one]);
    const evaluation = { ...anEvaluation(), savedAt: at(2) };
    const many = Array.from({ length: 2_500 }, () => ({ ...one, userId: member?.user_id ?? '', evaluation }));
    const ids = await theTrainings(service, team, many);
    expect(new Set(ids).size).toBe(2_500);
    expect(await theTrainings(service, team, [])).toEqual([]);
    expect(await totalsOf(team)).toMatchObject({ sessions: 2_501, scored: 2_500 });
    const ofEach = await service.database.prisma.training.groupBy({
      by: ['userId'],
      where: { tenantId: team.id },
      _count: true,
      orderBy: { _count: { userId: 'asc' } },
    });
    expect(ofEach.map(({ userId, _count }) => [userId, _count])).toEqual([
      [team.owner.user_id, 1],
      [member?.user_id, 2_500],
    ]);
  });

  it('is all or nothing with its surrounding transaction', async () => {
    const team = await aTeam(service);
    const acting = await team.acting();
    const given = [{ userId: team.owner.user_id, status: 'ended', source: 'app', createdAt: at(0) }] as const;
    const undone = service.database.transaction(async (tx) => {
      await importTrainings(tx, acting, given);
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    expect((await team.client.get('/trainings')).data).toEqual([]);
    expect(await totalsOf(team)).toMatchObject({ sessions: 0 });
  });
});
