import { describe, expect, it } from 'vitest';
import {
  among,
  fit,
  nextOrder,
  nothingSelected,
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
  const columns = [{ label: 'a' }, { label: 'b', fold: 1 }, { label: 'c', fold: 2 }, { label: 'd' }];
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

  it('are below the first one if they are to keep, after all others are folded', () => {
    const three = [{ label: 'a' }, { label: 's', keep: true }, { label: 'b' }];
    const places = (further: number) => {
      const { shown, folded, stacked, isTight } = fit(three, 10_000, further);
      return [...[shown, folded, stacked].map((some) => some.map(({ label }) => label).join('')), isTight];
    };
    expect(places(1)).toEqual(['as', 'b', '', false]);
    expect(places(2)).toEqual(['a', 'b', 's', false]);
    expect(places(3)).toEqual(['a', 'b', 's', true]);
    // Where there is room for both, or where the first one would be too narrow.
    expect([320, 319].map((room) => fit(three.slice(0, 2), room).shown.length)).toEqual([2, 1]);
  });

  it('are followed by others where the contents need more room, but not by the first one or by buttons', () => {
    const seven = [...['a', 'b', 'c', 'd', 'e'].map((label) => ({ label })), { label: 'f', fold: 1 }, { label: '' }];
    const shown = (further: number) => fit(seven, 10_000, further).shown.map(({ label }) => label);
    expect([0, 1, 2, 3, 4].map((further) => shown(further).join(''))).toEqual(['abcdef', 'abcde', 'abcd', 'abc', 'ab']);
    expect([5, 6].map((further) => fit(seven, 10_000, further).isTight)).toEqual([false, true]);
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
