import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { isUnavailable } from '../../src/db/unavailable.ts';
import { aCombination } from '../support/assignments.ts';
import type { Answer } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { untilLockWaits } from '../support/postgres.ts';

const service = await useTestService();

describe('while forty POSTs of one team wait for a lock on that team', () => {
  it('other teams write and read, and the forty are served once the lock is free', async () => {
    const [busy, calm] = [await aTeam(service), await aTeam(service)];
    const combination = await aCombination(service);
    const bodyFor = (member_id: string) => ({ member_id, title: 'Practise', ...combination });
    let crowd: Promise<Answer>[] = [];
    await service.database.transaction(async (tx) => {
      await tx.$executeRaw`select from team where id = ${busy.id}::uuid for update`;
      crowd = Array.from({ length: 40 }, (_, index) =>
        busy.client.post('/assignments', bodyFor(busy.owner.member_id), {
          headers: index % 2 === 0 ? {} : { 'Idempotency-Key': `crowd ${index}` },
        }),
      );
      await untilLockWaits(service, { count: 4 });
      const plain = await calm.client.post('/assignments', bodyFor(calm.owner.member_id));
      const repeatable = await calm.client.post('/assignments', bodyFor(calm.owner.member_id), {
        headers: { 'Idempotency-Key': 'calm' },
      });
      expect([plain.status, repeatable.status]).toEqual([201, 201]);
      expect((await calm.client.get('/assignments')).data).toHaveLength(2);
      // No further request of the crowd got a connection meanwhile.
      await untilLockWaits(service, { count: 4 });
    });
    const statuses = (await Promise.all(crowd)).map(({ status }) => status);
    expect(statuses).toEqual(Array.from({ length: 40 }, () => 201));
  });
});

it('a request that finds too many of its team waiting is refused at once as unavailable, and the others continue', async () => {
  const database = openDatabase(service.databaseUrl, { poolSize: 2 });
  onTestFinished(() => database.close());
  const held = Promise.withResolvers<string>();
  const first = database.transaction(() => held.promise, { group: 'crowd' });
  const waiting = Array.from({ length: 200 }, () => database.transaction(async () => 'ran', { group: 'crowd' }));
  const refused: unknown = await database
    .transaction(async () => 'ran', { group: 'crowd' })
    .catch((error: unknown) => error);
  expect(isUnavailable(refused)).toBe(true);
  expect(await database.transaction(async () => 'ran', { group: 'other' })).toBe('ran');
  held.resolve('held');
  expect(await first).toBe('held');
  // On a slow machine, the last ones may have waited for too long.
  expect(await Promise.any(waiting)).toBe('ran');
  await Promise.allSettled(waiting);
});
