import { expect, it } from 'vitest';
import { makeClient } from '../support/client.ts';
import { startObserved } from '../support/production-service.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService({ own: true });

it('an API writes its request log while it runs, and the rest when it stops', async () => {
  const team = await aTeam(service);
  const api = await startObserved(service.databaseUrl, 'api');
  const client = makeClient(api.baseUrl, team.client.key);
  const count = () => service.database.prisma.requestLogEntry.count({ where: { tenantId: team.id } });
  await client.get('/me');
  await expect.poll(count).toBe(1);
  await client.get('/me');
  await client.get('/users');
  await api.stop();
  expect(await count()).toBe(3);
});
