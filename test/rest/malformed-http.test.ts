import { beforeEach, describe, expect, it } from 'vitest';
import { keyBudget } from '../support/budgets.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { expectApiHeaders } from './api-headers.ts';
import { rawConnection, say, wire } from './raw-http.ts';
import { useTestApi } from './test-api.ts';

const base = '/api/public/v1';
let authorization: string;

const service = await useTestService();
const testApi = await useTestApi(service);
const team = await aTeam(service);
beforeEach(async () => {
  authorization = `Bearer ${(await team.aKey()).text}`;
});

const me = (headers: Record<string, string> = {}) =>
  wire('GET', `${base}/me`, { Authorization: authorization, ...headers });
const post = (headers: Record<string, string>, body: string) =>
  wire('POST', `${base}/echo`, { Authorization: authorization, 'Content-Type': 'application/json', ...headers }, body);

describe('input that is not HTTP', () => {
  it.each<[string, string | Uint8Array, number]>([
    ['bytes', Buffer.from([0, 1, 2, 255, 254, 13, 10, 13, 10]), 400],
    ['a TLS handshake', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]), 400],
    ['HTTP/2 on a plain connection', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['a blank in the target', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['a header without a colon', 'GET /me HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n', 400],
    ['NUL in a header', 'GET /me HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n', 400],
    ['no Host', 'GET /api/public/v1/me HTTP/1.1\r\n\r\n', 400],
    ['two Hosts', 'GET /api/public/v1/me HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    [
      'a length and chunks',
      'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['two lengths', 'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello', 400],
    ['a length that is no number', 'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: five\r\n\r\n', 400],
    ['64 KiB in one header', `GET /me HTTP/1.1\r\nHost: x\r\nA: ${'b'.repeat(64 * 1024)}\r\n\r\n`, 431],
    ['101 headers', `GET /healthz HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(100)}\r\n`, 431],
    ['64 KiB of target', `GET /${'a'.repeat(64 * 1024)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ['1 MiB of header that never ends', `GET /me HTTP/1.1\r\nHost: x\r\nA: ${'b'.repeat(1024 * 1024)}`, 431],
  ])('%s: one problem, then the connection is closed', async (_what, bytes, status) => {
    const answers = await say(service.origin, bytes);
    expect(answers).toHaveLength(1);
    for (const answer of answers) {
      expect(answer).toBeProblem('bad_request', { status });
      expectApiHeaders(answer);
      expect(answer.headers.get('connection')).toBe('close');
      // The request was not counted, so the headers show an unused budget.
      expect(answer.headers.get('ratelimit-remaining')).toBe(answer.headers.get('ratelimit-limit'));
      expect(answer.headers.get('ratelimit-reset')).toBe('0');
    }
  });

  it('100 headers are accepted', async () => {
    const filler = Array.from({ length: 97 }, (_, index): [string, string] => [`X-${index}`, 'b']);
    const answers = await say(
      service.origin,
      wire('GET', `${base}/me`, {
        ...Object.fromEntries(filler),
        Connection: 'close',
        Authorization: authorization,
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  it('id and language of such a request are still used', async () => {
    const id = '01990c1e-7a00-7000-8000-000000000001';
    const [answer] = await say(
      service.origin,
      `GET ${base}/me HTTP/1.1\r\nX-Request-Id: ${id}\r\nAccept-Language: en\r\n\r\n`,
    );
    expect(answer).toBeProblem('bad_request', { request_id: id, title: 'Request not understood' });
    expect(answer?.headers.get('content-language')).toBe('en');
  });

  it('is logged with its request id', async () => {
    const [answer] = await say(testApi.origin, 'hello\r\n\r\n');
    expect(testApi.logged()).toContainEqual(
      expect.objectContaining({ request_id: answer?.headers.get('x-request-id'), status: 400, code: 'bad_request' }),
    );
  });

  it('HTTP/1.0 needs no Host and gets its connection closed', async () => {
    const [answer] = await say(service.origin, `GET ${base}/me HTTP/1.0\r\nAuthorization: ${authorization}\r\n\r\n`);
    expect(answer?.status).toBe(200);
  });

  it('an Upgrade is refused', async () => {
    const connection = rawConnection(service.origin);
    for (const protocol of ['websocket', 'h2c']) {
      connection.send(me({ Connection: 'Upgrade', Upgrade: protocol }));
      expect((await connection.next()).status).toBe(200);
    }
    connection.hangUp();
  });
});

describe('Expect', () => {
  it('100-continue: the body is requested, then answered', async () => {
    const connection = rawConnection(testApi.origin);
    connection.send(post({ Expect: '100-continue', 'Content-Length': '12' }, ''));
    expect((await connection.next()).status).toBe(100);
    connection.send('{"text":"x"}');
    expect((await connection.next()).body['input']).toEqual({ text: 'x' });
    connection.hangUp();
  });

  it('another expectation is ignored', async () => {
    const connection = rawConnection(testApi.origin);
    connection.send(post({ Expect: 'a miracle', 'Content-Length': '2' }, '{}'));
    expect((await connection.next()).status).toBe(200);
    connection.hangUp();
  });
});

describe('several requests on one connection', () => {
  it('are answered in their order', async () => {
    const connection = rawConnection(testApi.origin);
    const texts = ['1', '2', '3', '4', '5'];
    connection.send(
      texts.map((text) => wire('GET', `${base}/echo/${text}`, { Authorization: authorization })).join(''),
    );
    for (const text of texts) expect((await connection.next()).body['input']).toEqual({ text });
    connection.hangUp();
  });

  it('garbage after a running request does not affect it', async () => {
    const connection = rawConnection(testApi.origin);
    connection.send(wire('GET', `${base}/wait`, { Authorization: authorization }));
    await testApi.barrier.reached(1);
    connection.send('garbage\r\n\r\n');
    connection.send('more of it\r\n\r\n');
    const [, answers] = await Promise.all([
      // Another complete request on another connection: after its answer, the server has read the garbage.
      say(testApi.origin, me({ Connection: 'close' })).then(() => testApi.barrier.open()),
      connection.untilClosed(),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    expect(answers[1]).toBeProblem('bad_request');
  });

  it('a body with a broken chunk is refused in the order of the answers, with the budget and id of its request', async () => {
    const answers = await say(
      testApi.origin,
      wire('GET', `${base}/echo/first`, { Authorization: authorization }) +
        post(
          { 'Transfer-Encoding': 'chunked', 'X-Request-Id': '01990c1e-7a00-7000-8000-000000000002' },
          'zz\r\n{}\r\n0\r\n\r\n',
        ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    expect(answers[1]).toBeProblem('bad_request', { request_id: '01990c1e-7a00-7000-8000-000000000002' });
    expect(answers[1]?.headers.get('ratelimit-remaining')).toBeOneOf(['118', '119']); // both run at once
    for (const answer of answers) expectApiHeaders(answer);
  });

  it('data after the last request of a connection is not answered', async () => {
    const answers = await say(service.origin, me({ Connection: 'close' }) + me());
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  it('no request can be smuggled in the body of another', async () => {
    const hidden = wire('GET', `${base}/me`, { Authorization: authorization });
    const connection = rawConnection(service.origin);
    connection.send(
      wire('GET', `${base}/nothing`, { Authorization: authorization, 'Content-Length': String(hidden.length) }, hidden),
    );
    expect(await connection.next()).toBeProblem('not_found');
    connection.send(me());
    expect((await connection.next()).headers.get('ratelimit-remaining')).toBe('118');
    connection.hangUp();
  });
});

describe('clients that disconnect', () => {
  it('during the header or the body, or before the answer: nothing fails, and it is logged as their fault', async () => {
    const before = testApi.logged().length;
    const inHeader = rawConnection(testApi.origin);
    inHeader.send('GET /api/pub');
    const inBody = rawConnection(testApi.origin);
    inBody.send(post({ 'Content-Length': '100' }, '{"text"'));
    const waiting = rawConnection(testApi.origin);
    waiting.send(wire('GET', `${base}/wait`, { Authorization: authorization }));
    await testApi.barrier.reached(1);
    for (const connection of [inHeader, inBody, waiting]) connection.hangUp();
    await expect.poll(() => testApi.logged().length).toBe(before + 3);
    testApi.barrier.open();
    await say(testApi.origin, me({ Connection: 'close' }));
    const lines = testApi.logged().slice(before);
    expect(lines.map(({ msg }) => msg)).toEqual(lines.map(() => 'request'));
    expect(lines.find(({ route }) => route === '/wait')).toMatchObject({ status: 499 });
    for (const { status } of lines) expect(status).toBeLessThan(500);
  });

  it('by a reset during the body: it is their fault, and not an unavailable database', async () => {
    const before = testApi.logged().length;
    const id = '01990c1e-7a00-7000-8000-000000000004';
    const { id: keyId, text } = await team.aKey();
    authorization = `Bearer ${text}`;
    const connection = rawConnection(testApi.origin);
    connection.send(post({ 'Content-Length': '100', 'X-Request-Id': id }, '{"text"'));
    const where = { subject: keyBudget(keyId) };
    await expect.poll(() => service.database.prisma.requestBudget.count({ where })).toBe(1); // it was admitted
    await say(testApi.origin, me({ Connection: 'close' }));
    connection.reset();
    const theirs = () => testApi.logged().filter((line) => line['request_id'] === id);
    await expect.poll(theirs).toEqual([expect.objectContaining({ msg: 'request', status: 499 })]);
    await say(testApi.origin, me({ Connection: 'close' }));
    const lines = testApi.logged().slice(before);
    expect(lines.map(({ msg }) => msg)).toEqual(lines.map(() => 'request'));
  });
});

describe('a request with an invalid Host', () => {
  it.each(['%%', '', 'user@example.com', 'example.com:99999', 'example.com/x'])(
    'is refused before any code parses it as a URL: "%s"',
    async (host) => {
      for (const path of [
        '/trpc/entrance/entrance.who?input=%7B%7D',
        '/trpc/app/team.settings',
        '/healthz',
        '/api/public/v1/me',
      ]) {
        const answers = await say(service.origin, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        expect(answers.map(({ status }) => status)).toEqual([400]);
      }
      expect((await fetch(`${service.origin}/healthz`)).status).toBe(200);
    },
  );

  it('is answered if HTTP/1.0 has none', async () => {
    const [answer] = await say(service.origin, 'GET /trpc/entrance/entrance.who?input=%7B%7D HTTP/1.0\r\n\r\n');
    expect(answer?.status).toBe(200);
    expect((await fetch(`${service.origin}/healthz`)).status).toBe(200);
  });
});
