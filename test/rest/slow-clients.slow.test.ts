import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { expectApiHeaders } from './api-headers.ts';
import { rawConnection, say, wire } from './raw-http.ts';
import { useTestApi } from './test-api.ts';

const base = '/api/public/v1';
const timeouts = {
  header: 300,
  request: 1_000,
  silence: 1_500,
  keepAlive: 600,
  check: 50,
  quiet: 200,
};

const service = await useTestService();
const testApi = await useTestApi(service, { timeouts });
const authorization = `Bearer ${(await aTeam(service)).client.key ?? ''}`;

const post = (headers: Record<string, string>, body: string) =>
  wire('POST', `${base}/echo`, { Authorization: authorization, 'Content-Type': 'application/json', ...headers }, body);

describe('a client that takes too long', () => {
  it.each([
    ['says nothing at all', ''],
    ['stops in the request line', 'GET /api'],
    ['stops in a header', 'GET /api/public/v1/me HTTP/1.1\r\nHost: x\r\nAccept'],
    ['stops before the end of the header', 'GET /api/public/v1/me HTTP/1.1\r\nHost: x\r\n'],
  ])('408 bad_request: %s', async (_what, bytes) => {
    const [answer, ...more] = await say(testApi.origin, bytes);
    expect(answer).toBeProblem('bad_request', { status: 408 });
    expect(more).toEqual([]);
    if (answer) expectApiHeaders(answer);
  });

  it.each<[string, Record<string, string>, string]>([
    ['of a length', { 'Content-Length': '100' }, '{"text":'],
    ['of which not a byte comes', { 'Content-Length': '100' }, ''],
    ['in chunks', { 'Transfer-Encoding': 'chunked' }, '5\r\n{"tex\r\n'],
    ['in chunks, without the last', { 'Transfer-Encoding': 'chunked' }, '2\r\n{}\r\n'],
  ])('408 bad_request: never ends its body %s; the 408 is the answer to that request', async (_what, headers, body) => {
    const id = '01990c1e-7a00-7000-8000-000000000003';
    const answers = await say(testApi.origin, post({ ...headers, 'X-Request-Id': id, 'Accept-Language': 'en' }, body));
    expect(answers).toHaveLength(1);
    expect(answers[0]).toBeProblem('bad_request', { status: 408, request_id: id, title: 'Request not understood' });
    expect(answers[0]?.headers.get('connection')).toBe('close');
    expect(Number(answers[0]?.headers.get('ratelimit-remaining'))).toBeGreaterThan(0);
    for (const answer of answers) expectApiHeaders(answer);
    expect(testApi.logged()).toContainEqual(
      expect.objectContaining({ request_id: id, status: 408, code: 'bad_request', route: '/echo' }),
    );
  });

  it('gets no second answer when it was refused before its body ended', async () => {
    const answers = await say(testApi.origin, wire('POST', `${base}/nothing`, { 'Content-Length': '100' }, '{"text"'));
    expect(answers.map(({ status }) => status)).toEqual([401]);
  });

  it('with an endless body is refused, and cut off when its time is over', async () => {
    const connection = rawConnection(testApi.origin);
    connection.send(post({ 'Transfer-Encoding': 'chunked' }, ''));
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const sending = setInterval(() => connection.send(chunk), 5);
    const answers = await connection.untilClosed().finally(() => clearInterval(sending));
    expect(answers).toHaveLength(1);
    expect(answers[0]).toBeProblem('bad_request', { status: 413 });
  });

  it('that sends all of a refused body before it reads gets the answer, and can continue', async () => {
    const connection = rawConnection(testApi.origin);
    connection.pause();
    for (const request of [
      wire('POST', `${base}/cases`, { 'Content-Length': '900000' }, 'x'.repeat(900_000)),
      wire('GET', '/healthz'),
    ])
      connection.send(request);
    connection.resume();
    expect((await connection.next()).status).toBe(401);
    expect((await connection.next()).status).toBe(200);
    connection.hangUp();
  });

  it('with a slow body that is complete in time is served', async () => {
    const connection = rawConnection(testApi.origin);
    connection.send(post({ 'Content-Length': '12' }, ''));
    for (const piece of ['{"t', 'ext"', ':"x"', '}']) {
      await new Promise((resolve) => setTimeout(resolve, 40));
      connection.send(piece);
    }
    expect((await connection.next()).body['input']).toEqual({ text: 'x' });
    connection.hangUp();
  });

  it('that does not read the answer is disconnected', async () => {
    const connection = rawConnection(testApi.origin);
    connection.pause();
    const route = '/large/{text}';
    connection.send(wire('GET', `${base}${route.replace('{text}', '50000000')}`, { Authorization: authorization }));
    await expect.poll(() => testApi.logged().find((line) => line['route'] === route)).toMatchObject({ status: 499 });
    connection.hangUp();
  });

  it('on a kept connection is disconnected without an answer when nothing comes', async () => {
    const answers = await say(testApi.origin, wire('GET', `${base}/me`));
    expect(answers.map(({ status }) => status)).toEqual([401]);
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
