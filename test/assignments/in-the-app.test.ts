import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiInTheApp } from '../support/app-caller.ts';
import { aCombination, anAssignment } from '../support/assignments.ts';
import { auditEntriesOn } from '../support/audit-entries.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const scopes = ['assignments:read', 'assignments:write'] as const;

describe('assignments made by people in the app', () => {
  it('are the same to the API, raise no event of their own, and are audited with the person', async () => {
    const team = await aTeam(service, { members: 1 });
    const { assignments } = await apiInTheApp(team, scopes);
    const member = team.members[0];
    const body = { member_id: member?.id ?? '', title: 'Practise', ...(await aCombination(service)) };
    const made = await assignments.create(body);
    expect(made).toMatchObject({ status: 'open', member_user_id: member?.user_id, member_email: member?.email });
    expect((await team.client.get(`/assignments/${made.id}`)).body).toEqual(made);
    expect(await assignments.list({})).toEqual((await team.client.get('/assignments')).body);

    expect(await assignments.change({ assignment_id: made.id, status: 'done' })).toMatchObject({ status: 'done' });
    expect(await assignments.change({ assignment_id: made.id })).toMatchObject({ status: 'done' });
    expect(await assignments.remove({ assignment_id: made.id })).toEqual({ ok: true });

    const types = await service.database.prisma.webhookEvent.findMany({ where: { tenantId: team.id } });
    expect(types.map(({ type }) => type)).toEqual(['member.joined']);
    const actor = ['person', team.owner.user_id];
    expect(await auditEntriesOn(service, team, made.id)).toMatchObject([
      { action: 'assignment.created', actor },
      { action: 'assignment.changed', actor, data: { changed: ['status'], from: 'open', to: 'done' } },
      { action: 'assignment.deleted', actor },
    ]);
  });

  it('need the rights that map to the scopes', async () => {
    const team = await aTeam(service);
    const assignment_id = await anAssignment(service, team, { memberId: team.owner.member_id });
    const { assignments } = await apiInTheApp(team, ['assignments:read']);
    expect(await assignments.get({ assignment_id })).toMatchObject({ id: assignment_id });
    await expect(assignments.change({ assignment_id, status: 'done' })).rejects.toMatchObject({
      cause: { code: 'insufficient_scope' },
    });
    await expect(assignments.remove({ assignment_id })).rejects.toMatchObject({
      cause: { code: 'insufficient_scope' },
    });
  });
});
