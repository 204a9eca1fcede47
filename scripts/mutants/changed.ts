import { existsSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import type { Slice } from './slices.ts';

/** The lines that a change has added or changed, from the first to the last. */
interface Lines {
  readonly first: number;
  readonly last: number;
}

/** The changed lines of each file, from `git diff --unified=0 --no-prefix`. A part that only removes lines has none. */
export const changedLines = (diff: string): ReadonlyMap<string, readonly Lines[]> => {
  const changed = new Map<string, Lines[]>();
  let file = '';
  for (const line of diff.split('\n')) {
    if (line.startsWith('+++ ')) file = line.slice('+++ '.length);
    const [, first, count = '1'] = /^@@ -[\d,]+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (first === undefined || count === '0') continue;
    changed.set(file, [
      ...(changed.get(file) ?? []),
      { first: Number(first), last: Number(first) + Number(count) - 1 },
    ]);
  }
  return changed;
};

/** Folders whose code has its tests in folders of other names. */
const testFolders: Readonly<Record<string, readonly string[]>> = {
  run: ['processes', 'rest'],
  http: ['rest'],
  app: ['sign-ins', 'contract'],
  trpc: ['contract', 'rest'],
};

/** The folders of `test` whose tests are near a file of no slice. */
const testsNear = (file: string): readonly string[] => {
  const folders = file.split('/').slice(1, -1).toReversed();
  const names = folders.map((folder) => testFolders[folder] ?? [folder]);
  return (
    names.find((near) => near.some((name) => existsSync(`test/${name}`)))?.map((name) => `test/${name}/*.test.ts`) ?? []
  );
};

/** Code whose tests need no service. */
const needsNoDatabase = /^src\/(?:core|egress|web|packages\/client)\//;

/**
 * Slices that make mutants of changed lines only. A file that is in no slice gets the tests of its folder; `without` are
 * files for which there are none.
 */
export const slicesOfChange = (
  changed: ReadonlyMap<string, readonly Lines[]>,
  slices: Readonly<Record<string, Slice>>,
): { slices: Readonly<Record<string, Slice>>; without: readonly string[] } => {
  const found: Record<string, Slice & { files: string[] }> = {};
  const without: string[] = [];
  for (const [file, lines] of changed) {
    if (!/^src\/.*\.tsx?$/.test(file) || file.endsWith('.d.ts')) continue;
    const parts = lines.map(({ first, last }) => `${file}:${first}-${last}`);
    const [name, slice] =
      Object.entries(slices).find(([, { files }]) => files.some((glob) => matchesGlob(file, glob))) ?? [];
    const tests = slice?.tests ?? testsNear(file);
    if (tests.length === 0) {
      without.push(file);
      continue;
    }
    const key = `changed-${name ?? tests[0]?.split('/')[1] ?? ''}`;
    const hasDatabase = slice ? slice.hasDatabase : needsNoDatabase.test(file) ? undefined : true;
    const { files = [] } = found[key] ?? {};
    found[key] = { ...slice, tests, files: [...files, ...parts], ...(hasDatabase && { hasDatabase }) };
  }
  return { slices: found, without };
};
