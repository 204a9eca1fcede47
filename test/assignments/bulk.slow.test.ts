import { expect, it } from 'vitest';
import { createClient } from '../../src/packages/client/index.ts';
import { keyBudget, usedOf } from '../support/budgets.ts';
import { aCombination } from '../support/practice.ts';
import { aReceiver } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { aDispatcher, anEndpointAt } from '../support/worker.ts';

const service = await useTestService({ own: true });
const { prisma } = service.database;

it('a thousand assignments are ten requests: half of them are wrong, the others are created, audited and sent once each', async () => {
  const team = await aTeam(service, { members: 20 });
  const combination = await aCombination(service);
  const receiver = await aReceiver();
  const endpoint = await anEndpointAt(service, team, receiver.url);
  const tenantId = team.id;
  await prisma.webhookEndpoint.updateMany({ where: { tenantId }, data: { events: ['assignment.created'] } });
  await aDispatcher(service);
  const key = await team.aKey();
  let requests = 0;
  const api = createClient({
    baseUrl: service.baseUrl,
    key: key.text,
    fetch: (url, init) => {
      requests += 1;
      return fetch(url, init);
    },
  });

  const items = Array.from({ length: 1_000 }, (_, at) => ({
    member_id: team.members[at % 20]?.id ?? '',
    title: at % 2 === 0 ? `Talk ${at}` : '',
    ...combination,
  }));
  const results = await api.assignments.createMany(items);
  expect([requests, await usedOf(service, keyBudget(key.id))]).toEqual([10, 100]);
  for (const [at, { assignment, problem }] of results.entries()) {
    if (at % 2 === 0) expect(assignment?.title).toBe(items[at]?.title);
    else expect(problem?.errors).toMatchObject([{ path: ['items', at % 100, 'title'] }]);
  }
  const ids = results.flatMap(({ assignment }) => (assignment ? [assignment.id] : [])).toSorted();
  expect(ids).toHaveLength(500);
  const created = await prisma.assignment.findMany({ where: { tenantId }, orderBy: { id: 'asc' } });
  expect(created.map(({ id }) => id)).toEqual(ids);
  const audited = await prisma.auditEntry.findMany({ where: { tenantId, action: 'assignment.created' } });
  expect(audited.map(({ targetId }) => targetId).toSorted()).toEqual(ids);
  const received = await receiver.untilReceived(500);
  expect(received.map(({ body }) => Object(JSON.parse(body)).data.assignment_id).toSorted()).toEqual(ids);
  expect(await prisma.webhookDelivery.count({ where: { tenantId, endpointId: endpoint.id } })).toBe(500);
});
