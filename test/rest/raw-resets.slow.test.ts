import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { wire } from './raw-http.ts';

const base = '/api/public/v1';
const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
const service = await useTestService();
const key = (await (await aTeam(service)).aKey()).text;
process.on('uncaughtExceptionMonitor', note);
afterAll(() => void process.off('uncaughtExceptionMonitor', note));

const length = (bytes: number) => ({ 'Content-Length': String(bytes) });
const chunked = { 'Transfer-Encoding': 'chunked' };
const json = { 'Content-Type': 'application/json' };

/** All kinds of beginnings of HTTP messages, each to be cut off anywhere. */
const shapes: Readonly<Record<string, () => string>> = {
  nothing: () => '',
  'no HTTP': () => 'x\r\n\r\n',
  'half a header': () => `GET ${base}/me HTTP/1.1\r\nHost: x\r\nA`,
  'a header too long': () => wire('GET', '/', { A: 'a'.repeat(20_000) }),
  connect: () => 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
  'connect, and more': () => `CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n${'x'.repeat(5_000)}`,
  'connect behind a request': () => `${wire('GET', `${base}/me`)}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`,
  'an upgrade': () => wire('GET', '/healthz', { Connection: 'Upgrade', Upgrade: 'websocket' }),
  'an upgrade to h2c': () => wire('GET', `${base}/me`, { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c' }),
  'an upgrade with a body': () =>
    wire('POST', `${base}/cases`, { Connection: 'Upgrade', Upgrade: 'x', ...length(9) }, '{}'),
  'an expectation': () => wire('POST', `${base}/cases`, { Expect: '100-continue', ...json, ...length(50) }),
  'an expectation with a body': () =>
    wire('POST', `${base}/cases`, { Expect: '100-continue', ...json, ...length(2) }, '{}'),
  'another expectation': () => wire('POST', `${base}/cases`, { Expect: '200-maybe', ...length(50) }, '{'),
  trailers: () => wire('POST', `${base}/cases`, { Trailer: 'X', ...json, ...chunked }, '2\r\n{}\r\n0\r\nX: y\r\n\r\n'),
  'bad trailers': () => wire('POST', `${base}/cases`, chunked, '0\r\nX\r\n\r\n'),
  'a bad chunk': () => wire('POST', `${base}/cases`, chunked, '5\r\nabcdefgh\r\nzz\r\n'),
  'half a chunk': () =>
    wire('POST', `${base}/cases`, { Authorization: `Bearer ${key}`, ...json, ...chunked }, '50\r\n{"a'),
  'half a body': () =>
    wire('POST', `${base}/cases`, { Authorization: `Bearer ${key}`, ...json, ...length(500) }, '{"a'),
  'half a body of the app': () => wire('POST', '/trpc/entrance/entrance.signIn', { ...json, ...length(500) }, '{"a'),
  'half a body where there is nothing': () => wire('PUT', '/nothing', length(500), 'x'),
  'a body too large': () => wire('POST', `${base}/cases`, length(9_000_000), 'x'.repeat(400_000)),
  'a body that is not taken': () => wire('POST', `${base}/cases`, length(9_000_000), 'x'.repeat(2_000_000)),
  'pipelined requests': () => wire('GET', `${base}/me`, { Authorization: `Bearer ${key}` }).repeat(10),
  'far too many pipelined': () => wire('GET', '/healthz').repeat(200),
  'pipelined, then nonsense': () => `${wire('GET', `${base}/me`).repeat(3)}nonsense\r\n\r\n`,
  'a large answer': () => wire('GET', `${base}/openapi.v1.json`, { 'Accept-Encoding': 'br' }).repeat(4),
  'a page': () => wire('GET', '/'),
  'a file of the app': () => wire('GET', '/assets/nothing.js', { Range: 'bytes=0-' }),
  'a health check': () => wire('HEAD', '/readyz'),
  'another method': () => wire('TRACE', `${base}/me`),
  'HTTP/2': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
};

type End = 'reset' | 'close' | 'end';

/** Sends such a message, or its first part, and resets the connection after some milliseconds; 0: at once. */
const breakOff = async (text: string, end: End, after: number): Promise<void> => {
  const { hostname, port } = new URL(service.origin);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.resume();
  socket.write(text);
  if (after > 0) await sleep(after);
  if (end === 'reset') socket.resetAndDestroy();
  else if (end === 'close') socket.destroy();
  else {
    socket.end();
    await sleep(20);
    socket.resetAndDestroy();
  }
};

const attempt = fc.record({
  shape: fc.constantFrom(...Object.keys(shapes)),
  /** The part of it that is sent. */
  part: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
  end: fc.constantFrom<End>('reset', 'reset', 'close', 'end'),
  after: fc.oneof(fc.constant(0), fc.nat(30)),
});

it('no aborted request, wherever it is cut off, ends the process or leaves an unhandled error', async () => {
  const isWell = async () => {
    expect((await fetch(`${service.origin}/healthz`)).status).toBe(200);
    expect(unhandled).toEqual([]);
  };
  for (const shape of Object.values(shapes))
    await Promise.all(Array.from({ length: 5 }, () => breakOff(shape(), 'reset', 0)));
  await isWell();
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 20 }), async (attempts) => {
      await Promise.all(
        attempts.map(({ shape, part, end, after }) => {
          const text = shapes[shape]?.() ?? '';
          return breakOff(text.slice(0, Math.ceil(text.length * part)), end, after);
        }),
      );
      await isWell();
    }),
    { numRuns: 60 },
  );
  expect(service.logged().filter(({ level }) => level === 'error' || level === 50)).toEqual([]);
});
