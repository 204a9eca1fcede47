import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { english, forDevelopers, forOperators, languages, locales, saying } from '../../src/core/language.ts';
import { negotiateLanguage } from '../../src/server/http/request-context.ts';

describe('negotiateLanguage', () => {
  it.each<[string | undefined, string]>([
    [undefined, 'de'],
    ['', 'de'],
    ['de', 'de'],
    ['en', 'en'],
    ['EN', 'en'],
    ['En-gB', 'en'],
    ['de-CH', 'de'],
    ['en-US,en;q=0.9', 'en'],
    ['de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7', 'de'],
    ['en-US,en;q=0.9,de-DE;q=0.8,de;q=0.7', 'en'],
    ['en-GB, de;q=0.5', 'en'],
    ['de;q=0.5, en-GB', 'en'],
    ['de;q=0.5, en-GB;q=0.4', 'de'],
    ['en;q=0.001', 'en'],
    ['en;q=0', 'de'],
    ['en;q=0.0, de;q=0', 'de'],
    ['de;q=0, en', 'en'],
    ['de, en', 'de'],
    ['en, de', 'en'],
    ['fr', 'de'],
    ['fr, es;q=0.9', 'de'],
    ['fr, en;q=0.1', 'en'],
    ['fr, en;q=0.1, de;q=0.2', 'de'],
    ['*', 'de'],
    ['*;q=0.5, en', 'en'],
    ['en;q=0.5, *;q=0.1', 'en'],
    ['fr, *;q=0.5', 'de'],
    ['*;q=0', 'de'],
    ['zh-Hans-CN', 'de'],
    ['english', 'de'],
    ['e', 'de'],
    ['eng', 'de'],
    ['i-klingon', 'de'],
    ['en_GB', 'de'],
    ['  en  ;  q=1  ', 'en'],
    ['\ten', 'en'],
    ['en;level=1', 'en'],
    [';', 'de'],
    [',,,', 'de'],
    ['-', 'de'],
    ['__proto__', 'de'],
  ])('%j is %s', (header, language) => {
    expect(negotiateLanguage(header)).toBe(language);
  });

  it('never fails, always returns a supported language, and the same one again', () => {
    const range = fc.tuple(
      fc.constantFrom('en', 'de', 'en-GB', 'fr', '*', '', 'x'.repeat(300)),
      fc.constantFrom('', ';q=0', ';q=0.5', ';q=1', ';q=x', ';'),
    );
    const header = fc.oneof(
      fc.string({ unit: 'binary-ascii' }),
      fc.array(range).map((ranges) => ranges.map((part) => part.join('')).join(',')),
    );
    fc.assert(
      fc.property(header, (text) => {
        const language = negotiateLanguage(text);
        expect(languages).toContain(language);
        expect(negotiateLanguage(text)).toBe(language);
      }),
    );
  });
});

describe('a message', () => {
  const message = { de: 'Nein.', en: 'No.' };

  it('is for developers in English, or in words of their own', () => {
    expect(forDevelopers(message)).toBe('No.');
    expect(forDevelopers({ ...message, api: 'Not `x`.' })).toBe('Not `x`.');
    expect(english('No.')).toEqual({ de: 'No.', en: 'No.' });
  });

  it('also says to operators what they can do', () => {
    expect(forOperators(message)).toBe('No.');
    expect(forOperators({ ...message, operator: 'Set X.' })).toBe('No. Set X.');
  });

  it('is kept in both languages by an issue of Zod', () => {
    const { error } = z
      .string()
      .refine(() => false, saying(message))
      .safeParse('x');
    expect(error?.issues).toMatchObject([{ message: 'No.', params: { message } }]);
  });
});

it('numbers and days are written as in Germany and in Great Britain', () => {
  const written = (locale: string) => [
    (1_234.5).toLocaleString(locale),
    new Date(2026, 10, 5).toLocaleDateString(locale),
  ];
  expect([locales.de, locales.en].map(written)).toEqual([
    ['1.234,5', '5.11.2026'],
    ['1,234.5', '05/11/2026'],
  ]);
});
