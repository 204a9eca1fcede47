import { expect, it } from 'vitest';
import { changesOf, valuesOf } from '../../src/core/changes.ts';

interface Fields {
  name: string;
  note: string;
  seats: number;
  until: string | null;
}
const before: Fields = { name: 'Ada', note: 'old', seats: 0, until: null };

it('the changes of a request are the fields that it sends with another value', () => {
  expect(changesOf(before, {})).toEqual({});
  expect(changesOf(before, { name: 'Ada', note: undefined, seats: 0, until: null })).toStrictEqual({});
  expect(changesOf(before, { name: 'Bo', note: '', until: '2026' })).toEqual({ name: 'Bo', note: '', until: '2026' });
  expect(changesOf<Fields>({ ...before, until: '2026' }, { until: null })).toEqual({ until: null });
});

it('the audit log gets the former and the new values of changes, and nothing if there are none', () => {
  expect(valuesOf(before, {})).toEqual({});
  expect(valuesOf(before, { note: 'new', until: '2026' })).toEqual({
    before: { note: 'old', until: null },
    after: { note: 'new', until: '2026' },
  });
});
