import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeGuard, ownAddresses, isPublicAddress } from '../../src/egress/guard.ts';
import { targetMessages } from '../../src/core/messages/requests.ts';
import { makeTargetRules, readAllowedTargets } from '../../src/egress/targets.ts';
import { anEgress } from './an-egress.ts';

/** The special-purpose ranges of IPv4 as numbers, written down again, independent of the code. */
const apart: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

const bytesOf = (value: number): number[] => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
const numberOf = (dotted: string): number => dotted.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const dotted = (value: number): string => bytesOf(value).join('.');

const apartAddress = fc
  .constantFrom(...apart)
  .chain(([from, bits]) => fc.integer({ min: numberOf(from), max: numberOf(from) + 2 ** (32 - bits) - 1 }));

const inBase = fc.constantFrom(
  (part: number) => part.toString(),
  (part: number) => `0x${part.toString(16)}`,
  (part: number) => `0X${part.toString(16).toUpperCase()}`,
  (part: number) => `0${part.toString(8)}`,
  (part: number) => `0x000${part.toString(16)}`,
);
const dot = fc.constantFrom('.', '。', '．', '｡', '%2e');
const fullWidth = (text: string): string =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
const percent = (text: string): string => text.replaceAll(/\d/g, (digit) => `%3${digit}`);
const digits = fc.constantFrom((text: string) => text, fullWidth, percent);

/**
 * An IPv4 address in all forms that a URL allows: any base for any part, one to four parts, other dots, other digits.
 */
const notation = (value: number) =>
  fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.array(inBase, { minLength: 4, maxLength: 4 }), dot, digits, fc.boolean())
    .map(([count, bases, separator, write, trailingDot]) => {
      const bytes = bytesOf(value);
      const parts = [...bytes.slice(0, count - 1), bytes.slice(count - 1).reduce((sum, byte) => sum * 256 + byte, 0)];
      const text = parts.map((part, index) => write(bases[index]?.(part) ?? '')).join(separator);
      return text + (trailingDot ? '.' : '');
    });

const group = (high: number, low: number): string => ((high << 8) | low).toString(16);
const embedded = (value: number): string[] => {
  const [a = 0, b = 0, c = 0, d = 0] = bytesOf(value);
  const hex = `${group(a, b)}:${group(c, d)}`;
  return [
    `::ffff:${dotted(value)}`,
    `::ffff:${hex}`,
    `::${hex}`,
    `::ffff:0:${hex}`,
    `64:ff9b::${hex}`,
    `2002:${hex}::1`,
  ];
};

const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
const written = (parts: readonly number[]): string => parts.map((part) => part.toString(16)).join(':');

describe('no address passes', () => {
  it('if it is in a special-purpose range of IPv4, in any notation', async () => {
    const egress = await anEgress();
    await fc.assert(
      fc.asyncProperty(
        apartAddress.chain((value) => fc.tuple(fc.constant(value), notation(value))),
        async ([value, host]) => {
          expect(new URL(`https://${host}/`).hostname).toBe(dotted(value));
          expect(await egress.vet(`https://${host}/`)).toMatchObject({ allowed: false });
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('of such an IPv4 range in any IPv6 form', async () => {
    const egress = await anEgress();
    await fc.assert(
      fc.asyncProperty(fc.oneof(apartAddress, fc.nat(0xffff_ffff)), async (value) => {
        for (const host of embedded(value)) {
          expect(await egress.vet(`https://[${host}]/`), host).toMatchObject({ allowed: false });
        }
      }),
      { numRuns: 300 },
    );
  });

  it('of IPv6 outside of 2000::/3', async () => {
    const egress = await anEgress();
    await fc.assert(
      fc.asyncProperty(groups, async ([first = 0, ...rest]) => {
        fc.pre(first >> 13 !== 1);
        const host = written([first, ...rest]);
        expect(isPublicAddress(host)).toBe(false);
        expect(await egress.vet(`https://[${host}]/`)).toMatchObject({ allowed: false });
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    [[0x2001, 0x0000], 7],
    [[0x2001, 0x0db8], 0],
    [[0x2001, 0x01ff], 0],
    [[0x2002], 0],
    [[0x3fff, 0x0fff], 0],
    [[0x3fff, 0x0000], 0],
    [[0x2620, 0x004f, 0x8000], 0],
  ])('of IPv6 that begins with %j', (beginning) => {
    fc.assert(
      fc.property(groups, (parts) => {
        expect(isPublicAddress(written([...beginning, ...parts.slice(beginning.length)]))).toBe(false);
      }),
    );
  });

  it.each(['', '1', '127.1', '0x7f.1', '08.8.8.8', '8.8.8.8 ', '8.8.8.8/32', 'example.com', '[2606::1]', 'fe80::1%lo'])(
    'from a text that is no usual notation: %j',
    (text) => {
      expect(isPublicAddress(text)).toBe(false);
    },
  );
});

it.each([
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '223.255.255.255',
  '2606:2800:220:1:248:1893:25c8:1946',
  '2a00:1450:4001:81b::200e',
  '2001:4860:4860::8888',
  '2001:200::1',
  '3ffe::1',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

describe('this machine', () => {
  it('recognises its own addresses', () => {
    const isOwn = ownAddresses();
    expect(isOwn('127.0.0.1')).toBe(true);
    expect(isOwn('93.184.216.34')).toBe(false);
    expect(isOwn('2606:2800:220:1:248:1893:25c8:1946')).toBe(false);
  });
});

describe('the guard', () => {
  /** A guard, and how names were looked up. */
  const aGuard = () => {
    const lookedUp: unknown[] = [];
    const allowed = readAllowedTargets(['trusted.example:443', '10.0.0.0/8']);
    const addresses: Record<string, string[]> = {
      'own.example': ['8.8.8.8', '93.184.216.34'],
      'private.example': ['8.8.8.8', '192.168.0.1'],
      'allowed.example': ['8.8.8.8', '10.0.0.1'],
      'trusted.example': ['192.168.0.1'],
    };
    const guard = makeGuard({
      read: makeTargetRules({ allowed, own: { host: 'service.example', port: 443 } }),
      names: {
        lookUp: async (name, options) => {
          lookedUp.push([name, options]);
          return addresses[name] ?? [];
        },
        textsOf: () => Promise.resolve([]),
        close: () => {},
      },
      allowed,
      isOwn: (address) => address === '93.184.216.34',
    });
    const addressesOf = async (host: string, options?: { fresh?: boolean }) => {
      const target = guard.read(`https://${host}/`);
      if ('refused' in target) throw new Error(target.refused.en);
      return guard.addressesOf(target, options);
    };
    return { lookedUp, addressesOf };
  };

  it.each([
    ['93.184.216.34', targetMessages.ownAddress('93.184.216.34')],
    ['192.168.0.1', targetMessages.privateAddress('192.168.0.1')],
    ['own.example', targetMessages.nameOfOwnAddress],
    ['private.example', targetMessages.nameOfPrivateAddress],
  ])('refuses %s, which leads to this machine or to a private network', async (host, told) => {
    await expect(aGuard().addressesOf(host)).rejects.toMatchObject({ told });
  });

  it.each([
    ['8.8.8.8', ['8.8.8.8']],
    ['10.0.0.1', ['10.0.0.1']],
    ['allowed.example', ['8.8.8.8', '10.0.0.1']],
    ['trusted.example', ['192.168.0.1']],
  ])('returns the addresses of %s', async (host, addresses) => {
    expect(await aGuard().addressesOf(host)).toEqual(addresses);
  });

  it('looks a name up by the system if the operator allows it, and anew if asked', async () => {
    const { lookedUp, addressesOf } = aGuard();
    await addressesOf('trusted.example');
    await addressesOf('allowed.example', { fresh: true });
    await addressesOf('8.8.8.8');
    expect(lookedUp).toEqual([
      ['trusted.example', { bySystem: true, fresh: undefined }],
      ['allowed.example', { bySystem: false, fresh: true }],
    ]);
  });
});
