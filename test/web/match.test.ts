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
    for (const typed of ['wcfhook', 'wxyhook', 'wbehokk', 'ewbhokks']) {
      expect(matches(webhooks, typed), typed).toBe(false);
    }
    expect(matches(['Live view (beta)', 'a-z'], '  beta   live')).toBe(true);
    expect(matches(['Keys'], 'kezs')).toBe(true);
    // Short words must be right.
    expect(matches(['Key'], 'kez')).toBe(false);
  });
});
