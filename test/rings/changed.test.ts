import { describe, expect, it } from 'vitest';
import { changedLines, slicesOfChange } from '../../scripts/mutants/changed.ts';
import { slices } from '../../scripts/mutants/slices.ts';

const diff = `diff --git src/core/clock.ts src/core/clock.ts
index 1..2 100644
--- src/core/clock.ts
+++ src/core/clock.ts
@@ -3,0 +4,2 @@ export const a
+one
+two
@@ -10 +12 @@ export const b
-old
+new
@@ -20,3 +21,0 @@ export const c
-gone
-gone
-gone
diff --git src/modules/windows/store.ts src/modules/windows/store.ts
--- src/modules/windows/store.ts
+++ src/modules/windows/store.ts
@@ -1 +1,3 @@
-old
+one
+two
+three
`;

describe('the lines of a change', () => {
  it('are those that it adds or changes, by file', () => {
    expect([...changedLines(diff)]).toEqual([
      [
        'src/core/clock.ts',
        [
          { first: 4, last: 5 },
          { first: 12, last: 12 },
        ],
      ],
      ['src/modules/windows/store.ts', [{ first: 1, last: 3 }]],
    ]);
  });

  it('are none without a change', () => expect([...changedLines('')]).toEqual([]));
});

describe('the mutants of a change', () => {
  const of = (file: string) => slicesOfChange(new Map([[file, [{ first: 1, last: 2 }]]]), slices);

  it('are those of the changed lines, with the tests of the slice that has the file', () => {
    expect(of('src/core/clock.ts')).toEqual({
      slices: { 'changed-time': { files: ['src/core/clock.ts:1-2'], tests: slices['time']?.tests } },
      without: [],
    });
  });

  it.each([
    ['src/modules/audit/store.ts', 'changed-audit', ['test/audit/*.test.ts'], true],
    ['src/egress/failure.ts', 'changed-egress', ['test/egress/*.test.ts'], undefined],
    ['src/run/api.ts', 'changed-processes', ['processes', 'rest'].map((name) => `test/${name}/*.test.ts`), true],
    ['src/server/mcp/tools.ts', 'changed-mcp', ['test/mcp/*.test.ts'], true],
  ])('of a file in no slice, %s, have the tests of its folder', (file, name, tests, hasDatabase) => {
    expect(of(file)).toEqual({
      slices: { [name]: { files: [`${file}:1-2`], tests, ...(hasDatabase && { hasDatabase }) } },
      without: [],
    });
  });

  it('name a file for which there are no tests', () => {
    expect(of('src/main.ts')).toEqual({ slices: {}, without: ['src/main.ts'] });
  });

  it.each(['docs/testing.md', 'test/core/clock.test.ts', 'src/db/webassembly.d.ts'])('are none of %s', (file) => {
    expect(of(file)).toEqual({ slices: {}, without: [] });
  });
});
