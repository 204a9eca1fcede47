import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { guardBacklog, usualHeldLimits } from '../../src/http/backlog-guard.ts';
import type { Load } from '../../src/http/backlog-guard.ts';
import { trackConnections } from '../../src/http/connections.ts';
import type { Connection } from '../../src/http/connections.ts';
import { makeClient } from '../support/client.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { rawConnection, readSlowly, wire } from './raw-http.ts';
import { startStations } from './stations.ts';

const base = '/api/public/v1';
const kib = 1024;
const mib = 1024 * kib;

let service: TestService;
let authorization: string;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  key = (await aTeam(service)).client.key ?? '';
  authorization = `Bearer ${key}`;
});
afterAll(() => service.close());

describe('a client that does not read its answer', () => {
  it('is cut off, while other clients and a normal slow one are served', async () => {
    const limits = { ...usualHeldLimits, bytesPerSecond: 100 * kib, overSeconds: 4, perAddress: 64 * mib, every: 100 };
    const stations = await startStations(service, { heldLimits: limits });
    onTestFinished(() => stations.close());
    const route = '/large/{text}';
    const request = wire('GET', `${base}/large/${8 * mib}`, { Authorization: authorization });

    const { port } = new URL(stations.origin);
    const honest = connect(Number(port), '127.0.0.1');
    honest.on('readable', () => {});
    honest.write(request);
    const reading = readSlowly(honest, mib, 8 * mib);

    const stalled = rawConnection(stations.origin);
    stalled.pause();
    stalled.send(request);
    const cutOff = () => stations.logged().filter((line) => line['route'] === route && line['status'] === 499);
    const client = makeClient(stations.baseUrl, key);
    await expect
      .poll(
        async () => {
          expect((await client.get('/echo/fixed')).status).toBe(200);
          return cutOff().length;
        },
        { interval: 300, timeout: 30_000 },
      )
      .toBe(1);
    expect(await reading).toBeGreaterThanOrEqual(8 * mib);
    expect(cutOff()).toHaveLength(1);
    stalled.hangUp();
  });
});

const nothing: Load = { unread: 0, arriving: 0, requests: 0, moved: 0, waitsForClient: true };

describe('a body that no operation reads', () => {
  it('does not count, one that an operation reads does, up to its limit', async () => {
    let looks = 0;
    const heldLimits = {
      ...usualHeldLimits,
      // Enough for the data that ten refused connections send until they are refused.
      perAddress: 1_024 * kib,
      every: 50,
      /** The server reads this at each check of its connections. */
      get all() {
        looks += 1;
        return 1_024 * kib;
      },
    };
    const stations = await startStations(service, { heldLimits });
    onTestFinished(() => stations.close());
    const upload = (headers: Record<string, string>, from: string) => {
      const connection = rawConnection(stations.origin, from);
      onTestFinished(() => connection.reset());
      connection.send(wire('POST', `${base}/echo`, { 'Content-Length': '200000', ...headers }, 'x'.repeat(150_000)));
      return connection;
    };
    const refused = Array.from({ length: 10 }, (_, index) => upload({}, `127.0.3.${index + 1}`));
    for (const connection of refused) expect((await connection.next()).status).toBe(401);
    const customer = upload({ Authorization: authorization, 'Content-Type': 'application/json' }, '127.0.4.1');
    const seen = looks;
    await expect.poll(() => looks, { timeout: 15_000 }).toBeGreaterThan(seen + 80);
    expect([...refused, customer].filter((connection) => connection.isClosed())).toEqual([]);
    const more = Array.from({ length: 8 }, (_, index) =>
      upload({ Authorization: authorization, 'Content-Type': 'application/json' }, `127.0.5.${index + 1}`),
    );
    await expect.poll(() => more.concat(customer).filter((one) => one.isClosed()).length, { timeout: 15_000 }).toBe(3);
    expect(refused.filter((connection) => connection.isClosed())).toEqual([]);
  });
});

describe('requests that wait for the server', () => {
  it('count for those who sent them, and never cost the slow upload of another client', async () => {
    const heldLimits = { ...usualHeldLimits, all: 512 * kib, share: 128 * kib, every: 50 };
    const stations = await startStations(service, { heldLimits });
    onTestFinished(() => stations.close());
    const upload = rawConnection(stations.origin, '127.0.6.1');
    onTestFinished(() => upload.reset());
    const body = JSON.stringify({ text: 'x'.repeat(30_000) });
    const headers = { Authorization: authorization, 'Content-Type': 'application/json' };
    upload.send(
      wire('POST', `${base}/echo`, { ...headers, 'Content-Length': String(body.length) }, body.slice(0, 20_000)),
    );

    const { text } = await (await aTeam(service)).aKey();
    const request = wire('GET', `${base}/wait`, { Authorization: `Bearer ${text}`, 'X-Padding': 'x'.repeat(12_000) });
    const crowd = Array.from({ length: 20 }, (_, index) =>
      rawConnection(stations.origin, `127.0.7.${(index % 2) + 1}`),
    );
    onTestFinished(() => crowd.forEach((connection) => connection.reset()));
    for (const connection of crowd) connection.send(request.repeat(4));
    await expect
      .poll(() => crowd.filter((connection) => connection.isClosed()).length, { timeout: 15_000 })
      .toBeGreaterThanOrEqual(10);
    upload.send(body.slice(20_000));
    expect((await upload.next()).status).toBe(200);
    // No more of them are closed than necessary.
    expect(crowd.filter((connection) => connection.isClosed()).length).toBeLessThan(16);
    stations.barrier.open();
  });
});

/** Connections without sockets: the test sets the load of each one. */
const world = (addresses: readonly (string | undefined)[]) => {
  const loads = new Map<Connection, Load>();
  const cut: string[] = [];
  const connections = addresses.map((network): Connection => ({
    socket: new Socket(),
    network,
    running: new Set(),
    idleSince: 0,
    last: undefined,
  }));
  const look = guardBacklog({
    limits: usualHeldLimits,
    loadOf: (connection) => loads.get(connection),
    cut(connection, reason) {
      loads.delete(connection);
      cut.push(`${connections.indexOf(connection)} ${reason}`);
    },
  });
  let now = 0;
  return {
    cut,
    /** Runs the server's checks for this many seconds; `load` returns the load of a connection at that time. */
    async pass(seconds: number, load: (index: number, second: number) => Partial<Load> | undefined) {
      for (const end = now + seconds * 1000; now < end; now += usualHeldLimits.every) {
        connections.forEach((connection, index) => {
          const held = load(index, now / 1000);
          if (held && !cut.some((line) => line.startsWith(`${index} `))) loads.set(connection, { ...nothing, ...held });
          else loads.delete(connection);
        });
        look(connections, now);
      }
    },
  };
};

describe('the memory limits for clients', () => {
  it('allow 16 KiB a second, in whatever steps the system accepts it; less for thirty seconds is cut off', async () => {
    const { cut, pass } = world(['a', 'b', 'c', 'd']);
    const unread = 4 * mib;
    await pass(120, (index, second) => {
      const perSecond = [17 * kib, 15 * kib, 0, 50_000][index] ?? 0;
      // The last one is a line of 400 kbit/s behind a system that accepts 1.4 MB at once, every 28 seconds.
      const taken = index === 3 ? Math.floor(second / 28) * 28 * perSecond : second * perSecond;
      return { unread, arriving: 0, moved: taken };
    });
    expect(cut.toSorted()).toEqual(['1 slow_reader', '2 slow_reader']);
  });

  it('give the rest of an answer a limited time: a minute, and the time that 16 KiB a second need', async () => {
    const { cut, pass } = world(['a', 'b', 'c', 'd']);
    // One reads nothing, one 30 bytes a second, one just enough; the last one has no answer yet.
    await pass(59, (index, second) => ({
      unread: index === 3 ? 0 : 9 * kib,
      moved: second * ([0, 30, 16 * kib][index] ?? 0),
      waitsForClient: index !== 3,
    }));
    expect(cut).toEqual([]);
    await pass(3, (index, second) => ({
      unread: index === 3 ? 0 : 9 * kib,
      moved: second * ([0, 30, 16 * kib][index] ?? 0),
      waitsForClient: index !== 3,
    }));
    expect(cut.toSorted()).toEqual(['0 slow_reader', '1 slow_reader']);
  });

  it('are 32 MiB for an address: its slowest connections are cut, other addresses and a proxy are not', async () => {
    const { cut, pass } = world(['a', 'a', 'a', 'b', undefined, undefined]);
    await pass(5, (index, second) => ({
      unread: (index < 3 ? 12 : 5) * mib,
      arriving: 0,
      moved: index === 1 ? 0 : second * mib,
    }));
    expect(cut).toEqual(['1 held_by_address']);
  });

  it('are 64 MiB for all, unfinished bodies included: the slowest are cut first, and no more than needed', async () => {
    const { cut, pass } = world(Array.from({ length: 14 }, (_, index) => `address ${index}`));
    await pass(5, (index, second) => ({ unread: 3 * mib, arriving: 3 * mib, moved: second * (index + 1) * 100 * kib }));
    expect(cut).toEqual(['0 held_by_all', '1 held_by_all', '2 held_by_all', '3 held_by_all']);
  });

  it('never let many clients that hold much displace a slower customer that holds little', async () => {
    // Six addresses with seven connections each, which read faster than the customer.
    const { cut, pass } = world(['customer', ...Array.from({ length: 42 }, (_, index) => `stranger ${index % 6}`)]);
    await pass(30, (index, second) => ({
      unread: (index === 0 ? 1 : 2) * mib,
      moved: second * (index === 0 ? 60 : 90) * 1000,
    }));
    expect(cut).not.toContain('0 held_by_all');
    expect(cut.length).toBe(11);
  });

  it('include requests, and those on which the server works are cut last', async () => {
    const { cut, pass } = world(Array.from({ length: 12 }, (_, index) => `address ${index}`));
    await pass(3, (index) => ({ requests: 6 * mib, waitsForClient: index >= 6 }));
    expect(cut.toSorted()).toEqual(['6 held_by_all', '7 held_by_all']);
  });

  it.each([
    ['two networks', 2],
    // An IPv6 customer can have this many; each connection holds less than the share of one client.
    ['64 networks', 64],
  ])('never let many running requests displace those that wait for their clients: %s', async (_what, networks) => {
    const honest = Array.from({ length: 6 }, (_, index) => `slow ${index}`);
    const crowd = Array.from({ length: 1_280 }, (_, index) => `crowd ${index % networks}`);
    const { cut, pass } = world([...honest, ...crowd]);
    const slow = (index: number, second: number) => ({ arriving: 60 * kib, moved: (index + 1) * second * kib });
    const load = (index: number, second: number) =>
      index < honest.length ? slow(index, second) : { requests: second < 3 ? 0 : 80 * kib, waitsForClient: false };
    await pass(3, (index, second) => (index < honest.length ? slow(index, second) : undefined));
    // 100 MiB is too much, but new connections are spared for a moment.
    await pass(1, load);
    expect(cut).toEqual([]);
    await pass(5, load);
    expect(cut.filter((line) => Number.parseInt(line, 10) < honest.length)).toEqual([]);
    expect(cut.length).toBeGreaterThanOrEqual(450);
    expect(cut.length).toBeLessThan(500);
  });

  it('never cut a client that holds less than its share while a network that holds more is left', async () => {
    const held = fc.record({ network: fc.nat(6), held: fc.nat(20 * mib), waits: fc.boolean(), speed: fc.nat(mib) });
    await fc.assert(
      fc.asyncProperty(fc.array(held, { minLength: 1, maxLength: 40 }), async (loads) => {
        const { cut, pass } = world(loads.map(({ network }) => `address ${network}`));
        await pass(4, (index, second) => {
          const load = loads[index];
          return load && { requests: load.held, moved: second * load.speed, waitsForClient: load.waits };
        });
        const gone = new Set(
          cut.filter((line) => line.endsWith('held_by_all')).map((line) => Number.parseInt(line, 10)),
        );
        const byAddress = new Set(cut.map((line) => Number.parseInt(line, 10)).filter((index) => !gone.has(index)));
        const heldBy = (network: number, without: ReadonlySet<number>) =>
          loads.reduce(
            (sum, load, index) => sum + (load.network === network && !without.has(index) ? load.held : 0),
            0,
          );
        const networks = [...new Set(loads.map(({ network }) => network))];
        const isBelow = (network: number) => heldBy(network, byAddress) <= usualHeldLimits.share;
        const cutBelow = [...gone].filter((index) => isBelow(loads[index]?.network ?? -1));
        const leftAbove = networks.filter(
          (network) => heldBy(network, new Set([...gone, ...byAddress])) > usualHeldLimits.share,
        );
        expect(cutBelow.length === 0 || leftAbove.length === 0).toBe(true);
        const left = networks.reduce((sum, network) => sum + heldBy(network, new Set([...gone, ...byAddress])), 0);
        expect(left).toBeLessThanOrEqual(usualHeldLimits.all);
      }),
      { numRuns: 300 },
    );
  });

  it('spare new connections for a moment, but not above twice the limit', async () => {
    const { cut, pass } = world(Array.from({ length: 20 }, (_, index) => `address ${index}`));
    await pass(0.5, () => ({ unread: 5 * mib, arriving: 0, moved: 0 }));
    expect(cut).toEqual([]);
    const larger = world(Array.from({ length: 20 }, (_, index) => `address ${index}`));
    await larger.pass(0.5, (index) => ({ unread: (index + 1) * mib, arriving: 0, moved: 0 }));
    expect(larger.cut).toEqual([
      '19 held_by_all',
      '18 held_by_all',
      '17 held_by_all',
      '16 held_by_all',
      '15 held_by_all',
    ]);
  });
});

const socketFrom = (address: string): Socket => {
  const socket = new (class extends Socket {
    override readonly remoteAddress = address;
  })();
  return socket.on('error', () => {}); // the reset of a socket without a connection
};

it('a network that uses its places for requests does not displace a slow upload from one with fewer', () => {
  const connections = trackConnections({ caps: { all: 4, perAddress: 10 }, isProxy: () => false });
  const open = (address: string, isUpload: boolean): Connection | undefined => {
    const socket = socketFrom(address);
    expect(connections.open(socket)).toBe('admitted');
    const request = new IncomingMessage(socket);
    request.complete = !isUpload;
    return connections.add(request, new ServerResponse(request));
  };
  const uploads = [open('192.0.2.1', true), open('192.0.2.2', true)].filter((connection) => connection !== undefined);
  for (let count = 0; count < 2; count += 1) open('192.0.2.3', false);
  connections.setSlowest(uploads);
  expect(connections.open(socketFrom('192.0.2.3'))).toBe('full');
  expect(uploads.map(({ socket }) => socket.destroyed)).toEqual([false, false]);
  expect(connections.open(socketFrom('192.0.2.4'))).toBe('admitted');
  expect(uploads.map(({ socket }) => socket.destroyed)).toEqual([true, false]);
});

it('connections of one IPv6 /64 count as one address, and IPv4 written as IPv6 as that IPv4', () => {
  const connections = trackConnections({ caps: { all: 100, perAddress: 1 }, isProxy: () => false });
  const open = (address: string) => connections.open(socketFrom(address));
  expect(open('2001:db8:1:1::1')).toBe('admitted');
  expect(open('2001:db8:1:1:ffff::2')).toBe('address_full');
  expect(open('2001:db8:1:2::1')).toBe('admitted');
  expect(open('192.0.2.1')).toBe('admitted');
  expect(open('::ffff:192.0.2.1')).toBe('address_full');
});
