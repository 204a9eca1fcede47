import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ExactNumber, parseExactly } from '../../../src/core/exact-json.ts';
import {
  id,
  optionalCurrency,
  optionalDay,
  optionalDecimal,
  optionalFlag,
  optionalNumber,
  optionalText,
  optionalTime,
  readAnswer,
} from '../../../src/modules/crm/providers/answer.ts';
import { afterPrefix, plainText } from '../../../src/modules/crm/providers/objections.ts';
import { SyncFailure } from '../../../src/modules/crm/providers/failure.ts';
import { dayIn } from '../../../src/modules/crm/providers/provider.ts';

const form = z.object({
  rows: z.array(
    z.object({
      id,
      text: optionalText,
      amount: optionalDecimal,
      share: optionalNumber,
      flag: optionalFlag,
      time: optionalTime,
      day: optionalDay,
      currency: optionalCurrency,
    }),
  ),
});

const row = (fields: Record<string, unknown>) => readAnswer('A CRM', form, { rows: [{ id: '1', ...fields }] }).rows[0];
const reasonFor = (fields: Record<string, unknown>): string | undefined => {
  try {
    row(fields);
    return undefined;
  } catch (error) {
    return error instanceof SyncFailure ? error.message : String(error);
  }
};

describe('an answer of a CRM', () => {
  it.each([
    ['amount', '18400.50', '18400.50'],
    ['amount', new ExactNumber('12345678901234567890.10'), '12345678901234567890.10'],
    ['amount', 0, '0'],
    ['share', '0.4', 0.4],
    ['flag', 'true', true],
    ['flag', 'false', false],
    ['flag', false, false],
    ['time', '2026-11-20T10:30:00+01:00', new Date('2026-11-20T09:30:00Z')],
    ['time', '1763631000000', new Date(1_763_631_000_000)],
    ['day', '2026-12-15', '2026-12-15'],
    ['currency', 'eur', 'EUR'],
    ['text', 'a\0b\ud800', 'ab\ufffd'],
  ] as const)('with %s gives %s', (name, sent, read) => {
    expect(row({ [name]: sent })?.[name]).toEqual(read);
  });

  it('gives undefined for absent, null and empty values', () => {
    for (const name of ['text', 'amount', 'share', 'flag', 'time', 'day', 'currency'] as const) {
      for (const nothing of [undefined, null, '']) expect(row({ [name]: nothing })?.[name]).toBeNull();
    }
  });

  it.each([
    ['amount', 'twelve', 'It must be a decimal number or the text of one, like "18400.50".'],
    ['amount', {}, 'It must be a decimal number or the text of one, like "18400.50".'],
    ['share', true, 'It must be a number.'],
    ['flag', 'yes', 'It must be true or false.'],
    ['time', '2026-13-01T00:00:00Z', 'It must be a time like 2026-11-20T09:30:00Z.'],
    ['time', 1_763_631_000_000, 'It must be a time like 2026-11-20T09:30:00Z.'],
    ['time', '1763631000000 ms', 'It must be a time like 2026-11-20T09:30:00Z.'],
    ['time', 'at 1763631000000', 'It must be a time like 2026-11-20T09:30:00Z.'],
    ['day', '2026-12-15T00:00:00Z', 'It must be a day like 2026-12-15.'],
    ['day', 'on 2026-12-15', 'It must be a day like 2026-12-15.'],
    ['day', 20_261_215, 'It must be a day like 2026-12-15.'],
    ['day', '2026-02-30', 'It must be a day like 2026-12-15.'],
    ['currency', 'Euro', 'It must be a currency of ISO 4217, like EUR.'],
    ['text', 5, 'It must be a text.'],
    ['id', '', 'It must be an id.'],
    ['id', 1.5, 'It must be an id.'],
  ])('with an error at %s is refused with the place and the rule', (name, sent, reason) => {
    expect(reasonFor({ [name]: sent })).toBe(`A CRM: rows[0].${name}: ${reason}`);
  });

  it('that is something else is refused by its name alone', () => {
    expect(() => readAnswer('A CRM', z.string({ error: 'It must be a text.' }), 5)).toThrow(/^A CRM: [^:]+$/);
    expect(() => readAnswer('', form, { rows: 5 })).toThrow(/^rows: /);
  });

  it('accepts a number as an id, even one that JavaScript can’t represent', () => {
    expect(row({ id: 7 })?.id).toBe('7');
    expect(row({ id: parseExactly('12345678901234567890') })?.id).toBe('12345678901234567890');
  });

  it('causes no other exception, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (answer) => {
        try {
          readAnswer('A CRM', form, answer);
        } catch (error) {
          expect(error).toBeInstanceOf(SyncFailure);
        }
      }),
    );
  });
});

describe('the text of a note', () => {
  it.each([
    ['<p>Zu teuer</p><p>laut&nbsp;Chef</p>', 'Zu teuer\nlaut Chef'],
    ['a<br/>b<BR>c', 'a\nb\nc'],
    ['5 < 6 &lt; 7 &#x1F600; &#55555; &bogus;', '5 < 6 < 7 😀 &#55555; &bogus;'],
    ['<style>x</style><!-- c -->plain', 'xplain'],
    ['&lt;&gt;&amp;&quot;&apos;&AMP;', `<>&"'&`],
    ['&#65;&#x41;&#X41;&#1114111;&#x10FFFF;', 'AAA\u{10FFFF}\u{10FFFF}'],
    ['&#0;&#1114112;&#xD800;&#xDFFF;&#xD7FF;&#xE000;', '&#0;&#1114112;&#xD800;&#xDFFF;\uD7FF\uE000'],
    ['<h1>a</h1><li>b</li> <tr>c</tr><div>d</div>e<h7>f</h7>', 'a\nb\nc\nd\nef'],
    ['a<br><br><br><br>b', 'a\n\nb'],
    ['  many \n spaces\t', 'many spaces'],
  ])('of %j is %j', (html, text) => {
    expect(plainText(html)).toBe(text);
  });

  it('follows the prefix, which is compared without case', () => {
    expect(afterPrefix('<b>EINWAND</b>: Preis', 'Einwand')).toBe('Preis');
    expect(afterPrefix('Einwand : :\n Preis: zu hoch', 'Einwand')).toBe('Preis: zu hoch');
    expect(afterPrefix('#Preis: zu hoch', '#')).toBe('Preis: zu hoch');
    expect(afterPrefix('Einwand:', 'Einwand:')).toBeUndefined();
    expect(afterPrefix('Kein Einwand: Preis', 'Einwand:')).toBeUndefined();
  });

  it('is found for any HTML', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (html) => {
        expect(plainText(html).length).toBeLessThanOrEqual(html.length);
      }),
    );
  });
});

describe('a day', () => {
  it('is that of the time zone, and of UTC in an unknown one', () => {
    const time = new Date('2026-12-14T23:30:00Z');
    expect(dayIn('Europe/Berlin')(time)).toBe('2026-12-15');
    expect(dayIn('US/Pacific')(time)).toBe('2026-12-14');
    expect(dayIn('Nowhere/At_All')(time)).toBe('2026-12-14');
    expect(dayIn(null)(time)).toBe('2026-12-14');
  });
});
