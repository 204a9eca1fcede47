import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { languages } from '../../src/core/language.ts';
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
