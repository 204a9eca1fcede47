import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { agentFor, sendOn, type Answer } from '../../scripts/kit/clients.ts';
import {
  floodRequests,
  floodSize,
  openConnections,
  sendAtOnce,
  tallyOf,
  type FloodKind,
} from '../../scripts/kit/crowd.ts';
import { connectTo } from '../../scripts/kit/database.ts';
import { proxyNames, startProxy, type ProxyName } from '../../scripts/kit/proxy.ts';
import { pick } from '../../scripts/kit/seed.ts';
import { startServiceProcess, type ServiceProcess } from '../support/production-service.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { hasProxy } from './proxies.ts';

/** Floods of one kind behind each proxy, by both versions of HTTP. */
export const testFloods = async (kind: FloodKind): Promise<void> => {
  const there: ProxyName[] = [];
  for (const name of proxyNames) if (await hasProxy(name, 'the test of one team’s load behind it')) there.push(name);

  describe('while one team sends 1,000 requests at once', () => {
    let service: TestService;
    // In processes of their own, so that the flood does not keep them from computing.
    let processes: readonly ServiceProcess[];
    beforeAll(async () => {
      service = await startTestService({ own: true });
      const options = { databaseUrl: service.databaseUrl, role: 'api', environment: { TRUST_PROXY: '1' } } as const;
      processes = await Promise.all([1, 2, 3].map(() => startServiceProcess(options)));
    });
    afterAll(async () => {
      for (const { stop } of processes) await stop();
      await service.close();
    });

    /** A team with so many keys that no budget refuses its requests: a key has 120 a minute. */
    const aBusyTeam = async () => {
      const team = await aTeam(service, { rateLimit: 100_000 });
      const keys: string[] = [];
      while (keys.length < 20) keys.push((await team.aKey()).text);
      return { id: team.id, keys };
    };

    const floods = there.flatMap((name) => [
      { name, kind, http: 'HTTP/1.1' as const, count: 2 },
      { name, kind, http: 'HTTP/2' as const, count: 3 },
    ]);

    it.each(floods)(
      '$kind by $http, behind $name with $count processes: every request of another team is answered, and those beyond its share with 429',
      async ({ name, http, count }) => {
        const ports = processes.slice(0, count).map(({ origin = '' }) => Number(new URL(origin).port));
        await using proxy = await startProxy(name, ports);
        const [attacker, neighbour] = [await aBusyTeam(), await aBusyTeam()];

        // Its transactions wait for its row, so they use its share of each process until requests were refused.
        await using client = await connectTo(service.databaseUrl);
        const whenOpen = async () => {
          await client.query('begin');
          if (kind === 'transactions') await client.query('select from team where id = $1 for update', [attacker.id]);
        };

        const agent = agentFor(proxy.certificate, '127.0.4.1', { http, connections: 4 });
        onTestFinished(() => agent.destroy());
        const send = sendOn(proxy.origin, agent);
        const others: Answer[] = [];
        const ask = async () => {
          const [key, at] = [pick(neighbour.keys, others.length), others.length % 3];
          const write = { method: 'DELETE', path: `/webhook-endpoints/${randomUUID()}` } as const;
          others.push(await send({ ...(at === 0 ? write : { path: at === 1 ? '/me' : '/users' }), key }));
        };
        await openConnections(proxy.origin, agent, 4);
        for (let asked = 0; asked < 6; asked += 1) await Promise.all([ask(), ask(), ask(), ask()]);

        const refused: Answer[] = [];
        const attacking = new AbortController();
        const crowd = { ...proxy, http };
        const onAnswer = (answer: Answer) => {
          if (answer.status >= 400 && answer.status !== 404) refused.push(answer);
        };
        const requests = floodRequests(kind, attacker.keys);
        const over = sendAtOnce(crowd, requests, { whenOpen, onAnswer }).finally(() => attacking.abort());
        const other = async () => {
          while (others.length < 100 || !attacking.signal.aborted) {
            await ask();
            await sleep(40);
          }
        };
        // While the share is in use, and while the rest is answered.
        const asking = Promise.all(Array.from({ length: 4 }, other));
        await expect.poll(() => refused.length).toBeGreaterThan(0);
        await expect.poll(() => others.length).toBeGreaterThan(50);
        await client.query('rollback');
        const answers = await over;
        await asking;

        const answered = {
          '200  of the service': expect.any(Number),
          '404 not_found of the service': expect.any(Number),
        };
        expect(tallyOf(others)).toEqual(answered);
        expect(answers).toHaveLength(floodSize);
        const { '503 unavailable of the service': late = 0, ...counts } = tallyOf(answers);
        const usual = ['200  of the service', '404 not_found of the service', '429 rate_limited of the service'];
        expect(Object.keys(counts).filter((summary) => !usual.includes(summary))).toEqual([]);
        // Those that had its share, if a busy machine lets them wait for the row for longer than the limit of time for locks.
        expect(late).toBeLessThanOrEqual(20);
        for (const { status, body } of refused)
          if (status === 429) expect(JSON.stringify(body)).toContain('more requests at once than its share');
      },
    );
  });
};
