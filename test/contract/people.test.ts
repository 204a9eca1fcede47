import { describe, expect, it } from 'vitest';
import { allScopes } from '../../src/core/scopes.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf } from '../../src/platform/trpc/procedures.ts';
import { apiInTheApp } from '../support/app-caller.ts';
import { aCombination } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { aDelivery } from '../support/webhooks.ts';

const service = await useTestService();

describe('an admin in the app', () => {
  it('can make every change that the API can, and the audit log names them for each', async () => {
    const team = await aTeam(service, { members: 2 });
    const [member, other] = team.members;
    const user_id = member?.user_id ?? '';
    const api = await apiInTheApp(team, allScopes);
    const before = await service.database.prisma.auditEntry.count({ where: { tenantId: team.id } });

    const invited = await api.members.invite({ email: `new.${team.id}@example.com` });
    await api.members.changeRole({ member_id: member?.id ?? '', role: 'admin' });
    await api.members.remove({ member_id: other?.id ?? '' });

    const practice = { title: 'Practise', ...(await aCombination(service)) };
    const { id: assignment_id } = await api.assignments.create({ member_id: invited.id, ...practice });
    await api.assignments.change({ assignment_id, status: 'done' });
    await api.assignments.remove({ assignment_id });

    const { id: case_id } = await api.cases.create({ user_id, title: 'A case' });
    await api.cases.change({ case_id, title: 'Another' });
    await api.cases.remove({ case_id });

    const events: ['member.joined'] = ['member.joined'];
    const { id: endpoint_id } = await api.webhooks.create({ url: 'https://hooks.example.com/', events });
    await api.webhooks.change({ endpoint_id, description: 'Ours' });
    await api.webhooks.test({ endpoint_id });
    await api.webhooks.check({ endpoint_id });
    const delivery_id = await aDelivery(service, team, { endpointId: endpoint_id, status: 'gave_up' });
    await api.webhooks.retry({ delivery_id });
    await api.webhooks.recover({ endpoint_id, since: '2026-01-01T00:00:00Z' });
    await api.webhooks.remove({ endpoint_id });

    const entries = await service.database.prisma.auditEntry.findMany({
      where: { tenantId: team.id },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      skip: before,
    });
    expect(entries.map(({ action }) => action).toSorted()).toEqual([
      'assignment.changed',
      'assignment.created',
      'assignment.deleted',
      'case.changed',
      'case.created',
      'case.deleted',
      'member.joined',
      'member.removed',
      'member.role_changed',
      'webhook_delivery.retried',
      'webhook_endpoint.changed',
      'webhook_endpoint.checked',
      'webhook_endpoint.created',
      'webhook_endpoint.deleted',
      'webhook_endpoint.recovered',
      'webhook_endpoint.tested',
    ]);
    for (const { action, actorKind, actorId } of entries) {
      expect([action, actorKind, actorId]).toEqual([action, 'person', team.owner.user_id]);
    }
    // What people do in the app is no news for the customer's programs, except for who joins and leaves.
    const raised = await service.database.prisma.webhookEvent.findMany({ where: { tenantId: team.id } });
    expect(new Set(raised.map(({ type }) => type))).toEqual(new Set(['member.joined', 'member.removed', 'ping']));
    // Every changing operation was called. A new one needs a line here.
    const changing = operationsOf(publicRouter).filter(({ operation }) => !operation.route.startsWith('GET '));
    expect(changing).toHaveLength(entries.length);
  });
});
