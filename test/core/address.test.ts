import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkOf, plainAddress } from '../../src/core/address.ts';

const port = fc.nat(65_535);

describe('an address of a caller', () => {
  it('is the same with any port that a proxy adds, and in any spelling of IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), port, (address, at) => {
        expect(plainAddress(address)).toBe(address);
        expect(plainAddress(`${address}:${at}`)).toBe(address);
        expect(plainAddress(`::ffff:${address}`)).toBe(address);
        expect(plainAddress(`[::ffff:${address}]:${at}`)).toBe(address);
      }),
    );
    fc.assert(
      fc.property(fc.ipV6(), port, (address, at) => {
        const plain = plainAddress(address);
        expect(isIP(plain ?? '')).toBeGreaterThan(0);
        const same = [plain ?? '', address.toUpperCase(), `${address}%eth0`, `[${address}]`, `[${address}]:${at}`];
        for (const text of same) expect(plainAddress(text)).toBe(plain);
      }),
    );
  });

  it.each([
    ['', undefined],
    ['nonsense', undefined],
    ['10.0.0.256', undefined],
    ['010.0.0.1', undefined],
    ['0x7f.1', undefined],
    ['167772161', undefined],
    ['10.0.0.1 ', undefined],
    [' 10.0.0.1', undefined],
    ['10.0.0.1:', undefined],
    ['10.0.0.1:99999', undefined],
    ['10.0.0.1:65536', undefined],
    ['10.0.0.1:65535', '10.0.0.1'],
    ['10.0.0.1:123456', undefined],
    ['10.0.0.1:1x', undefined],
    ['[10.0.0.1]', undefined],
    ['[10.0.0.1]:443', undefined],
    ['[2001:db8::1', undefined],
    ['2001:db8::1]:443', undefined],
    ['x[2001:db8::1]:443', undefined],
    ['[2001:db8::1]:', undefined],
    ['[2001:db8::1]:443x', undefined],
    ['[2001:db8::1]:65536', undefined],
    ['2001:db8::1:443', '2001:db8::1:443'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['fe80::1%a%b', undefined],
  ])('%j is read as %s', (text, address) => {
    expect(plainAddress(text)).toBe(address);
  });
});

describe('the network of an address', () => {
  it('is the address itself, or the first half of an IPv6 address', () => {
    expect(networkOf('192.0.2.1')).toBe('192.0.2.1');
    const half = fc.array(fc.integer({ min: 0, max: 0xff_ff }), { minLength: 4, maxLength: 4 });
    const bit = fc.record({ group: fc.nat(3), place: fc.nat(15) });
    const of = (network: number[], host: number[]) =>
      networkOf(plainAddress([...network, ...host].map((group) => group.toString(16)).join(':')) ?? '');
    fc.assert(
      fc.property(half, half, half, bit, (network, host, otherHost, { group, place }) => {
        const other = network.with(group, (network[group] ?? 0) ^ (1 << place));
        // IPv4 addresses in IPv6 begin with zeros, and have a whole address as their network.
        fc.pre(network.some(Boolean) && other.some(Boolean));
        expect(of(network, host)).toBe(of(network, otherHost));
        expect(of(network, host)).not.toBe(of(other, host));
      }),
    );
  });
});
