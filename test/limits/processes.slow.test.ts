import { afterAll, describe, expect, it } from 'vitest';
import { startServiceProcess } from '../support/production-service.ts';
import { keyBudget, usedOf } from '../support/budgets.ts';
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
});
