import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  always,
  filesOfTurn,
  nearDates,
  parts,
  sampleOf,
  slowFiles,
  zoneRuns,
  zones,
} from '../../scripts/tests/rings.ts';
import { dearerFiles } from '../../scripts/tests/times.ts';

const files = slowFiles('.');

describe('what CI runs of the slow tests', () => {
  it('is in five numbers of commits in a row every file', () => {
    expect(files.length).toBeGreaterThan(50);
    fc.assert(
      fc.property(fc.nat(1_000_000), (first) => {
        const ran = new Set(Array.from({ length: parts }, (_, turn) => filesOfTurn(files, first + turn)).flat());
        expect(ran.size).toBe(files.length);
      }),
    );
  });

  it.each(Array.from({ length: parts }, (_, turn) => turn))('has every file that always runs (turn %i)', (turn) => {
    expect(always.filter(existsSync)).toEqual(always);
    expect(filesOfTurn(files, turn)).toEqual(expect.arrayContaining([...always]));
  });

  it('leaves a file in its part when others come', () => {
    const added = [...files, 'test/a/new.slow.test.ts', 'test/z/new.slow.test.ts'];
    for (let turn = 0; turn < parts; turn += 1) {
      expect(filesOfTurn(added, turn)).toEqual(expect.arrayContaining([...filesOfTurn(files, turn)]));
    }
  });
});

it('each part takes every fifth of what is sampled, within five times that it comes', () => {
  for (let part = 0; part < parts; part += 1) {
    const numbers = Array.from({ length: 5 }, (_, at) => 1_000 + part + at * parts);
    expect(new Set(numbers.map((commits) => commits % parts))).toEqual(new Set([part]));
    expect(numbers.map((commits) => sampleOf(commits) % 5).toSorted()).toEqual([0, 1, 2, 3, 4]);
  }
});

describe('tests near dates', () => {
  it('exist', () => expect(nearDates.filter((file) => !existsSync(file))).toEqual([]));

  it('run in both zones, or in one with further files', () => {
    expect(zoneRuns([])).toEqual(zones.map((TZ) => ({ TZ, files: nearDates })));
    expect(zoneRuns(['Asia/Tokyo', 'test/a/', 'test/b/'])).toEqual([
      { TZ: 'Asia/Tokyo', files: [...nearDates, 'test/a/', 'test/b/'] },
    ]);
  });
});

it('the kept times are of files that exist', () => {
  const kept = Object.keys(JSON.parse(readFileSync('test/times.json', 'utf8')));
  expect(kept.length).toBeGreaterThan(100);
  expect(kept.filter((file) => !existsSync(file))).toEqual([]);
});

describe('files that got dearer', () => {
  const before = { a: 10, b: 20, c: 30, d: 40, small: 1 };

  it.each([
    ['nothing changed', { ...before }, []],
    ['a machine of half the speed', { a: 20, b: 40, c: 60, d: 80, small: 2 }, []],
    ['30 %: not yet', { ...before, a: 13 }, []],
    ['more than 30 %', { ...before, a: 13.1 }, ['a']],
    ['more than 30 % on a machine of half the speed', { a: 26.2, b: 40, c: 60, d: 80 }, ['a']],
    ['two files, the dearest first', { ...before, a: 20, b: 60 }, ['b', 'a']],
    ['a file of less than three seconds', { ...before, small: 100 }, []],
    ['a new file', { ...before, e: 100 }, []],
    ['a file that became quicker', { ...before, a: 1 }, []],
  ])('%s', (_, now, dearer) => {
    expect(dearerFiles(before, now).map(({ file }) => file)).toEqual(dearer);
  });
});
