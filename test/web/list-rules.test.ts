import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../src/core/exact-json.ts';
import type { CsvValue } from '../../src/web/kit/list/csv.ts';
import { namesOf, wordsOf } from '../../src/web/kit/list/filter-words.ts';
import {
  among,
  areSame,
  hasWords,
  isCutShort,
  isEmptyList,
  nextOrder,
  nextPlace,
  nothingSelected,
  opensIn,
  opensRow,
  placeColumns,
  readOrder,
  sorted,
  toggle,
  toggleAll,
  withView,
  writeOrder,
} from '../../src/web/kit/list/list-rules.ts';
import { setCurrentLanguage } from '../../src/web/language/texts.ts';

describe('a list that the app sorts', () => {
  const by = (values: CsvValue[], desc = false) => sorted(values, (value) => value, { desc, locale: 'de' });

  it('sorts texts by the language, numbers by value, and rows without a value last', () => {
    expect(by(['Zoe', null, 'Ärger', 'anna', '', 'Berg 10', 'Berg 9'])).toEqual([
      'anna',
      'Ärger',
      'Berg 9',
      'Berg 10',
      'Zoe',
      null,
      '',
    ]);
    expect(by([3, null, 20, 1], true)).toEqual([20, 3, 1, null]);
    expect(by(['a', undefined, 'b', 'c'], true)).toEqual(['c', 'b', 'a', undefined]);
    expect(by(['x', 10, 9, '8'])).toEqual(['8', 9, 10, 'x']);
    const [ten, nine] = [new ExactNumber('10'), new ExactNumber('9.50')];
    expect(by([ten, 9, nine, -1])).toEqual([-1, 9, nine, ten]);
    expect(by([1.5, -10, 1.25, 1e21, -2])).toEqual([-10, -2, 1.25, 1.5, 1e21]);
  });

  it('switches between ascending, descending and its own order', () => {
    const first = nextOrder(undefined, 'name');
    expect([first && writeOrder(first), readOrder('-name'), readOrder('')]).toEqual([
      'name',
      { by: 'name', desc: true },
      undefined,
    ]);
    expect([readOrder('-'), readOrder('last-name')]).toEqual([undefined, { by: 'last-name', desc: false }]);
    expect(nextOrder(first, 'name')).toEqual({ by: 'name', desc: true });
    expect(nextOrder({ by: 'name', desc: true }, 'name')).toBeUndefined();
    expect(nextOrder({ by: 'name', desc: true }, 'email')).toEqual({ by: 'email', desc: false });
  });
});

interface Sized {
  label: string;
  width: number;
  priority?: number;
  alwaysShown?: boolean;
}

const widthOf = ({ width }: Sized): number => width;

describe('columns without room', () => {
  const placed = (columns: readonly Sized[], room: number) => {
    const { inRow, belowFirst, inDetails } = placeColumns(columns, room, { widthOf });
    return [inRow, belowFirst, inDetails].map((some) => some.map(({ label }) => label || '…').join(''));
  };
  const sized = (label: string, width = 120, more: Partial<Sized> = {}): Sized => ({ label, width, ...more });

  it('move into the row’s details, those with the highest number first, and only as many as necessary', () => {
    const four = [sized('a', 200), sized('b', 120, { priority: 1 }), sized('c', 120, { priority: 2 }), sized('d')];
    expect(placed(four, 560)).toEqual(['abcd', '', '']);
    expect(placed(four, 559)).toEqual(['abd', '', 'c']);
    expect(placed(four, 439)).toEqual(['ad', '', 'bc']);
    expect(placed(four, 319)).toEqual(['a', '', 'bcd']);
  });

  it('are followed by others from the end, but not by the first one or by buttons', () => {
    const five = [sized('a', 200), sized('b', 200), sized('c', 200), sized('d', 120, { priority: 1 }), sized('', 68)];
    expect([788, 787, 667, 467, 0].map((room) => placed(five, room)[0])).toEqual(['abcd…', 'abc…', 'ab…', 'a…', 'a…']);
  });

  it('are below the first one if they are always shown, after all others have moved', () => {
    const three = [sized('a', 200), sized('s', 120, { alwaysShown: true }), sized('b')];
    expect(placed(three, 440)).toEqual(['asb', '', '']);
    expect(placed(three, 439)).toEqual(['as', '', 'b']);
    expect(placed(three, 320)).toEqual(['as', '', 'b']);
    expect(placed(three, 319)).toEqual(['a', 's', 'b']);
    const both = [
      sized('a', 200),
      sized('s', 120, { alwaysShown: true }),
      sized('b'),
      sized('t', 120, { alwaysShown: true }),
    ];
    expect([560, 559, 440, 439, 319].map((room) => placed(both, room))).toEqual([
      ['asbt', '', ''],
      ['ast', '', 'b'],
      ['ast', '', 'b'],
      ['as', 't', 'b'],
      ['a', 'st', 'b'],
    ]);
  });

  it('move with a priority even if they are always shown, as their number says', () => {
    const three = [sized('a', 200), sized('s', 120, { alwaysShown: true, priority: 1 }), sized('b')];
    expect([440, 439].map((room) => placed(three, room))).toEqual([
      ['asb', '', ''],
      ['ab', 's', ''],
    ]);
  });
});

describe('columns that the reader has chosen', () => {
  const columns: readonly Sized[] = [
    { label: 'a', width: 200 },
    { label: 's', width: 100, alwaysShown: true },
    { label: 'b', width: 100, priority: 2 },
    { label: 'c', width: 100, priority: 1 },
  ];
  const placed = (room: number, choice: Readonly<Record<string, boolean>>) => {
    const { inRow, belowFirst, inDetails } = placeColumns(columns, room, { widthOf, choice });
    return [inRow, belowFirst, inDetails].map((some) => some.map(({ label }) => label).join(''));
  };

  it('stay in the row in place of others, even if there is no room for them', () => {
    expect(placed(400, {})).toEqual(['asc', '', 'b']);
    expect(placed(400, { b: true })).toEqual(['asb', '', 'c']);
    expect(placed(200, { b: true, c: true })).toEqual(['abc', 's', '']);
  });

  it('are in the details if they are hidden, but never the first one', () => {
    expect(placed(900, { s: false, c: false })).toEqual(['ab', '', 'sc']);
    expect(placed(900, { a: false })).toEqual(['asbc', '', '']);
  });
});

describe('selected rows', () => {
  const rows = ['a', 'b', 'c', 'd', 'e'];
  const click = (selected: typeof nothingSelected, key: string, range = false) =>
    toggle(selected, key, { among: rows, range });

  it('are single rows, ranges in both directions, or all', () => {
    const one = click(nothingSelected, 'b');
    expect([...click(one, 'd', true).keys]).toEqual(['b', 'c', 'd']);
    expect([...click(click(nothingSelected, 'd'), 'b', true).keys].toSorted()).toEqual(['b', 'c', 'd']);
    expect([...click(click(nothingSelected, 'a'), 'c', true).keys]).toEqual(['a', 'b', 'c']);
    expect([...click(click(nothingSelected, 'c'), 'a', true).keys].toSorted()).toEqual(['a', 'b', 'c']);
    expect(click(nothingSelected, 'c', true)).toEqual({ keys: new Set(['c']), last: 'c' });
    const some = click(click(one, 'e', true), 'b');
    expect([...click(some, 'd', true).keys]).toEqual(['e']);
    expect(toggleAll(one, rows).keys.size).toBe(5);
    expect(toggleAll(toggleAll(one, rows), rows)).toEqual(nothingSelected);
  });

  it('do not include rows that left the list, and a range whose start left it is one row', () => {
    const two = click(click(nothingSelected, 'a'), 'c');
    expect([...among(two, ['a', 'b']).keys]).toEqual(['a']);
    expect(among(two, rows)).toBe(two);
    expect([...toggle(two, 'e', { among: ['a', 'e'], range: true }).keys]).toEqual(['a', 'c', 'e']);
  });
});

it('a text is found by parts of its words, in any order and case', () => {
  const found = ['berg  MIA', ' vert', '', 'Mia Chef', 'miaberg'].map((search) =>
    hasWords('Mia Berg, Vertrieb', search),
  );
  expect(found).toEqual([true, true, true, false, false]);
});

it('a search was stopped early if its last page has fewer rows than requested, and there are more', () => {
  const data = { pages: [{ data: [1, 2] }, { data: [3] }] };
  expect(isCutShort({ data, hasNextPage: true }, 2)).toBe(true);
  expect(isCutShort({ data, hasNextPage: true }, 1)).toBe(false);
  expect(isCutShort({ data, hasNextPage: false }, 2)).toBe(false);
  expect(isCutShort({ data: undefined, hasNextPage: true }, 2)).toBe(true);
});

describe('a view is the current one', () => {
  const names = ['status', 'role', 'range'];
  it.each([
    [{ status: 'open' }, { status: 'open' }, true],
    [{ status: 'open', role: 'admin' }, { role: 'admin', status: 'open' }, true],
    [{}, {}, true],
    // Another value, one more, and one less.
    [{ status: 'done' }, { status: 'open' }, false],
    [{ status: 'open', role: 'admin' }, { status: 'open' }, false],
    [{ status: 'open' }, { status: 'open', role: 'admin' }, false],
    [{}, { status: 'open' }, false],
    [{ status: 'open' }, {}, false],
    // The value of another filter, and what is no filter of the list.
    [{ role: 'open' }, { status: 'open' }, false],
    [{ status: 'open', sort: 'name' }, { status: 'open' }, true],
  ])('with the filters %j: that with %j: %s', (values, view, is) => {
    expect(areSame(names, values, view)).toBe(is);
  });
});

it.each([
  ['', { status: 'open' }, 'status=open'],
  ['status=done', { status: 'open' }, 'status=open'],
  ['role=admin&status=done', { status: 'open' }, 'status=open'],
  ['status=open', {}, ''],
  // What is no filter of the list stays, such as its order.
  ['sort=-name&status=done&team=T', { role: 'admin' }, 'sort=-name&team=T&role=admin'],
])('a view takes the place of all filters in the address: %s with %j is %s', (before, view, after) => {
  const params = new URLSearchParams(before);
  expect(withView(params, ['status', 'role', 'range'], view).toString()).toBe(after);
  expect(params.toString()).toBe(before);
});

describe('the chip of a filter', () => {
  it('removes all that the address has of it', () => {
    expect(namesOf({ name: 'status' })).toEqual(['status']);
    expect(namesOf({ names: ['range', 'from', 'to'] })).toEqual(['range', 'from', 'to']);
  });

  const options = [
    { value: 'open', label: 'Open deals' },
    { value: 'won', label: 'Won deals' },
  ];
  const range = { kind: 'range', names: ['range', 'from', 'to'] } as const;
  const chip = (field: Parameters<typeof wordsOf<string>>[0], values: Readonly<Record<string, string>>) =>
    (['de', 'en'] as const).map((language) => {
      setCurrentLanguage(language);
      return wordsOf(field, (name) => values[name] ?? '');
    });

  it.each([
    [{ kind: 'choice', name: 'a', options }, { a: 'won' }, ['Won deals', 'Won deals']],
    [{ kind: 'choice', name: 'a', options }, { a: 'lost' }, undefined],
    [{ kind: 'choice', name: 'a', options }, { b: 'won' }, undefined],
    [{ kind: 'flag', name: 'a' }, { a: 'true' }, ['ja', 'yes']],
    [{ kind: 'flag', name: 'a' }, { a: 'false' }, undefined],
    [{ kind: 'flag', name: 'a' }, { a: 'TRUE' }, undefined],
    [{ kind: 'flag', name: 'a' }, {}, undefined],
    [{ kind: 'day', name: 'a' }, { a: '2026-11-05' }, ['Do., 5. Nov. 2026', 'Thu, 5 Nov 2026']],
    [{ kind: 'day', name: 'a' }, { a: '0202-11-05' }, undefined],
    [{ kind: 'day', name: 'a' }, {}, undefined],
    [range, { range: '7d' }, ['Letzte 7 Tage', 'Last 7 days']],
    // The days are those of a custom range alone.
    [range, { range: '7d', from: '2026-11-05' }, ['Letzte 7 Tage', 'Last 7 days']],
    [range, { from: '2026-11-05' }, undefined],
    [range, { range: 'forever', from: '2026-11-05' }, undefined],
    [range, { range: 'own' }, undefined],
    [range, { range: 'own', from: '2026-11-05' }, ['Do., 5. Nov. 2026 – …', 'Thu, 5 Nov 2026 – …']],
    [range, { range: 'own', to: '2026-11-05' }, ['… – Do., 5. Nov. 2026', '… – Thu, 5 Nov 2026']],
    [
      range,
      { range: 'own', from: '2026-11-05', to: '2026-11-06' },
      ['Do., 5. Nov. 2026 – Fr., 6. Nov. 2026', 'Thu, 5 Nov 2026 – Fri, 6 Nov 2026'],
    ],
  ] as const)('%j with %j says %j', (field, values, words) => {
    expect(chip(field, values)).toEqual(words ?? [undefined, undefined]);
  });
});

describe('an empty list', () => {
  it.each([
    [true, 'no row and no filter', [], false],
    [false, 'no row that matches its filters', [], true],
    [false, 'a row', [1], false],
    [false, 'rows that are not loaded yet', undefined, false],
  ] as const)('has nothing to filter (%s) if it has %s', (empty, _what, rows, isSet) => {
    expect(isEmptyList(rows, { isSet })).toBe(empty);
  });
});

describe('a row', () => {
  it.each([
    ['panel', false, false],
    ['panel', false, true],
    ['page', true, true],
    // Without a page of its own, the panel fills the screen.
    ['panel', true, false],
  ] as const)('opens in the %s; on a phone: %s, with a page: %s', (place, isPhone, hasPage) => {
    expect(opensIn({ isPhone, hasPage })).toBe(place);
  });

  const plain = { onControl: false, withKey: false, selected: '' };
  it.each([
    [true, 'an empty part', {}],
    [false, 'a link or a button', { onControl: true }],
    [false, 'an empty part with a key held', { withKey: true }],
    [false, 'a text that it selects', { selected: 'Mia' }],
  ] as const)('opens (%s) by a click on %s', (opens, _where, changed) => {
    expect(opensRow({ ...plain, ...changed })).toBe(opens);
  });

  it.each([
    // No row is open: the first one, or the last one.
    [-1, 3, 1, 0],
    [-1, 3, -1, 2],
    [0, 3, 1, 1],
    [1, 3, 1, 2],
    [1, 3, -1, 0],
    // The list ends.
    [2, 3, 1, undefined],
    [0, 3, -1, undefined],
    [-1, 0, 1, undefined],
    [-1, 0, -1, undefined],
  ] as const)('at place %s of %s is followed, by %s, by that at place %s', (from, count, by, next) => {
    expect(nextPlace(from, count, by)).toBe(next);
  });
});
