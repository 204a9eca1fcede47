import { describe, expect, it } from 'vitest';
import { hostileTargets } from '../support/hostile-targets.ts';
import { aMessage, anEgress, aNameServer, aRawReceiver, outgoingSockets } from './an-egress.ts';

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
