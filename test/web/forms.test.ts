import { describe, expect, it } from 'vitest';
import { intervalsOf, type Period } from '../../src/web/kit/charts/periods.ts';
import { restorable, worthKeeping } from '../../src/web/kit/form/draft-values.ts';
import { initialsOf, isSearchFor, personLabel, tintOf } from '../../src/web/kit/names/person-label.ts';
import { setCurrentLanguage } from '../../src/web/language/texts.ts';
import { isListed } from '../../src/web/pages/analytics/leaderboard.ts';
import { noTexts, textsToSend } from '../../src/web/pages/assignments/assignment-texts.ts';
import { isComplete, noCombination, offerFor, stillOffered } from '../../src/web/pages/assignments/combination.ts';
import { nextOf } from '../../src/web/pages/assignments/order.ts';
import {
  matchingOf,
  noFilter,
  previewOf,
  recipientOf,
  recipientsBy,
  withMore,
} from '../../src/web/pages/assignments/recipients.ts';
import { itemDraft, itemName, itemValues, otherName, textOrNull } from '../../src/web/pages/catalog/item-names.ts';
import { changeable, policyOf } from '../../src/web/pages/catalog/policy.ts';
import { countAllowed, together } from '../../src/web/pages/catalog/rules.ts';
import { offeredIntervals } from '../../src/web/pages/crm/intervals.ts';
import { draftOf, newObjections, settingsOf } from '../../src/web/pages/crm/objection-settings.ts';
import { expiryOf, neverExpires, proposedGraceDays } from '../../src/web/pages/keys/expiry.ts';
import { linesOf, noScopes } from '../../src/web/pages/keys/key-state.ts';
import { offeredTemplates, scopesOf } from '../../src/web/pages/keys/scope-templates.ts';
import { inviteeIn, newInvitation, partsOf } from '../../src/web/pages/members/invitation-list.ts';
import { isSearch, periodOf, sinceOf, statusOf, timeOf } from '../../src/web/pages/requests/filter-values.ts';
import { switched, switchQuestion } from '../../src/web/pages/settings/changes.ts';
import { demandQuestion } from '../../src/web/pages/settings/demand-words.ts';
import { providerValues, secretToSend } from '../../src/web/pages/settings/provider-values.ts';
import { scoreBands } from '../../src/web/pages/trainings/figures.ts';
import { inParts } from '../../src/web/server/parts.ts';
import {
  flawOfHeaders,
  headersFor,
  headersOf,
  isNewUrl,
  newRow,
  rowsOf,
} from '../../src/web/pages/webhooks/header-rows.ts';

// What forms offer at first, what they send, and what filters mean.

describe('an assignment', () => {
  it('is sent without blanks around its texts; what is empty is null', () => {
    expect(textsToSend(noTexts)).toEqual({ title: '', note: null, due_date: null, focus_dimension: null });
    expect(textsToSend({ title: ' Price ', note: ' \n', due_date: '2026-11-22', focus_dimension: 'closing' })).toEqual({
      title: 'Price',
      note: null,
      due_date: '2026-11-22',
      focus_dimension: 'closing',
    });
    expect(textsToSend({ ...noTexts, note: ' a\nb ' }).note).toBe('a\nb');
  });

  const entries = (...ids: string[]) => ids.map((id) => ({ id, name: id, icon: null }));
  type Choices = Parameters<typeof offerFor>[0][number];
  const choices = (more: Partial<Choices> = {}): Choices => ({
    situation: entries('s1', 's2'),
    personality: entries('p1', 'p2', 'p3'),
    industry: entries('i1', 'i2'),
    role: [],
    methodology: [],
    rules: [],
    ...more,
  });
  const ids = (some: readonly { id: string }[]) => some.map(({ id }) => id);

  it('offers what is allowed for all recipients', () => {
    const one = offerFor([choices()]);
    expect(ids(one.situations)).toEqual(['s1', 's2']);
    const two = offerFor([choices(), choices({ situation: entries('s2'), personality: entries('p3', 'p1') })]);
    expect(ids(two.situations)).toEqual(['s2']);
    expect(ids(two.allowedWith('s2', 'personality'))).toEqual(['p1', 'p3']);
    expect(ids(two.allowedWith('s2', 'industry'))).toEqual(['i1', 'i2']);
    expect(offerFor([]).situations).toEqual([]);
  });

  it('offers what the rules allow with the situation, for this dimension', () => {
    const rule = (more: object) => ({
      situation_id: 's1',
      dimension: 'personality' as const,
      only: null,
      never: [],
      ...more,
    });
    const allowed = (more: object, situation = 's1', dimension: 'personality' | 'industry' = 'personality') =>
      ids(offerFor([choices({ rules: [rule(more)] })]).allowedWith(situation, dimension));
    expect(allowed({ only: ['p1', 'p2'] })).toEqual(['p1', 'p2']);
    expect(allowed({ never: ['p2'] })).toEqual(['p1', 'p3']);
    expect(allowed({ only: ['p1', 'p2'], never: ['p2'] })).toEqual(['p1']);
    expect(allowed({ only: [] })).toEqual([]);
    expect(allowed({ never: ['p2'] }, 's2')).toEqual(['p1', 'p2', 'p3']);
    expect(allowed({ never: ['i1'] }, 's1', 'industry')).toEqual(['i1', 'i2']);
  });

  it('keeps only the choices that are still offered after a change', () => {
    const chosen = { situation_id: 's1', personality_id: 'p1', industry_id: 'i1' };
    expect(stillOffered(chosen, offerFor([choices()]))).toEqual(chosen);
    expect(stillOffered(chosen, offerFor([choices({ personality: entries('p2') })]))).toEqual({
      ...chosen,
      personality_id: '',
    });
    expect(stillOffered(chosen, offerFor([choices({ industry: [] })]))).toEqual({ ...chosen, industry_id: '' });
    expect(stillOffered(chosen, offerFor([choices({ situation: entries('s2') })]))).toEqual(noCombination);
    expect([isComplete(chosen), isComplete({ ...chosen, industry_id: '' }), isComplete(noCombination)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('is given to each recipient once, to all, or not to those who have or had the same', () => {
    setCurrentLanguage('de');
    const mia = recipientOf({ id: 'mia', name: 'Mia', email: 'mia@example.com', status: 'active' });
    const tom = recipientOf({ id: 'tom', name: null, email: 'tom@example.com', status: 'invited' });
    const jo = { value: 'jo', label: 'Jo' };
    expect([mia, tom]).toEqual([
      { value: 'mia', label: 'Mia · mia@example.com', name: 'Mia' },
      { value: 'tom', label: 'tom@example.com (eingeladen)', name: 'tom@example.com' },
    ]);
    expect(withMore([mia, jo], [tom, { ...jo }])).toEqual([mia, jo, tom]);
    const holders = [
      { member_id: 'mia', open: true },
      { member_id: 'jo', open: false },
      { member_id: 'somebody else', open: true },
    ];
    expect(recipientsBy([mia, tom, jo], holders)).toEqual({
      all: [mia, tom, jo],
      'not open': [tom, jo],
      'never had': [tom],
    });
    const none = recipientsBy([mia], []);
    expect([none.all, none['not open'], none['never had']]).toEqual([[mia], [mia], [mia]]);
  });

  it('is given to those who match the filters that are chosen', () => {
    expect(matchingOf(noFilter)).toEqual({});
    for (const role of ['owner', 'admin', 'member']) expect(matchingOf({ ...noFilter, role })).toEqual({ role });
    for (const status of ['active', 'invited']) expect(matchingOf({ ...noFilter, status })).toEqual({ status });
    expect(matchingOf({ role: 'x', status: 'former', days: '30' })).toEqual({ inactive: 30 });
  });

  it('is reminded of in parts, whose previews count together and show the first mail', () => {
    const mail = (email: string) => ({ email, language: 'de' as const, subject: 'S', text: 'T' });
    const none = { data: [], mail: null, reminded_lately: 2, unreachable: 1 };
    const some = (email: string, people: number) => ({
      data: Array.from({ length: people }, (_, at) => ({ member_id: `${email} ${at}`, assignments: 1 })),
      mail: mail(email),
      reminded_lately: 0,
      unreachable: 3,
    });
    expect(previewOf([none, some('a', 2), some('b', 3)])).toEqual({
      mails: 5,
      lately: 2,
      unreachable: 7,
      mail: mail('a'),
    });
    expect(previewOf([])).toEqual({ mails: 0, lately: 0, unreachable: 0, mail: null });
    const ids = Array.from({ length: 101 }, (_, at) => String(at));
    expect(inParts(ids).map(({ length }) => length)).toEqual([50, 50, 1]);
    expect(inParts(ids).flat()).toEqual(ids);
    expect(inParts(ids, 2).flat()).toEqual(ids);
    expect([inParts(ids.slice(0, 50)).length, inParts([])]).toEqual([1, []]);
  });

  it('that is due first comes first of the next five, on the same day the begun one, and those without a due day last', () => {
    const some = [
      { id: 'open without', due_date: null, status: 'open' },
      { id: 'open without, too', due_date: null, status: 'open' },
      { id: 'open later', due_date: '2026-12-01', status: 'open' },
      { id: 'open', due_date: '2026-11-22', status: 'open' },
      { id: 'begun', due_date: '2026-11-22', status: 'in_progress' },
      { id: 'begun without', due_date: null, status: 'in_progress' },
    ] as const;
    expect(nextOf(some).map(({ id }) => id)).toEqual(['begun', 'open', 'open later', 'begun without', 'open without']);
  });
});

describe('an item of the catalog', () => {
  const item = { key: 'price', name: { de: 'Preis', en: 'Price' } };
  it('has its name in the reader’s language, else in the other one, else its key', () => {
    const names = (name: { de: string | null; en: string | null }) =>
      (['de', 'en'] as const).map((language) => {
        setCurrentLanguage(language);
        return [itemName({ ...item, name }), otherName({ ...item, name })];
      });
    expect(names(item.name)).toEqual([
      ['Preis', { lang: 'en', name: 'Price' }],
      ['Price', { lang: 'de', name: 'Preis' }],
    ]);
    expect(names({ de: 'Preis', en: null })).toEqual([
      ['Preis', undefined],
      ['Preis', undefined],
    ]);
    expect(names({ de: 'CRM', en: 'CRM' })).toEqual([
      ['CRM', undefined],
      ['CRM', undefined],
    ]);
    expect(names({ de: null, en: null })[0]).toEqual(['price', undefined]);
  });

  it('has a draft of its own, and a new one that of its dimension', () => {
    expect(itemDraft({ dimension: 'role', item: { id: 'ID' } })).toBe('item ID');
    expect(itemDraft({ dimension: 'role' })).toBe('new role');
    expect([textOrNull(' a '), textOrNull(' '), textOrNull('')]).toEqual(['a', null, null]);
  });

  const [free, blocked] = [
    { id: 'free', blocked: false },
    { id: 'blocked', blocked: true },
  ];
  it('is released unless the team blocks it, or the member’s own policy', () => {
    const team = policyOf(undefined);
    expect([free, blocked].map((one) => [team.isReleased?.(one), team.isFixed(one)])).toEqual([
      [true, false],
      [false, false],
    ]);
    const member = policyOf({ blocked: ['free'] });
    expect([free, blocked].map((one) => [member.isReleased?.(one), member.isFixed(one)])).toEqual([
      [false, false],
      [true, true],
    ]);
    expect(policyOf({ blocked: [] }).isReleased?.(free)).toBe(true);
    expect(policyOf({ blocked: undefined }).isReleased).toBeUndefined();
  });

  it('that the team blocks is left out when all of a member are released or blocked', () => {
    const others = { id: 'other', blocked: false };
    const { isReleased = () => false, isFixed } = policyOf({ blocked: ['free'] });
    expect(changeable([free, blocked, others], { isReleased, isFixed })).toEqual({
      released: [others],
      blocked: [free],
    });
  });

  it.each([
    [[], [], 3],
    [['a'], [], 1],
    [['a', 'b'], ['b'], 1],
    [[], ['a'], 2],
    // A rule about another dimension, and one about an item that is gone.
    [['x'], ['y'], 3],
    [['gone'], [], 0],
  ])('counts as possible with the rules only %j and never %j: %i', (only, never, count) => {
    const some = ['a', 'b', 'c', 'gone'].map((id) => ({ id, gone: id === 'gone' }));
    expect(countAllowed(some, { only, never })).toBe(count);
  });

  it('has the rules for all teams together with those of the team', () => {
    expect(together({ only: ['a'], never: ['b'] }, { only: ['c'], never: ['d'] })).toEqual({
      only: ['a', 'c'],
      never: ['b', 'd'],
    });
  });
});

describe('a CRM connection', () => {
  const rest = { objection_category: 'price', objection_lang: 'de' };
  const [category, lang] = ['price', 'de'];
  it.each([
    [
      { objection_property: null, note_prefix: null, ...rest },
      { source: 'lost reason', text: '', category, lang },
    ],
    [
      { objection_property: 'objection', note_prefix: null, ...rest },
      { source: 'property', text: 'objection', category, lang },
    ],
    [
      { objection_property: null, note_prefix: 'Einwand:', ...rest },
      { source: 'notes', text: 'Einwand:', category, lang },
    ],
  ] as const)('with the settings %j has in its form %j, and is stored again as it was', (settings, draft) => {
    expect(draftOf(settings)).toEqual(draft);
    expect(settingsOf(draft)).toEqual(settings);
  });

  it('is stored with the text of its source alone, without blanks around', () => {
    const draft = { source: 'property', text: ' objection ', category: ' price ', lang: 'de' } as const;
    expect(settingsOf(draft)).toEqual({ objection_property: 'objection', note_prefix: null, ...rest });
    expect(settingsOf({ ...draft, source: 'lost reason' })).toEqual({
      objection_property: null,
      note_prefix: null,
      ...rest,
    });
  });

  it('offers the usual intervals, the limits and the chosen one, in their order', () => {
    const limits = { min: 300, default: 900, max: 86_400 };
    expect(offeredIntervals(limits, 900)).toEqual([300, 600, 900, 1_800, 3_600, 14_400, 43_200, 86_400]);
    expect(offeredIntervals(limits, 1_234)).toContain(1_234);
    expect(offeredIntervals(undefined, 1_234)).toEqual([1_234]);
    expect(offeredIntervals(undefined, undefined)).toEqual([]);
  });
});

describe('the headers of an endpoint', () => {
  const stored = { url: 'https://hooks.example.com/in', stored: ['X-Key', 'X-Team'] };
  const rows = [{ id: 1, name: ' X-Key ', value: ' secret ' }];
  it('stay if they are not replaced, and are sent anew with another URL', () => {
    const draft = { url: stored.url, headers: undefined };
    expect(headersFor(draft, stored)).toBeUndefined();
    for (const same of [` ${stored.url} `, `${stored.url}#here`, 'HTTPS://HOOKS.example.com/in'])
      expect([same, headersFor({ ...draft, url: same }, stored)]).toEqual([same, undefined]);
    const elsewhere = { ...draft, url: 'https://other.example.com/in' };
    expect(headersFor(elsewhere, stored)).toEqual([
      { id: 1, name: 'X-Key', value: '' },
      { id: 2, name: 'X-Team', value: '' },
    ]);
    expect(headersFor({ ...elsewhere, headers: rows }, stored)).toBe(rows);
    expect([isNewUrl('https://hooks.example.com/in?a', stored), isNewUrl('no url', { url: 'no url' })]).toEqual([
      true,
      false,
    ]);
  });

  it('are all sent, or null for none, or nothing if the stored ones stay', () => {
    expect(headersOf(rows)).toEqual({ headers: { 'X-Key': 'secret' } });
    expect(headersOf([])).toEqual({ headers: null });
    expect(headersOf(undefined)).toEqual({});
  });

  it('need a name and a value, and each name is there once, in any case', () => {
    setCurrentLanguage('en');
    const row = { id: 1, name: 'X-Key', value: 'secret' };
    expect([flawOfHeaders(undefined), flawOfHeaders([]), flawOfHeaders([row])]).toEqual([false, false, false]);
    for (const flaw of [{ name: ' ' }, { value: ' ' }])
      expect(flawOfHeaders([{ ...row, ...flaw }])).toBe('Enter a name and a value for each header.');
    expect(flawOfHeaders([row, { ...row, id: 2, name: 'x-key ' }])).toBe('Each header can be there only once.');
  });

  it('have different ids, also after one was removed', () => {
    expect([newRow([]).id, newRow([row(3), row(1)]).id]).toEqual([1, 4]);
    expect(rowsOf([])).toEqual([]);
  });
  const row = (id: number) => ({ id, name: '', value: '' });
});

it('addresses are those of each line that has any', () => {
  expect(linesOf(' 203.0.113.7 \r\n\n10.0.0.0/8\n')).toEqual(['203.0.113.7', '10.0.0.0/8']);
  expect(linesOf(' \n')).toEqual([]);
});

it('addresses of a list are looked up in parts of so many, as long as they fit into a URL', () => {
  const [short, long] = [['a', 'b', 'c', 'd', 'e'], Array.from({ length: 4 }, () => 'm'.repeat(1_000))];
  expect(partsOf(short, 2)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  expect(partsOf(short, 5)).toEqual([short]);
  expect(partsOf(long, 50).map(({ length }) => length)).toEqual([3, 1]);
  expect(partsOf([], 5)).toEqual([]);
});

describe('the filters of the request log', () => {
  it('take a class of statuses or a single one, and times that are some', () => {
    expect(['2xx', '3xx', '4xx', '5xx', '429', '100', '599'].map(statusOf)).toEqual([
      '2xx',
      '3xx',
      '4xx',
      '5xx',
      429,
      100,
      599,
    ]);
    expect(['', '1xx', '600', '099', '42', '4290', 'toString'].map(statusOf)).toEqual(
      Array.from({ length: 7 }, () => undefined),
    );
    expect(timeOf('2026-11-20T10:00:00+01:00')).toBe('2026-11-20T09:00:00.000Z');
    expect([timeOf(''), timeOf('yesterday')]).toEqual([undefined, undefined]);
  });

  it('make a search, but not the key or a time alone', () => {
    expect([{}, { key_id: 'K' }, { key_id: 'K', status: undefined }].map(isSearch)).toEqual([false, false, false]);
    expect([{ since: 'S' }, { key_id: 'K', until: 'U' }].map(isSearch)).toEqual([false, false]);
    expect([{ status: 429 }, { key_id: 'K', method: 'GET' }].map(isSearch)).toEqual([true, true]);
  });

  it.each<[what: string, chosen: string, since: Date | undefined, period: Period]>([
    ['nothing is chosen', '', undefined, '30d'],
    ['a period is chosen', '24h', undefined, '24h'],
    ['the address has an unknown one', '1y', undefined, '30d'],
    ['the filter is within the chosen one', '30d', new Date('2026-11-20T08:00:00Z'), '30d'],
    ['the filter reaches further back', '24h', new Date('2026-11-15T08:00:00Z'), '7d'],
    ['only the filter is set', '', new Date('2026-11-20T08:00:00Z'), '24h'],
  ])('of requests: if %s, chart and list have one range', (_what, chosen, since, period) => {
    const now = new Date('2026-11-20T12:10:00Z');
    const from = since?.toISOString();
    expect(periodOf(chosen, from, now)).toBe(period);
    const first = intervalsOf(period, now).starts[0]?.toISOString();
    expect(sinceOf({ since: from }, period, now)).toBe(from ?? first);
    // One request is found however old it is, and an end alone has no beginning.
    expect(sinceOf({ since: from, request_id: 'R' }, period, now)).toBe(from);
    expect(sinceOf({ since: from, until: now.toISOString() }, period, now)).toBe(from);
  });
});

it('the filter by score has no gap and no score twice', () => {
  const inBand = (score: number) =>
    Object.entries(scoreBands).flatMap(
      ([band, { min_score: min = 0, max_score: max = 100 }]: [string, { min_score?: number; max_score?: number }]) =>
        score >= min && score <= max ? [band] : [],
    );
  expect([0, 59, 60, 79, 80, 100].map(inBand)).toEqual([['low'], ['low'], ['middle'], ['middle'], ['high'], ['high']]);
});

describe('a switch of the privacy', () => {
  it.each([
    [true, { leaderboard_enabled: false }, 'Rangliste ausblenden?', 'Hide leaderboard?'],
    [false, { leaderboard_enabled: true }, 'Rangliste anzeigen?', 'Show leaderboard?'],
  ])('that is on: %s, sends %j and asks: %s, %s', (isOn, sent, de, en) => {
    expect(switched('leaderboard_enabled', isOn)).toEqual(sent);
    expect(switchQuestion('Rangliste', isOn)).toBe(de);
    setCurrentLanguage('en');
    expect(switchQuestion('Leaderboard', isOn)).toBe(en);
  });
});

describe('the question before a demand of sign-ins', () => {
  const state = (unready: number) => ({
    readiness: { members: 20, second_factor: 20 - unready, company: 20 },
    mails_left: 100,
  });
  const ask = (unready: number, demand: 'none' | 'second_factor' | 'company', day?: string) => {
    setCurrentLanguage('en');
    const { points = [], ...question } = demandQuestion(state(unready), { demand, day });
    return { ...question, points: points.filter((point) => point !== undefined) };
  };

  it('says from when on, and lets a plan be called off', () => {
    expect(ask(0, 'company', '2026-12-14')).toMatchObject({
      title: 'Require the company account from Mon, 14 Dec 2026?',
      action: 'Schedule',
      harmless: true,
      done: 'Sign-in policy scheduled.',
      points: [
        'All members are ready.',
        'The owner can still sign in in another way.',
        'You can call it off at any time.',
      ],
    });
    expect(ask(2, 'second_factor', '2026-12-07')).toMatchObject({
      title: 'Require a second factor from Mon, 7 Dec 2026?',
      points: [
        '2 of 20 members have to set it up by then. After that they are shut out until they do.',
        'They get an email that says how: now, or tomorrow if they got one today already.',
        'Until then they see a notice in the app.',
        'You can call it off at any time.',
      ],
    });
    setCurrentLanguage('de');
    const { title } = demandQuestion(state(0), { demand: 'company', day: '2026-12-14' });
    expect(title).toBe('Ab Mo., 14. Dez. 2026 das Firmenkonto verlangen?');
  });

  it.each([
    [0, undefined, undefined],
    [1, '1', undefined],
    [10, '10', undefined],
    [11, '11', 'Really shut out 11 members now?'],
  ])('that shuts out %i members at once wants %s to be typed, and asks again: %s', (unready, typed, again) => {
    const question = ask(unready, 'second_factor');
    expect(question).toMatchObject({
      title: 'Require a second factor from now on?',
      action: 'Require now',
      harmless: false,
      done: 'Sign-in policy saved.',
    });
    expect([question.typed, question.again]).toEqual([typed, again]);
    expect(ask(unready, 'second_factor', '2026-12-14')).not.toHaveProperty('typed');
  });

  it('of none says that the password is enough again', () => {
    const { title, consequences, action } = ask(3, 'none');
    expect([title, consequences, action]).toEqual([
      'Stop requiring a way to sign in?',
      'Then the password alone is enough again.',
      'Stop requiring',
    ]);
  });
});

describe('a new', () => {
  it('invitation is that of a member, in the language of the team', () => {
    const email = 'mia@example.com';
    expect(inviteeIn({ ...newInvitation, email })).toEqual({ email, role: 'member', lang: null });
    expect(inviteeIn({ email, role: 'admin', lang: 'en' })).toEqual({ email, role: 'admin', lang: 'en' });
    // A draft may have a value that the form does not offer.
    expect(inviteeIn({ email, role: 'owner', lang: 'fr' })).toEqual({ email, role: 'member', lang: null });
  });

  it('key has no scope and never expires; one that is rotated stays valid for a week, and ends at once if it was found', () => {
    expect([noScopes, expiryOf(neverExpires)]).toEqual([{ template: undefined, scopes: [] }, null]);
    const days = (reported_at: string | null) => proposedGraceDays({ status: 'active', reported_at });
    expect([days(null), days('2026-11-20T08:00:00.000Z')]).toEqual([7, 0]);
  });

  it('connection takes only the lost reasons, in the reader’s language', () => {
    expect(settingsOf(newObjections('en'))).toEqual({
      objection_property: null,
      note_prefix: null,
      objection_category: 'other',
      objection_lang: 'en',
    });
  });

  it('provider lets people join as members, and a stored one keeps its secret unless another one is typed', () => {
    const stored = { issuer: 'https://login.example.com', client_id: 'app', role: 'admin' } as const;
    expect(providerValues(null)).toEqual({ issuer: '', client_id: '', client_secret: '', role: 'member' });
    expect(providerValues(stored)).toEqual({ ...stored, client_secret: '' });
    expect([secretToSend(''), secretToSend('secret')]).toEqual([{}, { client_secret: 'secret' }]);
  });

  it('item of the catalog is published, and one that exists has its values', () => {
    const none = { de: '', en: '', icon: null };
    expect(itemValues(undefined)).toEqual({ ...none, published: true });
    expect(itemValues({ name: { de: 'Preis', en: null }, icon: 'tag', published: false })).toEqual({
      de: 'Preis',
      en: '',
      icon: 'tag',
      published: false,
    });
  });
});

describe('a draft', () => {
  const initial = { title: '', tags: ['a'], secret: '' };
  const fields = ['title', 'tags'] as const;
  it('is kept once a value differs, without secrets, and dropped when it is as at first again', () => {
    expect(worthKeeping(fields, { ...initial, title: 'Price', secret: 's' }, initial)).toEqual({
      title: 'Price',
      tags: ['a'],
    });
    expect(worthKeeping(fields, { ...initial, tags: ['a'] }, initial)).toBeUndefined();
    expect(worthKeeping(fields, { ...initial, secret: 's' }, initial)).toBeUndefined();
  });

  it('brings back the values that differ, of fields that the form has', () => {
    expect(restorable(fields, { title: 'Price', tags: ['a'], secret: 's', former: 1 }, initial)).toEqual({
      title: 'Price',
    });
    expect(restorable(fields, { title: '', tags: [] }, initial)).toEqual({ tags: [] });
    expect(restorable(fields, { title: '', tags: ['a'] }, initial)).toBeUndefined();
    expect(restorable(fields, {}, initial)).toBeUndefined();
  });
});

describe('a person to choose', () => {
  it.each([
    ['Mia', 'active', 'Mia · mia@example.com', 'Mia · mia@example.com'],
    [null, 'active', 'mia@example.com', 'mia@example.com'],
    [null, 'invited', 'mia@example.com (eingeladen)', 'mia@example.com (invited)'],
    ['Mia', 'former', 'Mia · mia@example.com (ausgeschieden)', 'Mia · mia@example.com (left)'],
  ] as const)('named %s who is %s is %s, %s', (name, status, de, en) => {
    const person = { name, status, email: 'mia@example.com' };
    expect(personLabel(person)).toBe(de);
    setCurrentLanguage('en');
    expect(personLabel(person)).toBe(en);
    // The label of the chosen one is no search.
    expect(isSearchFor(personLabel(person))).toBe(name === null);
    expect([isSearchFor(''), isSearchFor('Mia')]).toEqual([false, true]);
  });
});

it('a person has the initials of the name, or of the address before its @, and always the same colour', () => {
  const initials = [
    ['Mia', 'M'],
    ['Maximiliane Freifrau von Hohenstein', 'MH'],
    [' jörg   öz ', 'JÖ'],
    ['kai-uwe.berg@x.example', 'KB'],
    ['mia@berg.example', 'M'],
    ['🦊 (Fuchs)', 'F'],
    ['…', ''],
  ] as const;
  for (const [name, letters] of initials) expect(initialsOf(name), name).toBe(letters);
  const tints = Array.from({ length: 40 }, (_, at) => tintOf(`person-${at}@example.com`));
  expect(new Set(tints)).toEqual(new Set([0, 1, 2, 3, 4, 5]));
});

it('a template of a key has its scopes, the one with nearly all is not offered, and a custom selection starts empty', () => {
  const templates: { template: 'read_only' | 'all'; scopes: ('users:read' | 'webhooks:manage')[] }[] = [
    { template: 'read_only', scopes: ['users:read'] },
    { template: 'all', scopes: ['users:read', 'webhooks:manage'] },
  ];
  expect(offeredTemplates(templates).map(({ template }) => template)).toEqual(['read_only']);
  expect(scopesOf(templates, 'read_only')).toEqual({ template: 'read_only', scopes: ['users:read'] });
  expect(scopesOf(templates, 'custom')).toEqual({ template: undefined, scopes: [] });
});

it('the leaderboard lists those who match each filter that is set', () => {
  const entries = [
    { name: 'Mia Berg', role: 'owner', count: 5, change: 2 },
    { name: 'Jo Smith', role: 'member', count: 4, change: -2 },
    { name: null, role: null, count: 20, change: null },
    { name: 'Al', role: 'member', count: 10, change: 1.9 },
  ] as const;
  const none = { search: '', role: '', least: '', change: '' };
  const listed = (wanted: Partial<typeof none>) =>
    entries.filter((entry) => isListed(entry, { ...none, ...wanted })).map(({ name }) => name);
  expect(listed({})).toEqual(['Mia Berg', 'Jo Smith', null, 'Al']);
  expect(listed({ search: 'berg mia' })).toEqual(['Mia Berg']);
  expect(listed({ role: 'member' })).toEqual(['Jo Smith', 'Al']);
  expect(listed({ least: '5' })).toEqual(['Mia Berg', null, 'Al']);
  expect([listed({ change: 'good' }), listed({ change: 'warn' })]).toEqual([['Mia Berg'], ['Jo Smith']]);
  expect(listed({ role: 'member', least: '5' })).toEqual(['Al']);
});
