import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fairStart } from '../../src/http/server.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe('a body in tiny chunks', () => {
  it.each(['/api/public/v1/cases', '/trpc/entrance/entrance.signIn', '/healthz'])(
    'ends its connection, whether it is read or not: %s',
    async (path) => {
      const { port, hostname } = new URL(service.origin);
      const team = await aTeam(service);
      const { text: key } = await team.aKey();
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on('error', () => {});
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      socket.resume();
      socket.write('1\r\n \r\n'.repeat(100_000));
      await new Promise((resolve) => socket.once('close', resolve));
      expect((await team.client.get('/me')).status).toBe(200);
    },
  );

  it('is read if the chunks are not tiny', async () => {
    const team = await aTeam(service);
    const text = JSON.stringify({ user_id: team.owner.user_id, fields: { text: 'x'.repeat(60_000) } });
    const pieces = async function* () {
      for (let at = 0; at < text.length; at += 100) yield Buffer.from(text.slice(at, at + 100));
    };
    const { text: secret } = await team.aKey();
    const answer = await fetch(`${service.baseUrl}/cases`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      body: ReadableStream.from(pieces()),
      duplex: 'half',
    });
    expect(answer.status).toBe(201);
  });
});

describe('a body whose sender has disconnected', () => {
  it.each(['/api/public/v1/cases', '/trpc/entrance/entrance.signIn'])('keeps no connection: %s', async (path) => {
    const { port, hostname } = new URL(service.origin);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.on('error', () => {});
    socket.resume();
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nOrigin: ${service.origin}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    );
    // The client sends nothing more; the connection stays open on its side.
    socket.end();
    const startedAt = Date.now();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(Date.now() - startedAt).toBeLessThan(25_000);
  });
});

describe('requests that arrive together', () => {
  it('start in turns by sender: nobody waits for all requests of another', async () => {
    const start = fairStart();
    const order: string[] = [];
    for (let index = 0; index < 1_000; index += 1) start('crowd', () => order.push('crowd'));
    const last = Promise.withResolvers<void>();
    start('other', () => order.push('other'));
    start('crowd', () => {
      order.push('crowd');
      last.resolve();
    });
    await last.promise;
    expect(order.indexOf('other')).toBeLessThan(40);
    expect(order).toHaveLength(1_002);
  });

  it('all start, once each and in their sender’s order, in any order of arrival', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 200 }), async (groups) => {
        const start = fairStart();
        const begun: [string, number][] = [];
        groups.forEach((group, index) => start(group, () => begun.push([group, index])));
        while (begun.length < groups.length) await new Promise((resolve) => setImmediate(resolve));
        for (const group of ['a', 'b', 'c']) {
          const indexes = begun.filter(([name]) => name === group).map(([, index]) => index);
          expect(indexes).toEqual(groups.flatMap((name, index) => (name === group ? [index] : [])));
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('a request with an invalid Host', () => {
  it.each(['%%', 'a b', '', 'user@example.com', 'example.com:99999', '[::1', 'example.com/x', 'ex\tample'])(
    'is refused before any code parses it as a URL: "%s"',
    async (host) => {
      const { port, hostname } = new URL(service.origin);
      for (const path of [
        '/trpc/entrance/entrance.who?input=%7B%7D',
        '/trpc/app/team.settings',
        '/healthz',
        '/api/public/v1/me',
      ]) {
        const socket = connect({ host: hostname, port: Number(port) });
        socket.end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        expect((await text(socket)).slice(0, 12)).toBe('HTTP/1.1 400');
      }
      expect((await fetch(`${service.origin}/healthz`)).status).toBe(200);
    },
  );

  it('is answered if HTTP/1.0 has none', async () => {
    const { port, hostname } = new URL(service.origin);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.end('GET /trpc/entrance/entrance.who?input=%7B%7D HTTP/1.0\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 (200|4\d\d|500) /);
    expect((await fetch(`${service.origin}/healthz`)).status).toBe(200);
  });
});
