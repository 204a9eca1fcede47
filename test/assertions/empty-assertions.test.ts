import { describe, expect, it } from 'vitest';
import { complaintsAbout } from '../../scripts/tests/empty-assertions.ts';

const inTest = (...lines: string[]): string => `it('holds', async () => {\n${lines.join('\n')}\n});`;

describe('an assertion is refused that', () => {
  it.each([
    ['compares a thing with itself', 'expect(found).toEqual(found);'],
    ['compares a part of a thing with itself', 'expect(page.rows[0]).toMatchObject(page.rows[0]);'],
    ['compares a list with a part of it', 'expect(found.filter(isOpen)).toEqual(found);'],
    ['compares a list with what is made from it', 'expect(found).toEqual(found.map(() => 1));'],
    ['compares it so through several methods', 'expect(found).toEqual(found.slice(1).map(double));'],
    ['judges all of a list that may be empty', 'expect(found.every(isOpen)).toBe(true);'],
    ['judges none of a list that may be empty', 'expect(page.rows.some(isOpen)).toBe(false);'],
  ])('%s', (_what, line) => {
    const [complaint, ...more] = complaintsAbout(inTest('const found = await read();', line));
    expect(complaint).toMatchObject({ line: 3 });
    expect(more).toEqual([]);
    for (const test of ["it.each([1])('…', () => {", "it.skipIf(no)('…', () => {", "test('…', function () {"]) {
      expect(complaintsAbout(`${test} ${line} });`)).toHaveLength(1);
    }
  });
});

describe('an assertion is accepted that', () => {
  it.each([
    ['compares two calls', 'expect(await read()).toEqual(await read());'],
    ['says the order of a list', 'expect(found).toEqual(found.toSorted());'],
    ['compares two things', 'expect(found).toEqual(others.map(double));'],
    [
      'judges all of a list whose length is known',
      'expect(found).toHaveLength(2);',
      'expect(found.every(f)).toBe(true);',
    ],
    [
      'judges all of a part of something that is known',
      'expect(page.next).toBe(2);',
      'expect(page.rows.every(isOpen)).toBe(true);',
    ],
    ['judges all of a written list', 'expect([1, 2].every(isOpen)).toBe(true);'],
    ['says that not all are so', 'expect(found.every(isOpen)).toBe(false);'],
  ])('%s', (_what, ...lines) => {
    expect(complaintsAbout(inTest(...lines))).toEqual([]);
  });
});

describe('a test', () => {
  const none: number[] = [];
  it.fails('that ran no assertion fails, as one does that asserts only in a loop', () => {
    for (const one of none) expect(one).toBe(1);
  });
});
