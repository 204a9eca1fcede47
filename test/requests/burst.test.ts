import { expect, it, vi } from 'vitest';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService({ own: true });

it('a burst of requests is written while it runs, by the request that fills the batch', async () => {
  const [team, other] = [await aTeam(service), await aTeam(service)];
  const clients = [await team.aClient(), await team.aClient(), await other.aClient()];
  const written = (tenantId: string) => service.database.prisma.requestLogEntry.count({ where: { tenantId } });
  for (let round = 0; round < 50; round += 1) await Promise.all(clients.map((client) => client.get('/me')));
  await vi.waitFor(
    async () => expect((await written(team.id)) + (await written(other.id))).toBeGreaterThanOrEqual(100),
    { timeout: 60_000 },
  );
  expect(await written(other.id)).toBeGreaterThan(0);
});
