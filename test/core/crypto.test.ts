import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeVault, randomText, resealAll, sha256 } from '../../src/core/crypto.ts';

const first = 'the first secret, 32 characters long';
const second = 'the second secret, 32 characters long';
const vault = makeVault([first]);
const unreadable = /no longer configured|unable to authenticate|authentication tag|initialization vector/i;

const text = fc.string({ unit: 'grapheme' }).filter((value) => value.isWellFormed());

describe('a vault', () => {
  it('opens what it sealed', () => {
    fc.assert(
      fc.property(text, text, text, (purpose, context, plain) => {
        expect(vault.open(purpose, context, vault.seal(purpose, context, plain))).toBe(plain);
      }),
    );
  });

  it('seals the same text differently each time, and shows nothing of it', () => {
    const plain = 'a text that is easily recognised';
    const sealed = Array.from({ length: 50 }, () => vault.seal('purpose', 'context', plain));
    expect(new Set(sealed.map((bytes) => bytes.toString('hex'))).size).toBe(50);
    expect(new Set(sealed.map((bytes) => bytes.subarray(4, 16).toString('hex'))).size).toBe(50);
    for (const bytes of sealed) expect(bytes.includes('recognised')).toBe(false);
  });

  it('opens nothing with another purpose or context', () => {
    fc.assert(
      fc.property(text, text, text, text, text, (purpose, context, plain, otherPurpose, otherContext) => {
        const sealed = vault.seal(purpose, context, plain);
        if (otherPurpose !== purpose) expect(() => vault.open(otherPurpose, context, sealed)).toThrow(unreadable);
        if (otherContext !== context) expect(() => vault.open(purpose, otherContext, sealed)).toThrow(unreadable);
      }),
    );
  });

  it('opens nothing of another purpose, even if it names the key of that purpose', () => {
    const [ours, theirs] = [vault.seal('ours', 'context', 'plain'), vault.seal('theirs', 'context', 'plain')];
    const disguised = Buffer.concat([theirs.subarray(0, 4), ours.subarray(4)]);
    expect(() => vault.open('theirs', 'context', disguised)).toThrow(unreadable);
  });

  it('opens nothing after a single bit was changed', () => {
    const sealed = vault.seal('purpose', 'context', 'plain');
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => vault.open('purpose', 'context', changed)).toThrow(unreadable);
    }
  });

  it('opens nothing after it was shortened or lengthened', () => {
    for (const plain of ['', 'plain']) {
      const sealed = vault.seal('purpose', 'context', plain);
      for (let length = 0; length < sealed.length; length += 1) {
        expect(() => vault.open('purpose', 'context', sealed.subarray(0, length))).toThrow(unreadable);
      }
      expect(() => vault.open('purpose', 'context', Buffer.concat([sealed, Buffer.from([0])]))).toThrow(unreadable);
    }
  });

  it('opens data of a previous secret, and seals with the first', () => {
    const old = vault.seal('purpose', 'context', 'old');
    const rotated = makeVault([second, first]);
    expect(rotated.open('purpose', 'context', old)).toBe('old');
    const renewed = rotated.seal('purpose', 'context', 'new');
    expect(makeVault([second]).open('purpose', 'context', renewed)).toBe('new');
    expect(() => vault.open('purpose', 'context', renewed)).toThrow('no longer configured');
    expect(() => makeVault([second]).open('purpose', 'context', old)).toThrow('no longer configured');
  });

  it('seals again with the first secret what a previous one has sealed', () => {
    const [old, rotated] = [vault.seal('purpose', 'context', 'plain'), makeVault([second, first])];
    const again = rotated.sealAgain('purpose', 'context', old) ?? expect.fail('it was not sealed again');
    expect(makeVault([second]).open('purpose', 'context', again)).toBe('plain');
    expect(rotated.sealAgain('purpose', 'context', again)).toBeUndefined();
    expect(() => rotated.sealAgain('another purpose', 'context', again)).toThrow('no longer configured');
    for (const length of [0, 1, 3]) {
      expect(() => rotated.sealAgain('purpose', 'context', again.subarray(0, length))).toThrow('no longer configured');
    }
  });

  it('accepts only its own signatures', () => {
    fc.assert(
      fc.property(text, text, text, fc.string(), (purpose, signed, other, forged) => {
        const signature = vault.sign(purpose, signed);
        expect(vault.isSigned(purpose, signed, signature)).toBe(true);
        if (other !== signed) expect(vault.isSigned(purpose, other, signature)).toBe(false);
        if (other !== purpose) expect(vault.isSigned(other, signed, signature)).toBe(false);
        if (forged !== signature) expect(vault.isSigned(purpose, signed, forged)).toBe(false);
        for (const close of [
          `${signature}=`,
          `${signature} `,
          signature.slice(1),
          `${signature}A`,
          signature.toUpperCase(),
        ]) {
          if (close !== signature) expect(vault.isSigned(purpose, signed, close)).toBe(false);
        }
      }),
    );
  });
});

describe('a vault with a previous secret', () => {
  const [former, rotated, later] = [vault, makeVault([second, first]), makeVault([second])];

  it('accepts its signatures, and signs with the first', () => {
    expect(rotated.isSigned('purpose', 'text', former.sign('purpose', 'text'))).toBe(true);
    expect(later.isSigned('purpose', 'text', rotated.sign('purpose', 'text'))).toBe(true);
    expect(former.isSigned('purpose', 'text', rotated.sign('purpose', 'text'))).toBe(false);
  });

  it('has secrets of both for a library, each with the version that it had alone', () => {
    expect(rotated.secretsFor('sessions')).toEqual([...later.secretsFor('sessions'), ...former.secretsFor('sessions')]);
    const values = [...rotated.secretsFor('sessions'), ...rotated.secretsFor('mails')].map(({ value }) => value);
    expect(new Set(values).size).toBe(4);
    expect(Math.min(...values.map(({ length }) => length))).toBe(43);
  });
});

describe('sealing again', () => {
  const lost = 'lost';
  const reseal = async (texts: readonly (string | null | undefined)[], max?: number) => {
    const replaced: string[] = [];
    const done = await resealAll(
      {
        rows: texts.map((sealed, at) => ({ id: `row ${at}`, sealed })),
        sealAgain: ({ sealed }) => (sealed === lost ? expect.fail('no secret opens it') : sealed),
        // Another process was faster.
        replace: async ({ id }, sealed) => ({ count: sealed === 'taken' ? 0 : replaced.push(id) && 1 }),
      },
      max,
    );
    return { ...done, replaced };
  };

  it('counts what it has replaced, and leaves alone what needs nothing or has changed', async () => {
    expect(await reseal(['a', null, undefined, 'taken', 'b'])).toEqual({
      resealed: 2,
      left: 0,
      lost: 0,
      lostIds: [],
      replaced: ['row 0', 'row 4'],
    });
  });

  it('replaces a limited number, and counts what is left', async () => {
    expect(await reseal(['a', 'b', null, 'c', 'd'], 2)).toMatchObject({ resealed: 2, left: 2 });
  });

  it('counts what no secret opens, and names the first twenty', async () => {
    const { lostIds, ...counts } = await reseal([...Array<string>(25).fill(lost), 'a']);
    expect(counts).toMatchObject({ lost: 25, resealed: 1 });
    expect(lostIds).toEqual(Array.from({ length: 20 }, (_, at) => `row ${at}`));
  });
});

describe('randomText', () => {
  it('has the requested length, has only letters and digits, and never repeats', () => {
    for (let length = 0; length < 200; length += 1)
      expect(randomText(length)).toMatch(new RegExp(`^[A-Za-z0-9]{${length}}$`));
    expect(new Set(Array.from({ length: 1_000 }, () => randomText(12))).size).toBe(1_000);
  });

  it('has all characters with the same probability', () => {
    const counts = new Map<string, number>();
    const length = 620_000;
    for (const char of randomText(length)) counts.set(char, (counts.get(char) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // Each character is expected 10,000 times, with a standard deviation of 100; seven times that happens once in 400
    // billion runs.
    for (const count of counts.values()) expect(Math.abs(count - length / 62)).toBeLessThan(700);
  });
});

it('sha256 is SHA-256', () => {
  expect(sha256('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
