import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeClient } from '../support/client.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { expectApiHeaders } from './api-headers.ts';
import { rawConnection, say, wire } from './raw-http.ts';
import type { RawConnection } from './raw-http.ts';
import { startStations } from './stations.ts';
import type { Stations } from './stations.ts';

const base = '/api/public/v1';

let service: TestService;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  key = (await aTeam(service)).client.key ?? '';
});
afterAll(() => service.close());

const start = async (caps: { all: number; perAddress: number }, trust = 'false'): Promise<Stations> => {
  const stations = await startStations(service, { caps, environment: { TRUST_PROXY: trust } });
  onTestFinished(() => stations.close());
  return stations;
};

/** Connections that have sent half a request; resolves when the server has read it, or has closed them. */
const halfOpen = async (stations: Stations, count: number, from: string): Promise<RawConnection[]> => {
  const opened = Array.from({ length: count }, () => rawConnection(stations.origin, from));
  onTestFinished(() => opened.forEach((connection) => connection.hangUp()));
  for (const connection of opened) connection.send(wire('GET', '/healthz'));
  await Promise.all(opened.map((connection) => connection.next().catch(() => undefined)));
  for (const connection of opened) connection.send(`GET ${base}/me HTTP/1.1\r\nHost: x\r\nX-Drip: `);
  return opened;
};

const openCount = (opened: RawConnection[]) => opened.filter((connection) => !connection.isClosed()).length;

/** A request on a new connection from the given address. */
const askFrom = async (stations: Stations, from: string, path = `${base}/echo/fixed`) => {
  const connection = rawConnection(stations.origin, from);
  connection.send(wire('GET', path, { Authorization: `Bearer ${key}`, Connection: 'close' }));
  const [answer] = await connection.untilClosed();
  return answer;
};

describe('connections', () => {
  it('have a limit per address; one more gets 503 at once, until another is closed', async () => {
    const stations = await start({ all: 100, perAddress: 5 });
    const opened = await halfOpen(stations, 5, '127.0.0.2');
    const refused = await askFrom(stations, '127.0.0.2');
    expect(refused).toBeProblem('unavailable');
    expect(refused?.headers.get('connection')).toBe('close');
    expect(refused?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    if (refused) expectApiHeaders(refused);
    expect(openCount(opened)).toBe(5);
    // Even a connection that sends nothing gets the refusal.
    expect((await rawConnection(stations.origin, '127.0.0.2').untilClosed())[0]).toBeProblem('unavailable');
    expect((await askFrom(stations, '127.0.0.3'))?.status).toBe(200);

    opened[0]?.hangUp();
    await expect.poll(async () => (await askFrom(stations, '127.0.0.2'))?.status).toBe(200);
  });

  it('that are refused in large numbers are closed in a moment, and nobody else waits', async () => {
    const stations = await start({ all: 100, perAddress: 5 });
    await halfOpen(stations, 5, '127.0.0.2');
    const crowd = Array.from({ length: 300 }, () => rawConnection(stations.origin, '127.0.0.2'));
    onTestFinished(() => crowd.forEach((connection) => connection.hangUp()));
    expect((await askFrom(stations, '127.0.0.3'))?.status).toBe(200);
    await expect.poll(() => openCount(crowd)).toBe(0);
  });

  it('with half a request each, from many addresses, can’t block other clients', async () => {
    const stations = await start({ all: 60, perAddress: 20 });
    const strangers = [
      await halfOpen(stations, 20, '127.0.0.2'),
      await halfOpen(stations, 20, '127.0.0.3'),
      await halfOpen(stations, 20, '127.0.0.4'),
    ].flat();
    expect(openCount(strangers)).toBe(60);
    for (let asked = 0; asked < 20; asked += 1) {
      expect((await askFrom(stations, '127.0.0.5'))?.status).toBe(200);
    }
    expect(openCount(strangers)).toBeGreaterThanOrEqual(40);
    expect(openCount(strangers)).toBeLessThan(60);
  });

  it('that are idle, from many addresses, can’t block other clients: the longest idle one is closed', async () => {
    const stations = await start({ all: 30, perAddress: 5 });
    const addresses = Array.from({ length: 30 }, (_, index) => `127.0.1.${index + 1}`);
    const opened = addresses.map((address) => rawConnection(stations.origin, address));
    onTestFinished(() => opened.forEach((connection) => connection.hangUp()));
    for (const connection of opened) {
      connection.send(wire('GET', '/healthz'));
      expect((await connection.next()).status).toBe(200);
    }
    // The first connection sends a request: now it is not the longest idle one any more.
    opened[0]?.send(wire('GET', '/healthz'));
    expect((await opened[0]?.next())?.status).toBe(200);
    for (let asked = 0; asked < 5; asked += 1) {
      const newcomer = async () => {
        const connection = rawConnection(stations.origin, `127.0.0.${asked + 5}`);
        onTestFinished(() => connection.hangUp());
        connection.send(wire('GET', `${base}/echo/fixed`, { Authorization: `Bearer ${key}` }));
        return (await connection.next()).status;
      };
      await expect.poll(newcomer).toBe(200);
      await expect.poll(() => openCount(opened)).toBe(29 - asked);
    }
    expect(opened.map((connection) => connection.isClosed()).slice(0, 7)).toEqual([
      false,
      true,
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  it.each([
    ['many addresses', 1],
    ['few addresses', 5],
  ])('whose answers are not read can’t block other clients, from %s', async (_what, perAddress) => {
    const stations = await start({ all: 20, perAddress });
    const opened = Array.from({ length: 20 }, (_, index) =>
      rawConnection(stations.origin, `127.0.1.${Math.floor(index / perAddress) + 1}`),
    );
    onTestFinished(() => opened.forEach((connection) => connection.reset()));
    const { text } = await (await aTeam(service)).aKey();
    for (const connection of opened) {
      connection.pause();
      connection.send(wire('GET', `${base}/large/20000000`, { Authorization: `Bearer ${text}` }));
    }
    // All places are taken at once, and again after each newcomer: each one displaces another connection.
    for (let asked = 0; asked < 5; asked += 1) {
      const newcomer = async () => {
        const connection = rawConnection(stations.origin, `127.0.0.${asked + 5}`);
        onTestFinished(() => connection.hangUp());
        connection.send(wire('GET', '/healthz'));
        return (await connection.next()).status;
      };
      await expect.poll(newcomer, { timeout: 15_000, interval: 200 }).toBe(200);
    }
  });

  it('with a running request are never closed for others', async () => {
    const stations = await start({ all: 3, perAddress: 3 });
    const running = Array.from({ length: 3 }, () => rawConnection(stations.origin, '127.0.0.2'));
    for (const connection of running)
      connection.send(wire('GET', `${base}/wait`, { Authorization: `Bearer ${key}`, Connection: 'close' }));
    await stations.barrier.reached(3);
    expect(await askFrom(stations, '127.0.0.3')).toBeProblem('unavailable');
    stations.barrier.open();
    for (const connection of running) expect((await connection.untilClosed())[0]?.status).toBe(200);
  });

  it('of a trusted proxy have no limit of their own, because they belong to many clients', async () => {
    for (const [trust, status] of [
      ['1', 200],
      ['127.0.0.0/30', 200],
      ['10.0.0.0/8', 503],
    ] as const) {
      const stations = await start({ all: 100, perAddress: 5 }, trust);
      await halfOpen(stations, 5, '127.0.0.2');
      expect((await askFrom(stations, '127.0.0.2'))?.status, trust).toBe(status);
    }
  });
});

describe('requests that are sent without waiting for answers', () => {
  it('are answered in their order, a few at a time', async () => {
    const stations = await start({ all: 100, perAddress: 100 });
    const connection = rawConnection(stations.origin);
    const authorization = { Authorization: `Bearer ${(await aTeam(service)).client.key ?? ''}` };
    const wait = wire('GET', `${base}/wait`, authorization);
    const numbers = Array.from({ length: 20 }, (_, number) => number);
    connection.send(
      wait.repeat(4) + numbers.map((number) => wire('GET', `${base}/echo/${number}`, authorization)).join(''),
    );
    await stations.barrier.reached(4);
    // The requests behind them have not started.
    expect(stations.logged().filter(({ route }) => route === '/echo/{text}')).toEqual([]);
    stations.barrier.open();
    for (let waited = 0; waited < 4; waited += 1) expect((await connection.next()).body).toEqual({ text: 'waited' });
    for (const number of numbers) expect((await connection.next()).body['input']).toEqual({ text: String(number) });
    connection.hangUp();
  });

  it('are not even read while more than four wait, and none is lost', async () => {
    const stations = await start({ all: 100, perAddress: 100 });
    let sent = 0;
    const socket = connect(Number(new URL(stations.origin).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    let received = '';
    socket.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')));
    const authorization = { Authorization: `Bearer ${(await aTeam(service)).client.key ?? ''}` };
    socket.write(wire('GET', `${base}/wait`, authorization).repeat(4));
    await stations.barrier.reached(4);
    // Far more than the buffers of both systems hold: data that the server doesn't read stays with the client.
    const request = wire('GET', '/healthz', { 'X-Padding': 'x'.repeat(12_000) });
    for (; sent < 4_000; sent += 1) socket.write(request);
    await say(stations.origin, wire('GET', '/healthz', { Connection: 'close' }));
    expect(socket.writableLength).toBeGreaterThan(8 * 1024 * 1024);
    stations.barrier.open();
    await expect.poll(() => received.match(/HTTP\/1\.1 200 OK/g)?.length, { timeout: 60_000 }).toBe(sent + 4);
    expect(received).not.toMatch(/HTTP\/1\.1 [^2]/);
  });

  it('beyond a limit are refused after the first ones: 503, then the connection is closed', async () => {
    const stations = await start({ all: 100, perAddress: 100 });
    const answers = await say(stations.origin, wire('GET', '/healthz').repeat(1_000));
    expect(answers.length).toBeLessThan(100);
    expect(answers.at(-1)).toBeProblem('unavailable');
    expect(answers.at(-1)?.headers.get('connection')).toBe('close');
    expect(new Set(answers.slice(0, -1).map(({ status }) => status))).toEqual(new Set([200]));
    expect((await makeClient(stations.origin).get('/healthz')).status).toBe(200);
  });
});

describe('a client that requests another protocol', () => {
  it.each(['websocket', 'h2c', 'TLS/1.2'])('%s: its request is answered like any other', async (protocol) => {
    const stations = await start({ all: 100, perAddress: 100 });
    const connection = rawConnection(stations.origin);
    const headers = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: protocol, 'HTTP2-Settings': 'AAMAAABk' };
    connection.send(wire('GET', `${base}/echo/fixed`, { ...headers, Authorization: `Bearer ${key}` }));
    expect((await connection.next()).status).toBe(200);
    connection.hangUp();
  });
});
