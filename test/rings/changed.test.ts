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
  const linesOf = (...files: string[]) => new Map(files.map((file) => [file, [{ first: 1, last: 2 }]]));
  const of = (...files: string[]) => slicesOfChange(linesOf(...files), slices);

  it('are those of the changed lines, with the tests of the slice that has the file, if they need no database', () => {
    expect(of('src/core/clock.ts')).toEqual({
      slices: { changed: { files: ['src/core/clock.ts:1-2'], tests: slices['time']?.tests } },
      without: [],
    });
  });

  const withDatabase = { hasDatabase: true } as const;
  it.each([
    ['src/modules/audit/store.ts', 'changed-database', ['audit'], withDatabase],
    ['src/modules/keys/service.ts', 'changed-database', ['keys'], withDatabase],
    ['src/deliveries/outbox.ts', 'changed-database', ['worker', 'webhooks'], withDatabase],
    ['src/modules/overview/service.ts', 'changed-database', ['teams'], withDatabase],
    ['src/egress/failure.ts', 'changed', ['egress'], {}],
    ['src/run/api.ts', 'changed-database', ['processes', 'rest'], withDatabase],
    ['src/server/mcp/tools/members.ts', 'changed-database', ['mcp'], withDatabase],
    ['src/web/pages/settings/changes.ts', 'changed-database-forks', ['web'], { ...withDatabase, pool: 'forks' }],
  ])('of another file, %s, have the tests of its folder', (file, name, folders, needs) => {
    const tests = folders.map((folder) => `test/${folder}/*.test.ts`);
    expect(of(file)).toEqual({ slices: { [name]: { files: [`${file}:1-2`], tests, ...needs } }, without: [] });
  });

  it('of a command of the CLI have its tests', () => {
    expect(of('src/cli/commands/key.ts').slices['changed-database']?.tests).toEqual(['test/cli/key.test.ts']);
    expect(of('src/cli/commands/team.ts').slices['changed-database']?.tests).toEqual(['test/cli/team.slow.test.ts']);
  });

  it('are made in one run for all files whose tests need the same', () => {
    const files = ['src/modules/audit/store.ts', 'src/modules/idempotency/store.ts', 'src/modules/audit/schema.ts'];
    expect(of(...files).slices).toEqual({
      'changed-database': {
        files: files.map((file) => `${file}:1-2`),
        tests: ['test/audit/*.test.ts', 'test/idempotency/*.test.ts'],
        ...withDatabase,
      },
    });
  });

  it.each(['src/main.ts', 'src/web/pages/settings/privacy.tsx'])('name a file without quick tests: %s', (file) => {
    expect(of(file)).toEqual({ slices: {}, without: [file] });
  });

  it.each([
    'docs/testing.md',
    'test/core/clock.test.ts',
    'src/db/webassembly.d.ts',
    'src/packages/client/generated/types.ts',
  ])('are none of %s', (file) => {
    expect(of(file)).toEqual({ slices: {}, without: [] });
  });
});
