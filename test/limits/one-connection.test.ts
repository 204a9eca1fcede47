import { expect, it } from 'vitest';
import { aCombination } from '../support/assignments.ts';
import { makeClient } from '../support/client.ts';
import { startObserved } from '../support/observed-service.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

// Transactions that need a second connection could take all connections and then wait for each other, above all behind a connection pooler.

const service = await useTestService();

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
