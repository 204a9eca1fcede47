import { describe, expect, it } from 'vitest';
import { languageAtFirst } from '../../src/web/language/texts.ts';
import { answerKey } from '../../src/web/server/answer-key.ts';
import { draftKey, draftKeys, draftNames, draftOfOne, parseDraft } from '../../src/web/session/draft-keys.ts';
import { canHavePasskeys } from '../../src/web/session/passkey-site.ts';
import { teamAtFirst, teamOf } from '../../src/web/session/team-in-link.ts';
import { hiddenStepsKey } from '../../src/web/pages/overview/steps.ts';

// What belongs to the person who is signed in, to the team that the tab shows, and to the language.

describe('an answer that is kept', () => {
  const here = { language: 'de', team: 'north' };
  /** Whether the answer is another one in another team, and in another language. */
  const differs = (key: readonly unknown[]) => {
    const keyIn = (shown: Partial<typeof here>) => JSON.stringify(answerKey(key, { ...here, ...shown }));
    expect(keyIn({})).toBe(keyIn({}));
    return { team: keyIn({ team: 'south' }) !== keyIn({}), language: keyIn({ language: 'en' }) !== keyIn({}) };
  };
  const query = { input: {}, type: 'query' };

  it.each([
    ['a page of a team', [['app'], ['members', 'list'], query], true, true],
    ['the API', [['api'], ['webhooks', 'list'], query], true, true],
    ['several requests', ['holdings', ['id']], true, true],
    ['one’s own account', [['entrance'], ['account', 'passkeys'], query], false, true],
    ['the entrance', [['entrance'], ['entrance', 'rules'], query], false, true],
    ['who is signed in', [['entrance'], ['entrance', 'who'], query], false, false],
    // It only has the same name.
    ['a page of a team that asks who', [['app'], ['entrance', 'who'], query], true, true],
  ])('of %s, %j, is another one in another team: %s, and in another language: %s', (_of, key, team, language) => {
    expect(differs(key)).toEqual({ team, language });
  });

  it('is another one for another call', () => {
    const [one, other] = ['a', 'b'].map((id) => JSON.stringify(answerKey([['app'], ['keys', 'get'], { id }], here)));
    expect(one).not.toBe(other);
  });
});

describe('the team of a tab', () => {
  const link = '01990c1e-7a00-7000-8000-000000000082';
  it.each([
    [`?team=${link}`, 'b', 'c', link],
    ['', 'b', 'c', 'b'],
    ['', null, 'c', 'c'],
    ['', null, null, undefined],
  ])('that opens with %j, the tab’s team %s and the browser’s last one %s is %s', (search, tab, browser, expected) => {
    expect(teamAtFirst(search, { tab, browser })).toBe(expected);
  });

  it('is the wanted one, or the first one if the person is not in the wanted one', () => {
    const [north, south] = [{ tenant_id: 'north' }, { tenant_id: 'south' }];
    const of = (wanted: string | undefined) => teamOf({ teams: [north, south] }, wanted);
    expect([of('south'), of('west'), of(undefined)]).toEqual([south, north, north]);
    expect(teamOf({ teams: [] }, 'north')).toBeUndefined();
  });
});

describe('a draft', () => {
  const place = { owner: 'Mia in North', path: '/cases' };

  it('is that of one person in one team, of one page and one form', () => {
    const places = [place, { ...place, owner: 'Mia in South' }, { ...place, path: '/keys' }];
    const keys = [...places.map((one) => draftKey(one, 'new case')), draftKey(place, 'case 1'), 'team', 'language'];
    expect(new Set(keys).size).toBe(keys.length);
    expect(draftNames(keys, place)).toEqual(['new case', 'case 1']);
    expect(draftNames(keys, { ...place, owner: 'Jo in North' })).toEqual([]);
    // Not those of the pages below.
    expect(draftNames([draftKey({ ...place, path: '/cases/1' }, 'new case')], place)).toEqual([]);
  });

  it('of one object is not that of another one on the same page, nor of one of another kind', () => {
    const names = [draftOfOne('case', '1'), draftOfOne('case', '2'), draftOfOne('rules', '1')];
    expect(new Set(names).size).toBe(3);
  });

  it('of everybody is gone after a sign-out, and nothing else that the tab keeps', () => {
    const keys = [draftKey(place, 'a'), draftKey({ ...place, owner: 'Jo in South' }, 'b')];
    expect(draftKeys(['team', ...keys, 'company-test'])).toEqual(keys);
  });

  it.each([null, '', '{', 'null', '[]', '{"values":{}}', '{"savedAt":"1","values":{}}', '{"savedAt":1,"values":[]}'])(
    'that can’t be read, %j, is none',
    (text) => expect(parseDraft(text)).toBeUndefined(),
  );

  it('that was stored is read again', () => {
    const draft = { savedAt: 1, values: { title: 'Price' } };
    expect(parseDraft(JSON.stringify(draft))).toEqual(draft);
  });
});

it.each([
  ['de', 'en-US', 'de'],
  ['en', 'de-AT', 'en'],
  [null, 'en-GB', 'en'],
  [null, 'de-CH', 'de'],
  [null, 'fr', 'de'],
  ['fr', 'en-US', 'en'],
] as const)('the language is that of the last visit (%s), else that of the browser (%s): %s', (...row) => {
  const [stored, browser, language] = row;
  expect(languageAtFirst(stored, browser)).toBe(language);
});

it.each([
  ['app.example.com', true],
  ['localhost', true],
  ['1and1.example', true],
  ['10.0.0.7', false],
  ['[::1]', false],
  ['::1', false],
])('a site at %s can have passkeys: %s', (host, canHave) => {
  expect(canHavePasskeys(host)).toBe(canHave);
});

it('the first steps that are hidden are those of one team', () => {
  expect(hiddenStepsKey('north')).not.toBe(hiddenStepsKey('south'));
});
