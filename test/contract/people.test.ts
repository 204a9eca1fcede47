import { describe, expect, it } from 'vitest';
import { operationInputs, parametersOf, calledOperations } from '../support/operations.ts';
import { aSignedInPerson } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { hoursToMs, later } from '../../src/core/clock.ts';
import { anEvent } from '../support/webhooks.ts';
import { routes } from './rows/routes.ts';

const service = await useTestService();
const { prisma } = service.database;
const { idOf, bodyFor } = operationInputs(service);

describe('an admin in the app', () => {
  it('can make every change that the API can, and the audit log names them for each', async () => {
    const team = await aTeam(service);
    const { browser, userId } = await aSignedInPerson(service, team, { role: 'admin' });
    // For the endpoint that recovers what it has missed: not older than the endpoint, which is created below.
    await anEvent(service, team, { at: later(service.clock.now(), hoursToMs(1)) });
    const where = { tenantId: team.id };
    const eventIds = async () => (await prisma.webhookEvent.findMany({ where })).map(({ id }) => id);
    const raised = new Set<string>();

    for (const operation of calledOperations().filter(({ openapi }) => openapi.method !== 'GET')) {
      const { name, title } = operation;
      const input: Record<string, unknown> = { ...(await bodyFor(operation, team)) };
      for (const parameter of parametersOf(operation)) input[parameter] = await idOf(parameter, team);
      const [audited, known] = [await prisma.auditEntry.count({ where }), await eventIds()];

      const { status, text } = await browser.mutate(`api/${name}`, input, { team: team.id });
      expect(status, `${title}: ${text}`).toBe(200);

      const entries = await prisma.auditEntry.findMany({
        where,
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        skip: audited,
      });
      const done = entries.map(({ action, actorKind, actorId }) => [action, actorKind, actorId]);
      const items = Array.isArray(input['items']) ? input['items'].length : 1;
      expect(done, title).toEqual(Array.from({ length: items }, () => [routes[title]?.audit, 'person', userId]));
      const events = await prisma.webhookEvent.findMany({ where: { ...where, id: { notIn: known } } });
      for (const { type } of events) raised.add(type);
    }
    // What people do in the app is no news for the customer's programs, except for who joins and leaves.
    expect(raised).toEqual(new Set(['member.joined', 'member.removed', 'ping']));
  });
});
