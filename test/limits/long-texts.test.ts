import { afterEach, describe, expect, it, vi } from 'vitest';
import type { z } from 'zod';
import { defanged, quotable } from '../../src/core/name-text.ts';
import { limits } from '../../src/core/limits.ts';
import { CatalogDocument } from '../../src/modules/catalog/document.ts';
import { Icon, Name } from '../../src/modules/catalog/schema.ts';
import { Domain } from '../../src/modules/company-sign-in/schema.ts';
import { readFeedPage } from '../../src/modules/crm/providers/feed.ts';
import { SourceDeal } from '../../src/modules/crm/providers/rows.ts';
import { NewPassword, PasskeySignIn, ResetRequest } from '../../src/modules/sign-ins/schema.ts';
import { Email, Instant, lineOf, NameText } from '../../src/platform/values.ts';
import { useCompanies } from '../support/company.ts';

const { aCompany, anAccount, signIn } = await useCompanies();

/** Repeated, they are texts for which a rule may take long: it begins to match again and again. */
const hostile = [
  'n',
  '1',
  '.',
  'a.',
  ' ',
  '\n',
  '@',
  'a@',
  '://',
  '-',
  '"',
  '\\"',
  '%',
  '+',
  '\u0301\u0323',
  '\u200d',
  '💬',
];

afterEach(() => {
  vi.restoreAllMocks();
});

/** Zod counts the characters of a long text with it, in linear time. */
const countedByZod = String.raw`[\uD800-\uDBFF]`;

/** The longest text that a regular expression or a normalisation is given meanwhile, in UTF-16 units. */
const longestSeen = (run: () => unknown): number => {
  let longest = 0;
  const exec = RegExp.prototype.exec;
  const normalize = String.prototype.normalize;
  // Methods, because they need the expression or the text that they are called on.
  vi.spyOn(RegExp.prototype, 'exec').mockImplementation(function (this: RegExp, text) {
    if (this.source !== countedByZod) longest = Math.max(longest, text.length);
    return exec.call(this, text);
  });
  vi.spyOn(String.prototype, 'normalize').mockImplementation(function (this: string, form) {
    longest = Math.max(longest, this.length);
    return normalize.call(this, form);
  });
  run();
  vi.restoreAllMocks();
  return longest;
};

const passkey = (id: string) => ({
  passkey: {
    id,
    rawId: id,
    type: 'public-key',
    response: { clientDataJSON: id, authenticatorData: id, signature: id },
  },
});

const items = (item: object) => ({ items: { role: [item] } });

/** Each with the number of characters that its text may have, and how the text is given to it. */
const fields: Readonly<Record<string, readonly [max: number, schema: z.ZodType, given?: (text: string) => unknown]>> = {
  'a name of a person or team': [limits.nameCharacters, NameText],
  'a line of a hundred characters': [100, lineOf(100)],
  'an email address': [limits.emailCharacters, Email],
  'the email address of an account': [limits.emailCharacters, ResetRequest, (email) => ({ email })],
  'a new password': [limits.passwordCharacters.max, NewPassword],
  'an id of a passkey': [8_000, PasskeySignIn, passkey],
  'a time': [500, Instant],
  'a domain of a company account': [253, Domain],
  'a name in the catalog': [120, Name],
  'an icon of the catalog': [60, Icon],
  'a key in a catalog file': [100, CatalogDocument, (key) => items({ key, name: { de: 'Bau' } })],
  'a reference in a catalog file': [107, CatalogDocument, (situation) => ({ rules: [{ situation }] })],
  'an id of a CRM’s deal': [255, SourceDeal, (id) => ({ id, outcome: 'open' })],
  'an amount of a CRM’s deal': [100, SourceDeal, (amount) => ({ id: 'x', outcome: 'open', amount })],
};

describe('a text that is longer than its field may hold', () => {
  it.each(Object.entries(fields))('is refused before any rule looks at it: %s', (_, [max, schema, given]) => {
    for (const piece of hostile) {
      const text = `x${piece.repeat(100_000)}x`;
      const seen = longestSeen(() => expect(schema.safeParse(given ? given(text) : text).success).toBe(false));
      expect(seen, JSON.stringify(piece)).toBeLessThanOrEqual(2 * max);
    }
  });

  it('is refused before any rule looks at it: the cursor of a CRM feed', () => {
    const page = { deals: [], next_cursor: '\0'.repeat(100_000) };
    expect(() => readFeedPage(page)).toThrow('1000');
  });

  it('has one flaw, its length, whatever else is wrong with it', () => {
    const everything = `a\nb\u202e evil.com 0900 1234567 ${'n'.repeat(200)}`;
    expect(NameText.safeParse(everything).error?.issues.map(({ message }) => message)).toEqual([
      '1 to 120 characters.',
    ]);
  });
});

describe('a text of any length that a mail quotes', () => {
  it('is cut before any slow rule looks at it', () => {
    for (const piece of hostile) {
      for (const quote of [quotable, defanged]) {
        expect(longestSeen(() => quote(piece.repeat(100_000)))).toBeLessThanOrEqual(1_000);
      }
    }
  });
});

it('a name of any length that a company account has is left out', async () => {
  const company = await aCompany();
  const email = `long@${company.domain}`;
  const { browser } = await signIn(email, anAccount(email, { name: 'n'.repeat(300_000) }));
  const { me } = (await browser.query('entrance/entrance.who')).data;
  expect(me).toMatchObject({ email, name: null });
});
