import { describe, expect, it, onTestFinished } from 'vitest';
import { useTestService } from '../support/service.ts';
import { inTheApp } from '../support/app-caller.ts';
import { aTeam } from '../support/team.ts';
import { untilLockWaits } from '../support/postgres.ts';
import { openDatabase } from '../../src/db/database.ts';
import { problemOf } from '../../src/db/unavailable.ts';
import { aCombination } from '../support/practice.ts';
import { makeClient, type Answer } from '../support/client.ts';
import { startObserved } from '../support/production-service.ts';

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

it('a request that finds too many of its team waiting is refused at once, because of its team, and the others continue', async () => {
  const database = openDatabase(service.databaseUrl, { poolSize: 2 });
  onTestFinished(() => database.close());
  const held = Promise.withResolvers<string>();
  const first = database.transaction(() => held.promise, { group: 'crowd' });
  const waiting = Array.from({ length: 200 }, () => database.transaction(async () => 'ran', { group: 'crowd' }));
  const refused: unknown = await database
    .transaction(async () => 'ran', { group: 'crowd' })
    .catch((error: unknown) => error);
  expect(problemOf(refused)).toMatchObject({ code: 'rate_limited', members: { retry_after: 5 } });
  expect(await database.transaction(async () => 'ran', { group: 'other' })).toBe('ran');
  held.resolve('held');
  expect(await first).toBe('held');
  // On a slow machine, the last ones may have waited for too long.
  expect(await Promise.any(waiting)).toBe('ran');
  await Promise.allSettled(waiting);
});

// Transactions that need a second connection could take all connections and then wait for each other, above all behind
// a connection pooler.

it('a process with one connection answers every kind of POST with an Idempotency-Key', async () => {
  const api = await startObserved(service.databaseUrl, 'api', { DATABASE_POOL: '1' });
  const team = await aTeam(service);
  const client = makeClient(api.baseUrl, team.client.key);
  const [member] = (await client.get('/users')).data;
  const posts: [path: string, body: object][] = [
    ['/assignments', { member_id: member?.['id'], title: 'One', ...(await aCombination(service)) }],
    ['/cases', { user_id: member?.['user_id'], title: 'One' }],
    ['/users', { email: 'one@example.com', role: 'member' }],
    ['/webhook-endpoints', { url: 'https://example.com/one', events: ['member.joined'] }],
  ];
  const answers = await Promise.all(
    posts.map(([path, body]) => client.post(path, body, { headers: { 'Idempotency-Key': path } })),
  );
  expect(answers.map(({ status }) => status)).toEqual(posts.map(() => 201));
});
