import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { certificates } from '../support/certificates.ts';
import { aLocalEgress, aMessage, aNameServer, anEgress, aRawReceiver } from './an-egress.ts';
import { aReceiver } from '../support/receiver.ts';
import { listen } from '../support/ports.ts';

type Serve = (request: IncomingMessage, socket: Socket) => void;

const tunnel: Serve = ({ url = '' }, socket) => {
  const { hostname, port } = new URL(`http://${url}`);
  const onward = connect(Number(port), hostname.replace(/^\[|\]$/g, ''), () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    onward.pipe(socket).pipe(onward);
  });
  onward.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  socket.on('close', () => onward.destroy());
};

/** A small proxy that records its requests. */
const aProxy = async (serve: Serve = tunnel, { tls = false } = {}) => {
  const asked: { place: string; authorization: string | undefined }[] = [];
  const sockets = new Set<Socket>();
  const server: Server = tls ? createTlsServer((await certificates()).server) : createServer();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push({ place: request.url ?? '', authorization: request.headers['proxy-authorization'] });
    socket.on('error', () => {});
    serve(request, socket);
  });
  const place = `127.0.0.1:${await listen(server)}`;
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return { asked, place, url: `${tls ? 'https' : 'http'}://${place}` };
};

describe('through a proxy', () => {
  it.each([false, true])('a message is sent to the address that was checked (TLS to the proxy: %s)', async (tls) => {
    const host = 'receiver.example';
    const receiver = await aReceiver({ certificate: await (await certificates()).serverFor([host]) });
    const proxy = await aProxy(tunnel, { tls });
    const { address } = await aNameServer({ [host]: { A: ['127.0.0.1'] } });
    const egress = await aLocalEgress({ proxyUrl: proxy.url, dnsServers: [address] });
    const target = `https://${host}:${receiver.port}/hook`;
    for (let count = 0; count < 3; count += 1) {
      expect(await egress.post(aMessage(target))).toMatchObject({ code: 200, error: null });
    }
    expect(proxy.asked).toEqual([{ place: `127.0.0.1:${receiver.port}`, authorization: undefined }]);
    expect(receiver.received.map(({ path, headers }) => [path, headers.host])).toEqual(
      Array.from({ length: 3 }, () => ['/hook', `${host}:${receiver.port}`]),
    );
  });

  it('nothing is sent that is not allowed', async () => {
    const proxy = await aProxy();
    const { address } = await aNameServer({ 'receiver.example': { A: ['10.0.0.1'] } });
    const egress = await anEgress({ proxyUrl: proxy.url, dnsServers: [address] });
    for (const url of ['https://receiver.example/', 'https://127.0.0.1:8443/', 'https://[::1]/']) {
      expect(await egress.post(aMessage(url))).toMatchObject({
        code: null,
        error: expect.stringContaining('not public'),
      });
    }
    expect(proxy.asked).toEqual([]);
  });

  it('user and password are sent to the proxy', async () => {
    const receiver = await aReceiver();
    const proxy = await aProxy();
    const egress = await aLocalEgress({ proxyUrl: `http://egress:p%40ss@${proxy.place}` });
    expect(await egress.post(aMessage(receiver.url))).toMatchObject({ code: 200 });
    const authorization = `Basic ${Buffer.from('egress:p@ss').toString('base64')}`;
    expect(proxy.asked).toEqual([{ place: `127.0.0.1:${receiver.port}`, authorization }]);
  });

  it('the receiver’s certificate is still checked', async () => {
    const receiver = await aReceiver({ certificate: (await certificates()).wrongHost });
    const proxy = await aProxy();
    const egress = await aLocalEgress({ proxyUrl: proxy.url });
    expect(await egress.post(aMessage(receiver.url))).toMatchObject({
      code: null,
      error: 'The server’s certificate is not for this host.',
    });
  });

  it('the next address is tried if one can’t be reached', async () => {
    const host = 'receiver.example';
    const receiver = await aReceiver({ certificate: await (await certificates()).serverFor([host]) });
    const proxy = await aProxy();
    const { address } = await aNameServer({ [host]: { A: ['127.0.0.2', '127.0.0.1'] } });
    const egress = await aLocalEgress({ proxyUrl: proxy.url, dnsServers: [address], allowTargets: ['127.0.0.0/8'] });
    expect(await egress.post(aMessage(`https://${host}:${receiver.port}/`))).toMatchObject({ code: 200, error: null });
    expect(proxy.asked.map(({ place }) => place)).toEqual([`127.0.0.2:${receiver.port}`, `127.0.0.1:${receiver.port}`]);
  });

  it('an IPv6 address is written in brackets', async () => {
    const proxy = await aProxy((_request, socket) => void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    const egress = await aLocalEgress({ proxyUrl: proxy.url, allowTargets: ['[::1]:8443'] });
    await egress.post(aMessage('https://[::1]:8443/'));
    expect(proxy.asked.map(({ place }) => place)).toEqual(['[::1]:8443']);
  });

  it.each([
    [403, 'service'],
    [407, 'service'],
    [503, 'service'],
    [502, 'receiver'],
    [504, 'receiver'],
  ])('a refusal with %i fails the attempt, and the fault is that of the %s', async (status, fault) => {
    const receiver = await aReceiver();
    const proxy = await aProxy((_request, socket) => void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
    const egress = await aLocalEgress({ proxyUrl: proxy.url });
    expect(await egress.post(aMessage(receiver.url))).toMatchObject({
      code: null,
      error: `The service’s outgoing proxy responded with status ${status}.`,
      fault,
    });
    expect(receiver.received).toEqual([]);
  });

  it('that can’t be reached, the attempt fails, and does not bypass it', async () => {
    const receiver = await aReceiver();
    const gone = await aRawReceiver((socket) => socket.destroy(), { tls: false });
    await gone.close();
    const egress = await aLocalEgress({ proxyUrl: `http://127.0.0.1:${gone.port}` });
    expect(await egress.post(aMessage(receiver.url))).toMatchObject({
      code: null,
      error: 'The service’s outgoing proxy can’t be reached.',
      fault: 'service',
    });
    expect(receiver.received).toEqual([]);
  });

  it('that is silent, the attempt fails in time', async () => {
    const receiver = await aReceiver();
    const proxy = await aProxy(() => {});
    const egress = await aLocalEgress({ proxyUrl: proxy.url, timeout: 500 });
    const result = await egress.post(aMessage(receiver.url));
    expect(result).toMatchObject({
      code: null,
      error: 'No connection to the server within 0.5 seconds.',
      fault: 'receiver',
    });
    expect(result.ms).toBeLessThan(3_000);
  });

  it('that does not even accept the request, the attempt fails in time, and the receiver is not at fault', async () => {
    const receiver = await aReceiver();
    const proxy = await aRawReceiver((socket) => void socket.resume(), { tls: false });
    const egress = await aLocalEgress({ proxyUrl: `https://127.0.0.1:${proxy.port}`, timeout: 2_000 });
    expect(await egress.post(aMessage(receiver.url))).toMatchObject({
      code: null,
      error: 'The service’s outgoing proxy can’t be reached.',
      fault: 'service',
    });
    expect(receiver.received).toEqual([]);
  });
});
