import { afterAll, describe, expect, it } from 'vitest';
import { startServiceProcess } from '../support/api-process.ts';
import { keyBudget, teamBudget, usedOf } from '../support/budgets.ts';
import { makeClient, type Answer } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';

const service = await useTestService({ own: true });
const { databaseUrl } = service;
const apis = await Promise.all([1, 2].map(() => startServiceProcess({ databaseUrl, role: 'api' })));
afterAll(async () => {
  await Promise.all(apis.map((api) => api.stop()));
});

interface Fired {
  method?: string;
  path: string;
  key: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Sends all of them at once, to the two processes in turn. */
const fire = (requests: readonly Fired[]): Promise<Answer[]> =>
  Promise.all(
    requests.map(({ method = 'GET', path, key, ...options }, index) =>
      makeClient(apis[index % 2]?.baseUrl ?? '', key).request(method, path, options),
    ),
  );

const statuses = (answers: readonly Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const repeated = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

describe('requests to two API processes at once', () => {
  it('300 requests of one key: exactly 120 are answered', async () => {
    const team = await aTeam(service);
    const { id, text: key } = await team.aKey();
    expect(statuses(await fire(repeated(300, { path: '/me', key })))).toEqual({ 200: 120, 429: 180 });
    expect(await usedOf(service, keyBudget(id))).toBe(120);
  });

  it('720 requests of a team’s six keys: exactly 600 are answered', async () => {
    const team = await aTeam(service, { rateLimit: 600 });
    const keys = await Promise.all(repeated(6, 0).map(() => team.aKey()));
    const requests = repeated(120, 0).flatMap(() => keys.map(({ text: key }) => ({ path: '/me', key })));
    expect(statuses(await fire(requests))).toEqual({ 200: 600, 429: 120 });
    expect(await usedOf(service, teamBudget(team.id))).toBe(600);
  });

  it('50 equal invitations with one Idempotency-Key: one member, and every answer is the first or a refusal with Retry-After', async () => {
    const team = await aTeam(service);
    const { text: key } = await team.aKey();
    const request = {
      method: 'POST',
      path: '/users',
      key,
      body: { email: anEmail() },
      headers: { 'Idempotency-Key': 'once' },
    };
    const answers = await fire(repeated(50, request));
    const first = answers.filter(({ status }) => status === 201);
    expect(first.length).toBeGreaterThanOrEqual(1);
    expect(new Set(first.map(({ text }) => text)).size).toBe(1);
    expect(first.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) expect(answer).toBeProblem('conflict');
    expect(await service.database.prisma.member.count({ where: { tenantId: team.id, role: 'member' } })).toBe(1);
    expect(
      await service.database.prisma.webhookEvent.count({ where: { tenantId: team.id, type: 'member.joined' } }),
    ).toBe(1);
    expect(await service.database.prisma.mail.count({ where: { tenantId: team.id } })).toBe(1);
  });

  it('a revocation in one process is effective everywhere on the next request', async () => {
    const team = await aTeam(service);
    const { id, text } = await team.aKey();
    const clients = apis.map((api) => makeClient(api.baseUrl ?? '', text));
    for (const client of clients) expect((await client.get('/me')).status).toBe(200);
    await service.database.prisma.apiKey.updateMany({ where: { id }, data: { revokedAt: new Date() } });
    for (const client of clients) expect(await client.get('/me')).toBeProblem('unauthorized');
  });
});
