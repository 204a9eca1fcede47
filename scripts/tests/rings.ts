import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';

// The tests are three rings: the quick ones, which `npm test` runs; what CI runs with each push; and all. CI runs the quick ones, the
// slow ones below, and in turn a fifth of the other slow ones.

/** How many parts the slow files have that CI runs in turn. */
export const parts = 5;

/** Slow files that CI always runs: they hold what no other test can. */
export const always: readonly string[] = [
  'test/db/embedded.slow.test.ts',
  'test/deploy/image.slow.test.ts',
  'test/deploy/promtool.slow.test.ts',
  'test/e2e/walk-sample.slow.test.ts',
  'test/limits/processes.slow.test.ts',
  'test/outage/outage.slow.test.ts',
  'test/processes/main.slow.test.ts',
  'test/processes/rolling.slow.test.ts',
  'test/proxy/shipped-configurations.slow.test.ts',
  'test/worker/chaos.slow.test.ts',
];

export const slowFiles = (root: string): readonly string[] =>
  globSync('test/**/*.slow.test.ts', { cwd: root }).toSorted();

/**
 * The part to which a file belongs, from 0. It depends on its name alone, so that another new file changes nothing: after five
 * numbers in a row each file was in a part.
 */
export const partOf = (file: string): number => createHash('sha256').update(file).digest().readUInt32BE() % parts;

/** The slow files that CI runs for a number of commits. */
export const filesOfTurn = (files: readonly string[], commits: number): readonly string[] =>
  files.filter((file) => always.includes(file) || partOf(file) === commits % parts);
