import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalEmail, emailFlaw, emailPart } from '../../src/core/email-address.ts';
import { anyCharacter } from '../support/any-character.ts';

const long = (character: string, length: number) => character.repeat(length);

describe('an email address', () => {
  it.each([
    ['mia@example.com', 'mia@example.com'],
    ['Mia.Berg@Example.COM', 'mia.berg@example.com'],
    ['a&b@x.example', 'a&b@x.example'],
    ["!#$%&'*+-/=?^_`{|}~@x.example", "!#$%&'*+-/=?^_`{|}~@x.example"],
    ['info@münchen.example', 'info@xn--mnchen-3ya.example'],
    ['info@MÜNCHEN.example', 'info@xn--mnchen-3ya.example'],
    ['info@xn--mnchen-3ya.example', 'info@xn--mnchen-3ya.example'],
    ['info@mu\u0308nchen.example', 'info@xn--mnchen-3ya.example'],
    ['info@пример.рф', 'info@xn--e1afmkfd.xn--p1ai'],
    ['a@b。example', 'a@b.example'],
    [`${long('a', 64)}@x.example`, `${long('a', 64)}@x.example`],
    [`a@${long('b', 63)}.example`, `a@${long('b', 63)}.example`],
    ['a@1.de', 'a@1.de'],
    ['a@b.1.example', 'a@b.1.example'],
  ])('%s is stored as %s', (text, kept) => {
    expect(canonicalEmail(text)).toBe(kept);
    expect(emailFlaw(text)).toBeUndefined();
  });

  it.each([
    'a@b-.de',
    'a@-b.de',
    `${long('a', 65)}@x.example`,
    `a@${long('b', 64)}.example`,
    `a@${[1, 2, 3, 4].map(() => long('b', 62)).join('.')}.example`,
    `aaaa@${[1, 2, 3, 4].map(() => long('b', 60)).join('.')}.example`,
    '"quoted"@x.example',
    '"a b"@x.example',
    'a@[127.0.0.1]',
    'a@[IPv6:::1]',
    'a@127.0.0.1',
    'a@0x7f.1',
    'a@example',
    'a@example.',
    'a@.example',
    'a@b..example',
    '.a@b.example',
    'a.@b.example',
    'a..b@c.example',
    'a@@b.example',
    'a@b@c.example',
    '@b.example',
    'a@',
    '',
    'a b@c.example',
    'a @c.example',
    'a@ c.example',
    'a@c.example\n',
    'a@c.example\r\nBcc: b@c.example',
    'a@b%2ec.example',
    'a@b_c.example',
    'a@b/c.example',
    'a@b:80.example',
    'a@b.example:25',
    'a,b@c.example',
    'a;b@c.example',
    '<a@b.example>',
    'ä@b.example',
    'a@b.example, c@d.example',
    'a(comment)@b.example',
    'a\u200b@b.example',
    'a\0@b.example',
  ])('%j is refused', (text) => {
    expect(canonicalEmail(text)).toBeUndefined();
    expect(emailFlaw(text)).toBeDefined();
  });

  it('has at most 254 characters, as it is written and as it is stored', () => {
    const written = (hyphens: number) => `a@b${long('\u00ad', hyphens)}.example`;
    expect([243, 244].map((hyphens) => canonicalEmail(written(hyphens)))).toEqual(['a@b.example', undefined]);
    const domain = ['müller', long('b', 63), long('c', 63), long('d', 50), 'example'].join('.');
    expect([53, 54].map((count) => canonicalEmail(`${long('a', count)}@${domain}`)?.length)).toEqual([254, undefined]);
  });

  it.each([
    ['mia b', 'no at'],
    ['mia b..c@x', 'blank'],
    ['@x.example', 'local part'],
    ['a..b@x', 'local part'],
    [`.${long('a', 63)}@x.example`, 'local part'],
    [`.${long('a', 64)}@x.example`, 'length'],
    [`${long('a', 65)}@x`, 'domain'],
    [`a@${[long('b', 61), long('c', 61), long('d', 61), long('e', 61), 'ff.de'].join('.')}`, 'length'],
    [`a@${[long('b', 61), long('c', 61), long('d', 61), long('e', 61), 'fff.de'].join('.')}`, 'domain'],
  ])('%j has as its first mistake: %s', (text, flaw) => expect(emailFlaw(text)).toBe(flaw));

  it('is stable: a stored address stays the same', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.emailAddress(),
          fc.string({ unit: anyCharacter }).map((text) => `a@${text}.example`),
        ),
        (text) => {
          const kept = canonicalEmail(text);
          if (kept === undefined) return;
          expect(canonicalEmail(kept)).toBe(kept);
          expect(kept).toMatch(/^[\x21-\x7e]{1,64}@[a-z0-9.-]+$/);
          expect(kept).toBe(kept.toLowerCase());
        },
      ),
      { numRuns: 30 },
    );
  });

  it('is accepted whenever the local part is a dot-atom of at most 64 characters', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (text) => {
        const isShort = text.indexOf('@') <= 64 && text.length <= 254;
        expect(canonicalEmail(text) !== undefined).toBe(isShort);
      }),
      { numRuns: 30 },
    );
  });
});

describe('a part of an address in a search', () => {
  it.each([
    ['info@münchen.example', 'info@xn--mnchen-3ya.example'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['MÜNCHEN', 'xn--mnchen-3ya'],
    ['@münchen', '@xn--mnchen-3ya'],
    ['Mia', 'Mia'],
    ['mia@ex', 'mia@ex'],
    ['Øystein Berg', 'Øystein Berg'],
    ['ä/b', 'ä/b'],
    [long('ä', 600), long('ä', 600)],
    ['', ''],
  ])('%j is searched as %j', (text, part) => expect(emailPart(text)).toBe(part));

  it('that is a stored address is searched unchanged', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (text) => {
        const kept = canonicalEmail(text);
        if (kept !== undefined) expect(emailPart(kept)).toBe(kept);
      }),
    );
  });
});
