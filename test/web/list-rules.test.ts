import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../src/core/exact-json.ts';
import type { Value } from '../../src/web/kit/list/csv.ts';
import {
  among,
  compactWidthOf,
  hasWords,
  isCutShort,
  minWidthOf,
  nextOrder,
  nothingSelected,
  placeColumns,
  readOrder,
  sorted,
  toggle,
  toggleAll,
  writeOrder,
} from '../../src/web/kit/list/list-rules.ts';

describe('a list that the app sorts', () => {
  const by = (values: Value[], desc = false) => sorted(values, (value) => value, { desc, locale: 'de' });

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

describe('columns without room', () => {
  const placed = (columns: readonly Parameters<typeof placeColumns>[0][number][], room: number) => {
    const { inRow, belowFirst, inDetails } = placeColumns(columns, room);
    return [inRow, belowFirst, inDetails].map((some) => some.map(({ label }) => label || '…').join(''));
  };

  it('move into the row’s details, those with the highest number first, and only as many as necessary', () => {
    const four = [{ label: 'a' }, { label: 'b', priority: 1 }, { label: 'c', priority: 2 }, { label: 'd' }];
    expect(placed(four, 560)).toEqual(['abcd', '', '']);
    expect(placed(four, 559)).toEqual(['abd', '', 'c']);
    expect(placed(four, 439)).toEqual(['ad', '', 'bc']);
    expect(placed(four, 319)).toEqual(['ad', '', 'bc']);
    expect(placed(four, 0)).toEqual(['abcd', '', '']);
  });

  it('are followed by others from the end, but not by the first one or by buttons', () => {
    const five = [
      ...['a', 'b', 'c'].map((label) => ({ label, minWidth: 200 })),
      { label: 'd', priority: 1 },
      { label: '' },
    ];
    expect([788, 787, 667, 467].map((room) => placed(five, room)[0])).toEqual(['abcd…', 'abc…', 'ab…', 'a…']);
  });

  it('are below the first one if they are always shown, after all others have moved', () => {
    const three = [{ label: 'a' }, { label: 's', alwaysShown: true }, { label: 'b' }];
    expect(placed(three, 440)).toEqual(['asb', '', '']);
    expect(placed(three, 439)).toEqual(['as', '', 'b']);
    expect(placed(three, 320)).toEqual(['as', '', 'b']);
    expect(placed(three, 319)).toEqual(['a', 's', 'b']);
    expect(placed([{ label: 'a' }, { label: 'b' }, { label: 's', alwaysShown: true }], 439)).toEqual(['as', '', 'b']);
    const both = [{ label: 'a' }, { label: 's', alwaysShown: true }, { label: 't', alwaysShown: true }];
    expect([440, 439, 319].map((room) => placed(both, room)[1])).toEqual(['', 't', 'st']);
  });

  it('stay if a single one is wider than half of the room, but those that are always shown leave it its width', () => {
    const wide = { label: 'w', minWidth: 1_000 };
    expect(placed([{ label: 'a', minWidth: 100 }, { label: 'b' }, wide], 440)).toEqual(['abw', '', '']);
    const first = { label: 'a', minWidth: 400 };
    expect(placed([first, { label: 'b' }], 450)).toEqual(['ab', '', '']);
    expect([520, 519].map((room) => placed([first, { label: 's', alwaysShown: true }], room)[0])).toEqual(['as', 'a']);
  });

  it('have a width by what they show: room for the longest word of the heading, more for times, most for the first one', () => {
    const width = (column: Parameters<typeof minWidthOf>[0], isFirst = false) => minWidthOf(column, isFirst);
    // From the narrowest to the widest.
    const inOrder = [
      width({ label: '' }),
      width({ label: 'x', cell: 'number' }),
      width({ label: 'x' }),
      width({ label: 'x', cell: 'time' }),
      width({ label: 'x', cell: 'exact time' }),
      width({ label: 'x' }, true),
    ];
    expect(inOrder).toEqual([...new Set(inOrder)].toSorted((a, b) => a - b));
    expect(width({ label: 'x', align: 'end' })).toBe(width({ label: 'x', cell: 'number' }));
    expect(width({ label: 'Berechtigungen' })).toBeGreaterThan(width({ label: 'x' }));
    expect(width({ label: 'Berechtigungen', cell: 'number' })).toBe(width({ label: 'Berechtigungen' }));
    expect(width({ label: 'am Berechtigungen' })).toBe(width({ label: 'Berechtigungen' }));
  });

  it('have the width that is declared for them, whatever they show', () => {
    for (const label of ['', 'x', 'Berechtigungen'])
      for (const cell of [undefined, 'number', 'time', 'exact time'])
        for (const isFirst of [true, false]) expect(minWidthOf({ label, cell, minWidth: 7 }, isFirst)).toBe(7);
  });

  it('have the width that they declare, or that of their kind', () => {
    const wide = [{ label: 'a' }, { label: 'b', minWidth: 150 }, { label: 'c' }];
    expect([470, 469].map((room) => placed(wide, room)[0])).toEqual(['abc', 'ab']);
    const kinds = [{ label: 'a' }, { label: 't', cell: 'time' }, { label: 'n', cell: 'number' }];
    expect([435, 434].map((room) => placed(kinds, room)[0])).toEqual(['atn', 'at']);
  });
});

describe('columns that the reader has chosen', () => {
  const columns = [
    { label: 'a', minWidth: 200 },
    { label: 's', minWidth: 100, alwaysShown: true },
    { label: 'b', minWidth: 100, priority: 2 },
    { label: 'c', minWidth: 100, priority: 1 },
  ];
  const placed = (room: number, choice: Readonly<Record<string, boolean>>) => {
    const { inRow, belowFirst, inDetails } = placeColumns(columns, room, { choice });
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
    expect(placed(0, { b: false })).toEqual(['asc', '', 'b']);
  });
});

describe('a column of compact rows', () => {
  type Column = Parameters<typeof compactWidthOf>[0];
  const usual = { label: 'x', minWidth: 200 };
  const width = (column: Partial<Column>, isFirst = false) => compactWidthOf({ ...usual, ...column }, isFirst);

  it('is narrower; the first one, numbers and times keep more than texts', () => {
    const parts = [width({}), width({ cell: 'number' }), width({ cell: 'time' }), width({ cell: 'exact time' })];
    expect(parts).toEqual([...new Set(parts)].toSorted((a, b) => a - b));
    for (const part of parts) expect(part).toBeLessThan(usual.minWidth);
    for (const same of [width({ align: 'end' }), width({}, true)]) expect(same).toBe(width({ cell: 'number' }));
    expect(width({ label: '' })).toBeLessThan(usual.minWidth);
  });

  it('has room for the longest word of its heading and for the mark of its order, but never more than usual', () => {
    const heading = (column: Partial<Column>) => width({ label: 'Berechtigungen', ...column });
    expect(heading({})).toBeGreaterThan(width({}));
    expect(heading({ name: 'scopes' })).toBeGreaterThan(heading({}));
    expect(heading({ label: 'Berechtigungen am' })).toBe(heading({}));
    expect(heading({ minWidth: 20 })).toBe(20);
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
