import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:tls';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { proxyNames, startProxy, type ProxyName, type RunningProxy } from '../../scripts/kit/proxy.ts';
import { twoFreePorts } from '../support/ports.ts';
import { hasProxy } from './proxies.ts';

const there = new Set<ProxyName>();
for (const name of proxyNames) if (await hasProxy(name, 'the test of single requests behind it')) there.add(name);

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
      proxy = await startProxy(
        name,
        standIns.map(({ port }) => port),
      );
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
