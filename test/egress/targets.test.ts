import { describe, expect, it } from 'vitest';
import { hostileTargets } from '../support/hostile-targets.ts';
import { aMessage, anEgress, aNameServer, aRawReceiver, outgoingSockets } from './an-egress.ts';
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
