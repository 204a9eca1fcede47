import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:tls';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startProxy, type ProxyName, type RunningProxy } from '../../scripts/kit/proxy.ts';
import { basePath } from '../../src/core/product.ts';
import { hasProxy, proxyNames } from './proxies.ts';
import { twoFreePorts } from '../support/ports.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const there = new Set<ProxyName>();
for (const name of proxyNames) if (await hasProxy(name, 'the test of one team’s load behind it')) there.add(name);

/** Clients at this many addresses, each with this many connections: fewer than the proxies allow for one address. */
const crowd = { addresses: 10, connections: 100 };

interface Answered {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

/** Sends requests on connections of its own from one address. */
const makeSender = ({ origin, certificate }: RunningProxy, localAddress: string, connections: number) => {
  const dispatcher = new Agent({ connect: { ca: certificate }, allowH2: false, localAddress, connections });
  onTestFinished(() => dispatcher.destroy());
  return async (
    path: string,
    { method = 'GET', ...options }: Parameters<typeof request>[1] = {},
  ): Promise<Answered> => {
    const { statusCode, headers, body } = await request(`${origin}${path}`, { ...options, method, dispatcher });
    return { status: statusCode, headers, text: await body.text() };
  };
};

/** A problem of the proxy itself, after which a client tries again. */
const expectProblem = ({ status, headers, text }: Answered): void => {
  expect([502, 503, 504]).toContain(status);
  expect([headers['content-type'], headers['retry-after']]).toEqual(['application/problem+json', '2']);
  expect(JSON.parse(text)).toMatchObject({ status, code: 'unavailable', request_id: expect.stringMatching(/./) });
};

const countsOf = (answers: readonly Answered[]) =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]));

describe.each(proxyNames)('behind %s, two processes', (name) => {
  describe.skipIf(!there.has(name))('while one team sends 1,000 requests at once', () => {
    let first: TestService;
    let second: TestService;
    let proxy: RunningProxy;
    let attacker: TestTeam;
    let neighbour: TestTeam;
    const keys: string[] = [];
    const keysOfNeighbour: string[] = [];

    beforeAll(async () => {
      const environment = { TRUST_PROXY: '1' };
      first = await startTestService({ environment });
      second = await startTestService({ environment, databaseUrl: first.databaseUrl });
      const port = ({ origin }: TestService) => Number(new URL(origin).port);
      proxy = await startProxy(name, [port(first), port(second)]);
      // No budget refuses its requests: a key has 120 a minute.
      attacker = await aTeam(first, { rateLimit: 100_000 });
      neighbour = await aTeam(first, { rateLimit: 100_000 });
      while (keys.length < 20) {
        keys.push((await attacker.aKey()).text);
        keysOfNeighbour.push((await neighbour.aKey()).text);
      }
    });
    afterAll(async () => {
      await proxy[Symbol.asyncDispose]();
      await second.close();
      await first.close();
    });

    it(
      'every request of another team is answered, and those beyond its share with 429',
      { timeout: 180_000 },
      async () => {
        // The team's share of both processes is in use until requests were refused.
        const held = Promise.withResolvers<void>();
        let holding = 0;
        const hold = () => {
          holding += 1;
          return held.promise;
        };
        const holds = [first, second].flatMap(({ database }) =>
          Array.from({ length: 5 }, () => database.transaction(hold, { group: attacker.id })),
        );
        onTestFinished(async () => {
          held.resolve();
          await Promise.allSettled(holds);
        });
        await expect.poll(() => holding).toBe(holds.length);

        const senders = Array.from({ length: crowd.addresses }, (_, at) =>
          makeSender(proxy, `127.0.3.${at + 1}`, crowd.connections),
        );
        const refused: Answered[] = [];
        const attack = senders.flatMap((send, address) =>
          Array.from({ length: crowd.connections }, async (_, at) => {
            const headers = { authorization: `Bearer ${keys[(address * crowd.connections + at) % keys.length]}` };
            const answer =
              at % 4 === 0
                ? await send(`${basePath}/users`, { headers })
                : await send(`${basePath}/webhook-endpoints/${randomUUID()}`, { method: 'DELETE', headers });
            if (answer.status >= 400 && answer.status !== 404) refused.push(answer);
            return answer;
          }),
        );
        const attacking = new AbortController();
        const over = Promise.all(attack).finally(() => attacking.abort());
        await expect.poll(() => refused.length).toBeGreaterThan(0);

        const send = makeSender(proxy, '127.0.4.1', 4);
        const others: Answered[] = [];
        const other = async () => {
          while (others.length < 100 || !attacking.signal.aborted) {
            const headers = { authorization: `Bearer ${keysOfNeighbour[others.length % keysOfNeighbour.length]}` };
            others.push(await send(`${basePath}${others.length % 2 === 0 ? '/me' : '/users'}`, { headers }));
          }
        };
        // As long as the share is in use, and while the rest is answered.
        const asking = Promise.all(Array.from({ length: 4 }, other));
        await expect.poll(() => others.length).toBeGreaterThan(50);
        held.resolve();
        const answers = await over;
        await asking;

        expect(countsOf(others)).toEqual({ 200: others.length });
        expect(answers).toHaveLength(crowd.addresses * crowd.connections);
        expect(answers.filter(({ status }) => ![200, 404, 429].includes(status))).toEqual([]);
        for (const { text } of refused) expect(text).toContain('more requests at once than its share');
      },
    );
  });
});

/** A process that is not the service: what a request asks for happens to it. */
const startStandIn = async () => {
  let count503 = 0;
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/503') count503 += 1;
    if (request.url === '/gone') {
      request.socket.destroy();
      return;
    }
    request.on('error', () => undefined).resume();
    request.once('end', () => response.writeHead(request.url === '/503' ? 503 : 200).end('answered'));
  };
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    count503: () => count503,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

describe.each(proxyNames)('%s', (name) => {
  describe.skipIf(!there.has(name))('takes a process from nobody because of what happens to single requests', () => {
    const standIns: Awaited<ReturnType<typeof startStandIn>>[] = [];
    let proxy: RunningProxy;
    beforeAll(async () => {
      standIns.push(await startStandIn(), await startStandIn());
      const [first, second] = standIns.map(({ port }) => port);
      proxy = await startProxy(name, [first ?? 0, second]);
    });
    afterAll(async () => {
      await proxy[Symbol.asyncDispose]();
      for (const { close } of standIns) close();
    });

    /** Sends the half of a body and leaves. */
    const leaveEarly = async () => {
      const { hostname, port } = new URL(proxy.origin);
      const socket = connect({ host: hostname, port: Number(port), ca: proxy.certificate });
      await once(socket, 'secureConnect');
      socket.write('POST /half HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nhalf');
      socket.write('x'.repeat(40_000), () => socket.destroy());
      await once(socket, 'close');
    };

    it.each(['GET', 'DELETE', 'POST'] as const)(
      'answers a %s whose process was lost with a problem',
      async (method) => {
        const send = makeSender(proxy, '127.0.7.1', 20);
        await expect.poll(async () => (await send('/')).status).toBe(200);
        expectProblem(await send('/gone', { method, ...(method === 'POST' && { body: 'x' }) }));
      },
    );

    it('sends requests without TLS to the same address with it, of every method', async () => {
      for (const method of ['GET', 'POST']) {
        const { status, headers } = await fetch(`${proxy.plain}/a?b=c&d=%20`, { method, redirect: 'manual' });
        expect(status).toBe(308);
        expect(headers.get('location')).toMatch(/^https:\/\/127\.0\.0\.1(:\d+)?\/a\?b=c&d=%20$/);
      }
    });

    it('sends no request again that was answered with 503: this would multiply the load of a service that has too much', async () => {
      const send = makeSender(proxy, '127.0.6.1', 20);
      const asked = () => standIns.reduce((sum, { count503 }) => sum + count503(), 0);
      const before = asked();
      for (const method of ['GET', 'HEAD', 'DELETE', 'POST'] as const)
        expect((await send('/503', { method })).status).toBe(503);
      expect(asked() - before).toBe(4);
    });

    it.each([
      ['is answered with 503', async (send: Send) => expect((await send('/503')).status).toBe(503)],
      ['changes something and is answered with 503', (send: Send) => send('/503', { method: 'DELETE' })],
      ['loses its connection', (send: Send) => send('/gone').catch(() => undefined)],
      [
        'changes something and loses its connection',
        (send: Send) => send('/gone', { method: 'POST', body: 'x' }).catch(() => undefined),
      ],
      ['is left by its client', leaveEarly],
    ])('one that %s', async (_what, happen) => {
      const send = makeSender(proxy, '127.0.5.1', 20);
      await expect.poll(async () => (await send('/')).status).toBe(200);
      const statuses: number[] = [];
      for (let round = 0; round < 5; round += 1) {
        await Promise.all(Array.from({ length: 10 }, () => happen(send)));
        const answers = await Promise.all(Array.from({ length: 10 }, () => send('/')));
        statuses.push(...answers.map(({ status }) => status));
      }
      expect(statuses).toEqual(Array.from({ length: 50 }, () => 200));
    });
  });
});
type Send = ReturnType<typeof makeSender>;

describe.each(proxyNames)('%s, while no process runs', (name) => {
  it.skipIf(!there.has(name))('answers with 503, which says when to try again', async () => {
    const first = await twoFreePorts();
    await using proxy = await startProxy(name, [first, first + 1]);
    const send = makeSender(proxy, '127.0.8.1', 2);
    for (const method of ['GET', 'POST'] as const) {
      const wanted = { method, ...(method === 'POST' && { body: 'x' }) };
      await expect.poll(async () => (await send('/', wanted)).status).toBe(503);
      // Caddy has no body then, and its file says so.
      if (name !== 'caddy') expectProblem(await send('/', wanted));
    }
  });
});
