import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRedactor, redactedMark } from '../../src/core/redacted.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const everyCharacter = (text: string, write: (code: number) => string) =>
  [...text].map((character) => write(character.charCodeAt(0))).join('');
const hexOf = (digits: number) => (code: number) => code.toString(16).padStart(digits, '0');
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const html = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const percent = (text: string) => everyCharacter(text, (code) => `%${hexOf(2)(code)}`);
const base64 = (text: string) => bytes(text).toString('base64');
const lines = (text: string) => text.replaceAll(/.{16}/g, '$&\r\n');
const mixedCase = (text: string) =>
  [...text].map((letter, at) => (at % 2 === 0 ? letter.toUpperCase() : letter.toLowerCase())).join('');

/** How a receiver may write a value. */
const plainForms: Readonly<Record<string, (value: string) => string>> = {
  literally: (value) => value,
  'in upper case': (value) => value.toUpperCase(),
  'in lower case': (value) => value.toLowerCase(),
  'in mixed case': mixedCase,
  'in JSON': json,
  'in JSON with escaped slashes': (value) => json(value).replaceAll('/', String.raw`\/`),
  'in JSON, as \\u of lower case': (value) => everyCharacter(value, (code) => String.raw`\u${hexOf(4)(code)}`),
  'in JSON, as \\u of upper case': (value) =>
    everyCharacter(value, (code) => String.raw`\u${hexOf(4)(code).toUpperCase()}`),
  'in JSON in JSON': (value) => json(json(value)),
  'in JSON in upper case': (value) => json(value.toUpperCase()),
  'as \\x': (value) => everyCharacter(value, (code) => String.raw`\x${hexOf(2)(code)}`),
  'in a URL': encodeURIComponent,
  'in a URL, with lower case': (value) => encodeURIComponent(value).replaceAll(/%../g, (code) => code.toLowerCase()),
  'in a URL, each character of it': percent,
  'in a URL, each character of it, with upper case': (value) => percent(value).toUpperCase(),
  'in a URL in a URL': (value) => encodeURIComponent(encodeURIComponent(value)),
  'in a form': (value) => new URLSearchParams({ v: value }).toString().slice(2),
  'in HTML': html,
  'in HTML, with upper case': (value) => html(value).toUpperCase(),
  'in HTML, with all five names': (value) => html(value).replaceAll("'", '&apos;'),
  'in HTML, by number': (value) => everyCharacter(value, (code) => `&#${code};`),
  'in HTML, by hexadecimal number': (value) => everyCharacter(value, (code) => `&#x${hexOf(2)(code).toUpperCase()};`),
  'in HTML, by hexadecimal number with upper case': (value) =>
    everyCharacter(value, (code) => `&#X${hexOf(4)(code).toUpperCase()};`),
  'in HTML in JSON': (value) => json(html(value)),
  'in JSON in HTML': (value) => html(json(value)),
  'in hex': (value) => bytes(value).toString('hex'),
  'in hex of upper case': (value) => bytes(value).toString('hex').toUpperCase(),
};

/** The same with what stands around it in the encoded text. */
const encodedForms: Readonly<Record<string, (value: string, before: string, after: string) => string>> = {
  'in base64': (value) => base64(value),
  'in base64url': (value) => bytes(value).toString('base64url'),
  'in base64 of upper case': (value) => base64(value.toUpperCase()),
  'in a longer text in base64': (value, before, after) => base64(before + value + after),
  'in a longer text in base64url': (value, before, after) => bytes(before + value + after).toString('base64url'),
  'in a longer text in base64 in lines': (value, before, after) => lines(base64(before + value + after)),
  'in a longer text in base64 in JSON': (value, before, after) =>
    json(lines(base64(before + value + after))).replaceAll('/', String.raw`\/`),
  'in a longer text in base64 in a URL': (value, before, after) => encodeURIComponent(base64(before + value + after)),
  'in a longer text in hex': (value, before, after) => bytes(before + value + after).toString('hex'),
};

/** Shorter ones are no secrets. */
const shortest = 8;

/** A value of allowed characters, many of which are escaped. */
const aValue = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(...'"\\/&<>%+ '),
      fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    ),
    maxLength: 40,
    size: 'max',
  })
  .map((text) => text.trim())
  .filter((text) => text.length >= shortest);
/** In thousandths of a text: doubles between 0 and 1 would mostly be near 0. */
const aPlace = fc.integer({ min: 0, max: 1_000 });
/** Text that no form of a value contains, whatever stands beside it. */
const otherText = fc.string({ unit: fc.constantFrom('é', '中', ' ', '…') });
/** Text that may look like a part of a form. `\` and `%` are not among it: with what follows they are other escapes. */
const similarText = fc.string({ unit: fc.constantFrom(...'aZ9+/-_=u&#; "'), maxLength: 12 });

const cutAt = (text: string, place: number) => text.slice(0, Math.round((place * text.length) / 1_000));

/** How many characters of a value a text has that was cut. */
const begunIn = (cut: string, write: (value: string) => string, value: string): number =>
  Array.from(value, (_, at) => write(value.slice(0, at + 1)).toLowerCase()).filter((one) =>
    cut.toLowerCase().startsWith(one),
  ).length;

const simpleForms = [(value: string) => value, json, encodeURIComponent, html];

const decodedPercents = (text: string) =>
  text.replaceAll(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));

/** What a reader may find in a text by decoding all that looks like base64 or hex. */
const decodedFrom = (text: string): string =>
  [text, text.replaceAll(/\\[rn]/g, '').replaceAll('\\', ''), decodedPercents(text)]
    .map((one) => one.replaceAll(/[\r\n]/g, ''))
    .flatMap((one) => [
      ...(one.match(/[\w+/-]+/g) ?? []).flatMap((run) =>
        [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), 'base64')),
      ),
      ...(one.match(/[0-9a-f]+/gi) ?? []).flatMap((run) => [0, 1].map((from) => Buffer.from(run.slice(from), 'hex'))),
    ])
    .map((found) => found.toString('latin1').toLowerCase())
    .join('\n');

describe.each(Object.entries(plainForms))('a value that is repeated %s', (_how, write) => {
  it('is removed and nothing else, also its beginning before a cut', () => {
    fc.assert(
      fc.property(aValue, otherText, otherText, aPlace, (value, before, after, place) => {
        const redact = makeRedactor([value]);
        expect(redact(before + write(value) + after)).toBe(before + redactedMark + after);

        const cut = cutAt(write(value), place);
        const shown = redact(before + cut);
        if (begunIn(cut, write, value) >= shortest) expect(shown).toBe(before + redactedMark);
        // The beginning of an escape may be the next character of the value, and a run of escapes several ones in a simpler form.
        const most = Math.max(...[write, ...simpleForms].map((form) => begunIn(cut, form, value)));
        if (most < shortest - 1) expect(shown).toBe(before + cut);
      }),
    );
  });

  it('is removed whatever stands beside it, with its beginning before a cut', () => {
    fc.assert(
      fc.property(aValue, similarText, similarText, aPlace, (value, before, after, place) => {
        const redact = makeRedactor([value]);
        const shown = redact(cutAt(before + write(value) + after, place));
        expect(shown).not.toContain(write(value.slice(0, shortest)));
      }),
    );
  });
});

describe.each(Object.entries(encodedForms))('a value that is repeated %s', (_how, write) => {
  it('can’t be decoded, not even its beginning before a cut', () => {
    fc.assert(
      fc.property(
        fc.record({ value: aValue, left: similarText, right: similarText, before: similarText, after: similarText }),
        aPlace,
        ({ value, left, right, before, after }, place) => {
          const beginning = value.slice(0, shortest).toLowerCase();
          fc.pre(!`${left}${right}`.toLowerCase().includes(beginning));
          const whole = before + write(value, left, right) + after;
          const redact = makeRedactor([value]);
          expect(decodedFrom(whole)).toContain(beginning);
          for (const text of [whole, cutAt(whole, place)]) expect(decodedFrom(redact(text))).not.toContain(beginning);
          expect(redact(`é${whole}é`)).toMatch(/^é.*\[redacted\].*é$/s);
        },
      ),
    );
  });
});

describe('the redactor', () => {
  it.each<[string, string[], string, string]>([
    ['no secrets', [], 'a text', 'a text'],
    ['several secrets', ['a secret one', 'a secret two'], 'A secret two, a secret one.', '[redacted], [redacted].'],
    ['a short secret', ['1234567', '12345678'], 'of 1234567, 12345678', 'of 1234567, [redacted]'],
    ['a secret in another', ['12345678', '1234567890'], 'is 1234567890.', 'is [redacted].'],
    ['overlapping secrets', ['abcdefgh', 'efghijkl'], 'is abcdefghijkl.', 'is [redacted].'],
    ['a secret that overlaps itself', ['abcabcabc'], 'is abcabcabcabc.', 'is [redacted].'],
    ['a secret twice', ['12345678'], '1234567812345678', '[redacted][redacted]'],
    ['credentials without their scheme', ['Bearer abcdefgh'], 'token abcdefgh is wrong', 'token [redacted] is wrong'],
    ['a scheme alone', ['Bearer abcdefgh'], 'Bearer what?', 'Bearer what?'],
    ['a beginning in the middle', ['12345678901'], '1234567890 is cut', '1234567890 is cut'],
    ['seven characters at the end', ['123456789'], 'is 1234567', 'is 1234567'],
    ['eight characters at the end', ['123456789'], 'is 12345678', 'is [redacted]'],
    [
      'names of JavaScript as entities',
      ['12345678'],
      '&constructor; &__proto__; 12345678',
      '&constructor; &__proto__; [redacted]',
    ],
  ])('removes what it should: %s', (_what, secrets, text, shown) => {
    expect(makeRedactor(secrets)(text)).toBe(shown);
  });
});
