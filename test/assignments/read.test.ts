import { describe, expect, it } from 'vitest';
import { aCombination, anAssignment } from '../support/practice.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { allListed } from '../support/pages.ts';

const service = await useTestService();

const idsOf = (rows: Record<string, unknown>[]) => rows.map(({ id }) => id);
const aFull = async (team: TestTeam) => {
  const combination = await aCombination(service);
  const id = await anAssignment(service, team, {
    memberId: team.owner.member_id,
    status: 'in_progress',
    title: 'Price talk',
    situationId: combination.situation_id,
    personalityId: combination.personality_id,
    industryId: combination.industry_id,
    note: 'Calmly.',
    dueDate: new Date('2026-12-24'),
    focusDimension: 'closing',
    createdAt: new Date('2026-11-20T08:30:00.123Z'),
  });
  const shown = {
    id,
    status: 'in_progress',
    title: 'Price talk',
    ...combination,
    member_user_id: team.owner.user_id,
    member_email: team.owner.email,
    note: 'Calmly.',
    due_date: '2026-12-24',
    focus_dimension: 'closing',
    completed_training_id: null,
    created_at: '2026-11-20T08:30:00.123Z',
    updated_at: expect.any(String),
  };
  return { id, shown };
};

describe('GET /assignments', () => {
  it('200: has every field, and those of the member', async () => {
    const team = await aTeam(service);
    const { shown } = await aFull(team);
    expect((await team.client.get('/assignments')).body).toEqual({ data: [shown], next_cursor: null });
  });

  it('200: is empty at first, and has nothing of other teams', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    await anAssignment(service, other, { memberId: other.owner.member_id });
    expect((await team.client.get('/assignments')).body).toEqual({ data: [], next_cursor: null });
  });

  it('200: newest first, also among those of one millisecond', async () => {
    const team = await aTeam(service);
    const memberId = team.owner.member_id;
    const at = (time: string) => anAssignment(service, team, { memberId, createdAt: new Date(time) });
    const middle = [await at('2026-05-01T10:00:00Z'), await at('2026-05-01T10:00:00Z')];
    const newest = await at('2026-05-01T10:00:00.001Z');
    const oldest = await at('2026-04-30T23:59:59.999Z');
    const expected = [newest, ...middle.toSorted().toReversed(), oldest];
    expect(idsOf((await team.client.get('/assignments')).data)).toEqual(expected);
  });

  it('200: pages yield each exactly once while others are added and revoked', async () => {
    const team = await aTeam(service, { members: 1 });
    const memberId = team.members[0]?.id ?? '';
    const createdAt = new Date('2026-05-01T10:00:00Z');
    const there: string[] = [];
    while (there.length < 7) there.push(await anAssignment(service, team, { memberId, createdAt }));
    let pages = 0;
    const rows = await allListed(team.client, '/assignments?limit=2', async ({ data }) => {
      expect(data.length).toBeLessThanOrEqual(2);
      await anAssignment(service, team, { memberId });
      pages += 1;
      if (pages === 2) await team.client.delete(`/users/${memberId}`);
    });
    expect(idsOf(rows)).toEqual(there.toSorted().toReversed());
  });

  it.each(['active', 'invited'])('200: assignments of a former member who was %s stay, revoked', async (status) => {
    const team = await aTeam(service, { members: 1 });
    const [leaver, others] =
      status === 'active'
        ? [team.members[0], [await team.anActiveMember(), await team.anInvitedMember()]]
        : [await team.anInvitedMember(), [await team.anActiveMember(), await team.anInvitedMember()]];
    const memberId = leaver?.id ?? '';
    for (const { id } of others) await anAssignment(service, team, { memberId: id });
    const withdrawn = await anAssignment(service, team, { memberId, status: 'revoked' });
    const id = await anAssignment(service, team, { memberId, status: 'in_progress' });
    await team.client.delete(`/users/${memberId}`);
    expect((await team.client.get('/assignments')).data).toMatchObject([
      { id, status: 'revoked', member_email: leaver?.email },
      { id: withdrawn, status: 'revoked' },
      { status: 'open' },
      { status: 'open' },
    ]);
    expect(await auditEntriesOn(service, team, withdrawn)).toEqual([]);
    expect(await auditEntriesOn(service, team, id)).toMatchObject([
      {
        action: 'assignment.changed',
        data: { changed: ['status'], from: 'in_progress', to: 'revoked', member_removed: true },
      },
    ]);
  });
});

describe('GET /assignments/{assignment_id}', () => {
  it('200: an assignment with only the required fields', async () => {
    const team = await aTeam(service);
    const member = await team.anInvitedMember();
    const id = await anAssignment(service, team, { memberId: member.id, title: null });
    expect((await team.client.get(`/assignments/${id}`)).body).toEqual({
      id,
      status: 'open',
      title: null,
      situation_id: null,
      personality_id: null,
      industry_id: null,
      member_user_id: null,
      member_email: member.email,
      note: null,
      due_date: null,
      focus_dimension: null,
      completed_training_id: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });
});
