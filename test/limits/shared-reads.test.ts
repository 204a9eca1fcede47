import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { inTheApp } from '../support/app-caller.ts';
import { aTeam } from '../support/team.ts';
import { untilLockWaits } from '../support/postgres.ts';

const service = await useTestService();

describe('while forty slow reads of one team are running', () => {
  it('over the API and in the app, other teams are answered, and the forty are served at the end', async () => {
    const [busy, calm] = [await aTeam(service), await aTeam(service)];
    const app = await inTheApp(busy);
    let overApi: Promise<Answer>[] = [];
    let inApp: Promise<unknown>[] = [];
    await service.database.transaction(async (tx) => {
      // Everything that reads the catalog waits for this lock.
      await tx.$executeRaw`lock table catalog_item in access exclusive mode`;
      overApi = Array.from({ length: 20 }, () => busy.client.get('/catalog'));
      inApp = Array.from({ length: 20 }, () => app.catalog.items({}));
      await untilLockWaits(service, { count: 4 });
      for (const path of ['/me', '/users', '/assignments']) {
        expect((await calm.client.get(path)).status).toBe(200);
      }
    });
    expect((await Promise.all(overApi)).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(await Promise.all(inApp)).toHaveLength(20);
  });
});
