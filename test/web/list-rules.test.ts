import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  among,
  fit,
  nextOrder,
  nothingSelected,
  partsBetween,
  pieces,
  readOrder,
  sorted,
  toggle,
  toggleAll,
  writeOrder,
} from '../../src/web/kit/list-rules.ts';

describe('a list that the app sorts', () => {
  const by = (values: (string | number | null)[], desc = false) =>
    sorted(values, (value) => value, { desc, locale: 'de' });

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
  });

  it('switches between ascending, descending and its own order', () => {
    const first = nextOrder(undefined, 'name');
    expect([first && writeOrder(first), readOrder('-name'), readOrder('')]).toEqual([
      'name',
      { by: 'name', desc: true },
      undefined,
    ]);
    expect(nextOrder(first, 'name')).toEqual({ by: 'name', desc: true });
    expect(nextOrder({ by: 'name', desc: true }, 'name')).toBeUndefined();
    expect(nextOrder({ by: 'name', desc: true }, 'email')).toEqual({ by: 'email', desc: false });
  });
});

describe('columns without room', () => {
  const columns = [{ label: 'a', width: 200 }, { label: 'b', fold: 1 }, { label: 'c', fold: 2 }, { label: 'd' }];
  const labels = (room: number) => {
    const { shown, folded } = fit(columns, room);
    return [shown.map(({ label }) => label).join(''), folded.map(({ label }) => label).join('')];
  };

  it('move into the row’s details, the least important first, and only as many as necessary', () => {
    expect(labels(560)).toEqual(['abcd', '']);
    expect(labels(559)).toEqual(['abd', 'c']);
    expect(labels(439)).toEqual(['ad', 'bc']);
    expect(labels(100)).toEqual(['ad', 'bc']);
    expect(labels(0)).toEqual(['abcd', '']);
  });

  it('are followed by others where the contents need more room, but not by the first ones or by buttons', () => {
    const seven = [...['a', 'b', 'c', 'd', 'e'].map((label) => ({ label })), { label: 'f', fold: 1 }, { label: '' }];
    const shown = (further: number) => fit(seven, 10_000, further).shown.map(({ label }) => label);
    expect([0, 1, 2, 3, 4].map((further) => shown(further).join(''))).toEqual([
      'abcdef',
      'abcde',
      'abcd',
      'abc',
      'abc',
    ]);
    expect([3, 4].map((further) => fit(seven, 10_000, further).isTight)).toEqual([false, true]);
    expect(shown(4)).toContain('');
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

describe('the parts of a long list', () => {
  const heights = [100, 300, 50, 400, 100];

  it('are those of which at least one pixel is between two heights', () => {
    expect(partsBetween(heights, 0, 100)).toEqual({ first: 0, last: 0 });
    expect(partsBetween(heights, 99, 101)).toEqual({ first: 0, last: 1 });
    expect(partsBetween(heights, 100, 400)).toEqual({ first: 1, last: 1 });
    expect(partsBetween(heights, 399, 851)).toEqual({ first: 1, last: 4 });
  });

  it('are the first or the last one, if the reader is above or below the list', () => {
    expect(partsBetween(heights, -500, -100)).toEqual({ first: 0, last: 0 });
    expect(partsBetween(heights, 2_000, 3_000)).toEqual({ first: 4, last: 4 });
  });

  it('always contain a pixel of the visible area, and every part between them', () => {
    const pixels = fc.integer({ min: 1, max: 900 });
    fc.assert(
      fc.property(fc.array(pixels, { minLength: 1 }), fc.nat(20_000), pixels, (all, top, visible) => {
        const { first, last } = partsBetween(all, top, top + visible);
        const begin = (part: number) => all.slice(0, part).reduce((sum, height) => sum + height, 0);
        const isSeen = (part: number) => begin(part + 1) > top && begin(part) < top + visible;
        const seen = [...all.keys()].filter(isSeen);
        expect([first, last]).toEqual([seen[0] ?? all.length - 1, seen.at(-1) ?? all.length - 1]);
      }),
    );
  });

  it('that are not rendered form gaps of their whole height', () => {
    expect(pieces(heights, (part) => part === 1 || part === 4)).toEqual([
      { gap: 100 },
      { part: 1 },
      { gap: 450 },
      { part: 4 },
    ]);
    expect(pieces(heights, () => false)).toEqual([{ gap: 950 }]);
  });
});
