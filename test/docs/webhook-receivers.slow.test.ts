import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { endpointLimits } from '../../src/core/limits.ts';
import { signatureOf } from '../../src/deliveries/message.ts';
import { exampleBodyOf } from '../../src/modules/events/payloads.ts';
import { exampleFile } from '../../src/server/developers/facts.ts';
import { checks, folder, kept, programs, receivers, secret } from './receivers.ts';
import { has, misses, output } from './webhook-guide.ts';

const canSendByHand =
  (await has('bash', '--version')) && (await has('openssl', 'version')) && (await has('curl', '--version'));

describe.each(receivers)('the receiver in %s', (_name, start) => {
  let started: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started.close());

  const byHand = async (key: string) => {
    return output('bash', ['-euo', 'pipefail', '-c', exampleFile('send-by-hand.sh')], {
      cwd: folder,
      env: { SECRET: key, RECEIVER: started.url },
    });
  };

  it('accepts a request by curl, and none signed with another secret', async ({ skip }) => {
    skip(...misses('bash, openssl or curl', canSendByHand));
    expect(await byHand(secret)).toMatch(/HTTP\/1\.[01] 204/);
    expect(await byHand('whsec_of_somebody_else')).toMatch(/HTTP\/1\.[01] 400/);
  });

  const post = async (body: string, headers: Record<string, string>) => {
    const answer = await fetch(started.url, { method: 'POST', body, headers });
    return [answer.status, await answer.text()];
  };
  const body = exampleBodyOf('evaluation.completed');

  it('accepts an event as the service sends it', async () => {
    const headers = { 'Content-Type': 'application/json', 'Svc-Signature': signatureOf(secret, body, new Date()) };
    expect(await post(body, headers)).toEqual([204, '']);
    expect(await post(body, headers)).toEqual([204, '']);
  });

  it('answers only 400 to unsigned, old and changed requests', async () => {
    const old = signatureOf(secret, body, new Date(Date.now() - 301_000 - 1_000));
    for (const headers of [{}, { 'Svc-Signature': 'garbage' }, { 'Svc-Signature': old }]) {
      expect(await post(body, headers)).toEqual([400, '']);
    }
    expect(await post(`${body} `, { 'Svc-Signature': signatureOf(secret, body, new Date()) })).toEqual([400, '']);
  });

  it('continues after an aborted request, and after a signed body that is not JSON', async () => {
    const { hostname, port } = new URL(started.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write('POST /webhooks HTTP/1.1\r\nHost: receiver\r\nContent-Length: 100\r\n\r\nhalf');
    socket.destroy();
    await once(socket, 'close');
    const [status] = await post('no JSON', { 'Svc-Signature': signatureOf(secret, 'no JSON', new Date()) });
    expect([400, 500]).toContain(status);
    expect(await post(body, { 'Svc-Signature': signatureOf(secret, body, new Date()) })).toEqual([204, '']);
  });
});

it.each(programs)('the receiver in %s accepts a repeated event, and stores it once', async (_name, start) => {
  const { url, printed, close } = await start();
  onTestFinished(close);
  const body = exampleBodyOf('evaluation.completed');
  const { type, id } = JSON.parse(body);
  const recorded = { 'Svc-Signature': signatureOf(secret, body, new Date()) };
  const resent = { 'Svc-Signature': signatureOf(secret, body, new Date(Date.now() + 1_000)) };
  for (const headers of [recorded, recorded, resent])
    expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(204);
  const again = `Already stored: ${type} ${id}`;
  await expect.poll(() => printed).toEqual([`Verified: ${type} ${id}`, again, again]);
});

it('the receiver in Express stores the event itself', () => {
  expect(kept).toContainEqual(JSON.parse(exampleBodyOf('evaluation.completed')));
});

/** An event of this size, as a text. */
const eventOf = (bytes: number): string => {
  const event = JSON.parse(exampleBodyOf('evaluation.completed'));
  const written = (padding: string) => JSON.stringify({ ...event, data: { ...event.data, padding } });
  return written('x'.repeat(bytes - Buffer.byteLength(written(''))));
};

const encodings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

describe.each(checks)('before it checks the signature, $name', ({ start, largest }) => {
  let started: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started.close());

  /** The status of the answer; 0 if the receiver closed the connection without one. */
  const send = async (body: string | Uint8Array<ArrayBuffer> | ReadableStream, headers: Record<string, string>) => {
    const options = { method: 'POST', body, headers, duplex: 'half' as const };
    return fetch(started.url, options).then(
      ({ status }) => status,
      () => 0,
    );
  };
  const signed = (body: string) => ({ 'Svc-Signature': signatureOf(secret, body, new Date()) });

  it('accepts the largest event that there is', async () => {
    const body = eventOf(endpointLimits.bodyBytes);
    expect(await send(body, signed(body))).toBe(204);
  });

  // The signature is that of the content: a receiver that decompresses it would accept the request.
  it.each(Object.entries(encodings))('does not decompress %s', async (coding, compress) => {
    const body = eventOf(1_000);
    const headers = { ...signed(body), 'Content-Encoding': coding };
    expect(await send(body, signed(body))).toBe(204);
    expect([400, 415]).toContain(await send(Buffer.from(compress(body)), headers));
  });

  it.runIf(largest !== undefined)('does not take a body that is too large, with and without its length', async () => {
    const body = eventOf((largest ?? 0) + 1);
    expect([0, 400, 413]).toContain(await send(body, signed(body)));
    expect([0, 400, 413]).toContain(await send(new Blob([body]).stream(), signed(body)));
    const event = eventOf(1_000);
    expect(await send(event, signed(event))).toBe(204);
  });

  /** The answer to a request that no client would send. */
  const sendRaw = async (body: string, headers: Record<string, string>): Promise<string> => {
    const { hostname, port, pathname } = new URL(started.url);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    let answer = '';
    socket.on('data', (text: string) => (answer += text)).on('error', () => {});
    const fields = Object.entries({ Host: 'receiver', Connection: 'close', ...headers });
    const head = [`POST ${pathname} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    if (body !== '') socket.end();
    await once(socket, 'close');
    return answer;
  };

  it('refuses a request without a body', async () => {
    expect(await send('', {})).toBe(400);
    expect(await send('', signed('{}'))).toBe(400);
    expect(await sendRaw('', signed('{}'))).toMatch(/^HTTP\/1\.[01] 400/);
  });

  it('does not read on and on when the length is negative', async () => {
    const body = eventOf(1_000);
    expect(await sendRaw(body, { ...signed(body), 'Content-Length': '-1' })).not.toMatch(/^HTTP\/1\.[01] 2/);
  });
});
