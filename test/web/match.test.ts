import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matches } from '../../src/web/search/match.ts';

describe('the search for pages and actions', () => {
  it('finds words in any order, also with one wrong, missing, added or swapped letter', () => {
    const webhooks = ['Webhooks', 'Create webhook endpoint'];
    for (const typed of ['webhook', 'webhok', 'webhoook', 'wbehook', 'webkook', 'endpoint web', 'WEBH']) {
      expect(matches(webhooks, typed), typed).toBe(true);
    }
    for (const typed of ['wbhok', 'hooked', 'webhook member', 'xyz'])
      expect(matches(webhooks, typed), typed).toBe(false);
    // Two letters that are wrong are not swapped, and a swapped pair is the only mistake.
    for (const typed of ['wcfhook', 'wxyhook', 'wbehokk', 'ewbhokks', 'wbxhook', 'wxehook']) {
      expect(matches(webhooks, typed), typed).toBe(false);
    }
    expect(matches(['Live view (beta)', 'a-z'], '  beta   live')).toBe(true);
    expect(matches(['New', 'member'], 'newmember')).toBe(false);
    expect(matches(['Keys'], 'kezs')).toBe(true);
    // Short words must be right.
    expect(matches(['Key'], 'kez')).toBe(false);
  });

  it('finds a word with any one mistake, and none with two wrong letters', () => {
    const word = fc.stringMatching(/^[a-z]{6,10}$/);
    fc.assert(
      fc.property(word, fc.nat({ max: 5 }), (word, at) => {
        const [before, after] = [word.slice(0, at), word.slice(at + 1)];
        const swapped = word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2);
        const texts = ['New', `my (${word})`];
        for (const typed of [
          `${before}ß${after}`,
          before + after,
          `${before}ß${word.slice(at)}`,
          swapped,
          `${word}ß`,
        ]) {
          expect(matches(texts, typed), typed).toBe(true);
        }
        expect(matches([`${word}en`], `${before}ß${after}`)).toBe(true);
        for (const typed of [`ß${word.slice(1, -1)}ß`, `ßß${word}`, `${word.slice(0, -2)}ßß`]) {
          expect(matches(texts, typed), typed).toBe(false);
        }
      }),
    );
  });
});
