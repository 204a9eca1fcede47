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
  app: ['sign-ins', 'contract'],
  assistants: ['mcp'],
  'company-sign-in': ['sign-ins'],
  deletions: ['changes'],
  deliveries: ['worker', 'webhooks'],
  http: ['rest'],
  maintenance: ['operations'],
  membership: ['members'],
  overview: ['teams'],
  people: ['members', 'sign-ins'],
  run: ['processes', 'rest'],
  'team-deletion': ['teams'],
  trpc: ['contract', 'rest'],
};

/** The tests of the folder of a file, or of a command of the CLI. */
const testsNear = (file: string): readonly string[] => {
  const [, command] = /^src\/cli\/commands\/([\w-]+)\.ts$/.exec(file) ?? [];
  const ofCommand = command === undefined ? [] : [`test/cli/${command}.test.ts`, `test/cli/${command}.slow.test.ts`];
  const tests = ofCommand.filter((file) => existsSync(file));
  if (tests.length > 0) return tests;
  const folders = file.split('/').slice(1, -1).toReversed();
  const names = folders.map((folder) => testFolders[folder] ?? [folder]);
  return (
    names.find((near) => near.some((name) => existsSync(`test/${name}`)))?.map((name) => `test/${name}/*.test.ts`) ?? []
  );
};

/**
 * The slice of a file. With a database it has only the tests near the file: those of a whole slice would take longer before the
 * first mutant than all mutants of a change. Components of the app have only tests in a browser, which are slow.
 */
const sliceOf = (file: string, slices: readonly Slice[]): Omit<Slice, 'files'> | undefined => {
  const slice = slices.find(({ files }) => files.some((glob) => matchesGlob(file, glob)));
  if (slice && !slice.hasDatabase) return slice;
  const tests = testsNear(file);
  if (tests.length === 0) return slice;
  if (file.endsWith('.tsx')) return undefined;
  if (/^src\/(?:core|egress)\//.test(file)) return { tests };
  return { tests, hasDatabase: true, ...(file.startsWith('src/web/') && { pool: 'forks' }) };
};

/** Tests that need the same run together, so that each of them runs once before the first mutant. */
const nameOf = ({ hasDatabase, pool }: Omit<Slice, 'files'>): string =>
  ['changed', hasDatabase && 'database', pool].filter(Boolean).join('-');

/**
 * Slices that make mutants of changed lines only, with the tests near each file; `without` are files for which there are
 * none.
 */
export const slicesOfChange = (
  changed: ReadonlyMap<string, readonly Lines[]>,
  slices: Readonly<Record<string, Slice>>,
): { slices: Readonly<Record<string, Slice>>; without: readonly string[] } => {
  const found: Record<string, Slice> = {};
  const without: string[] = [];
  for (const [file, lines] of changed) {
    if (!/^src\/.*\.tsx?$/.test(file) || /\.d\.ts$|\/generated\//.test(file)) continue;
    const slice = sliceOf(file, Object.values(slices));
    if (!slice) {
      without.push(file);
      continue;
    }
    const name = nameOf(slice);
    const { files = [], tests = [] } = found[name] ?? {};
    found[name] = {
      ...slice,
      tests: [...new Set([...tests, ...slice.tests])],
      files: [...files, ...lines.map(({ first, last }) => `${file}:${first}-${last}`)],
    };
  }
  return { slices: found, without };
};
