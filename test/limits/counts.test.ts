import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { expectRefusal, inTheApp } from '../support/app-caller.ts';
import { anAssignment, aCase } from '../support/practice.ts';
import { aCrmConnection, aDeal, anObjection } from '../support/crm.ts';
import { useConnection } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { aDelivery, anEndpoint } from '../support/webhooks.ts';
import { costOf } from '../support/plans.ts';

// The counts above the app's lists. Those of members and trainings are tested with their lists.

const service = await useTestService();
const client = await useConnection(service.databaseUrl);

const exactly = (count: number) => ({ count, more: false });

describe('the count of a list', () => {
  it('of assignments has those that match the filters', async () => {
    const team = await aTeam(service, { members: 1 });
    const [memberId, other] = [team.owner.member_id, team.members[0]?.id ?? ''];
    await anAssignment(service, team, { memberId, dueDate: new Date('2020-01-01') });
    await anAssignment(service, team, { memberId, status: 'done' });
    await anAssignment(service, team, { memberId: other });
    const elsewhere = await aTeam(service);
    await anAssignment(service, elsewhere, { memberId: elsewhere.owner.member_id });
    const { assigning } = await inTheApp(team);
    expect(await assigning.count({})).toEqual(exactly(3));
    expect(await assigning.count({ member_id: memberId })).toEqual(exactly(2));
    expect(await assigning.count({ member_id: memberId, status: 'unfinished' })).toEqual(exactly(1));
    expect(await assigning.count({ overdue: true })).toEqual(exactly(1));
    expect(await assigning.count({ until: '2020-01-01T00:00:00Z' })).toEqual(exactly(0));
    expect(await assigning.count({ member_id: 'nobody' })).toEqual(exactly(0));
  });

  it('of cases has those of the team, or of one user', async () => {
    const team = await aTeam(service, { members: 1 });
    const user_id = team.members[0]?.user_id ?? '';
    await aCase(service, team, { userId: team.owner.user_id });
    await aCase(service, team, { userId: user_id });
    await aCase(service, team, { userId: user_id, private: true });
    const { teamCases } = await inTheApp(team);
    expect(await teamCases.count({})).toEqual(exactly(2));
    expect(await teamCases.count({ user_id })).toEqual(exactly(1));
    expect(await teamCases.count({ user_id: 'nobody' })).toEqual(exactly(0));
  });

  it('of deals and objections leaves out connections that were disconnected', async () => {
    const team = await aTeam(service);
    const active = await aCrmConnection(service, team);
    const left = await aCrmConnection(service, team, { active: false });
    await aDeal(service, team, left);
    const deal = await aDeal(service, team, active);
    for (let n = 0; n < 2; n += 1) await anObjection(service, team, deal);
    const { crm } = await inTheApp(team);
    expect(await crm.countDeals({})).toEqual(exactly(1));
    expect(await crm.countObjections({})).toEqual(exactly(2));
  });

  it('of an endpoint’s deliveries has those that match the filters', async () => {
    const team = await aTeam(service);
    const [endpointId, other] = [await anEndpoint(service, team), await anEndpoint(service, team)];
    await aDelivery(service, team, { endpointId, status: 'ok' });
    await aDelivery(service, team, { endpointId, status: 'gave_up' });
    await aDelivery(service, team, { endpointId: other, status: 'ok' });
    const { webhookHistory } = await inTheApp(team);
    const count = (filters: object) => webhookHistory.countDeliveries({ endpoint_id: endpointId, ...filters });
    expect(await count({})).toEqual(exactly(2));
    expect(await count({ status: 'gave_up' })).toEqual(exactly(1));
    expect(await count({ until: '2020-01-01T00:00:00Z' })).toEqual(exactly(0));
    await expectRefusal(webhookHistory.countDeliveries({ endpoint_id: makeId() }), { code: 'not_found' });
  });

  it('of the audit log leaves out what the list does not show', async () => {
    const team = await aTeam(service, { members: 1 });
    await team.client.patch(`/users/${team.members[0]?.id}`, { role: 'admin' });
    await aCase(service, team, { userId: team.owner.user_id, private: true });
    const { audit } = await inTheApp(team);
    const { data } = await audit.list({ limit: 200 });
    expect(await audit.count({})).toEqual(exactly(data.length));
    expect(await audit.count({ action: 'member.role_changed' })).toEqual(exactly(1));
    expect(await audit.count({ action: 'member.role_changed', actor_kind: 'operator' })).toEqual(exactly(0));
  });

  it('reads at most 10,001 rows, says that there are more, and nothing untrue about those that it has not read', async () => {
    const made = await aTeam(service);
    await client.query(
      `insert into audit_entry (tenant_id, id, actor_kind, action, target_type, target_id, data, created_at)
       select $1, gen_random_uuid(), case when n = 1 then 'operator' when n < 40 then 'key' else 'person' end::actor_kind,
              'team.changed', 'team', 'one', '{}', now() - n * interval '1 second' from generate_series(1, 20000) n`,
      [made.id],
    );
    await client.query('analyze audit_entry');
    const { audit } = await inTheApp(made);
    expect(await audit.count({ action: 'team.changed' })).toEqual({ count: 10_000, more: true });
    expect(await audit.count({ action: 'team.changed', actor_kind: 'key' })).toEqual({ count: 37, more: true });
    expect(await audit.count({ action: 'team.changed', actor_kind: 'service' })).toEqual({ count: 0, more: true });
    const team = await made.acting();
    const whole = await costOf(client, team, (asking) =>
      asking.platform.database.prisma.auditEntry.count({ where: { tenantId: team.id } }),
    );
    expect(await costOf(client, team, async () => audit.count({ action: 'team.changed' }))).toBeLessThan(whole);
  });
});
