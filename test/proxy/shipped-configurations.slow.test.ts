import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectPlain } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../scripts/kit/processes.ts';
import { proxyNames, startProxy, type ProxyName, type RunningProxy } from '../../scripts/kit/proxy.ts';
import { daysToMs } from '../../src/core/clock.ts';
import { basePath } from '../../src/core/product.ts';
import { wire } from '../rest/raw-http.ts';
import { readAnswer, type Answer } from '../support/client.ts';
import { patience } from '../support/patience.ts';
import { hasProxy } from './proxies.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';

const there = new Set<ProxyName>();
for (const name of proxyNames) if (await hasProxy(name, 'the test of its configuration')) there.add(name);

/** How far the services’ clock is ahead of the machine's, which is the proxies'. */
const threeDays = daysToMs(3);

interface Sent {
  method?: 'GET' | 'POST';
  body?: string;
  headers?: Record<string, string | string[]>;
  /** The client's address, any of 127.0.0.0/8. */
  from?: string;
}

// For the rest of a large body, haproxy and the service wait for 30 seconds, one after the other.
const timeouts = { request: 12_000, check: 1_000 };
const shorter: Partial<Record<ProxyName, { line: string; by: string }>> = {
  haproxy: { line: 'timeout client 30s', by: 'timeout client 8s' },
  caddy: { line: 'read_body 40s', by: 'read_body 20s' },
};

describe.each(proxyNames)('docs/deploy/proxy, %s', (name) => {
  it.skipIf(!there.has(name))('logs no path and no query while no process answers', async () => {
    await using proxy = await startProxy(name, [await freePort(), await freePort()]);
    const dispatcher = new Agent({ connect: { ca: proxy.certificate }, allowH2: false });
    onTestFinished(() => dispatcher.destroy());
    const secret = randomUUID();
    const ask = async (path: string) => {
      const { statusCode, body } = await request(`${proxy.origin}${path}`, {
        dispatcher,
        headers: { referer: `${proxy.origin}/reset-password/${secret}` },
      });
      await body.dump();
      return statusCode;
    };
    for (const path of [`/reset-password/${secret}`, `/sign-in?next=${secret}`, `/${secret}?x=${'y'.repeat(17_000)}`]) {
      expect(await ask(path)).toBeOneOf([400, 414, 431, 502, 503]);
    }
    const { status } = await fetch(`${proxy.plain}/reset-password/${secret}`, { redirect: 'manual' });
    expect(status).toBe(308);
    const { hostname, port } = new URL(proxy.origin);
    const plain = connectPlain({ host: hostname, port: Number(port) });
    plain.write(`GET /${secret} HTTP/1.1\r\n\r\n`); // no TLS
    await once(plain.resume(), 'close');
    // Once it has ended, it has logged everything.
    await proxy[Symbol.asyncDispose]();
    expect(proxy.logged.map(({ line }) => line).join('\n')).not.toContain(secret);
  });
});

// Concurrent, because most of the time passes in waiting for the time-outs of the configurations. So each test has an `expect` of its own.
describe.concurrent.each(proxyNames)('docs/deploy/proxy, %s', (name) => {
  describe.skipIf(!there.has(name))('in front of two processes', () => {
    let first: TestService;
    let second: TestService;
    let proxy: RunningProxy;
    let team: TestTeam;
    /** Each may send 120 requests a minute. */
    const keys: string[] = [];
    let next = 0;
    const sockets: TLSSocket[] = [];
    const nextKey = () => keys[(next += 1) % keys.length] ?? '';

    beforeAll(async () => {
      const environment = { TRUST_PROXY: '1' };
      first = await startTestService({ environment, timeouts });
      second = await startTestService({ environment, timeouts, databaseUrl: first.databaseUrl });
      for (const { clock } of [first, second]) clock.forward(threeDays);
      const port = ({ origin }: TestService) => Number(new URL(origin).port);
      proxy = await startProxy(name, [port(first), port(second)], shorter[name]);
      team = await aTeam(first);
      while (keys.length < 20) keys.push((await team.aKey()).text);
    });
    afterAll(async () => {
      for (const socket of sockets) socket.destroy();
      await proxy[Symbol.asyncDispose]();
      await first.close();
    });

    /** A request on a connection of its own. */
    const ask = async (path: string, { method = 'GET', body, headers, from }: Sent = {}): Promise<Answer> => {
      const dispatcher = new Agent({
        connect: { ca: proxy.certificate },
        allowH2: false,
        ...(from !== undefined && { localAddress: from }),
      });
      try {
        const {
          statusCode,
          headers: answered,
          ...answer
        } = await request(`${proxy.origin}${basePath}${path}`, {
          method,
          dispatcher,
          headers: {
            authorization: `Bearer ${nextKey()}`,
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body !== undefined && { body }),
        });
        const pairs = Object.entries(answered).map(([field, value]): [string, string] => [field, String(value)]);
        return readAnswer(statusCode, new Headers(pairs), await answer.body.text());
      } finally {
        await dispatcher.destroy();
      }
    };

    /** A connection on which a test sends any bytes. */
    const open = async (from: string, bytes: string): Promise<TLSSocket> => {
      const { hostname, port } = new URL(proxy.origin);
      const plain = connectPlain({ host: hostname, port: Number(port), localAddress: from });
      const socket = connect({ socket: plain, host: hostname, ca: proxy.certificate });
      sockets.push(socket);
      for (const each of [plain, socket]) each.on('error', () => {});
      socket.resume();
      await new Promise((resolve) => socket.once('secureConnect', resolve).once('close', resolve));
      socket.write(bytes);
      return socket;
    };

    const halfBody = (length: number, sent: number) =>
      wire(
        'POST',
        `${basePath}/cases`,
        {
          Authorization: `Bearer ${nextKey()}`,
          'Content-Type': 'application/json',
          'Content-Length': String(length),
        },
        'x'.repeat(sent),
      );

    it('cuts off clients with slow headers and bodies, while others are served', async ({ expect }) => {
      const from = (index: number) => `127.0.2.${index + 1}`;
      const slow = await Promise.all([
        ...Array.from({ length: 30 }, (_, index) => open(from(index), 'GET / HTTP/1.1\r\nHost: x\r\nAccept')),
        ...Array.from({ length: 30 }, (_, index) => open(from(index), halfBody(1_000, 10))),
        ...Array.from({ length: 5 }, (_, index) => open(from(index), halfBody(200_000, 100_000))),
      ]);
      let served = 0;
      const begin = performance.now();
      while (slow.some((socket) => !socket.destroyed) && performance.now() - begin < 150_000) {
        expect((await ask('/me')).status).toBe(200);
        served += 1;
        await sleep(500);
      }
      expect(slow.filter((socket) => !socket.destroyed)).toHaveLength(0);
      expect(performance.now() - begin).toBeGreaterThan(8_000);
      expect(served).toBeGreaterThan(1);
    });

    it('lets a request wait for an event as long as it may', async ({ expect }) => {
      const begin = performance.now();
      const answer = await ask('/events?start=now&wait=20');
      expect(answer.status).toBe(200);
      expect(performance.now() - begin).toBeGreaterThan(19_000);
    });

    it('passes on the service’s time, which programs take from the header Date', async ({ expect }) => {
      const dates: unknown[] = [];
      for (const method of ['GET', 'POST'] as const) {
        for (const path of ['/me', '/nothing']) dates.push((await ask(path, { method })).headers.get('date'));
      }
      const session = connectHttp2(proxy.origin, { ca: proxy.certificate });
      for (const method of ['GET', 'HEAD']) {
        const stream = session.request({ ':method': method, ':path': '/healthz' });
        const [headers] = await once(stream.resume(), 'response');
        dates.push(Object(headers)['date']);
      }
      session.destroy();
      for (const date of dates) {
        // In one piece: a proxy that added its own would make it two.
        const ahead = Date.parse(String(date)) - Date.now();
        expect(Math.abs(ahead - threeDays), String(date)).toBeLessThan(daysToMs(1));
      }
    });

    it('offers HTTP/2, and refuses old versions of TLS', async ({ expect }) => {
      const { port } = new URL(proxy.origin);
      const to = { host: '127.0.0.1', port: Number(port), ca: proxy.certificate };
      const socket = connect({ ...to, ALPNProtocols: ['h2', 'http/1.1'] });
      await once(socket, 'secureConnect');
      expect(socket.alpnProtocol).toBe('h2');
      socket.destroy();
      const old = connect({ ...to, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' });
      await expect(once(old, 'secureConnect')).rejects.toThrow(/alert|protocol/);
    });

    it('forwards the client’s address for the address lists of keys, and no client can forge it', async ({
      expect,
    }) => {
      const { text } = await team.aKey({ allowedIps: ['127.0.0.9'] });
      const status = async (from: string, headers: Record<string, string | string[]> = {}) =>
        (await ask('/me', { from, headers: { authorization: `Bearer ${text}`, ...headers } })).status;
      expect(await status('127.0.0.9')).toBe(200);
      expect(await status('127.0.0.9', { 'X-Forwarded-For': '127.0.0.8' })).toBe(200);
      expect(await status('127.0.0.8')).toBe(401);
      expect(await status('127.0.0.8', { 'X-Forwarded-For': '127.0.0.9' })).toBe(401);
      expect(await status('127.0.0.8', { 'X-Forwarded-For': ['127.0.0.9', '127.0.0.9'] })).toBe(401);
      expect(await status('127.0.0.8', { 'X-Forwarded-For': '127.0.0.9, 127.0.0.9' })).toBe(401);
      expect(await status('127.0.0.8', { Forwarded: 'for=127.0.0.9', 'X-Real-IP': '127.0.0.9' })).toBe(401);
    });

    // Caddy has no such limit, and its file says so.
    it.skipIf(name === 'caddy')('limits what one address may have open, and serves the others', async ({ expect }) => {
      const crowd = await Promise.all(Array.from({ length: 200 }, () => open('127.0.0.30', halfBody(1_000, 10))));
      const status = (from: string, path = '/me') =>
        ask(path, { from }).then(
          (answer) => answer.status,
          () => 'refused',
        );
      await vi.waitFor(async () => {
        // On a busy machine the proxy may already have closed one of them, which sends nothing.
        const closed = crowd.filter(({ destroyed }) => destroyed).length;
        for (let more = 0; more < closed; more += 1) crowd.push(await open('127.0.0.30', halfBody(1_000, 10)));
        expect(await status('127.0.0.30')).toBeOneOf(['refused', 429]);
        if (name !== 'nginx') return; // HAProxy closes the connection
        const { headers, body } = await ask('/me', { from: '127.0.0.30' });
        expect([headers.get('content-type'), headers.get('retry-after')]).toEqual(['application/problem+json', '2']);
        expect(body).toMatchObject({ status: 429, code: 'rate_limited', retry_after: 2 });
      }, patience);
      expect(await status('127.0.0.30', '/users/an-id-in-the-path')).toBeOneOf(['refused', 429]);
      expect(proxy.logged.map(({ line }) => line).join('\n')).not.toContain('an-id-in-the-path');
      expect(await status('127.0.0.31')).toBe(200);
      for (const socket of crowd) socket.destroy();
      await expect.poll(() => status('127.0.0.30')).toBe(200);
    });

    it.for([257, 10_000])('answers a body of %i KiB with 413 as a problem', async (kib, { expect }) => {
      const body = JSON.stringify({ user_id: team.owner.user_id, fields: { text: 'x'.repeat(kib * 1024) } });
      const answer = await ask('/cases', { method: 'POST', body });
      expect(answer.status).toBe(413);
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(answer.body).toMatchObject({ status: 413, code: 'bad_request', request_id: expect.any(String) });
    });

    it('lets through what the service accepts: a body of 250 KiB, headers of 15 KiB, a page of 1 MiB', async ({
      expect,
    }) => {
      const large = JSON.stringify({ user_id: team.owner.user_id, fields: { text: 'x'.repeat(63 * 1024) } });
      for (let made = 0; made < 17; made += 1)
        expect((await ask('/cases', { method: 'POST', body: large })).status).toBe(201);
      const page = await ask('/cases?limit=200', { headers: { 'X-Padding': 'x'.repeat(15 * 1024) } });
      expect(page.status).toBe(200);
      expect(page.text.length).toBeGreaterThan(900 * 1024);
      const tooLong = JSON.stringify({ user_id: team.owner.user_id, fields: { text: 'x'.repeat(250 * 1024) } });
      expect((await ask('/cases', { method: 'POST', body: tooLong })).status).toBe(422); // read, and refused for its content
    });

    it(
      'takes a stopping process out, and no request fails, even if none is ready',
      { concurrent: false },
      async ({ expect }) => {
        const statuses: number[] = [];
        const stopped = new AbortController();
        const client = async () => {
          while (!stopped.signal.aborted) {
            statuses.push((await ask('/me')).status);
            await sleep(20);
          }
        };
        const clients = Promise.all(Array.from({ length: 4 }, client));
        await expect.poll(() => statuses.length).toBeGreaterThan(20);
        second.lifecycle.leaving();
        const write = async () =>
          statuses.push((await ask('/users', { method: 'POST', body: JSON.stringify({ email: anEmail() }) })).status);
        for (let written = 0; written < 10; written += 1) await write();
        // nginx does not ask for its health. It notices once connections are refused.
        if (name !== 'nginx') {
          const asked = async () => {
            const before = second.logged().length;
            await sleep(1_000);
            return second.logged().length - before;
          };
          await expect.poll(() => asked()).toBe(0);
        }
        second.lifecycle.stopping();
        await second.close();
        for (let written = 0; written < 10; written += 1) await write();
        first.lifecycle.leaving();
        // Caddy also knows then that the second one does not run.
        const outs = {
          haproxy: ['Server api/api1 is DOWN'],
          nginx: [],
          caddy: [`"status_code":503,"host":"${new URL(first.origin).host}"`, `${second.origin}/healthz`],
        };
        const log = () => proxy.logged.map(({ line }) => line).join();
        for (const out of outs[name]) await expect.poll(() => log()).toContain(out);
        for (let written = 0; written < 10; written += 1) await write();
        stopped.abort();
        await clients;
        expect(new Set(statuses)).toEqual(new Set([200, 201]));
      },
    );
  });
});
