import { describe, expect, it } from 'vitest';
import { certificates } from '../support/certificates.ts';
import type { Records, Zone } from '../support/name-server.ts';
import { aLocalEgress, aMessage, aNameServer, anEgress, aRawReceiver, outgoingSockets } from './an-egress.ts';
import { aReceiver } from '../support/receiver.ts';

const host = 'receiver.example';
const publicV4 = '93.184.216.34';
const publicV6 = '2606:2800:220:1:248:1893:25c8:1946';
const url = `https://${host}/hook`;

describe('a name that leads to an address that is not public', () => {
  const zones: Record<string, Zone> = {
    'a private one': { [host]: { A: ['10.0.0.1'] } },
    'a link-local one': { [host]: { A: ['169.254.169.254'] } },
    loopback: { [host]: { A: ['127.0.0.1'] } },
    'loopback in IPv6': { [host]: { AAAA: ['::1'] } },
    'a mapped one': { [host]: { AAAA: ['::ffff:127.0.0.1'] } },
    'public ones and a private one': { [host]: { A: [publicV4, '8.8.8.8', '192.168.1.1'] } },
    'a private one and a public one': { [host]: { A: ['192.168.1.1', publicV4] } },
    'a public one, and privately in IPv6': { [host]: { A: [publicV4], AAAA: ['fd00::1'] } },
    'privately in IPv4, and publicly in IPv6': { [host]: { A: ['10.0.0.1'], AAAA: [publicV6] } },
    'another name that is private': { [host]: { CNAME: 'inside.example' }, 'inside.example': { A: ['10.0.0.1'] } },
    'a name of a private network': { [host]: { CNAME: 'db.internal' }, 'db.internal': { A: ['10.0.0.1'] } },
    'nothing in IPv4 for a fault, and privately in IPv6': { [host]: { A: 'SERVFAIL', AAAA: ['fd00::1'] } },
    'privately in IPv4, and nothing in IPv6 for a fault': { [host]: { A: ['10.0.0.1'], AAAA: 'SERVFAIL' } },
    'privately in IPv4, and silence in IPv6': { [host]: { A: ['10.0.0.1'], AAAA: 'silence' } },
  };

  it.each(Object.entries(zones))('%s: is refused, and nothing is sent', { timeout: 60_000 }, async (_what, zone) => {
    const { address } = await aNameServer(zone);
    const egress = await anEgress({ dnsServers: [address], timeout: 20_000 });
    const sockets = outgoingSockets();
    const reason = 'The host name points to an address that is not public.';
    const [verdict, result] = await Promise.all([egress.vet(url), egress.post(aMessage(url))]);
    expect(result).toMatchObject({ code: null, excerpt: null, error: reason, fault: 'receiver' });
    // Vetting does not wait for a silent server, but the attempt does.
    if (!Object.values(zone).some((entry) => JSON.stringify(entry).includes('silence'))) {
      expect(verdict).toMatchObject({ allowed: false, reason: { en: reason } });
    }
    expect(sockets).toEqual([]);
  });
});

describe('a name that', () => {
  it('has only public addresses is allowed', async () => {
    const { address } = await aNameServer({
      [host]: { CNAME: 'edge.example' },
      'edge.example': { A: [publicV4], AAAA: [publicV6] },
    });
    const egress = await anEgress({ dnsServers: [address] });
    expect(await egress.vet(url)).toEqual({ allowed: true, url });
  });

  it.each([
    ['is not known', {}, 'The host name was not found in the DNS.'],
    ['has no address', { [host]: {} }, 'The host name was not found in the DNS.'],
    [
      'leads to a name that is not known',
      { [host]: { CNAME: 'x.example' } },
      'The host name was not found in the DNS.',
    ],
    ['goes in a circle', { [host]: { CNAME: host } }, 'The DNS lookup of the host name failed.'],
    ['makes the server fail', { [host]: 'SERVFAIL' }, 'The DNS lookup of the host name failed.'],
  ] satisfies [string, Zone, string][])(
    '%s is allowed by vetting, but fails an attempt',
    async (_what, zone, error) => {
      const { address } = await aNameServer(zone);
      const egress = await anEgress({ dnsServers: [address] });
      expect(await egress.vet(url)).toEqual({ allowed: true, url });
      expect(await egress.post(aMessage(url))).toMatchObject({ code: null, error, fault: 'receiver' });
    },
  );

  it('gets no answer is allowed by vetting, and fails an attempt after its time-out', async () => {
    const { address } = await aNameServer({ [host]: 'silence' });
    const egress = await anEgress({ dnsServers: [address], timeout: 500 });
    const result = await egress.post(aMessage(url));
    expect(result).toMatchObject({
      code: null,
      error: 'The DNS lookup of the host name took longer than 0.5 seconds.',
    });
    expect(result.ms).toBeGreaterThanOrEqual(490);
    expect(await egress.vet(url)).toEqual({ allowed: true, url });
  });

  it('is requested by many at once is looked up once', async () => {
    const receiver = await startNamed();
    await Promise.all(Array.from({ length: 50 }, () => receiver.egress.post(aMessage(receiver.url))));
    expect(new Set(receiver.asked)).toEqual(new Set([`A ${host}`, `AAAA ${host}`]));
    // A busy machine answers late, and then is asked again.
    expect(receiver.asked.length).toBeLessThan(10);
  });

  it('is unknown is not looked up for every attempt', async () => {
    const { address, asked } = await aNameServer({});
    const egress = await anEgress({ dnsServers: [address] });
    for (let count = 0; count < 10; count += 1) await egress.post(aMessage(url));
    // Both families, and whether it is an alias.
    expect(asked.length).toBeLessThanOrEqual(6);
  });
});

/** A receiver on this machine with its own host name. */
const startNamed = async (records: Records | (() => Records) = { A: ['127.0.0.1'] }) => {
  const { serverFor } = await certificates();
  const receiver = await aReceiver({ certificate: await serverFor([host]) });
  const { address, asked, set } = await aNameServer({ [host]: records });
  const egress = await aLocalEgress({ dnsServers: [address] });
  return { receiver, egress, asked, set, url: `https://${host}:${receiver.port}/hook` };
};

describe('a name whose addresses change', () => {
  const notPublic = { code: null, error: 'The host name points to an address that is not public.' };

  it('from public to private after vetting is refused at the very next attempt', async () => {
    const { address, set } = await aNameServer({ [host]: { A: [publicV4] } });
    const egress = await anEgress({ dnsServers: [address] });
    const sockets = outgoingSockets();
    expect(await egress.vet(url)).toEqual({ allowed: true, url });
    set(host, { A: ['10.0.0.1'] });
    expect(await egress.post(aMessage(url))).toMatchObject(notPublic);
    expect(sockets).toEqual([]);
  });

  it('between the check and the connection does not redirect the connection', async () => {
    let answers = 0;
    const { receiver, egress, url } = await startNamed(() => {
      answers += 1;
      return { A: [answers <= 2 ? '127.0.0.1' : '127.0.0.2'] };
    });
    const elsewhere = await aRawReceiver((socket) => socket.destroy(), {
      port: receiver.port,
      host: '127.0.0.2',
      tls: false,
    });
    const sockets = outgoingSockets();
    expect(await egress.post(aMessage(url))).toMatchObject({ code: 200, error: null });
    expect(sockets.map(({ remoteAddress }) => remoteAddress)).toEqual(['127.0.0.1']);
    expect(elsewhere.connections()).toBe(0);
  });

  it('is refused a moment later, even if a connection is open', async () => {
    const { receiver, egress, set, url } = await startNamed();
    expect(await egress.post(aMessage(url))).toMatchObject({ code: 200 });
    set(host, { A: ['10.0.0.1'] });
    await expect.poll(() => egress.post(aMessage(url))).toMatchObject(notPublic);
    const { length } = receiver.received;
    expect(await egress.post(aMessage(url))).toMatchObject(notPublic);
    expect(receiver.received).toHaveLength(length);
  });
});

describe('a name with several addresses', () => {
  it('is reached at the next one if one refuses', async () => {
    const { egress, url } = await startNamed({ A: ['127.0.0.2', '127.0.0.1'] });
    expect(await egress.post(aMessage(url))).toMatchObject({ error: expect.stringContaining('not public') });
    const { address } = await aNameServer({ [host]: { A: ['127.0.0.2', '127.0.0.3', '127.0.0.1'] } });
    const open = await aLocalEgress({ dnsServers: [address], allowTargets: ['127.0.0.0/8'] });
    expect(await open.post(aMessage(url))).toMatchObject({ code: 200, error: null });
  });

  it('fails if all of them refuse', async () => {
    const { url } = await startNamed();
    const { address } = await aNameServer({ [host]: { A: ['127.0.0.2', '127.0.0.3', '127.0.0.4'] } });
    const egress = await aLocalEgress({ dnsServers: [address], allowTargets: ['127.0.0.0/8'] });
    expect(await egress.post(aMessage(url))).toMatchObject({
      code: null,
      error: 'The server refused the connection.',
    });
  });

  it('is tried in both families', async () => {
    const { url } = await startNamed();
    const { address } = await aNameServer({ [host]: { A: ['127.0.0.1'], AAAA: ['::1', '::1', '::1', '::1'] } });
    const egress = await aLocalEgress({ dnsServers: [address], allowTargets: ['127.0.0.0/8', '::1/128'] });
    expect(await egress.post(aMessage(url))).toMatchObject({ code: 200 });
  });
});

it('fifty names whose servers are silent do not delay a message to another one', async () => {
  const certificate = await (await certificates()).serverFor([host]);
  const receiver = await aReceiver({ certificate });
  const silent = Array.from({ length: 50 }, (_, index) => `silent-${index}.example`);
  const zone: Zone = Object.fromEntries(silent.map((name) => [name, 'silence']));
  const { address } = await aNameServer({ ...zone, [host]: { A: ['127.0.0.1'] } });
  const egress = await aLocalEgress({ dnsServers: [address], timeout: 20_000 });
  const posts = silent.map((name) => egress.post(aMessage(`https://${name}/`)));
  const result = await egress.post(aMessage(`https://${host}:${receiver.port}/`));
  expect(result).toMatchObject({ code: 200, error: null, fault: null });
  expect(result.ms).toBeLessThan(10_000);
  await egress.close();
  await Promise.all(posts);
});

it('a name that the operator allows is looked up by the system', async () => {
  const receiver = await aReceiver();
  const target = `https://localhost:${receiver.port}/`;
  const egress = await anEgress({ allowTargets: [`localhost:${receiver.port}`] });
  expect(await egress.vet(target)).toEqual({ allowed: true, url: target });
  expect(await egress.post(aMessage(target))).toMatchObject({ code: 200, error: null });
});
