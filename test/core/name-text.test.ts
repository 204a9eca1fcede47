import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defanged, isPlainLine, mayBecomeLink, quotable } from '../../src/core/name-text.ts';
import { limits } from '../../src/core/limits.ts';
import { NameText } from '../../src/platform/values.ts';
import { anyCharacter } from '../support/any-character.ts';

/** Names that real people and companies have. */
const names = [
  'Dr. Müller',
  'Nordlicht GmbH & Co. KG',
  'Müller GmbH & Co.KG',
  'a.b Consulting',
  'S.p.A.',
  'Ferrari S.p.A.',
  'Sp. z o.o.',
  'Ges.m.b.H.',
  'Co.,Ltd.',
  'Prof. Dr. h.c. Anna-Lena O’Brien',
  'Prof.Dr.h.c. Meier',
  'Dr.Dr. Meier',
  'Dipl.-Ing. Ayşe Yılmaz',
  'Max Muster, M.A.',
  'Eva Muster B.Sc.',
  'J.P.Morgan',
  'St.Gallen',
  'Frankfurt a.M.',
  'Sport e.V.',
  'Node.js Team',
  'Big Data: Nord',
  'Sales@Berlin, St.Gallen',
  'Sales@Nord. Süd',
  'Team SMS: Nord',
  'Kapitel 1.2.3.4.5',
  'St.Gallen und Nord/Süd',
  'x .unbekannt/y',
  'Müller @ Söhne',
  'Nord/Süd',
  'A/S 1:1',
  'Team 2.0 (Süd-West) #1 – 100 %',
  'C++ & C#',
  '<Birnen> "Nord"',
  'Łukasz Žižek',
  'Nguyễn Thị Ánh',
  '株式会社ノルド',
  'محمد',
  'می\u200cخواهم',
  'क्\u200dष',
  '👨‍👩‍👧 Familie 🏳️‍🌈',
  '❤️ Vertrieb',
];

/** Each contains an invisible character, or one that reorders the text. */
const hidden: Readonly<Record<string, string>> = {
  'a line break': 'Team\nBcc: all@victim.example',
  'CR LF': 'Team\r\nSubject: You won',
  'a tab': 'Team\tNord',
  NUL: 'Team\0Nord',
  escape: 'Team\u001b[31m',
  'a C1 control': 'Team\u0085Nord',
  'a line separator': 'Team\u2028Nord',
  'a paragraph separator': 'Team\u2029Nord',
  'an embedding': 'Team\u202aNord',
  'an override': 'Team\u202egnp.exe',
  'an isolate': 'Team\u2066Nord',
  'the end of an isolate': 'Team\u2069Nord',
  'a left-to-right mark': 'Team\u200eNord',
  'a right-to-left mark': 'Team\u200fNord',
  'an Arabic letter mark': 'Team\u061cNord',
  'a zero-width space': 'Te\u200bam',
  'a joiner between Latin letters': 'Te\u200dam',
  'a joiner after a digit': 'Team 1\u200d2',
  'a word joiner': 'Te\u2060am',
  'a byte order mark': 'Te\ufeffam',
  'a soft hyphen': 'Te\u00adam',
  'a Hangul filler': 'Te\u3164am',
  'a blank Braille cell': 'Te\u2800am',
  'a tag character': 'Team\u{e0041}',
  'half a character': 'Team\ud800',
};

/** Texts of which some mail programs make a link. */
const links = [
  'Visit https://evil.example now',
  'HTTP://EVIL',
  'http:evil',
  'Team http: Nord',
  'ftp://evil',
  'ftp:evil',
  'sip:evil',
  'mailto:evil',
  'javascript:alert(1)',
  'data:text/html,x',
  'tel:+4990012345',
  'www.evil',
  'WWW2.evil',
  '//evil',
  'x://evil',
  String.raw`\\evil\share`,
  'evil.example/path',
  'evil.unknown/path',
  'evil.unknown:8080',
  'evil.unknown?q=1',
  'evil.com',
  'Evil.COM is nice',
  'Win at evil.xyz!',
  'sub.domain.evil.de.',
  'evil.b.com',
  'evil.co.kg',
  'co.kg.de',
  '(evil.io)',
  'evil．com',
  'evil。com',
  'evil․com',
  'ｅvil.ｃｏｍ',
  'ⓔvil.ⓒom',
  'ev\u00adil.com',
  'evil.c\u200dom',
  'evil.рф',
  'böse.com',
  'evil.xn--p1ai',
  'someone@evil.example',
  'someone@evil.unknown',
  'someone＠evil.example',
  '93.184.216.34',
  '1.2.3.4',
];

const isName = (text: string) => NameText.safeParse(text).success;

describe('a name', () => {
  it.each(names)('can be %j', (name) => {
    expect(NameText.parse(name)).toBe(name);
  });

  it.each(Object.entries(hidden))('can not contain %s', (_, name) => {
    expect(isPlainLine(name)).toBe(false);
    expect(isName(name)).toBe(false);
  });

  it.each(links)('can not contain a link: %j', (name) => {
    expect(mayBecomeLink(name)).toBe(true);
    expect(isName(name)).toBe(false);
    expect(isName(`Team ${name}`)).toBe(false);
    expect(isName(`„${name}“`)).toBe(false);
  });

  it('is trimmed and has 1 to 120 characters, counted in code points', () => {
    expect(NameText.parse('  Vertrieb Nord \n')).toBe('Vertrieb Nord');
    expect(isName('🐎'.repeat(limits.nameCharacters))).toBe(true);
    expect(isName('🐎'.repeat(limits.nameCharacters + 1))).toBe(false);
    expect(isName(' ')).toBe(false);
  });
});

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.string({ unit: fc.constantFrom(...'ab.:/@\\[]„“"\r\n\t w\u202e\u200d\u3002com'), maxLength: 200 }),
  fc
    .array(fc.constantFrom(...links, ...names, ...Object.values(hidden), '.', ' ', '\u200b', '\u202e', '“'), {
      maxLength: 6,
    })
    .map((parts) => parts.join('')),
);

describe('a text that a mail quotes', () => {
  it('is one non-empty line of at most 80 visible characters without links and quotation marks, for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const quoted = quotable(text);
        expect(isPlainLine(quoted), JSON.stringify(quoted)).toBe(true);
        expect(mayBecomeLink(quoted), quoted).toBe(false);
        expect(quoted).not.toMatch(/["„“”«»]/);
        expect([...quoted].length).toBeGreaterThan(0);
        expect([...quoted].length).toBeLessThanOrEqual(80);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['Visit https://evil.example now', 'Visit […] now'],
    ['Hi\r\nBcc: all@victim.example', 'Hi Bcc: […]'],
    ['Visit evil.com, evil.unknown', 'Visit […] evil. unknown'],
    ['Vertrieb“. Rufen Sie „Nord', "Vertrieb'. Rufen Sie 'Nord"],
    ['Nordlicht GmbH & Co. KG', 'Nordlicht GmbH & Co. KG'],
    ['a.b Consulting', 'a.b Consulting'],
    ['\u200b', '[…]'],
    ['  Nord \u200b Süd\n', 'Nord Süd'],
    ['x'.repeat(80), 'x'.repeat(80)],
    ['x'.repeat(81), `${'x'.repeat(79)}…`],
    [`Nord${' '.repeat(400)}Süd`, 'Nord'],
    // The shortened text has a link that the whole one has not.
    [`${'x'.repeat(71)} 1.2.3.4567 Nord`, '[…]'],
  ])('%j becomes %j', (text, quoted) => {
    expect(quotable(text)).toBe(quoted);
  });
});

describe('a host or an address in a mail', () => {
  it('is readable and no link', () => {
    expect(defanged('hooks.example.com:8443')).toBe('hooks[.]example[.]com:8443');
    expect(defanged('mia.berg@example.com')).toBe('mia[.]berg[at]example[.]com');
    expect(defanged('a\r\n@b.example')).toBe('a[at]b[.]example');
    expect(defanged('a'.repeat(400))).toHaveLength(300);
    for (const text of ['hooks.example.com:8443', 'mia.berg@example.com', 'a\r\n@b.example']) {
      expect(mayBecomeLink(defanged(text))).toBe(false);
      expect(isPlainLine(defanged(text))).toBe(true);
    }
  });
});

describe('a name', () => {
  it.each([
    'Tel. +49 900 1234567',
    'Team 1234567',
    'Nord 2024/20251',
    '0900/1234567 sofort anrufen',
    '(0711) 123-4567',
    'Call ０９００１２３４５６７',
  ])('contains no phone number: %s', (name) => {
    expect(NameText.safeParse(name).success).toBe(false);
  });

  it.each([
    'Saison 2024/2025 Nord',
    'Saison 2024/2025',
    'Vertrieb 2024 - 2025',
    'Team 123456',
    'Filiale 70173 Stuttgart',
    '1. FC 08 Team 15',
  ])('may contain numbers that are no phone numbers: %s', (name) => {
    expect(NameText.safeParse(name).success).toBe(true);
  });

  it.each([
    'paypal-login.bond',
    'bank.ing',
    'bank.quest',
    'amazon.lat',
    'evil.한국',
    'evil.ストア',
    'evil.example',
    'evil.invalid',
    'nas.local',
    'app.localhost',
    'evil.onion',
    'evil.test',
  ])('contains no host of any top-level domain: %s', (name) => {
    expect(NameText.safeParse(name).success).toBe(false);
  });
});
