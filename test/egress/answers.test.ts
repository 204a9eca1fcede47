import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { aLocalEgress, aMessage, answering, aRawReceiver, outgoingSockets, writeForever } from './an-egress.ts';
import { aReceiver } from '../support/receiver.ts';

const whole = (body: string | Buffer): Buffer => {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`), bytes]);
};

const post = async (url: string, timeout = 5_000) => (await aLocalEgress({ timeout })).post(aMessage(url));

describe('a message', () => {
  it('is sent unchanged, and does not request compression', async () => {
    const receiver = await aReceiver();
    const at = Date.now();
    const result = await post(`${receiver.url}/hook?a=b`);
    expect(result).toMatchObject({ code: 200, excerpt: '', error: null });
    expect(result.startedAt.getTime()).toBeGreaterThanOrEqual(at);
    expect(result.ms).toBeLessThan(5_000);
    expect(receiver.received).toEqual([
      {
        method: 'POST',
        path: '/hook?a=b',
        headers: {
          host: `127.0.0.1:${receiver.port}`,
          connection: 'keep-alive',
          'content-type': 'application/json',
          'content-length': '14',
          'svc-event-id': 'evt_1',
        },
        body: '{"id":"evt_1"}',
        at: expect.any(Date),
      },
    ]);
  });

  it.each([200, 201, 204, 299, 400, 404, 410, 418, 429, 500, 503, 599])(
    'answered with %i has no error',
    async (status) => {
      const { url } = await aReceiver({ answer: () => ({ status }) });
      expect(await post(url)).toMatchObject({ code: status, error: null });
    },
  );

  it.each(['0', '1000000000', 'Thu, 01 Jan 1970 00:00:00 GMT', 'soon, I hope'])(
    'answered with 429 and Retry-After %j is treated like any other',
    async (after) => {
      const { url } = await aReceiver({ answer: () => ({ status: 429, headers: { 'Retry-After': after } }) });
      const result = await post(url);
      expect(result).toMatchObject({ code: 429, error: null, headers: { 'retry-after': after } });
    },
  );

  it.each([301, 302, 303, 307, 308])('answered with %i follows no redirect', async (status) => {
    const elsewhere = await aRawReceiver((socket) => socket.destroy(), { tls: false });
    const headers = { Location: `${elsewhere.url}/` };
    const receiver = await aReceiver({ answer: () => ({ status, headers }) });
    const sockets = outgoingSockets();
    expect(await post(receiver.url)).toMatchObject({
      code: status,
      error: null,
      headers: { location: headers.Location },
    });
    expect(elsewhere.connections()).toBe(0);
    expect(sockets).toHaveLength(1);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('the stored part of an answer', () => {
  const x = (count: number) => 'x'.repeat(count);

  it.each([
    ['nothing', '', ''],
    ['a little', 'hello', 'hello'],
    ['999 characters', x(999), x(999)],
    ['1000 characters', x(1_000), x(1_000)],
    ['1001 characters', x(1_001), x(1_000)],
    ['many more', x(500_000), x(1_000)],
    ['characters of two bytes', 'é'.repeat(1_500), 'é'.repeat(1_000)],
    ['characters of three bytes', '€'.repeat(1_500), '€'.repeat(1_000)],
    ['characters of four bytes', '😀'.repeat(1_500), '😀'.repeat(1_000)],
    ['one of them at the cut', `${x(999)}😀😀`, `${x(999)}😀`],
    ['one of them behind the cut', `${x(1_000)}😀`, x(1_000)],
    ['a beginning of one, and no more', Buffer.from([0x61, 0xf0, 0x9f]), 'a\uFFFD'],
    [
      'a beginning of one at the cut',
      Buffer.concat([Buffer.from(x(999)), Buffer.from([0xf0, 0x9f])]),
      `${x(999)}\uFFFD`,
    ],
    ['NULs', 'a\0b\0', 'a\uFFFDb\uFFFD'],
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0xc0, 0x80, 0x62]), 'a\uFFFD\uFFFD\uFFFDb'],
    ['a surrogate in UTF-8', Buffer.from([0xed, 0xa0, 0x80]), '\uFFFD\uFFFD\uFFFD'],
    ['markup', '<script>alert(1)</script><img src=x>', '<script>alert(1)</script><img src=x>'],
  ])('%s: is at most 1000 characters of text', async (_what, body, excerpt) => {
    const { url } = await aRawReceiver(answering(whole(body)));
    expect(await post(url)).toMatchObject({ code: 200, error: null, excerpt });
  });

  it('has whole characters, however the bytes arrive', async () => {
    const text = '€😀é'.repeat(500);
    const { url } = await aRawReceiver((socket) => {
      const drip = async () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        for (const byte of Buffer.from(text.slice(0, 120))) {
          socket.write(Buffer.from([byte]));
          await sleep(1);
        }
        socket.end(Buffer.from(text.slice(120)));
      };
      socket.once('data', () => void drip());
    });
    expect(await post(url, 20_000)).toMatchObject({
      code: 200,
      error: null,
      excerpt: [...text].slice(0, 1_000).join(''),
    });
  });

  it('of a compressed bomb is its bytes as text', async () => {
    const body = gzipSync(Buffer.alloc(50_000_000));
    const { url } = await aReceiver({ answer: () => ({ status: 200, headers: { 'Content-Encoding': 'gzip' }, body }) });
    const result = await post(url);
    expect(result).toMatchObject({ code: 200, error: null });
    expect([...(result.excerpt ?? '')]).toHaveLength(1_000);
    expect(result.excerpt).not.toContain('\0');
  });

  it('is the beginning of an endless answer, whose rest is cut off', async () => {
    const closed = Promise.withResolvers<unknown>();
    const { url } = await aRawReceiver((socket) => {
      socket.once('close', closed.resolve);
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        writeForever(socket, x(8_192), 1);
      });
    });
    const result = await post(url);
    expect(result).toMatchObject({ code: 200, error: null, excerpt: x(1_000) });
    expect(result.ms).toBeLessThan(5_000);
    await closed.promise;
  });

  it('is the beginning of an answer that stops after it', async () => {
    const { url } = await aRawReceiver(answering(`HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n${x(1_000)}`));
    const result = await post(url, 60_000);
    expect(result).toMatchObject({ code: 200, error: null, excerpt: x(1_000) });
  });

  it('has as many headers as fit', async () => {
    const many = Array.from({ length: 80 }, (_, index) => `X-Number-${index}: ${index}`).join('\r\n');
    const { url } = await aRawReceiver(
      answering(`HTTP/1.1 200 OK\r\nA: 1\r\na: 2\r\n${many}\r\nContent-Length: 0\r\n\r\n`),
    );
    const { headers } = await post(url);
    expect(headers).toMatchObject({ a: '1, 2', 'x-number-0': '0' });
    expect(Object.keys(headers ?? {})).toHaveLength(50);
  });

  it('leaves out a long header instead of cutting it', async () => {
    const long = x(9_000);
    const { url } = await aRawReceiver(answering(`HTTP/1.1 200 OK\r\nA: 1\r\nB: ${long}\r\nContent-Length: 0\r\n\r\n`));
    expect(await post(url)).toMatchObject({ code: 200, headers: { a: '1' }, error: null });
  });

  it('ignores interim answers before it', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(3);
    const { url } = await aRawReceiver(answering(`${early}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`));
    expect(await post(url)).toMatchObject({ code: 200, excerpt: 'ok', error: null });
  });
});
