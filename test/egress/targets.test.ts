import { describe, expect, it } from 'vitest';
import { hostileTargets } from './hostile-targets.ts';
import { aMessage, anEgress, aNameServer, aRawReceiver, outgoingSockets } from './an-egress.ts';
import type { Message } from '../../src/core/language.ts';
import { targetMessages } from '../../src/core/messages/requests.ts';
import { readAllowedTargets, makeTargetRules } from '../../src/egress/targets.ts';
import { certificates } from '../support/certificates.ts';
import { aReceiver } from '../support/receiver.ts';

const rows = Object.entries(hostileTargets).flatMap(([what, urls]) => urls.map((url) => [what, url] as const));

describe('a target that is', () => {
  it.each(rows)('%s is refused, and nothing is sent: %j', async (_what, written) => {
    const listener = await aRawReceiver((socket) => socket.destroy(), { tls: false });
    const url = written.replace('PORT', String(listener.port));
    const egress = await anEgress({ dnsServers: ['127.0.0.1:1'] });
    const sockets = outgoingSockets();

    const verdict = await egress.vet(url);
    expect(verdict).toMatchObject({ allowed: false, reason: { en: expect.stringMatching(/^[A-Z].{10,}\.$/) } });

    const result = await egress.post(aMessage(url));
    expect(result).toMatchObject({ code: null, headers: null, excerpt: null });
    expect(verdict).toMatchObject({ reason: { en: result.error } });
    expect(sockets).toEqual([]);
    expect(listener.connections()).toBe(0);
  });
});

describe('a target that is allowed', () => {
  const zone = { 'example.com': { A: ['93.184.216.34'] }, 'xn--bcher-kva.example': { A: ['93.184.216.34'] } };

  it.each([
    ['https://example.com', 'https://example.com/'],
    ['https://EXAMPLE.com:443/Hook?a=B', 'https://example.com/Hook?a=B'],
    ['https://example.com:8443/', 'https://example.com:8443/'],
    ['https://example.com:1024/', 'https://example.com:1024/'],
    ['https://example.com:65535/', 'https://example.com:65535/'],
    ['https://example.com./', 'https://example.com./'],
    ['  https://exam\tple.com/a b\n', 'https://example.com/a%20b'],
    ['https://ex%61mple.com/', 'https://example.com/'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://example.com/#part', 'https://example.com/'],
    ['https://example.com/@user:pw', 'https://example.com/@user:pw'],
    ['https://93.184.216.34/', 'https://93.184.216.34/'],
    ['https://0x5db8d822/', 'https://93.184.216.34/'],
    ['https://[2606:2800:220:1:248:1893:25c8:1946]:8443/', 'https://[2606:2800:220:1:248:1893:25c8:1946]:8443/'],
  ])('is stored as it was parsed: %j', async (written, url) => {
    const { address } = await aNameServer(zone);
    const egress = await anEgress({ dnsServers: [address] });
    expect(await egress.vet(written)).toEqual({ allowed: true, url });
    expect(await egress.vet(url)).toEqual({ allowed: true, url });
  });
});

const own = { host: 'service.example', port: 443 };
const rules = makeTargetRules({ allowed: readAllowedTargets(), own });
const longest = {
  label: 'a'.repeat(63),
  name: `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`,
};

describe('a URL that is read', () => {
  it.each<readonly [url: string, refused: Message]>([
    ['example.com', targetMessages.notAUrl],
    ['http://example.com/', targetMessages.notHttps],
    ['https://user@example.com/', targetMessages.credentials],
    ['https://:pw@example.com/', targetMessages.credentials],
    [`https://example.com/${'a'.repeat(2_029)}`, targetMessages.tooLong(2_048)],
    ['https://example.com:0/', targetMessages.lowPort(0)],
    ['https://example.com:1023/', targetMessages.lowPort(1_023)],
    ['https://example.com:6379/', targetMessages.reservedPort(6_379)],
    ['https://-bad.example.com/', targetMessages.noHostName],
    ['https://bad-.example.com/', targetMessages.noHostName],
    [`https://${longest.label}a.example.com/`, targetMessages.noHostName],
    [`https://${longest.name}d/`, targetMessages.noHostName],
    ['https://nas/', targetMessages.privateName('nas')],
    ...['arpa', 'corp', 'home', 'internal', 'intranet', 'lan', 'local', 'localhost', 'onion', 'private', 'svc'].map(
      (top) => [`https://nas.${top}/`, targetMessages.privateName(`nas.${top}`)] as const,
    ),
    ['https://service.example/', targetMessages.ownUrl],
    ['https://service.example:8443/', targetMessages.ownUrl],
  ])('is refused, with what is wrong: %j', (url, refused) => expect(rules(url)).toEqual({ refused }));

  it.each([
    `https://example.com/${'a'.repeat(2_028)}`,
    `https://${longest.label}.example.com/`,
    `https://${longest.name}/`,
    'https://a_b.x-y.example/',
  ])('may be %s', (url) => expect(rules(url)).toMatchObject({ url, trusted: false }));

  it('is stored and used in one form', () => {
    expect(rules('https://EXAMPLE.com.:8443/Hook?a=B#part')).toEqual({
      url: 'https://example.com.:8443/Hook?a=B',
      origin: 'https://example.com.:8443',
      path: '/Hook?a=B',
      host: 'example.com',
      port: 8443,
      isAddress: false,
      trusted: false,
    });
    expect(rules('https://[2606:2800::1]/')).toMatchObject({ host: '2606:2800::1', port: 443, isAddress: true });
  });
});

describe('a receiver on this machine, where the service allows them', () => {
  const allowed = readAllowedTargets();
  const rules = makeTargetRules({ allowed, own: { host: 'localhost', port: 3000 }, loopback: true });

  it.each([
    ['http://localhost/', 80],
    ['https://localhost/', 443],
    ['http://127.9.9.9:4998/', 4998],
    ['http://[::1]:4998/', 4998],
  ])('is trusted, with and without TLS: %s', (url, port) => {
    expect(rules(url)).toMatchObject({ url, port, trusted: true });
  });

  it.each([
    'http://localhost:3000/',
    'https://127.0.0.1:3000/',
    'ftp://localhost:4998/',
    'http://10.0.0.1:4998/',
    'http://127.example.com/',
    'http://localhost.example.com/',
  ])('is not %s', (url) => expect(rules(url)).not.toMatchObject({ trusted: true }));
});

const verdictOf = async (allowTargets: string[], url: string): Promise<boolean> => {
  const { address } = await aNameServer({
    'receiver.example': { A: ['10.1.2.3'] },
    'mixed.example': { A: ['10.1.2.3', '192.168.0.1'] },
  });
  const egress = await anEgress({ allowTargets, dnsServers: [address] });
  return (await egress.vet(url)).allowed;
};

describe('a host and port that an operator allows', () => {
  it.each([
    ['localhost:8443', 'https://localhost:8443/'],
    ['localhost:8443', 'https://LOCALHOST.:8443/hook?a=b'],
    ['LocalHost:8443', 'https://localhost:8443/'],
    ['127.0.0.1:8443', 'https://127.1:8443/'],
    ['[::1]:8443', 'https://[0:0:0:0:0:0:0:1]:8443/'],
    ['intranet:443', 'https://intranet/'],
    ['127.0.0.1:80', 'https://127.0.0.1:80/'],
    ['127.0.0.1:6379', 'https://127.0.0.1:6379/'],
    ['receiver.example:443', 'https://receiver.example/'],
    ['mixed.example:443', 'https://mixed.example/'],
    ['service.example:443', 'https://service.example/'],
  ])('%s allows %s', async (entry, url) => {
    expect(await verdictOf([entry], url)).toBe(true);
  });

  it.each([
    ['localhost:8443', 'https://localhost:8444/'],
    ['localhost:8443', 'https://localhost/'],
    ['localhost:8443', 'https://127.0.0.1:8443/'],
    ['localhost:8443', 'https://a.localhost:8443/'],
    ['localhost:8443', 'http://localhost:8443/'],
    ['localhost:8443', 'https://user@localhost:8443/'],
    ['127.0.0.1:8443', 'https://localhost:8443/'],
    ['receiver.example:8443', 'https://mixed.example:8443/'],
    ['receiver.example:8443', 'https://receiver.example/'],
  ])('%s does not allow %s', async (entry, url) => {
    expect(await verdictOf([entry], url)).toBe(false);
  });

  it('is allowed, whatever addresses it has', async () => {
    const receiver = await aReceiver({ certificate: await (await certificates()).serverFor(['receiver.example']) });
    const { address } = await aNameServer({ 'receiver.example': { A: ['127.0.0.1'] } });
    const place = `receiver.example:${receiver.port}`;
    const egress = await anEgress({ allowTargets: [place], dnsServers: [address] });
    expect(await egress.post(aMessage(`https://${place}/`))).toMatchObject({ code: 200, error: null });
  });
});

describe('a range of addresses that an operator allows', () => {
  it.each([
    ['10.0.0.0/8', 'https://10.1.2.3/'],
    ['10.0.0.0/8', 'https://0x0a010203:8443/'],
    ['10.0.0.0/8', 'https://receiver.example/'],
    ['127.0.0.0/8', 'https://127.0.0.1:8443/'],
    ['fd00::/8', 'https://[fd12::1]/'],
  ])('%s allows %s', async (range, url) => {
    expect(await verdictOf([range], url)).toBe(true);
  });

  it.each([
    ['10.0.0.0/8', 'https://11.0.0.1@10.0.0.1/'],
    ['10.0.0.0/8', 'http://10.1.2.3/'],
    ['10.0.0.0/8', 'https://10.1.2.3:22/'],
    ['10.0.0.0/8', 'https://10.1.2.3:6379/'],
    ['10.0.0.0/8', 'https://192.168.0.1/'],
    ['10.0.0.0/8', 'https://[::ffff:10.1.2.3]/'],
    ['10.0.0.0/8', 'https://mixed.example/'],
    ['10.0.0.0/8', 'https://service.example:8443/'],
    ['127.0.0.0/8', 'https://localhost:8443/'],
    ['::/0', 'https://10.1.2.3/'],
  ])('%s does not allow %s', async (range, url) => {
    expect(await verdictOf([range], url)).toBe(false);
  });

  it('allows the service’s own machine, but not the service', async () => {
    const egress = await anEgress({ publicUrl: 'https://127.0.0.1:3000', allowTargets: ['127.0.0.0/8'] });
    expect(await egress.vet('https://127.0.0.1:8443/')).toMatchObject({ allowed: true });
    expect(await egress.vet('https://127.0.0.1:3000/')).toMatchObject({ allowed: false });
  });
});

it('invalid certificate authorities are refused at the start', async () => {
  await expect(anEgress({ extraCa: 'nothing of the kind' })).rejects.toThrow('no PEM certificate');
});

it('texts that are neither host and port nor a range are refused at the start', async () => {
  await expect(anEgress({ allowTargets: ['localhost:99999'] })).rejects.toThrow('localhost:99999');
});
