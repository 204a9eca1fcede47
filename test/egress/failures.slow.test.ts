import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { certificates } from '../support/certificates.ts';
import { aLocalEgress, aMessage, answering, aRawReceiver, writeForever } from './an-egress.ts';
import { aReceiver, type RawReceiver } from '../support/receiver.ts';

const post = async (url: string, timeout = 5_000) => (await aLocalEgress({ timeout })).post(aMessage(url));

describe('an attempt fails', () => {
  const late = 'The response was not complete within 1 second.';
  const cut = 'The server closed the connection before the response was complete.';

  it('when the answer arrives too slowly', async () => {
    const { url } = await aRawReceiver((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\n');
        writeForever(socket, 'x', 50);
      });
    });
    const result = await post(url, 1_000);
    expect(result).toMatchObject({
      code: 200,
      error: late,
      fault: 'receiver',
      excerpt: expect.stringMatching(/^x+$/),
    });
    expect(result.ms).toBeGreaterThanOrEqual(990);
    expect(result.ms).toBeLessThan(10_000);
  });

  it('when the headers arrive too slowly', async () => {
    const { url } = await aRawReceiver((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nX-Long: ');
        writeForever(socket, 'x', 50);
      });
    });
    expect(await post(url, 1_000)).toMatchObject({
      code: null,
      excerpt: null,
      error: 'The server did not respond within 1 second.',
    });
  });

  it.each([
    [
      'the connection is reset in the middle of the body',
      'HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\nhalf',
      200,
      'half',
      cut,
    ],
    [
      'the connection is reset in the middle of a chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nhalf',
      200,
      'half',
      cut,
    ],
    ['the connection is reset in the middle of the headers', 'HTTP/1.1 200 OK\r\nX-', null, null, cut],
    ['the connection is reset in the middle of the first line', 'HTTP/1.', null, null, cut],
    ['the connection is reset before an answer', '', null, null, cut],
  ])('when %s', async (_what, bytes, code, excerpt, error) => {
    const receiver: RawReceiver = await aRawReceiver((socket) => {
      socket.once('data', () => socket.write(bytes, () => setImmediate(() => receiver.reset(socket))));
    });
    expect(await post(receiver.url)).toMatchObject({ code, excerpt, error, fault: 'receiver' });
    expect(receiver.connections()).toBe(1);
  });

  it.each([
    [
      'has too many headers',
      `HTTP/1.1 200 OK\r\n${`X: ${'x'.repeat(1_000)}\r\n`.repeat(65)}\r\n`,
      'The response headers are larger than 16 KiB.',
    ],
    [
      'has too long a header',
      `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(65_536)}\r\n\r\n`,
      'The response headers are larger than 16 KiB.',
    ],
    ['is no HTTP', 'Hello, who is there?\r\n\r\n', 'The response is not valid HTTP/1.1.'],
    ['has no number for a status', 'HTTP/1.1 fine OK\r\n\r\n', 'The response is not valid HTTP/1.1.'],
    ['has a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n', 'The response is not valid HTTP/1.1.'],
    ['has a broken header', 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n', 'The response is not valid HTTP/1.1.'],
    [
      'has two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
      'The response does not match its Content-Length.',
    ],
    [
      'never gets past the hints',
      'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100),
      'The server sent too many interim responses (1xx).',
    ],
    ['wants another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n', cut],
  ])('when the answer %s', async (_what, bytes, error) => {
    const { url } = await aRawReceiver(answering(bytes));
    expect(await post(url)).toMatchObject({ code: null, headers: null, excerpt: null, error, fault: 'receiver' });
  });

  it('when the receiver accepts and never answers', async () => {
    const { url } = await aReceiver({ answer: () => 'hang' });
    const result = await post(url, 1_000);
    expect(result).toMatchObject({ code: null, error: 'The server did not respond within 1 second.' });
    expect(result.ms).toBeLessThan(10_000);
  });

  it('when the receiver never accepts', async () => {
    const port = await startSilentListener();
    await fillQueue(port);
    const result = await post(`https://127.0.0.1:${port}/`, 500);
    expect(result).toMatchObject({
      code: null,
      error: 'No connection to the server within 0.5 seconds.',
    });
    expect(result.ms).toBeLessThan(10_000);
  });

  it('when no server listens', async () => {
    const { url, close } = await aReceiver();
    await close();
    expect(await post(url)).toMatchObject({
      code: null,
      error: 'The server refused the connection.',
      fault: 'receiver',
    });
  });

  it('when the handshake stalls', async () => {
    const closed = Promise.withResolvers<unknown>();
    const { url } = await aRawReceiver((socket) => void socket.resume().once('close', closed.resolve), { tls: false });
    const result = await post(url, 500);
    expect(result).toMatchObject({
      code: null,
      error: 'No connection to the server within 0.5 seconds.',
    });
    expect(result.ms).toBeLessThan(10_000);
    await closed.promise;
  });

  it('when the receiver disconnects during the handshake', async () => {
    const { url } = await aRawReceiver((socket) => void socket.once('data', () => socket.destroy()), { tls: false });
    expect(await post(url)).toMatchObject({ error: 'The server closed the connection during the TLS handshake.' });
  });

  it('when the receiver does not speak TLS', async () => {
    const { url } = await aRawReceiver(answering('HTTP/1.1 400 Bad Request\r\n\r\n'), { tls: false });
    expect(await post(url)).toMatchObject({
      code: null,
      error: expect.stringMatching(/^The TLS handshake failed: [\w ]+\.$/),
    });
  });

  it.each([
    ['expired', 'The server’s certificate has expired.'],
    ['wrongHost', 'The server’s certificate is not for this host.'],
    ['selfSigned', 'The server’s certificate is self-signed.'],
  ] as const)('when the certificate is %s', async (which, error) => {
    const receiver = await aReceiver({ certificate: (await certificates())[which] });
    expect(await post(receiver.url)).toMatchObject({ code: null, error, fault: 'receiver' });
    expect(receiver.received).toEqual([]);
  });

  it('when no known authority signed the certificate', async () => {
    const receiver = await aReceiver();
    const egress = await aLocalEgress({ extraCa: undefined });
    expect(await egress.post(aMessage(receiver.url))).toMatchObject({
      code: null,
      error: 'The server’s certificate chain is incomplete or from an unknown authority.',
    });
    expect(receiver.received).toEqual([]);
  });
});

/** Listens, but never accepts a connection. */
const startSilentListener = async (): Promise<number> => {
  const script = `
    const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:fs').writeSync(1, String(server.address().port));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = await once(child.stdout, 'data');
  return Number(port);
};

/** Opens connections until the system accepts no more for that port. */
const fillQueue = async (port: number): Promise<void> => {
  for (let count = 0; count < 50; count += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    const connected = await Promise.race([once(socket, 'connect').then(() => true), sleep(300).then(() => false)]);
    if (!connected) return;
  }
  throw new Error('The queue never filled up');
};
